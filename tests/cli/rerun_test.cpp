// Simulations in processes of their own, as the commands have them: one is shot while it runs, and
// had again from what was saved.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "farm/crashes.h"
#include "tests/farm/small_task.h"

namespace simfarm::farm {
namespace {

using test::kernel_with;
using test::shell;
using testing::AllOf;
using testing::HasSubstr;

std::vector<pid_t> children_of(pid_t process) {
  const std::string pid = std::to_string(process);
  std::ifstream file("/proc/" + pid + "/task/" + pid + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; file >> child;) children.push_back(child);
  return children;
}

/// The process in which a command's simulation runs; 0: none now.
pid_t simulation_of(pid_t command) {
  for (const pid_t worker : children_of(command)) {
    std::ifstream file("/proc/" + std::to_string(worker) + "/cmdline");
    std::string words;
    std::getline(file, words);
    // It tries its filter first, in a process that ends at once.
    const bool ready = words.find("simulation-worker") != std::string::npos &&
                       std::filesystem::exists("/proc/" + std::to_string(worker) + "/fd/3");
    for (const pid_t child : ready ? children_of(worker) : std::vector<pid_t>())
      if (std::filesystem::exists("/proc/" + std::to_string(child) + "/fd/5")) return child;
  }
  return 0;
}

/// The endless kernel's task lets it run for ever.
void write_endless(const test::Folder& folder) {
  test::write_small_task(folder);
  std::string toml = test::small_task_toml;
  folder.write("tasks/small/task.toml", toml.replace(toml.find("20000"), 5, "1_000_000_000_000"));
  test::write_submission(folder, "kernel", kernel_with("for (;;) sf_cycles();"));
}

/// `simfarm try` of it, whose output goes into the file said.
pid_t start_try(const test::Folder& folder) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  const int said = open(folder.path("said").c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
  dup2(said, 1);
  dup2(said, 2);
  execl(SIMFARM_PROGRAM, SIMFARM_PROGRAM, "try", "--trust", "--crashes",
        folder.path("crashes").c_str(), folder.path("tasks/small/kernel").c_str(), nullptr);
  _exit(127);
}

TEST(Rerun, WhatEndedASimulationIsHadAgain) {
  const test::Folder folder;
  write_endless(folder);
  const pid_t command = start_try(folder);
  // It is repeated as a farm does.
  int status = 0;
  std::set<pid_t> simulations;
  for (int k = 0; k < 6000 && waitpid(command, &status, WNOHANG) == 0; ++k) {
    const pid_t simulation = simulation_of(command);
    if (simulation != 0 && simulations.insert(simulation).second) {
      ASSERT_EQ(kill(simulation, SIGSEGV), 0);
    }
    usleep(10'000);
  }
  EXPECT_EQ(simulations.size(), 4u);
  EXPECT_EQ(WEXITSTATUS(status), 5);
  const std::string said = shell("cat " + folder.path("said")).output;
  EXPECT_THAT(said, AllOf(HasSubstr("SYSTEM_ERROR"), HasSubstr("ended by signal 11 (SIGSEGV)")));
  const size_t at = said.find("rerun " + folder.path("crashes/"));
  ASSERT_NE(at, std::string::npos) << said;
  const std::string place = said.substr(at + 6, said.find('\n', at) - at - 6);
  EXPECT_TRUE(std::filesystem::exists(place + "/program.elf"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path("crashes")), {}), 1)
      << "the same, once";
}

TEST(Interrupts, TwiceEndWhatRunsAndLeaveNothing) {
  const test::Folder folder;
  write_endless(folder);
  const std::string farm = folder.path("farm");
  ASSERT_EQ(shell(SIMFARM_PROGRAM " farm init " + farm + " --task " + folder.path("tasks/small") +
                  " 2>&1")
                .status,
            0);
  std::filesystem::create_directory(folder.path("scratch"));
  const pid_t command = fork();
  if (command == 0) {
    setenv("TMPDIR", folder.path("scratch").c_str(), 1);
    const int said = open(folder.path("said").c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    dup2(said, 1);
    dup2(said, 2);
    execl(SIMFARM_PROGRAM, SIMFARM_PROGRAM, "score", "--trust", "--farm", farm.c_str(), "-j", "1",
          nullptr);
    _exit(127);
  }
  int status = 0;
  pid_t simulation = 0;
  for (int k = 0; k < 6000 && simulation == 0 && waitpid(command, &status, WNOHANG) == 0; ++k) {
    usleep(10'000);
    simulation = simulation_of(command);
  }
  ASSERT_NE(simulation, 0) << shell("cat " + folder.path("said")).output;
  ASSERT_EQ(kill(command, SIGINT), 0);
  usleep(200'000);  // the first alone ends nothing
  EXPECT_EQ(waitpid(command, &status, WNOHANG), 0);
  ASSERT_EQ(kill(command, SIGINT), 0);
  ASSERT_EQ(waitpid(command, &status, 0), command);
  EXPECT_EQ(WEXITSTATUS(status), 130) << status;
  EXPECT_THAT(shell("cat " + folder.path("said")).output,
              AllOf(HasSubstr("1 are still queued"), HasSubstr("simfarm score --farm " + farm)));
  // Gone, or waiting for the host's first process to take note.
  EXPECT_EQ(shell("cat /proc/" + std::to_string(simulation) + "/cmdline 2>/dev/null").output, "");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("scratch"))) << "no folder is left";
  const std::string shown = shell(SIMFARM_PROGRAM " show 1 --farm " + farm).output;
  EXPECT_THAT(shown, AllOf(HasSubstr(": queued\n"), HasSubstr("given back: interrupted")));
}

TEST(Rerun, JudgesWhatWasSavedHereAndInAChild) {
  const test::Folder folder;
  const auto task = load_task_and_cases(test::write_small_task(folder));
  Crashes crashes(folder.path("crashes"));
  const std::vector<u8> elf = {'x'};
  const auto place = crashes.save(pack_request((*task)->task, (*task)->cases, elf, {}), {});
  ASSERT_TRUE(place) << place.error().message;
  for (const char* const where : {"", "--here "}) {
    const test::Ran ran = shell(std::string(SIMFARM_PROGRAM " rerun ") + where + *place);
    EXPECT_EQ(ran.status, 0) << where;
    EXPECT_THAT(ran.output, HasSubstr("REJECTED\nkernel.elf: ")) << where;
  }
  EXPECT_EQ(shell(SIMFARM_PROGRAM " rerun " + folder.path("tasks") + " 2>&1").status, 74);
  folder.write("crashes/request", "none");
  const test::Ran none = shell(SIMFARM_PROGRAM " rerun " + folder.path("crashes") + " 2>&1");
  EXPECT_EQ(none.status, 78);
  EXPECT_THAT(none.output, HasSubstr("no request for a simulation, or a damaged one"));
}

}  // namespace
}  // namespace simfarm::farm
