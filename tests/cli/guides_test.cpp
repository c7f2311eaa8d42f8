// The guides' commands work as they stand there: what is marked `sh` in them is run.
#include <gmock/gmock.h>

#include <sstream>

#include "farm/verdict.h"
#include "tests/cli/program.h"

namespace simfarm::cli {
namespace {

/// The lines of a page's blocks of that kind.
std::string blocks_of(const std::string& page, const std::string& kind) {
  std::istringstream lines(test::read_text(SIMFARM_SOURCE_DIR "/docs/" + page));
  std::string text;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```"))
      inside = !inside && line == "```" + kind;
    else if (inside)
      text += line + "\n";
  }
  return text;
}

/// A folder in which the guides' paths mean something: tasks/, and srv/ in the place of /srv.
class Guides : public testing::Test {
 protected:
  Guides() {
    // Where there is no sandbox, sources are trusted; what doctor finds is the host's affair.
    const bool sandbox = test::run_program(SIMFARM_PROGRAM, {"doctor", "--json"})
                             .out.find("namespaces and filter work") != std::string::npos;
    folder_.write("simfarm",
                  std::string("#!/bin/sh\ncase $1 in\nscore|try) exec " SIMFARM_PROGRAM " \"$@\"") +
                      (sandbox ? "" : " --trust") +
                      " ;;\ndoctor) " SIMFARM_PROGRAM
                      " \"$@\" || [ $? = 78 ] ;;\n*) exec " SIMFARM_PROGRAM " \"$@\" ;;\nesac\n");
  }
  test::Said run(std::string commands) const {
    const std::string place = folder_.path("srv/");
    for (size_t at = 0; (at = commands.find("/srv/", at)) != std::string::npos; at += place.size())
      commands.replace(at, 5, place);
    const std::string script =
        folder_.write("script", "set -eu\ncd " + folder_.path("") +
                                    "\nchmod +x simfarm\nPATH=" + folder_.path("") +
                                    ":$PATH\nunset SIMFARM_FARM\nmkdir -p srv\n"
                                    "ln -sfn " SIMFARM_SOURCE_DIR "/tasks tasks\nset -x\n" +
                                    commands);
    return test::run_program("/bin/sh", {script});
  }
  test::Folder folder_;
};

TEST_F(Guides, TheAuthorsCommandsLeadToARank) {
  const test::Said said =
      run("simfarm farm init /srv/farm --task tasks/gemm\n" + blocks_of("authors-guide.md", "sh"));
  ASSERT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_THAT(said.out, testing::HasSubstr("1.07x of kernel")) << said.out;
  EXPECT_THAT(said.out, testing::HasSubstr("submission 2: task gemm, by me: ranked"));
  EXPECT_THAT(said.out, testing::HasSubstr("submission 2 of task gemm, by me"));
}

TEST_F(Guides, TheOperatorsCommandsWork) {
  const std::string commands = blocks_of("operators-guide.md", "sh");
  if (commands.find("sqlite3") != std::string::npos &&
      test::run_program("/bin/sh", {"-c", "command -v sqlite3"}).code != 0)
    GTEST_SKIP() << "no sqlite3 command";
  const test::Said said = run(commands);
  ASSERT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_THAT(said.out, testing::HasSubstr("whole"));
}

TEST_F(Guides, TheAuthorsOneHasEveryVerdict) {
  const std::string authors = test::read_text(SIMFARM_SOURCE_DIR "/docs/authors-guide.md");
  const std::string table = authors.substr(authors.find("## Every verdict"));
  for (u32 k = 0; k < static_cast<u32>(farm::Verdict::count); ++k)
    EXPECT_THAT(table, testing::HasSubstr(std::string(farm::name(static_cast<farm::Verdict>(k)))));
}

}  // namespace
}  // namespace simfarm::cli
