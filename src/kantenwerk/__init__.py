"""kantenwerk turns a folder of linked Markdown notes into a typed graph that can be trusted."""
