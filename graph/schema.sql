-- Schema version 3. The first block is a public contract (docs: the README's "The graph"); the second is
-- what an import needs to go on from the last one, and may change with any version.
-- No primary keys: they triple the size and the cost of a change; uniqueness is held by the diff and by tests.

CREATE TABLE notes (
    id VARCHAR NOT NULL, path VARCHAR NOT NULL, title VARCHAR NOT NULL, type VARCHAR NOT NULL,
    aliases VARCHAR[] NOT NULL, summary VARCHAR NOT NULL, content_hash VARCHAR NOT NULL,
    declared_id VARCHAR, headings VARCHAR[] NOT NULL, interface BOOLEAN NOT NULL
);
CREATE TABLE mentions (id VARCHAR NOT NULL, name VARCHAR NOT NULL);
CREATE TABLE chunks (
    note VARCHAR NOT NULL, ordinal VARCHAR NOT NULL, heading_path VARCHAR[] NOT NULL,
    first_line INTEGER NOT NULL, last_line INTEGER NOT NULL, text VARCHAR NOT NULL
);
CREATE TABLE links (
    source VARCHAR NOT NULL, kind VARCHAR NOT NULL, written VARCHAR NOT NULL, target VARCHAR,
    candidate BOOLEAN NOT NULL, state VARCHAR NOT NULL, rule_id VARCHAR NOT NULL, scope VARCHAR NOT NULL,
    chunk VARCHAR, line INTEGER NOT NULL, verdict VARCHAR, evidence_hash VARCHAR
);
CREATE TABLE attachments (source VARCHAR NOT NULL, written VARCHAR NOT NULL, path VARCHAR, line INTEGER NOT NULL);
CREATE TABLE edges (
    source VARCHAR NOT NULL, kind VARCHAR NOT NULL, target VARCHAR NOT NULL, provenance VARCHAR NOT NULL,
    rule_id VARCHAR NOT NULL, confidence DOUBLE NOT NULL, scope VARCHAR NOT NULL, chunk VARCHAR, line INTEGER,
    verdict VARCHAR, mirror BOOLEAN NOT NULL
);
CREATE TABLE resolutions (
    a VARCHAR NOT NULL, b VARCHAR NOT NULL, method VARCHAR NOT NULL, score DOUBLE, state VARCHAR NOT NULL,
    model VARCHAR, reason VARCHAR NOT NULL, decided_by VARCHAR
);
CREATE TABLE embeddings (name VARCHAR NOT NULL, model VARCHAR NOT NULL, version VARCHAR NOT NULL, vector FLOAT[]);
CREATE TABLE verdicts (
    key VARCHAR NOT NULL, source VARCHAR NOT NULL, kind VARCHAR NOT NULL, target VARCHAR NOT NULL,
    answer VARCHAR NOT NULL, p_yes DOUBLE, confidence DOUBLE NOT NULL, judge VARCHAR NOT NULL, profile VARCHAR,
    model VARCHAR, prompt_hash VARCHAR, evidence_hash VARCHAR NOT NULL, asked_at VARCHAR NOT NULL,
    tokens BIGINT, latency_ms BIGINT
);
CREATE TABLE findings (
    code VARCHAR NOT NULL, severity VARCHAR NOT NULL, path VARCHAR NOT NULL, line INTEGER NOT NULL,
    message VARCHAR NOT NULL, help VARCHAR NOT NULL, stage VARCHAR NOT NULL
);
CREATE TABLE imports (
    id INTEGER NOT NULL, started_at TIMESTAMPTZ NOT NULL, finished_at TIMESTAMPTZ NOT NULL, version VARCHAR NOT NULL,
    notes_added INTEGER NOT NULL, notes_changed INTEGER NOT NULL, notes_removed INTEGER NOT NULL,
    edges_added INTEGER NOT NULL, edges_changed INTEGER NOT NULL, edges_removed INTEGER NOT NULL,
    calls BIGINT NOT NULL, tokens BIGINT NOT NULL
);
CREATE TABLE entity_of (node VARCHAR NOT NULL, entity VARCHAR NOT NULL);
CREATE VIEW entities AS
    SELECT entity, node FROM entity_of
    UNION ALL SELECT id, id FROM notes WHERE NOT EXISTS (SELECT 1 FROM entity_of WHERE node = notes.id)
    UNION ALL SELECT id, id FROM mentions WHERE NOT EXISTS (SELECT 1 FROM entity_of WHERE node = mentions.id);
CREATE VIEW entity_edges AS
    SELECT coalesce(s.entity, e.source) AS source, e.kind, coalesce(t.entity, e.target) AS target,
           arg_max(e.provenance, (NOT e.mirror, e.confidence)) AS provenance,
           max(e.confidence) AS confidence, bool_and(e.mirror) AS mirror
    FROM edges e
    LEFT JOIN entity_of s ON s.node = e.source
    LEFT JOIN entity_of t ON t.node = e.target
    WHERE coalesce(s.entity, e.source) <> coalesce(t.entity, e.target)
    GROUP BY ALL;

CREATE TABLE files (
    path VARCHAR NOT NULL, size BIGINT NOT NULL, mtime_ns BIGINT NOT NULL, ctime_ns BIGINT NOT NULL,
    content_hash VARCHAR NOT NULL
);
CREATE TABLE other_files (path VARCHAR NOT NULL);
CREATE TABLE names (note VARCHAR NOT NULL, key VARCHAR NOT NULL, role VARCHAR NOT NULL, path VARCHAR NOT NULL);
-- A row for each name that is searched by its parts: what an index files it under, its words as they are spelled, and
-- the keys of all its tokens; `path` is in NFC.
CREATE TABLE name_parts (
    note VARCHAR NOT NULL, path VARCHAR NOT NULL, name VARCHAR NOT NULL, size INTEGER NOT NULL,
    keys VARCHAR[] NOT NULL, words VARCHAR[] NOT NULL, tokens VARCHAR[] NOT NULL
);
CREATE TABLE written (
    note VARCHAR NOT NULL, kind VARCHAR NOT NULL, written VARCHAR NOT NULL, anchor VARCHAR,
    candidate BOOLEAN NOT NULL, rule_id VARCHAR NOT NULL, scope VARCHAR NOT NULL, chunk VARCHAR,
    line INTEGER NOT NULL, relative BOOLEAN NOT NULL, whole_key VARCHAR NOT NULL, last_key VARCHAR NOT NULL
);
CREATE TABLE meta (name VARCHAR NOT NULL, value VARCHAR NOT NULL);
