#include "cli/interrupts.h"

#include <signal.h>

#include <atomic>

namespace simfarm::cli {
namespace {

std::atomic<int> interrupts = 0;
std::atomic<int> interrupts_to_end = 2;
std::atomic<const farm::Cancellation*> what_runs = nullptr;

void count_interrupt(int signal) {
  const int count = ++interrupts;
  const farm::Cancellation* const running = what_runs;
  if (count >= interrupts_to_end && running != nullptr) running->cancel();
  // What runs is ended in order; who does not want to wait for that says so once more.
  if (count >= interrupts_to_end) ::signal(signal, SIG_DFL);
}

}  // namespace

std::shared_ptr<const farm::Cancellation> catch_interrupts(bool at_once) {
  // For the rest of the program, since a handler may come at any time.
  static const auto cancellation = std::make_shared<const farm::Cancellation>();
  what_runs = cancellation.get();
  if (at_once) interrupts_to_end = 1;
  struct sigaction action {};
  action.sa_handler = count_interrupt;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  // Of a terminal that is gone; a program that shall outlive it is started with nohup.
  struct sigaction hangup {};
  if (::sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler == SIG_DFL)
    ::sigaction(SIGHUP, &action, nullptr);
  return cancellation;
}

bool interrupted() { return interrupts != 0; }

}  // namespace simfarm::cli
