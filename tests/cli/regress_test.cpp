// `simfarm regress`, as its users call it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "regress/goldens.h"
#include "tests/cli/program.h"

namespace simfarm::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// As a person at a desk, wherever the tests run.
Said regress(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"-u", "CI", SIMFARM_PROGRAM, "regress"});
  return run_program("/usr/bin/env", arguments);
}

/// A folder with two case files, and one of goldens that is not there yet.
class Desk {
 public:
  Desk() {
    save("one", "return 3");
    save("two", "for (volatile int k = 0; k < 50; ++k) ; return 0");
  }
  void save(const std::string& name, const std::string& body) const {
    const std::string elf =
        compile(folder, "#include <simfarm.h>\nint main(void) { " + body + "; }");
    std::filesystem::copy_file(elf, this->elf(name),
                               std::filesystem::copy_options::overwrite_existing);
    const Said said = simfarm({"lockstep", elf, "--save", file(name)});
    ASSERT_EQ(said.code, 0) << said.err;
  }
  std::string file(const std::string& name) const { return folder.path(name + ".case"); }
  std::string elf(const std::string& name) const { return folder.path(name + ".elf"); }
  std::string goldens() const { return folder.path("goldens"); }
  Said run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--goldens", goldens()});
    return regress(std::move(arguments));
  }
  /// Both cases have goldens.
  void bless() const {
    ASSERT_EQ(run({"record", file("one"), file("two"), "--group", "g"}).code, 0);
    const Said said = run({"bless", "--reason", "the first"});
    ASSERT_EQ(said.code, 0) << said.err;
  }
  std::vector<regress::Entry> entries(const std::string& file_name = "g.h5") const {
    auto read = regress::read_pack(goldens() + "/" + file_name);
    EXPECT_TRUE(read);
    return read ? *read : std::vector<regress::Entry>{};
  }
  /// Goldens that this simfarm does not give.
  void write(const std::vector<regress::Entry>& entries) const {
    ASSERT_TRUE(regress::write_pack(goldens() + "/g.h5", entries));
    write_text("g.txt", regress::print_index(entries));
  }
  void write_text(const std::string& name, const std::string& text) const {
    folder.write("goldens/" + name, text);
  }
  const Folder folder;
};

TEST(CliRegress, FromARecordToACheckThatIsEqual) {
  const Desk desk;
  EXPECT_EQ(desk.run({"check"}).code, 78) << "no folder of goldens";
  Said said = desk.run({"record", desk.file("one"), desk.file("two"), "--group", "g"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("2 new or changed, 0 as they were"));
  EXPECT_EQ(desk.run({"check"}).code, 3) << "new results wait";
  said = desk.run({"review"});
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.out, HasSubstr("g: one: new, "));
  ASSERT_EQ(desk.run({"bless", "--reason", "the first"}).code, 0);
  said = desk.run({"check"});
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_THAT(said.out, HasSubstr("2 cases, "));
  said = desk.run({"check", "--all-ways", "two", "--json"});
  EXPECT_EQ(said.code, 0) << said.err;
  const auto document = nlohmann::json::parse(said.out);
  EXPECT_EQ(document["schema"], "simfarm.regress/1");
  EXPECT_EQ(document["result"], "equal");
  EXPECT_GE(document["cases"].size(), 5u);
  EXPECT_GT(document["host"]["simulation_seconds"], 0.0);
  EXPECT_GE(document["host"]["runs_seconds"], document["host"]["simulation_seconds"]);
  EXPECT_THAT(desk.run({"list"}).out, HasSubstr("one "));
  said = desk.run({"record"});
  EXPECT_THAT(said.out, HasSubstr("0 new or changed, 2 as they were"));
  EXPECT_EQ(desk.run({"review"}).code, 4);
  EXPECT_EQ(desk.run({"explain", "one"}).code, 0);
  EXPECT_EQ(desk.run({"explain", "none"}).code, 4);
  // One that is misspelt is not taken for checked, or removed.
  for (const char* const command : {"check", "list"})
    EXPECT_EQ(desk.run({command, "one", "tow"}).code, 4) << command;
  said = desk.run({"remove", "one", "tow", "--reason", "x"});
  EXPECT_EQ(said.code, 4);
  EXPECT_THAT(said.err, HasSubstr("tow: no such case"));
  EXPECT_EQ(desk.entries().size(), 2u);
}

