-- The database of a farm of schema version 1 in which something of everything has happened.
-- {0}: digest of the task's package; {1}, ...: of archives.
BEGIN;
PRAGMA application_id = 1936289126;
PRAGMA user_version = 1;

CREATE TABLE tasks(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  digest TEXT NOT NULL,                 -- of its package: a blob
  folder TEXT NOT NULL,                 -- where it was added from, for people
  added INTEGER NOT NULL                -- this and all times: milliseconds since 1970
) STRICT;

CREATE TABLE submissions(
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- the submit order
  name TEXT NOT NULL,                   -- "kernel": the task's starting kernel; else empty
  task INTEGER REFERENCES tasks(id),    -- NULL: none that the farm has
  author TEXT NOT NULL,
  parent TEXT NOT NULL,
  note TEXT NOT NULL,
  archive TEXT NOT NULL,                -- a blob: what was handed in
  sources TEXT NOT NULL,                -- digest of its files; empty when intake refused it
  options TEXT NOT NULL,                -- likewise of how they are built
  received INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('received', 'rejected', 'queued', 'running', 'judged',
                                       'ranked', 'held', 'cancelled', 'system_error')),
  faults INTEGER NOT NULL DEFAULT 0     -- of the farm's own, while judging it
) STRICT;
CREATE INDEX submissions_by_state ON submissions(state, faults, id);

CREATE TABLE jobs(
  submission INTEGER PRIMARY KEY REFERENCES submissions(id),
  token INTEGER UNIQUE,                 -- of the lease; NULL: nobody has one
  evaluation TEXT,                      -- the key that it runs under
  lease_end INTEGER,
  attempt INTEGER NOT NULL              -- leases so far
) STRICT;
CREATE UNIQUE INDEX one_run ON jobs(evaluation) WHERE token IS NOT NULL;

CREATE TABLE evaluations(
  key TEXT PRIMARY KEY,
  verdict TEXT NOT NULL,
  failed_case TEXT NOT NULL,
  failure TEXT NOT NULL,
  local_bytes INTEGER NOT NULL,
  sources TEXT NOT NULL,
  elf TEXT NOT NULL,                    -- digest of the program: a blob; empty without one
  toolchain TEXT NOT NULL,
  simulator TEXT NOT NULL,
  record TEXT NOT NULL,                 -- SHA-256 over the result and its cases
  finished INTEGER NOT NULL
) STRICT;

CREATE TABLE case_results(
  evaluation TEXT NOT NULL REFERENCES evaluations(key),
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  cycles INTEGER NOT NULL,
  boot_cycles INTEGER NOT NULL,
  instructions INTEGER NOT NULL,
  units INTEGER NOT NULL,
  dma_bytes INTEGER NOT NULL,
  counters TEXT NOT NULL,
  PRIMARY KEY (evaluation, name)
) STRICT;

CREATE TABLE events(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time INTEGER NOT NULL,
  submission INTEGER NOT NULL REFERENCES submissions(id),
  state TEXT NOT NULL,                  -- that it has from here on
  attempt INTEGER NOT NULL,
  evaluation TEXT REFERENCES evaluations(key),
  detail TEXT NOT NULL                  -- for people
) STRICT;
CREATE INDEX events_by_submission ON events(submission, id);
CREATE UNIQUE INDEX one_judgement ON events(submission) WHERE state = 'judged';

CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events only grow'); END;
CREATE TRIGGER events_last BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events only grow'); END;
CREATE TRIGGER evaluations_stay BEFORE UPDATE ON evaluations
  BEGIN SELECT RAISE(ABORT, 'results never change'); END;
CREATE TRIGGER evaluations_last BEFORE DELETE ON evaluations
  BEGIN SELECT RAISE(ABORT, 'results never change'); END;
CREATE TRIGGER cases_stay BEFORE UPDATE ON case_results
  BEGIN SELECT RAISE(ABORT, 'results never change'); END;
CREATE TRIGGER cases_last BEFORE DELETE ON case_results
  BEGIN SELECT RAISE(ABORT, 'results never change'); END;
