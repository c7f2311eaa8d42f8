// The build sandbox: what a source can reach, how what misbehaves in it ends, and that the bytes
// are those of a build without it.
#include "farm/sandbox.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>

#include "farm/build.h"
#include "farm/digest.h"
#include "farm/seccomp.h"
#include "tests/farm/small_task.h"

namespace simfarm::farm {
namespace {

using test::Folder;
using testing::HasSubstr;
using testing::Not;

constexpr const char* search_path = "/usr/local/bin:/usr/bin:/bin";

/// The toolchain in its sandbox; tests that need one are skipped where there is none.
class SandboxTest : public testing::Test {
 protected:
  void SetUp() override {
    toolchain_ = test::real_toolchain();
    static const auto made = Sandbox::create(toolchain_, "", search_path);
    if (!made) GTEST_SKIP() << made.error().message;
    toolchain_.sandbox = *made;
  }

  Built build_source(const std::string& source, const ProcessLimits& limits = compile_limits) {
    Task task;
    task.folder = folder_.path();
    task.name = "small";
    return build(toolchain_, task, submission(source), limits);
  }

  static Submission submission(const std::string& source) {
    Submission made;
    made.sources = {"src/kernel.c"};
    made.files = {{"src/kernel.c", {source.begin(), source.end()}}};
    return made;
  }

  SandboxRun shell(const std::string& script, const ProcessLimits& limits = {},
                   const std::string& result = "") {
    const auto ran =
        toolchain_.sandbox->run({"/bin/sh", "-c", script}, {"PATH=/bin"}, "", result, limits);
    EXPECT_TRUE(ran) << (ran ? "" : ran.error().message);
    return ran ? *ran : SandboxRun{};
  }

  /// Whether a process whose command line has `mark` in it is there.
  static bool runs(const std::string& mark) {
    return test::shell("grep -l -a -e '" + mark +
                       "' /proc/[0-9]*/cmdline 2>/dev/null | grep -v -e self -e \"/$$/\"")
               .output != "";
  }

