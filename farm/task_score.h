// A task's score: from task.toml to the number. docs/tasks.md, "Score", has the formulas.
#pragma once
#include <string>
#include <vector>

#include "farm/case.h"
#include "farm/judge.h"
#include "farm/task.h"
#include "farm/toml_reader.h"

namespace simfarm::farm {

struct Submission;

/// Reads `score`, a word or a table, into a task whose cases, tensors and floor have been read.
void read_score(TomlReader& toml, Task& task);

/// The task as this submission is judged by it: with the local memory that it declares, where that
/// is the score.
Task judged_as(const Task& task, const Submission& submission);

/// The same for one that was judged, by its figures.
Task judged_as(const Task& task, const std::vector<CaseScore>& cases);

/// What of the cases' figures the task knows and no run does.
void add_task_figures(const Task& task, const std::vector<Case>& cases, Judgement& judgement);

/// The score of these cases, which may be some of the task's.
u64 score_of(const Task& task, const std::vector<CaseScore>& cases);

/// Whether errors on held-out cases are larger than those on public ones can explain: more than
/// twice as large in the mean, and by more than a step of the output.
bool errors_differ(const LogitRule& rule, const std::vector<CaseScore>& open,
                   const std::vector<CaseScore>& held_out);

}  // namespace simfarm::farm