INSERT INTO tasks(id, name, digest, folder, added) VALUES
(1, 'small', '{0}', '/somewhere/tasks/small', 1796052718179);
INSERT INTO submissions(id, name, task, author, parent, note, archive, sources, options, received, state, faults) VALUES
(1, '', 1, 'ann', '', 'first', '{1}', '3a01b9c6728dad476066491fd9da937b88034209428a6607815f558ddbf630fb', 'dcc3450a04be8d1156d78fd962e7cc38c0f936aaf2cb9810544141306a94d0ad', 1796000001000, 'ranked', 0);
INSERT INTO submissions(id, name, task, author, parent, note, archive, sources, options, received, state, faults) VALUES
(2, '', 1, 'bob', '', '', '{2}', 'eec90b1c423038d709f51006b11d3a40b2be926852ab58a996e16c35d6d3457f', 'dcc3450a04be8d1156d78fd962e7cc38c0f936aaf2cb9810544141306a94d0ad', 1796000004000, 'judged', 0);
INSERT INTO submissions(id, name, task, author, parent, note, archive, sources, options, received, state, faults) VALUES
(3, '', 1, 'eve', '1', '', '{3}', '704007eff814c24687ce778a62f0c118a26666fd699451088393a16958c12a81', 'dcc3450a04be8d1156d78fd962e7cc38c0f936aaf2cb9810544141306a94d0ad', 1796000007000, 'ranked', 0);
INSERT INTO submissions(id, name, task, author, parent, note, archive, sources, options, received, state, faults) VALUES
(4, '', 1, 'ann', '', '', '{4}', '71fabcc74830e63e396c2f75e457b377987ebe411ade9fde5df55487805485a9', 'dcc3450a04be8d1156d78fd962e7cc38c0f936aaf2cb9810544141306a94d0ad', 1796000010000, 'system_error', 4);
INSERT INTO submissions(id, name, task, author, parent, note, archive, sources, options, received, state, faults) VALUES
(5, '', NULL, '', '', '', '{5}', '', '', 1796000013000, 'rejected', 0);
INSERT INTO submissions(id, name, task, author, parent, note, archive, sources, options, received, state, faults) VALUES
(6, '', 1, 'eve', '', '', '{6}', '3a01b9c6728dad476066491fd9da937b88034209428a6607815f558ddbf630fb', 'dcc3450a04be8d1156d78fd962e7cc38c0f936aaf2cb9810544141306a94d0ad', 1796000050000, 'running', 0);
INSERT INTO submissions(id, name, task, author, parent, note, archive, sources, options, received, state, faults) VALUES
(7, '', 1, 'bob', '', '', '{7}', '0d75d9ae912a880264c3e07ac4ea919b7dfb97db7894704f3b30d809a712ed2d', 'dcc3450a04be8d1156d78fd962e7cc38c0f936aaf2cb9810544141306a94d0ad', 1796000053000, 'running', 0);
INSERT INTO submissions(id, name, task, author, parent, note, archive, sources, options, received, state, faults) VALUES
(8, '', 1, 'bob', '', '', '{8}', '55988129f69a5eee54b68b304ad18144aa259eee7a449675b515d8fecd1b3ae5', 'dcc3450a04be8d1156d78fd962e7cc38c0f936aaf2cb9810544141306a94d0ad', 1796000056000, 'queued', 0);
INSERT INTO evaluations(key, verdict, failed_case, failure, local_bytes, sources, elf, toolchain, simulator, record, finished) VALUES
('a292f04a01496374eac5e7c7e383f3ab30594369b2aa04e2d51554ffc4d8db54', 'ACCEPTED', '', '', 0, '3a01b9c6728dad476066491fd9da937b88034209428a6607815f558ddbf630fb', '', 'some toolchain', 'some simulator', '4cc960a008921e3abc96a5f25844de3a2712917171ece0e6977d9889368edbd8', 1796000019000);
INSERT INTO evaluations(key, verdict, failed_case, failure, local_bytes, sources, elf, toolchain, simulator, record, finished) VALUES
('825a91765845fddbeaa8754d5fb158fd944732256811f9e5622dd6dd8bd296db', 'WRONG_OUTPUT', 'one', replace('as invented~', '~', char(10)), 0, 'eec90b1c423038d709f51006b11d3a40b2be926852ab58a996e16c35d6d3457f', '', 'some toolchain', 'some simulator', '3e9aaf2efbe2ebf5d339dcc78d55ccaf885b2999ae9606101458f7ab40767ea4', 1796000025000);
INSERT INTO evaluations(key, verdict, failed_case, failure, local_bytes, sources, elf, toolchain, simulator, record, finished) VALUES
('e06fe661bfe683b8e85c392970cb522f857d802d98448d84fadb618769d7bf48', 'ACCEPTED', '', '', 0, '704007eff814c24687ce778a62f0c118a26666fd699451088393a16958c12a81', '', 'some toolchain', 'some simulator', 'e3be80bbd034392dd7957b7e86021f737d5ef0393da949a519377d2e489149e1', 1796000030000);
INSERT INTO case_results(evaluation, place, name, cycles, boot_cycles, instructions, units, dma_bytes, counters) VALUES
('a292f04a01496374eac5e7c7e383f3ab30594369b2aa04e2d51554ffc4d8db54', 0, 'one', 100, 1, 0, 0, 0, '{"issued":{"alu":100,"mul":0,"div":0,"mac":0,"load":0,"store":0,"branch":0,"jump":0,"csr":0,"link":0,"dma":0,"sync":0},"stalls":{"load_use":0,"exec_busy":0,"branch":0,"jump_dep":7,"misaligned":0,"csr":0,"link_empty":0,"link_full":0,"dma_queue_full":0,"sem_wait_dma":0,"sem_wait_post":0,"sem_wait_push":0,"sem_wait_none":0,"barrier":0,"fence":0,"done":0}}');
INSERT INTO case_results(evaluation, place, name, cycles, boot_cycles, instructions, units, dma_bytes, counters) VALUES
('e06fe661bfe683b8e85c392970cb522f857d802d98448d84fadb618769d7bf48', 0, 'one', 50, 1, 0, 0, 0, '{"issued":{"alu":50,"mul":0,"div":0,"mac":0,"load":0,"store":0,"branch":0,"jump":0,"csr":0,"link":0,"dma":0,"sync":0},"stalls":{"load_use":0,"exec_busy":0,"branch":0,"jump_dep":7,"misaligned":0,"csr":0,"link_empty":0,"link_full":0,"dma_queue_full":0,"sem_wait_dma":0,"sem_wait_post":0,"sem_wait_push":0,"sem_wait_none":0,"barrier":0,"fence":0,"done":0}}');
INSERT INTO jobs(submission, token, evaluation, lease_end, attempt) VALUES
(1, NULL, NULL, NULL, 1);
INSERT INTO jobs(submission, token, evaluation, lease_end, attempt) VALUES
(2, NULL, NULL, NULL, 1);
INSERT INTO jobs(submission, token, evaluation, lease_end, attempt) VALUES
(3, NULL, NULL, NULL, 1);
INSERT INTO jobs(submission, token, evaluation, lease_end, attempt) VALUES
(4, NULL, NULL, NULL, 4);
INSERT INTO jobs(submission, token, evaluation, lease_end, attempt) VALUES
(6, 33, '2b1569d4ec8d86aa86d2d9ea98185a1c31a0de71e93b51e82061b9fe9a783cea', 1796021661000, 1);
INSERT INTO jobs(submission, token, evaluation, lease_end, attempt) VALUES
(7, 34, '9170b65eda3a33d49eee65f454de5f7316bdc583de2c1c111e09518ecb17591e', 1796021664000, 1);
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(1, 1796000002000, 1, 'received', 0, NULL, '');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(2, 1796000003000, 1, 'queued', 0, NULL, '');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(3, 1796000005000, 2, 'received', 0, NULL, '');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(4, 1796000006000, 2, 'queued', 0, NULL, '');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(5, 1796000008000, 3, 'received', 0, NULL, '');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(6, 1796000009000, 3, 'queued', 0, NULL, '');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(7, 1796000011000, 4, 'received', 0, NULL, '');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(8, 1796000012000, 4, 'queued', 0, NULL, '');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(9, 1796000014000, 5, 'received', 0, NULL, '');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(10, 1796000015000, 5, 'rejected', 0, NULL, 'submission: not a readable tar file: Unrecognized archive format');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(11, 1796000017000, 1, 'running', 1, NULL, 'attempt 1');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(12, 1796000020000, 1, 'judged', 1, 'a292f04a01496374eac5e7c7e383f3ab30594369b2aa04e2d51554ffc4d8db54', 'ACCEPTED');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(13, 1796000021000, 1, 'ranked', 1, 'a292f04a01496374eac5e7c7e383f3ab30594369b2aa04e2d51554ffc4d8db54', '');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(14, 1796000023000, 2, 'running', 1, NULL, 'attempt 1');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(15, 1796000026000, 2, 'judged', 1, '825a91765845fddbeaa8754d5fb158fd944732256811f9e5622dd6dd8bd296db', 'WRONG_OUTPUT');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(16, 1796000028000, 3, 'running', 1, NULL, 'attempt 1');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(17, 1796000031000, 3, 'judged', 1, 'e06fe661bfe683b8e85c392970cb522f857d802d98448d84fadb618769d7bf48', 'ACCEPTED');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(18, 1796000032000, 3, 'ranked', 1, 'e06fe661bfe683b8e85c392970cb522f857d802d98448d84fadb618769d7bf48', '');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(19, 1796000034000, 4, 'running', 1, NULL, 'attempt 1');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(20, 1796000036000, 4, 'queued', 1, NULL, 'SYSTEM_ERROR: toolchain: gone');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(21, 1796000038000, 4, 'running', 2, NULL, 'attempt 2');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(22, 1796000040000, 4, 'queued', 2, NULL, 'SYSTEM_ERROR: toolchain: gone');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(23, 1796000042000, 4, 'running', 3, NULL, 'attempt 3');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(24, 1796000044000, 4, 'queued', 3, NULL, 'SYSTEM_ERROR: toolchain: gone');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(25, 1796000046000, 4, 'running', 4, NULL, 'attempt 4');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(26, 1796000048000, 4, 'system_error', 4, NULL, 'SYSTEM_ERROR: toolchain: gone');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(27, 1796000051000, 6, 'received', 0, NULL, '');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(28, 1796000052000, 6, 'queued', 0, NULL, '');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(29, 1796000054000, 7, 'received', 0, NULL, '');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(30, 1796000055000, 7, 'queued', 0, NULL, '');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(31, 1796000057000, 8, 'received', 0, NULL, '');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(32, 1796000058000, 8, 'queued', 0, NULL, '');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(33, 1796000060000, 6, 'running', 1, NULL, 'attempt 1');
INSERT INTO events(id, time, submission, state, attempt, evaluation, detail) VALUES
(34, 1796000063000, 7, 'running', 1, NULL, 'attempt 1');
COMMIT;