TEST(CliRegress, ADifferenceIsSaidInEveryForm) {
  const Desk desk;
  desk.bless();
  std::vector<regress::Entry> entries = desk.entries();
  ++entries[0].golden.cycles;
  ++entries[0].golden.counters[0].counters.stalls[static_cast<u32>(Stall::branch)];
  desk.write(entries);
  const std::string junit = desk.folder.path("j.xml"), events = desk.folder.path("e.ndjson");
  Said said =
      desk.run({"check", "--engine", "fast", "--json", "--junit", junit, "--events", events});
  EXPECT_EQ(said.code, 1) << said.err;
  EXPECT_THAT(said.err, HasSubstr("differs: one (fast): "));
  EXPECT_THAT(said.err, HasSubstr("PE 0: stall branch: "));
  const auto document = nlohmann::json::parse(said.out);
  EXPECT_EQ(document["result"], "differs");
  EXPECT_EQ(document["cases"][0]["verdict"], "differs");
  EXPECT_EQ(document["cases"][1]["verdict"], "equal");
  EXPECT_THAT(read_text(junit), HasSubstr("<testsuite name=\"g\" tests=\"2\" failures=\"1\">"));
  EXPECT_EQ(
      nlohmann::json::parse(read_text(events).substr(0, read_text(events).find('\n')))["case"],
      "one");
  const std::string before = desk.folder.write("before.json", said.out);
  said = desk.run({"check", "--engine", "fast", "--failed", before, "--annotations"});
  EXPECT_THAT(said.out, HasSubstr("1 cases, 1 runs, 1 differs"));
  EXPECT_THAT(said.out, HasSubstr("::error title=differs one::fast: "));
  said = desk.run({"explain", "one"});
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.out, HasSubstr("both engines agree, and differ from the golden"));
  EXPECT_THAT(said.out, HasSubstr("--baseline"));
  said = desk.run({"explain", "one", "--baseline", SIMFARM_PROGRAM});
  EXPECT_THAT(said.out, HasSubstr("nothing but the end of the run"));
  EXPECT_EQ(desk.entries(), entries) << "a check changes no golden";
}

TEST(CliRegress, MissingOrphanAndDamagedGoldensAreFailuresOfTheirOwn) {
  const Desk desk;
  desk.bless();
  const std::vector<regress::Entry> right = desk.entries();
  const std::string index = regress::print_index(right);
  // A golden without a line.
  desk.write_text("g.txt", regress::print_index({right[0]}));
  Said said = desk.run({"check"});
  EXPECT_EQ(said.code, 3);
  EXPECT_THAT(said.out, HasSubstr("orphan: g: two"));
  // A line without a golden.
  ASSERT_TRUE(regress::write_pack(desk.goldens() + "/g.h5", {right[0]}));
  desk.write_text("g.txt", index);
  said = desk.run({"check"});
  EXPECT_EQ(said.code, 3);
  EXPECT_THAT(said.out, HasSubstr("missing: g: two"));
  // Another golden than the line says.
  std::vector<regress::Entry> wrong = right;
  ++wrong[1].golden.cycles;
  ASSERT_TRUE(regress::write_pack(desk.goldens() + "/g.h5", wrong));
  said = desk.run({"check"});
  EXPECT_EQ(said.code, 3);
  EXPECT_THAT(said.out, HasSubstr("damaged: g: two"));
  // Cut off.
  ASSERT_TRUE(regress::write_pack(desk.goldens() + "/g.h5", right));
  const std::string bytes = read_text(desk.goldens() + "/g.h5");
  desk.write_text("g.h5", bytes.substr(0, bytes.size() / 2));
  said = desk.run({"check"});
  EXPECT_EQ(said.code, 3);
  EXPECT_THAT(said.out, HasSubstr("damaged: "));
  EXPECT_EQ(desk.run({"record"}).code, 78) << "nothing is recorded over it";
  desk.write(right);
  EXPECT_EQ(desk.run({"check"}).code, 0);
  EXPECT_EQ(desk.run({"check", "no-such-*"}).code, 4);
  EXPECT_EQ(desk.run({"check", "--shard", "3/2"}).code, 2);
  EXPECT_EQ(desk.run({"check", "--engine", "quick"}).code, 2);
  for (const char* const bad :
       {"[]", "{\"schema\": 1}", "{\"schema\": \"simfarm.regress/1\"}", "{"})
    EXPECT_EQ(desk.run({"check", "--failed", desk.folder.write("f.json", bad)}).code, 78) << bad;
  EXPECT_EQ(desk.run({"check", "--failed",
                      desk.folder.write("f.json",
                                        "{\"schema\": \"simfarm.regress/1\", \"cases\": "
                                        "[1, {\"verdict\": 3, \"case\": []}]}")})
                .code,
            4);
}

