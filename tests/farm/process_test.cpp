// A child process within its bounds.
#include "farm/process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include "tests/farm/support.h"

namespace simfarm::farm {
namespace {

using testing::HasSubstr;

ProcessRun run(const std::string& script, const ProcessLimits& limits = {}) {
  const test::Folder folder;
  const auto ran =
      run_process({"/bin/sh", "-c", script}, {"PATH=/usr/bin:/bin", "X=1"}, folder.path(), limits);
  EXPECT_TRUE(ran) << ran.error().message;
  return *ran;
}

TEST(Process, TellsExitStatusOutputAndNothingOfTheCallersEnvironment) {
  const ProcessRun ran = run("env | sort; echo error >&2; exit 7");
  EXPECT_EQ(ran.end, ProcessRun::End::exited);
  EXPECT_EQ(ran.code, 7);
  EXPECT_THAT(ran.log, HasSubstr("X=1\nerror\n"));
  EXPECT_THAT(ran.log, testing::Not(HasSubstr("HOME=")));
}

TEST(Process, TellsSignals) {
  const ProcessRun ran = run("kill -SEGV $$");
  EXPECT_EQ(ran.end, ProcessRun::End::signalled);
  EXPECT_EQ(ran.code, SIGSEGV);
}

TEST(Process, IsToldOnItsProcessorTimeByASignal) {
  const ProcessRun ran = run("while :; do :; done", {.cpu_seconds = 1});
  EXPECT_EQ(ran.end, ProcessRun::End::signalled);
  EXPECT_EQ(ran.code, SIGXCPU);
  EXPECT_GE(ran.cpu_milliseconds, 500u) << "the kernel counts ticks";
}

TEST(Process, IsEndedByTheWallClock) {
  const ProcessRun ran = run("echo begun; read forever </dev/zero & wait", {.wall_seconds = 1});
  EXPECT_EQ(ran.end, ProcessRun::End::wall_limit);
  EXPECT_EQ(ran.log, "begun\n");
}

TEST(Process, KeepsTheBeginningOfALongLogAndEndsAFlood) {
  const ProcessRun some = run("yes abc | head -c 5000", {.log_bytes = 10});
  EXPECT_EQ(some.log, "abc\nabc\nab");
  EXPECT_EQ(some.log_dropped, 4990u);
  const ProcessRun flood = run("yes", {.log_bytes = 10, .output_bytes = 1u << 20});
  EXPECT_EQ(flood.end, ProcessRun::End::output_limit);
  EXPECT_EQ(flood.log.size(), 10u);
}

TEST(Process, BoundsFilesAndMemory) {
  EXPECT_EQ(run("head -c 100000 /dev/zero >f; exit $?", {.file_bytes = 1000}).code, 128 + SIGXFSZ);
  EXPECT_NE(run("exec sort -S 1G /dev/zero", {.cpu_seconds = 10, .address_bytes = 64u << 20}).code,
            0);
}

TEST(Process, LeavesNothingBehind) {
  const test::Folder folder;
  // The grandchild outlives its parent, and would hold the pipe open for an hour.
  const auto ran = run_process({"/bin/sh", "-c", "sleep 3600 & echo $!"}, {"PATH=/usr/bin:/bin"},
                               folder.path(), {});
  ASSERT_TRUE(ran);
  const int grandchild = std::stoi(ran->log);
  // Gone, or a zombie that nobody has collected yet.
  const std::string state = test::shell("ps -o stat= -p " + std::to_string(grandchild)).output;
  EXPECT_TRUE(state.empty() || state[0] == 'Z') << state;
}

TEST(Process, HandsOverDescriptorsAndReadsPipes) {
  const test::Folder folder;
  const int given = ::open(folder.write("given", "from outside").c_str(), O_RDONLY);
  ASSERT_GE(given, 0);
  ProcessDescriptors more{{given, given}, {{4, {}}, {1u << 20, {}}}};
  const auto ran = run_process(
      {"/bin/sh", "-c", "cat <&4; printf abcd >&5; head -c 300000 /dev/zero >&6; ls /proc/self/fd"},
      {"PATH=/usr/bin:/bin"}, folder.path(), {}, &more);
  ::close(given);
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->end, ProcessRun::End::exited);
  EXPECT_EQ(ran->log, "from outside0\n1\n2\n3\n4\n5\n6\n7\n") << "7 is that of ls";
  EXPECT_EQ(std::string(more.pipes[0].bytes.begin(), more.pipes[0].bytes.end()), "abcd");
  EXPECT_EQ(more.pipes[1].bytes.size(), 300000u);
}

TEST(Process, EndsAPipesFlood) {
  const test::Folder folder;
  for (const char* const script : {"cat /dev/zero >&3", "printf 123456789 >&3"}) {
    ProcessDescriptors more{{}, {{8, {}}}};
    const auto ran =
        run_process({"/bin/sh", "-c", script}, {"PATH=/usr/bin:/bin"}, folder.path(), {}, &more);
    ASSERT_TRUE(ran);
    EXPECT_EQ(ran->end, ProcessRun::End::output_limit);
    EXPECT_EQ(more.pipes[0].bytes.size(), 8u);
  }
}

TEST(Process, BoundsOpenFiles) { EXPECT_EQ(run("ulimit -n", {.open_files = 77}).log, "77\n"); }

TEST(Process, SaysWhatCannotBeStarted) {
  const auto none = run_process({"/no/such/program"}, {}, "/", {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, Error::Kind::io);
  EXPECT_THAT(none.error().message, HasSubstr("/no/such/program: cannot be started: No such file"));
  EXPECT_FALSE(run_process({"/bin/sh"}, {}, "/no/such/folder", {}));
}

}  // namespace
}  // namespace simfarm::farm