  Folder folder_;
  Toolchain toolchain_;
};

constexpr const char* plain = "#include <simfarm.h>\nSF_MAIN(a) { return a == 0; }\n";

TEST_F(SandboxTest, GivesTheBytesOfABuildWithoutItFromAnyFolder) {
  const Folder one, two;
  one.write("include/table.h", "#include <stdint.h>\nstatic const int32_t version = 1;\n");
  two.write("deeper/down/include/table.h",
            "#include <stdint.h>\nstatic const int32_t version = 1;\n");
  Submission user = submission(
      "#include <simfarm.h>\n#include \"table.h\"\nint more(void);\nSF_MAIN(a) { return "
      "a->version == version ? more() : sizeof __FILE__ + sizeof __DATE__; }\n");
  const std::string assembly = ".globl more\nmore: li a0, 3\n ret\n";
  user.files.push_back({"src/more.s", {assembly.begin(), assembly.end()}});
  user.sources.push_back("src/more.s");
  Task task;
  task.folder = one.path();
  const Built inside = build(toolchain_, task, user);
  ASSERT_EQ(name(inside.verdict), "ACCEPTED") << inside.log;
  toolchain_.sandbox = nullptr;
  task.folder = two.path("deeper/down");
  const Built outside = build(toolchain_, task, user);
  ASSERT_EQ(name(outside.verdict), "ACCEPTED") << outside.log;
  EXPECT_EQ(inside.elf, outside.elf);
}

TEST_F(SandboxTest, ASourceSeesNothingOfTheHost) {
  // A secret at a place that the author knows, and the task's expected outputs.
  const std::string secret = folder_.write("secret.txt", "-- XYZZY --\n");
  folder_.write("cases/tiny.h5", "-- PLUGH --\n");
  folder_.write("include/table.h", "\n");
  const std::string up = "../../../../../../../..";
  const std::string files[] = {secret,
                               up + secret,
                               folder_.path("cases/tiny.h5"),
                               "../cases/tiny.h5",
                               "../../cases/tiny.h5",
                               "/task/cases/tiny.h5",
                               "/etc/passwd",
                               up + "/etc/passwd",
                               "/proc/self/environ",
                               "/proc/self/mountinfo",
                               "/sys/kernel/osrelease",
                               "/dev/urandom",
                               SIMFARM_SOURCE_DIR "/README.md",
                               "/sdk/task-template/task.toml",
                               "/usr/include/stdio.h"};
  for (const std::string& file : files) {
    for (const std::string form :
         {"#include \"%\"\n", "__asm__(\".incbin \\\"%\\\"\");\n",
          "const char data[] = {\n#embed \"%\" limit(10)\n};\n",
          "#if !__has_include(\"%\") && !__has_embed(\"%\")\n#error none\n#endif\n"}) {
      std::string source;
      for (const char c : form) source += c == '%' ? file : std::string(1, c);
      const Built built = build_source(source + plain);
      EXPECT_EQ(name(built.verdict), "COMPILE_ERROR") << source << built.log;
      EXPECT_THAT(built.log,
                  Not(testing::AnyOf(HasSubstr("XYZZY"), HasSubstr("PLUGH"), HasSubstr("root:"))));
    }
  }
  // The same forms reach what is there.
  EXPECT_EQ(
      build_source(
          std::string("#include \"table.h\"\n#if !__has_include(\"table.h\")\n#error none\n#endif\n"
                      "__asm__(\".incbin \\\"src/kernel.c\\\"\");\n") +
          plain)
          .verdict,
      Verdict::accepted);
}

TEST_F(SandboxTest, ALinkInASubmissionsFolderLeadsNowhere) {
  // Intake refuses links; should one get past it, it has nowhere to lead.
  const Folder sources;
  sources.write("kernel.c", plain);
  std::filesystem::create_symlink("/etc/passwd", sources.path("direct"));
  std::filesystem::create_symlink("../../../../etc/passwd", sources.path("relative"));
  const auto ran = toolchain_.sandbox->run(
      {"/bin/sh", "-c", "cat kernel.c direct relative; ! echo >new; ! rm kernel.c"}, {"PATH=/bin"},
      sources.path(), "", {});
  ASSERT_TRUE(ran) << ran.error().message;
  EXPECT_THAT(ran->process.log, HasSubstr("SF_MAIN"));
  EXPECT_THAT(ran->process.log, HasSubstr("direct: No such file"));
  EXPECT_THAT(ran->process.log, HasSubstr("relative: No such file"));
  EXPECT_THAT(ran->process.log, HasSubstr("Read-only file system"));
  EXPECT_EQ(ran->process.code, 0);
}

TEST_F(SandboxTest, HoldsTheToolchainAndNothingElse) {
  const SandboxRun ran = shell(
      "cd /; echo *; echo /dev/* /home/* /etc/* /proc/*; echo /bin/*; echo /sdk/*; echo $$; echo "
      ">/new; "
      "echo >/out/new; echo done");
  EXPECT_THAT(ran.process.log, HasSubstr("bin dev lib"));
  EXPECT_THAT(ran.process.log, HasSubstr("\n/dev/null /home/* /etc/* /proc/*\n"));
  EXPECT_THAT(ran.process.log,
              HasSubstr("\n/bin/cat /bin/clang-19 /bin/ld.lld-19 /bin/mktemp /bin/readlink /bin/rm "
                        "/bin/sh /bin/wc\n/sdk/bin /sdk/include /sdk/lib\n"));
  EXPECT_THAT(ran.process.log, HasSubstr("cannot create /new: Read-only file system\ndone\n"));
  // Neither bubblewrap's report nor the filter is open in there.
  EXPECT_THAT(shell("echo >&3").process.log, HasSubstr("Bad file descriptor"));
  EXPECT_THAT(shell("echo '{ \"exit-code\": 0 }' >&4; exit 3").process.code, 3);
}

TEST_F(SandboxTest, HandsBackTheResultAndItsStatus) {
  SandboxRun ran = shell("printf abc >/out/made; exit 0", {}, "made");
  EXPECT_EQ(std::string(ran.result.begin(), ran.result.end()), "abc");
  ran = shell("printf abc >/out/made; exit 7", {}, "made");
  EXPECT_EQ(ran.process.end, ProcessRun::End::exited);
  EXPECT_EQ(ran.process.code, 7);
  EXPECT_TRUE(ran.result.empty());
  EXPECT_EQ(shell("kill -SEGV $$").process.code, 128 + SIGSEGV);
  EXPECT_NE(shell(":", {}, "never-made").process.code, 0);
}

TEST_F(SandboxTest, EndsWhatDoesNotEnd) {
  // A fork bomb, which forks no more at a number of processes. Not where they are not counted.
  SandboxRun ran;
  if (toolchain_.sandbox->counts_processes()) {
    const auto start = std::chrono::steady_clock::now();
    ran = shell(
        "mark_of_the_bomb() { mark_of_the_bomb & mark_of_the_bomb & }; mark_of_the_bomb; while :; "
        "do :; done",
        {.cpu_seconds = 2, .wall_seconds = 2});
    EXPECT_TRUE(ran.process.end == ProcessRun::End::wall_limit || ran.process.code != 0);
    EXPECT_THAT(ran.process.log, HasSubstr("Cannot fork"));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
    EXPECT_FALSE(runs("mark_of_the_bom[b]"));
  }
  // What it leaves in the background ends with it.
  ran = shell("(while :; do : mark_of_the_rest; done) & exit 0");
  EXPECT_EQ(ran.process.code, 0);
  EXPECT_FALSE(runs("mark_of_the_res[t]"));
  // A result that is none.
  ran = shell("cat /out/a >/out/b & ln -s /bin/cat /out/made; exit 0", {}, "made");
  EXPECT_EQ(ran.process.end, ProcessRun::End::exited);
  // Files: by size, and by their sum.
  EXPECT_EQ(shell("while :; do echo 0123456789012345678901234567890; done >/out/a",
                  {.file_bytes = 1u << 20})
                .process.code,
            128 + SIGXFSZ);
  // The next one has clean numbers.
  ran = shell("exit 0");
  EXPECT_EQ(ran.process.code, 0);
  EXPECT_LT(ran.process.cpu_milliseconds, 500u);
}

TEST_F(SandboxTest, CompileBombsGetTheirVerdictAndTheNextBuildIsClean) {
  // Where nothing may be left. Root builds as another user, who has to get there.
  const Folder temporary;
  std::filesystem::permissions(temporary.path(), std::filesystem::perms::others_exec,
                               std::filesystem::perm_options::add);
  const char* const usual = ::getenv("TMPDIR");
  const std::string restored = usual == nullptr ? "/tmp" : usual;
  ::setenv("TMPDIR", temporary.path().c_str(), 1);
  ProcessLimits limits = compile_limits;
  limits.file_bytes = 1u << 20;
  limits.address_bytes = 768u << 20;
  const std::pair<std::string, const char*> bombs[] = {
      {test::macro_bomb(), "COMPILE_LIMIT"},
      {"__asm__(\".fill 3000000\");\n", "COMPILE_LIMIT"},
      {"__asm__(\".fill 1000000000\");\n", "COMPILE_LIMIT"},
      {"#include \"kernel.c\"\n", "COMPILE_ERROR"}};
  for (const auto& [source, verdict] : bombs) {
    SCOPED_TRACE(source.substr(0, 40));
    limits.cpu_seconds = &source == &bombs[0].first ? 1 : 20;
    const Built built = build_source(source, limits);
    EXPECT_EQ(name(built.verdict), verdict) << built.log;
    EXPECT_EQ(name(build_source(plain).verdict), "ACCEPTED");
  }
  limits = compile_limits;
  limits.wall_seconds = 1;
  Submission endless = submission(test::macro_bomb());
  endless.sources[0] = endless.files[0].path = "src/mark_of_the_build.c";
  EXPECT_EQ(name(build(toolchain_, {}, endless, limits).verdict), "HOST_LIMIT");
  EXPECT_FALSE(runs("mark_of_the_buil[d]"));
  EXPECT_TRUE(std::filesystem::is_empty(temporary.path()));
  ::setenv("TMPDIR", restored.c_str(), 1);
}

TEST_F(SandboxTest, CountsProcessorTime) {
  // What sits out the signal is killed, and is told from a kill for the host's memory by its time.
  const SandboxRun ran =
      shell("sh -c 'trap \"\" XCPU; while :; do :; done'; exit $?", {.cpu_seconds = 1});
  EXPECT_EQ(ran.process.code, 128 + SIGKILL);
  EXPECT_GE(ran.process.cpu_milliseconds, 1000u);
}

TEST_F(SandboxTest, IsNeverTheAuthorsFault) {
  const Folder place;
  // A linker that goes away after the sandbox was made.
  toolchain_.lld = place.path("ld.lld-19");
  std::filesystem::copy_file(std::filesystem::canonical("/usr/bin/ld.lld-19"), toolchain_.lld);
  auto made = Sandbox::create(toolchain_, "", search_path);
  ASSERT_TRUE(made) << made.error().message;
  toolchain_.sandbox = *made;
  EXPECT_EQ(name(build_source(plain).verdict), "ACCEPTED");
  std::filesystem::remove(toolchain_.lld);
  const Built built = build_source(plain);
  EXPECT_EQ(name(built.verdict), "SYSTEM_ERROR") << built.log;
  EXPECT_THAT(built.log, HasSubstr("no build sandbox: "));
  // One that does not run.
  folder_.write("broken-lld", "#!/bin/sh\nexit 127\n");
  std::filesystem::permissions(folder_.path("broken-lld"), std::filesystem::perms::owner_all);
  toolchain_.lld = folder_.path("broken-lld");
  made = Sandbox::create(toolchain_, "", search_path);
  ASSERT_TRUE(made) << made.error().message;
  toolchain_.sandbox = *made;
  EXPECT_EQ(name(build_source(plain).verdict), "SYSTEM_ERROR");

  // A bubblewrap that cannot: what it says, and what to do.
  const std::string broken =
      place.write("bwrap", "#!/bin/sh\necho 'bwrap: No permissions' >&2\nexit 1\n");
  std::filesystem::permissions(broken, std::filesystem::perms::owner_all);
  made = Sandbox::create(test::real_toolchain(), broken, "");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, Error::Kind::input);
  EXPECT_THAT(made.error().message, HasSubstr("no build sandbox: bwrap: No permissions\n"));
}

TEST(SandboxFilter, IsMadeTheSameEachTime) {
  const auto one = seccomp_program(), two = seccomp_program();
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_GT(one->size(), 400u);
  EXPECT_EQ(*one, *two);
}

/// Runs `calls` under the filter; the number of the first that says no to it, or -1.
int first_failure(const std::vector<std::function<bool()>>& calls) {
  const auto program = seccomp_program();
  EXPECT_TRUE(program) << program.error().message;
  sock_fprog filter{static_cast<unsigned short>(program->size() / sizeof(sock_filter)),
                    reinterpret_cast<sock_filter*>(const_cast<u8*>(program->data()))};
  const pid_t child = ::fork();
  if (child == 0) {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0)
      ::_exit(200);
    for (size_t k = 0; k < calls.size(); ++k)
      if (!calls[k]()) ::_exit(static_cast<int>(k));
    ::_exit(100);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  return WEXITSTATUS(status) == 100 ? -1 : WEXITSTATUS(status);
}

std::function<bool()> refused(long call, long a = 0, long b = 0, long c = 0) {
  return [=] { return ::syscall(call, a, b, c, 0, 0, 0) == -1 && errno == ENOSYS; };
}

TEST(SandboxFilter, RefusesWhatNoCompilerCalls) {
  EXPECT_EQ(first_failure({refused(SYS_socket, AF_INET, SOCK_STREAM),
                           refused(SYS_socket, AF_UNIX, SOCK_STREAM),
                           refused(SYS_socketpair, AF_UNIX, SOCK_STREAM),
                           refused(SYS_ptrace, PTRACE_TRACEME),
                           refused(SYS_process_vm_readv),
                           refused(SYS_mount),
                           refused(SYS_umount2),
                           refused(SYS_pivot_root),
                           refused(SYS_chroot),
                           refused(SYS_unshare, CLONE_NEWUSER),
                           refused(SYS_setns),
                           refused(SYS_clone, CLONE_NEWUSER | SIGCHLD),
                           refused(SYS_clone, CLONE_NEWNET | SIGCHLD),
                           refused(SYS_clone3),
                           refused(SYS_bpf),
                           refused(SYS_perf_event_open),
                           refused(SYS_keyctl),
                           refused(SYS_add_key),
                           refused(SYS_io_uring_setup),
                           refused(SYS_userfaultfd),
                           refused(SYS_init_module),
                           refused(SYS_finit_module),
                           refused(SYS_kexec_load),
                           refused(SYS_open_by_handle_at),
                           refused(SYS_memfd_create),
                           refused(SYS_setuid, 0),
                           refused(SYS_link),
                           refused(SYS_symlink),
                           refused(SYS_mknod),
                           refused(SYS_ioctl, 0, TIOCSTI),
                           refused(SYS_prctl, PR_SET_DUMPABLE, 1)}),
            -1);
}

TEST(SandboxFilter, LetsACompilerWork) {
  EXPECT_EQ(first_failure({[] { return ::open("/dev/null", O_RDONLY) >= 0; },
                           [] {
                             const long child = ::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
                             if (child == 0) ::_exit(0);
                             return child > 0 &&
                                    ::waitpid(static_cast<pid_t>(child), nullptr, 0) > 0;
                           },
                           [] { return ::prctl(PR_SET_NAME, "name") == 0; }}),
            -1);
}

TEST(SandboxAdvice, NamesTheSettingThatIsInTheWay) {
  const Folder proc;
  EXPECT_THAT(namespace_advice(proc.path()), HasSubstr("--security-opt seccomp=unconfined"));
  proc.write("sys/kernel/unprivileged_userns_clone", "0\n");
  EXPECT_THAT(namespace_advice(proc.path()),
              HasSubstr("sysctl kernel.unprivileged_userns_clone=1"));
  proc.write("sys/kernel/apparmor_restrict_unprivileged_userns", "1\n");
  proc.write("sys/user/max_user_namespaces", "0\n");
  EXPECT_THAT(
      namespace_advice(proc.path()),
      testing::AllOf(HasSubstr("kernel.apparmor_restrict_unprivileged_userns=0"),
                     HasSubstr("sysctl user.max_user_namespaces="), Not(HasSubstr("container"))));
}

TEST(SandboxAdvice, NamesThePackage) {
  const auto none = Sandbox::create(test::real_toolchain(), "", "/nowhere");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message,
              HasSubstr("bwrap is not installed; on Debian 12: apt-get install bubblewrap"));
}

}  // namespace
}  // namespace simfarm::farm