TEST(CliRegress, ShardsTogetherAreAll) {
  const Desk desk;
  desk.bless();
  std::multiset<std::string> seen;
  for (const char* const shard : {"1/3", "2/3", "3/3"}) {
    const Said said = desk.run({"check", "--all-ways", "--json", "--shard", shard});
    ASSERT_EQ(said.code, 0) << said.err;
    const auto document = nlohmann::json::parse(said.out);
    for (const auto& one : document["cases"])
      seen.insert(one["case"].get<std::string>() + " " + one["variant"].get<std::string>());
  }
  const auto document = nlohmann::json::parse(desk.run({"check", "--all-ways", "--json"}).out);
  const auto& all = document["cases"];
  EXPECT_EQ(seen.size(), all.size());
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), all.size());
}

TEST(CliRegress, BlessIsRefusedWhereItMustBe) {
  const Desk desk;
  desk.bless();
  EXPECT_EQ(desk.run({"bless", "--reason", "nothing"}).code, 4);
  // Another program under the same name: other cycles and another exit code.
  desk.save("one", "return 4 * (sf_row() == 0)");
  ASSERT_EQ(desk.run({"record", desk.file("one"), "--group", "g"}).code, 0);
  const std::string bless_reason = "--reason=it is another program now";
  EXPECT_EQ(desk.run({"bless", "--reason", " "}).code, 2) << "a reason";
  EXPECT_EQ(desk.run({"bless"}).code, 2);
  const Said ci = run_program("/usr/bin/env", {"CI=true", SIMFARM_PROGRAM, "regress", "bless",
                                               bless_reason, "--goldens", desk.goldens()});
  EXPECT_EQ(ci.code, 2);
  EXPECT_THAT(ci.err, HasSubstr("CI"));
  {
    const auto lock = regress::Lock::take(desk.goldens());
    ASSERT_TRUE(lock);
    EXPECT_EQ(desk.run({"bless", bless_reason}).code, 75);
    EXPECT_EQ(desk.run({"record"}).code, 75);
  }
  // What waits must be what this program gives.
  const std::vector<regress::Entry> waits = desk.entries("g.pending.h5");
  std::vector<regress::Entry> wrong = waits;
  ++wrong[0].golden.cycles;
  ASSERT_TRUE(regress::write_pack(desk.goldens() + "/g.pending.h5", wrong));
  EXPECT_EQ(desk.run({"bless", bless_reason}).code, 6);
  ASSERT_TRUE(regress::write_pack(desk.goldens() + "/g.pending.h5", waits));
  EXPECT_EQ(desk.run({"bless", bless_reason}).code, 0) << "another case: its outputs are its own";
  EXPECT_EQ(desk.run({"check"}).code, 0);
}

TEST(CliRegress, OutputBytesChangeOnlyWhenThatIsMeant) {
  const Desk desk;
  desk.bless();
  // As if this simfarm had once given another exit code for the same program.
  std::vector<regress::Entry> before = desk.entries();
  before[0].golden.exit_codes[0] = 1;
  desk.write(before);
  ASSERT_EQ(desk.run({"record"}).code, 0);
  EXPECT_THAT(desk.run({"review"}).out, HasSubstr("OUTPUTS CHANGED"));
  const Said said = desk.run({"bless", "--reason", "it was wrong"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, HasSubstr("--allow-output-change"));
  EXPECT_EQ(desk.entries(), before);
  EXPECT_EQ(desk.run({"bless", "--reason", "it was wrong", "--allow-output-change"}).code, 0);
  EXPECT_EQ(desk.run({"check"}).code, 0);
  EXPECT_THAT(read_text(desk.goldens() + "/bless.log"), HasSubstr(": it was wrong\n  g: one "));
  EXPECT_EQ(desk.run({"remove", "one", "--reason", "no use"}).code, 0);
  EXPECT_THAT(desk.run({"list"}).out, Not(HasSubstr("one ")));
}

TEST(CliRegress, ATreeWithChangesIsNotBlessed) {
  const Desk desk;
  const auto git = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"-u", "GIT_DIR", "git", "-C", desk.folder.path("."), "-c",
                                         "user.name=x", "-c", "user.email=x@x"});
    return run_program("/usr/bin/env", arguments).code;
  };
  if (git({"init", "-q"}) != 0) GTEST_SKIP() << "no git";
  desk.folder.write("simulator.cpp", "int x;\n");
  ASSERT_EQ(desk.run({"record", desk.file("one"), "--group", "g"}).code, 0);
  const Said said = desk.run({"bless", "--reason", "the first"});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, HasSubstr("not committed"));
  std::filesystem::create_directory(desk.folder.path("bin"));
  // A git that cannot say it, or is not there, is no clean tree.
  desk.folder.write("bin/git",
                    "#!/bin/sh\necho 'fatal: detected dubious ownership' >&2; exit 128\n");
  const std::string bin = desk.folder.path("bin");
  std::filesystem::permissions(bin + "/git", std::filesystem::perms::owner_all);
  for (const std::string& path : {bin, desk.folder.path("goldens")}) {
    const Said refused =
        run_program("/usr/bin/env", {"-u", "CI", "PATH=" + path, SIMFARM_PROGRAM, "regress",
                                     "bless", "--reason", "x", "--goldens", desk.goldens()});
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr(path == bin ? "dubious ownership" : "git is not there"));
  }
  ASSERT_EQ(git({"add", "-A", ".", ":!goldens"}), 0);
  ASSERT_EQ(git({"commit", "-q", "-m", "all"}), 0);
  EXPECT_EQ(desk.run({"bless", "--reason", "the first"}).code, 0);
}

