// The evaluation key: what changes it, and what must not.
#include "farm/store/key.h"

#include <gmock/gmock.h>

#include <set>

#include "farm/archive.h"
#include "farm/digest.h"
#include "farm/sandbox.h"
#include "farm/store/intake.h"
#include "tests/store/support.h"

namespace simfarm::farm {
namespace {

using test::Folder;

/// Everything that a key is made from, as files on a disk.
class EvaluationKey : public testing::Test {
 protected:
  EvaluationKey() {
    test::write_small_task(folder_);
    std::string toml = test::small_task_toml;
    toml.replace(toml.find("\"nano\""), 6, "\"own.toml\"");
    folder_.write("tasks/small/task.toml", toml);
    folder_.write("tasks/small/include/shared.h", "#define SHARED 1\n");
    folder_.write("tasks/small/own.toml", print_machine(*load_machine("nano")));
    for (const char* const part :
         {"sdk/bin/simfarm-cc", "sdk/include/simfarm.h", "sdk/lib/crt0.S", "llvm/bin/clang",
          "llvm/bin/lld", "llvm/lib/clang/19/include/stddef.h"})
      folder_.write(part, "#!/bin/sh\n# " + std::string(part) + "\n");
    for (const char* const program : {"llvm/bin/clang", "llvm/bin/lld"})
      std::filesystem::permissions(folder_.path(program), std::filesystem::perms(0755));
    files_ = {{"a.c", {'i', 'n', 't'}}, {"b.h", {'/', '/', 'x'}}};
    manifest_ = "task = \"small\"\nauthor = \"somebody\"\nnote = \"why\"\nsources = [\"a.c\"]\n";
  }

