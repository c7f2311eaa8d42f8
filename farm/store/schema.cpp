#include "farm/store/schema.h"

namespace simfarm::farm {

// What is a rule of the farm is one of the database where it can be: a submission is judged once
// (one_judgement), one key runs once at a time (one_run), a case has one result, and neither the
// log nor a result ever changes.
const char* const schema_sql = R"SQL(
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
CREATE INDEX submissions_by_task ON submissions(task);

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
  finished INTEGER NOT NULL,
  timing INTEGER NOT NULL DEFAULT 1,    -- version of the timing that its cycles are of
  secret TEXT NOT NULL DEFAULT '',      -- id of the secret of its held-out cases; empty: none
  held_out_cases INTEGER,               -- NULL: not all of them passed
  held_out_cycles INTEGER
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
  detail TEXT NOT NULL,                 -- for people
  act TEXT NOT NULL DEFAULT ''          -- a person's: hold, approve, cancel; promotion; else empty
) STRICT;
CREATE INDEX events_by_submission ON events(submission, id);
CREATE UNIQUE INDEX one_judgement ON events(submission) WHERE state = 'judged' AND act = '';
CREATE INDEX acts ON events(id) WHERE act IN ('hold', 'approve', 'cancel');

CREATE TABLE rejudges(                  -- sets of submissions that are judged again
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  task INTEGER NOT NULL REFERENCES tasks(id),
  selection TEXT NOT NULL,              -- for people
  reason TEXT NOT NULL
) STRICT;

CREATE TABLE rejudge_members(
  rejudge INTEGER NOT NULL REFERENCES rejudges(id),
  submission INTEGER NOT NULL REFERENCES submissions(id),
  before TEXT NOT NULL REFERENCES evaluations(key),  -- what it had when the set was begun
  result TEXT REFERENCES evaluations(key),           -- NULL: not judged yet
  evaluation TEXT,                      -- the key that it runs under
  lease_end INTEGER,                    -- NULL: nobody has a lease
  attempt INTEGER NOT NULL DEFAULT 0,   -- leases so far: the token of the present one
  faults INTEGER NOT NULL DEFAULT 0,    -- of the farm's own, while judging it
  PRIMARY KEY (rejudge, submission)
) STRICT;
CREATE INDEX members_by_submission ON rejudge_members(submission);
CREATE UNIQUE INDEX one_member_run ON rejudge_members(evaluation) WHERE lease_end IS NOT NULL;

CREATE TABLE rejudge_log(               -- what became of sets, one line each time
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time INTEGER NOT NULL,
  rejudge INTEGER NOT NULL REFERENCES rejudges(id),
  state TEXT NOT NULL CHECK (state IN ('begun', 'applied', 'cancelled')),
  detail TEXT NOT NULL                  -- the reason
) STRICT;
CREATE UNIQUE INDEX one_fate ON rejudge_log(rejudge, state);
CREATE TRIGGER sets_stay BEFORE UPDATE ON rejudge_log BEGIN SELECT RAISE(ABORT, 'sets only grow'); END;
CREATE TRIGGER sets_last BEFORE DELETE ON rejudge_log BEGIN SELECT RAISE(ABORT, 'sets only grow'); END;

CREATE TABLE quotas(                    -- of each author, by the name in the manifest
  name TEXT PRIMARY KEY CHECK (name IN ('waiting', 'daily')),
  value INTEGER NOT NULL CHECK (value > 0)
) STRICT;

CREATE TABLE secrets(                   -- ids of those that the farm has had, never themselves
  id TEXT PRIMARY KEY,
  made INTEGER NOT NULL
) STRICT;

CREATE TABLE promotions(                -- who was to lead a board, in the order of deciding
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time INTEGER NOT NULL,
  task INTEGER NOT NULL REFERENCES tasks(id),
  submission INTEGER NOT NULL REFERENCES submissions(id),
  evaluation TEXT NOT NULL REFERENCES evaluations(key), -- its result, of which it was decided
  leader INTEGER REFERENCES submissions(id),            -- NULL: nobody led
  leader_evaluation TEXT REFERENCES evaluations(key),
  promoted INTEGER NOT NULL,
  verdict TEXT NOT NULL,                -- ACCEPTED, or what the submission turned out to be
  leaders_verdict TEXT NOT NULL,
  detail TEXT NOT NULL,
  description TEXT NOT NULL            -- of engines that disagree: a blob; empty: they did not
) STRICT;
CREATE UNIQUE INDEX one_decision
  ON promotions(evaluation, coalesce(leader_evaluation, ''), submission, coalesce(leader, 0));
CREATE INDEX promotions_by_task ON promotions(task, id);

CREATE TABLE dropped(                   -- blobs that rows name and that are not kept, on purpose
  digest TEXT PRIMARY KEY,
  time INTEGER NOT NULL,
  why TEXT NOT NULL                     -- for people
) STRICT;

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
CREATE TRIGGER secrets_stay BEFORE UPDATE ON secrets BEGIN SELECT RAISE(ABORT, 'secrets only grow'); END;
CREATE TRIGGER secrets_last BEFORE DELETE ON secrets BEGIN SELECT RAISE(ABORT, 'secrets only grow'); END;
CREATE TRIGGER promotions_stay BEFORE UPDATE ON promotions
  BEGIN SELECT RAISE(ABORT, 'promotions only grow'); END;