TEST(CliRegress, ACandidateIsHeldAgainstTheGoldens) {
  const Desk desk;
  desk.bless();
  Said said = desk.run({"check", "--candidate", SIMFARM_PROGRAM, "--all-ways", "--json"});
  ASSERT_EQ(said.code, 0) << said.err;
  auto document = nlohmann::json::parse(said.out);
  EXPECT_EQ(document["result"], "equal");
  EXPECT_GE(document["cases"].size(), 10u);
  EXPECT_EQ(desk.run({"explain", "two", "--candidate", SIMFARM_PROGRAM}).code, 0);

  // Another simfarm: it ends every run on two threads in cycle 40, and does not always do the same.
  const std::string other = desk.folder.path("other");
  desk.folder.write("other",
                    "#!/bin/sh\ncase \" $* \" in\n"
                    "*' --threads '*) exec " SIMFARM_PROGRAM
                    " \"$@\" --cycle-limit 40 ;;\n"
                    "*' --code-at-once '*) echo >> $0.n; exec " SIMFARM_PROGRAM
                    " \"$@\" --cycle-limit $(wc -l < $0.n) ;;\n"
                    "*) exec " SIMFARM_PROGRAM " \"$@\" ;;\nesac\n");
  std::filesystem::permissions(other, std::filesystem::perms::owner_all);
  said = desk.run({"check", "two", "--candidate", other, "--threads", "1,2", "--json"});
  ASSERT_EQ(said.code, 1) << said.err;
  document = nlohmann::json::parse(said.out);
  ASSERT_EQ(document["cases"].size(), 2u);
  EXPECT_EQ(document["cases"][0]["verdict"], "equal");
  EXPECT_EQ(document["cases"][1]["variant"], "fast, 2 threads");
  EXPECT_EQ(document["cases"][1]["verdict"], "differs");
  EXPECT_EQ(document["cases"][1]["cycles"], 40);
  said = desk.run({"check", "--candidate", other, "--code-at-once"});
  EXPECT_EQ(said.code, 6) << said.out << said.err;

  desk.folder.write("other", "#!/bin/sh\necho 'no such command'; exit 2\n");
  said = desk.run({"check", "--candidate", other});
  EXPECT_EQ(said.code, 78);
  EXPECT_THAT(said.err, HasSubstr("no such command"));
  // One that is wrong from cycle 30 on.
  desk.folder.write("other",
                    "#!/bin/sh\nexec " SIMFARM_PROGRAM
                    " $(echo \"$@\" | sed 's/--cycle-limit [0-9]\\{3,\\}/--cycle-limit 30/; "
                    "s/--cycle-limit [3-9][0-9]$/--cycle-limit 30/')\n");
  said = desk.run({"explain", "two", "--candidate", other});
  EXPECT_EQ(said.code, 1) << said.err;
  EXPECT_THAT(said.out, HasSubstr("two: first in cycle 30, PE 0"));
  EXPECT_THAT(said.out, Not(HasSubstr("(main)")));
  said = desk.run({"explain", "two", "--candidate", other, "--elf", desk.elf("two")});
  EXPECT_EQ(said.code, 1) << said.err;
  EXPECT_THAT(said.out, HasSubstr("(main)"));
  said = desk.run({"explain", "two", "--elf", desk.elf("one")});
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.err, HasSubstr("its code is not that of two"));
}

TEST(CliRegress, TwoProgramsAreCompared) {
  const Desk desk;
  desk.bless();
  const Said said =
      desk.run({"compare", SIMFARM_PROGRAM, SIMFARM_PROGRAM, "--pairs", "1", "--json"});
  ASSERT_THAT(said.code, testing::AnyOf(0, 1)) << said.err;  // a busy host may call one slower
  const auto document = nlohmann::json::parse(said.out);
  EXPECT_EQ(document["schema"], "simfarm.regress.compare/1");
  EXPECT_EQ(document["cases"], 2);
  EXPECT_EQ(desk.run({"compare", "/bin/true", SIMFARM_PROGRAM, "--pairs", "1"}).code, 78);
}

}  // namespace
}  // namespace simfarm::test
