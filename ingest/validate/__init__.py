"""Candidates and their evidence to verdicts: what a model is asked, and what its answers mean."""
