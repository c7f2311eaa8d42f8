#include "farm/pace.h"

#include <fmt/format.h>

#include <algorithm>

namespace simfarm::farm {

void Pace::learn(const std::string& task, double milliseconds) {
  constexpr double weight = 0.25;
  const auto [known, fresh] = typical_.emplace(task, milliseconds);
  if (!fresh) known->second += weight * (milliseconds - known->second);
}

void Pace::wait(const std::string& task, i64 count) {
  waiting_[task] += count;
  queued_ += count;
}

void Pace::begin(const std::string& label, const std::string& task, i64 now, bool beside) {
  running_.emplace(label, Run{task, now, beside});
  if (beside) return;
  queued_ = std::max<i64>(queued_ - 1, 0);
  i64& waiting = waiting_[task];
  waiting = std::max<i64>(waiting - 1, 0);
}

void Pace::end(const std::string& label, i64 now, bool good) {
  const auto run = running_.find(label);
  if (run == running_.end()) return;
  if (!run->second.beside) {
    learn(run->second.task, static_cast<double>(now - run->second.begun));
    ++(good ? passed_ : failed_);
  }
  running_.erase(run);
}

void Pace::answer(bool good) {
  queued_ = std::max<i64>(queued_ - 1, 0);
  ++(good ? passed_ : failed_);
}

bool Pace::ended() const {
  return queued_ == 0 && std::all_of(running_.begin(), running_.end(),
                                     [](const auto& each) { return each.second.beside; });
}

/// Of a task that nobody knows: as the others on average; negative: nobody knows any.
double Pace::typical(const std::string& task) const {
  const auto known = typical_.find(task);
  if (known != typical_.end()) return known->second;
  double sum = 0;
  for (const auto& [name, milliseconds] : typical_) sum += milliseconds;
  return typical_.empty() ? -1 : sum / static_cast<double>(typical_.size());
}

double Pace::left(i64 now) const {
  if (typical_.empty() && !ended()) return -1;
  double sum = 0, longest = 0;
  i64 others = queued_;
  for (const auto& [task, count] : waiting_) {
    const i64 of_it = std::min(count, others);  // some may have been answered
    sum += static_cast<double>(of_it) * typical(task);
    others -= of_it;
  }
  sum += static_cast<double>(others) * typical("");
  for (const auto& [label, run] : running_) {
    const double rest = std::max(0.0, typical(run.task) - static_cast<double>(now - run.begun));
    sum += rest;
    longest = std::max(longest, rest);
  }
  return std::max(longest, sum / std::max(1u, threads_));
}

std::string Pace::line(i64 now) const {
  const i64 finished = passed_ + failed_;
  i64 all = finished + queued_;
  const Run* slowest = nullptr;
  std::string label;
  for (const auto& [name, run] : running_) {
    if (!run.beside) ++all;
    if (slowest != nullptr && run.begun >= slowest->begun) continue;
    slowest = &run;
    label = name;
  }
  std::string text = fmt::format("[Q {} R {} P {} F {}] {} %", queued_, running_.size(), passed_,
                                 failed_, all == 0 ? 100 : finished * 100 / all);
  const double rest = left(now);
  if (rest >= 0 && !ended()) text += " eta " + duration_text(static_cast<i64>(rest));
  if (slowest != nullptr)
    text += fmt::format(" slowest {} {}", label, duration_text(now - slowest->begun));
  return text;
}

std::string duration_text(i64 milliseconds) {
  const i64 seconds = (std::max<i64>(milliseconds, 0) + 999) / 1000;
  if (seconds < 60) return fmt::format("{}s", seconds);
  const i64 minutes = seconds / 60;
  if (minutes < 60) return fmt::format("{}m{:02}s", minutes, seconds % 60);
  return fmt::format("{}h{:02}m", minutes / 60, minutes % 60);
}

}  // namespace simfarm::farm