CREATE TRIGGER promotions_last BEFORE DELETE ON promotions
  BEGIN SELECT RAISE(ABORT, 'promotions only grow'); END;
)SQL";

const std::array<Migration, schema_version - 1> migrations = {{
    // 1 -> 2: who made a transition.
    {R"SQL(
ALTER TABLE events ADD COLUMN act TEXT NOT NULL DEFAULT '';
DROP INDEX one_judgement;
CREATE UNIQUE INDEX one_judgement ON events(submission) WHERE state = 'judged' AND act = '';
)SQL"},
    // 2 -> 3: sets of submissions that are judged again.
    {R"SQL(
CREATE TABLE rejudges(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  task INTEGER NOT NULL REFERENCES tasks(id),
  selection TEXT NOT NULL,
  reason TEXT NOT NULL
) STRICT;

CREATE TABLE rejudge_members(
  rejudge INTEGER NOT NULL REFERENCES rejudges(id),
  submission INTEGER NOT NULL REFERENCES submissions(id),
  before TEXT NOT NULL REFERENCES evaluations(key),
  result TEXT REFERENCES evaluations(key),
  evaluation TEXT,
  lease_end INTEGER,
  attempt INTEGER NOT NULL DEFAULT 0,
  faults INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (rejudge, submission)
) STRICT;
CREATE INDEX members_by_submission ON rejudge_members(submission);
CREATE UNIQUE INDEX one_member_run ON rejudge_members(evaluation) WHERE lease_end IS NOT NULL;

CREATE TABLE rejudge_log(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time INTEGER NOT NULL,
  rejudge INTEGER NOT NULL REFERENCES rejudges(id),
  state TEXT NOT NULL CHECK (state IN ('begun', 'applied', 'cancelled')),
  detail TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX one_fate ON rejudge_log(rejudge, state);
CREATE TRIGGER sets_stay BEFORE UPDATE ON rejudge_log BEGIN SELECT RAISE(ABORT, 'sets only grow'); END;
CREATE TRIGGER sets_last BEFORE DELETE ON rejudge_log BEGIN SELECT RAISE(ABORT, 'sets only grow'); END;
)SQL"},
    // 3 -> 4: which timing a result is of.
    {R"SQL(
ALTER TABLE evaluations ADD COLUMN timing INTEGER NOT NULL DEFAULT 1;
)SQL"},
    // 4 -> 5: what an author may submit.
    {R"SQL(
CREATE TABLE quotas(
  name TEXT PRIMARY KEY CHECK (name IN ('waiting', 'daily')),
  value INTEGER NOT NULL CHECK (value > 0)
) STRICT;
)SQL"},
    // 5 -> 6: secrets, and results of held-out cases.
    {R"SQL(
ALTER TABLE evaluations ADD COLUMN secret TEXT NOT NULL DEFAULT '';
ALTER TABLE evaluations ADD COLUMN held_out_cases INTEGER;
ALTER TABLE evaluations ADD COLUMN held_out_cycles INTEGER;
CREATE TABLE secrets(
  id TEXT PRIMARY KEY,
  made INTEGER NOT NULL
) STRICT;
CREATE TRIGGER secrets_stay BEFORE UPDATE ON secrets BEGIN SELECT RAISE(ABORT, 'secrets only grow'); END;
CREATE TRIGGER secrets_last BEFORE DELETE ON secrets BEGIN SELECT RAISE(ABORT, 'secrets only grow'); END;
)SQL"},
    // 6 -> 7: who leads is decided, and kept.
    {R"SQL(
CREATE INDEX submissions_by_task ON submissions(task);
CREATE INDEX acts ON events(id) WHERE act IN ('hold', 'approve', 'cancel');
CREATE TABLE promotions(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time INTEGER NOT NULL,
  task INTEGER NOT NULL REFERENCES tasks(id),
  submission INTEGER NOT NULL REFERENCES submissions(id),
  evaluation TEXT NOT NULL REFERENCES evaluations(key),
  leader INTEGER REFERENCES submissions(id),
  leader_evaluation TEXT REFERENCES evaluations(key),
  promoted INTEGER NOT NULL,
  verdict TEXT NOT NULL,
  leaders_verdict TEXT NOT NULL,
  detail TEXT NOT NULL,
  description TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX one_decision
  ON promotions(evaluation, coalesce(leader_evaluation, ''), submission, coalesce(leader, 0));
CREATE INDEX promotions_by_task ON promotions(task, id);
CREATE TRIGGER promotions_stay BEFORE UPDATE ON promotions
  BEGIN SELECT RAISE(ABORT, 'promotions only grow'); END;
CREATE TRIGGER promotions_last BEFORE DELETE ON promotions
  BEGIN SELECT RAISE(ABORT, 'promotions only grow'); END;
)SQL"},
    // 7 -> 8: what is not kept, on purpose.
    {R"SQL(
CREATE TABLE dropped(
  digest TEXT PRIMARY KEY,
  time INTEGER NOT NULL,
  why TEXT NOT NULL
) STRICT;
)SQL"},
}};

}  // namespace simfarm::farm