  /// The key of what is there now, on the way that a coordinator takes.
  std::string key() {
    std::vector<PackageFile> files = files_;
    files.push_back({"submission.toml", {manifest_.begin(), manifest_.end()}});
    const Result<Submission> submission = parse_submission(files, "test");
    EXPECT_TRUE(submission) << (submission ? "" : submission.error().message);
    const auto task = load_task_and_cases(folder_.path("tasks/small"));
    EXPECT_TRUE(task) << (task ? "" : task.error().message);
    const auto package = pack(folder_.path("tasks/small"));
    const Toolchain tools{folder_.path("sdk/bin/simfarm-cc"), folder_.path("llvm/bin/clang"),
                          folder_.path("llvm/bin/lld")};
    const Result<std::string> toolchain = toolchain_digest(tools);
    EXPECT_TRUE(toolchain) << (toolchain ? "" : toolchain.error().message);
    host_.toolchain = *toolchain;
    return evaluation_key({sha256(submission->files), options_digest(*submission), package,
                           cases_digest((*task)->cases), machine_digest((*task)->task.machine),
                           host_, !(*task)->task.held_out.empty()});
  }
  static std::string pack(const std::string& folder) {
    const auto files = read_folder(folder, {.bytes = 1 << 20});
    EXPECT_TRUE(files);
    return sha256(*print_tar(*files));
  }
  /// Replaces `from` in a file by `to`.
  void edit(const std::string& file, const std::string& from, const std::string& to) {
    std::ifstream in(folder_.path(file), std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    ASSERT_NE(text.find(from), std::string::npos) << file;
    folder_.write(file, text.replace(text.find(from), from.size(), to));
  }

  Folder folder_;
  std::vector<PackageFile> files_;
  std::string manifest_;
  JudgingHost host_{"", "simfarm 1"};
};

TEST_F(EvaluationKey, Scenario07_AnyOneByteDifferentIsAnotherKey) {
  const std::string first = key();
  EXPECT_EQ(key(), first) << "nothing changed";
  const auto change = [&](const char* what, const std::function<void()>& edit_it) {
    return std::pair<std::string, std::function<void()>>(what, edit_it);
  };
  const auto in_manifest = [&](const std::string& from, const std::string& to) {
    manifest_.replace(manifest_.find(from), from.size(), to);
  };
  const std::vector<std::pair<std::string, std::function<void()>>> changes = {
      change("source", [&] { files_[0].bytes[2] ^= 1; }),
      change("header", [&] { files_[1].bytes[2] ^= 1; }),
      change("a header's name", [&] { files_[1].path = "c.h"; }),
      change("a file that nothing includes",
             [&] {
               files_.push_back({"x", {}});
             }),
      change("optimisation", [&] { manifest_ += "optimise = \"O3\"\n"; }),
      change("local memory", [&] { manifest_ += "local_memory_bytes = 1024\n"; }),
      change("how much of it", [&] { in_manifest("1024", "1088"); }),
      change("a macro", [&] { manifest_ += "defines = { EXTRA = \"1\" }\n"; }),
      change("a macro's value", [&] { in_manifest("\"1\"", "\"2\""); }),
      change("task", [&] { edit("tasks/small/task.toml", "20000", "20001"); }),
      change("task header", [&] { edit("tasks/small/include/shared.h", "1", "2"); }),
      change("machine", [&] { edit("tasks/small/own.toml", "latency = 100", "latency = 101"); }),
      change("case",
             [&] {
               ASSERT_TRUE(write_tensor_file(folder_.path("tasks/small/cases/one.h5"),
                                             test::small_case(5, -4)));
             }),
      change("order of the cases",
             [&] {
               edit("tasks/small/task.toml", "\"cases/one.h5\", \"cases/two.h5\"",
                    "\"cases/two.h5\", \"cases/one.h5\"");
             }),
      change("driver", [&] { edit("sdk/bin/simfarm-cc", "#", "##"); }),
      change("SDK header", [&] { edit("sdk/include/simfarm.h", "#", "##"); }),
      change("start-up code", [&] { edit("sdk/lib/crt0.S", "#", "##"); }),
      change("compiler", [&] { edit("llvm/bin/clang", "bin/clang", "bin/clanh"); }),
      change("linker", [&] { edit("llvm/bin/lld", "bin/lld", "bin/lle"); }),
      change("compiler's header", [&] { edit("llvm/lib/clang/19/include/stddef.h", "#", "##"); }),
      change("simulator", [&] { host_.simulator = "simfarm 2"; }),
      change("sandbox", [&] { host_.sandbox = "sandbox 1"; }),
      change("scoring version", [&] { ++host_.scoring; }),
  };
  std::set<std::string> seen = {first};
  for (const auto& [what, edit_it] : changes) {
    edit_it();
    EXPECT_TRUE(seen.insert(key()).second) << what << ": a stale hit";
  }
}

TEST_F(EvaluationKey, TheSecretCountsWhereCasesAreHeldOut) {
  host_.secret = "one";
  const std::string without = key();
  host_.secret = "other";
  EXPECT_EQ(key(), without) << "no case is made from it";
  edit("tasks/small/task.toml", "[cases]\n", "[cases]\ngenerator = \"g.py\"\nheld_out = [\"a\"]\n");
  const std::string other = key();
  host_.secret = "one";
  EXPECT_NE(key(), other);
}

TEST_F(EvaluationKey, AuthorNoteAndParentBuyNothing) {
  const std::string first = key();
  manifest_ =
      "task = \"small\"\nauthor = \"another\"\nnote = \"better\"\nparent = \"kernel\"\n"
      "sources = [\"a.c\"]\n";
  EXPECT_EQ(key(), first);
}

TEST_F(EvaluationKey, PartsDoNotRunIntoEachOther) {
  const KeyParts parts{"ab", "c", "", "", "", {}, false};
  const KeyParts moved{"a", "bc", "", "", "", {}, false};
  EXPECT_NE(evaluation_key(parts), evaluation_key(moved));
}

TEST_F(EvaluationKey, AToolchainThatCannotBeReadIsAnError) {
  std::filesystem::remove(folder_.path("sdk/lib/crt0.S"));
  std::filesystem::remove(folder_.path("sdk/lib"));
  const auto digest =
      toolchain_digest({folder_.path("sdk/bin/simfarm-cc"), folder_.path("llvm/bin/clang"),
                        folder_.path("llvm/bin/lld")});
  ASSERT_FALSE(digest);
  EXPECT_EQ(digest.error().kind, Error::Kind::input) << "no toolchain: exit code 78";
  EXPECT_THAT(digest.error().message, testing::HasSubstr("sdk/lib"));
}

TEST(ToolchainDigest, ReadsTheLibrariesOfTheRealOne) {
  const Toolchain tools = test::real_toolchain();
  const auto first = toolchain_digest(tools);
  ASSERT_TRUE(first) << (first ? "" : first.error().message);
  EXPECT_EQ(*toolchain_digest(tools), *first);
}

}  // namespace
}  // namespace simfarm::farm
