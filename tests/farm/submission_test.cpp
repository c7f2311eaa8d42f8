// Intake: what a submission may be, as a folder and as an archive with every known trick.
#include "farm/submission.h"

#include <gmock/gmock.h>

#include "base/file.h"
#include "farm/archive.h"
#include "farm/task.h"
#include "farm/text.h"
#include "tests/farm/support.h"

namespace simfarm::farm {
namespace {

using test::Folder;
using test::shell;
using testing::HasSubstr;

constexpr const char* manifest = R"(task = "scale"
author = "Zoë"
parent = "kernel"
note = """
two
lines"""
optimise = "O3"
sources = ["src/a.c", "src/b.S"]
defines = { TILE = "8" }
)";

Folder& fill(Folder& folder) {
  folder.write("s/submission.toml", manifest);
  folder.write("s/src/a.c", "int main;\n");
  folder.write("s/src/b.S", "");
  folder.write("s/src/common.h", "#pragma once\n");
  folder.write("s/.hidden", "an editor's");
  folder.write("s/expect.toml", "expect = \"DEADLOCK\"\n");
  return folder;
}

void expect_good(const Result<Submission>& submission) {
  ASSERT_TRUE(submission) << submission.error().message;
  EXPECT_EQ(submission->task, "scale");
  EXPECT_EQ(submission->author, "Zoë");
  EXPECT_EQ(submission->parent, "kernel");
  EXPECT_EQ(submission->note, "two\nlines");
  EXPECT_EQ(submission->optimise, Optimise::O3);
  EXPECT_EQ(submission->sources, (std::vector<std::string>{"src/a.c", "src/b.S"}));
  EXPECT_EQ(submission->defines.at("TILE"), "8");
  ASSERT_EQ(submission->files.size(), 3u);
  EXPECT_EQ(submission->files[2].path, "src/common.h");
}

TEST(Submission, IsReadAlikeFromFolderAndArchive) {
  Folder folder;
  fill(folder);
  expect_good(load_submission(folder.path("s")));
  EXPECT_EQ(load_expectation(folder.path("s")).value(), Verdict::deadlock);
  std::filesystem::remove(folder.path("s/.hidden"));
  for (const char* command : {"tar cf ../s.tar .", "tar cf ../s.tar submission.toml src",
                              "cd .. && tar cf s.tar s", "tar czf ../s.tar *"}) {
    SCOPED_TRACE(command);
    ASSERT_EQ(shell("cd " + folder.path("s") + " && " + command).status, 0);
    expect_good(load_submission(folder.path("s.tar")));
    EXPECT_FALSE(load_expectation(folder.path("s.tar")).value()) << "an archive has no say";
  }
  folder.write("s.tar.expect.toml", "expect = \"REJECTED\"");
  EXPECT_EQ(load_expectation(folder.path("s.tar")).value(), Verdict::rejected);
  folder.write("s.tar.expect.toml", "expect = \"FINE\"");
  EXPECT_THAT(load_expectation(folder.path("s.tar")).error().message,
              HasSubstr("expect.toml:1: expect: FINE is no verdict"));
}

TEST(Submission, RefusesBadManifests) {
  struct Change {
    const char* from;
    const char* to;
    const char* message;
  };
  const Change changes[] = {
      {"\"scale\"", "\"../scale\"", "submission.toml:1: task"},
      {"\"Zoë\"", "\"a\\nb\"", "submission.toml:2: author: has the control character 0x0a"},
      {"\"Zoë\"", "\"\"", "author: is empty"},
      {"\"Zoë\"", "\"Zo\\u200be\"", "author: has the invisible character U+200B"},
      {"\"Zoë\"", "\"0123456789012345678901234567890123456789012345678901234567890123456789\"",
       "author: has 70 characters"},
      {"\"Zoë\"", "\"Zo\xff\"", "submission.toml:2"},
      {"two\nlines", "\\u001b[2J", "note: has the control character 0x1b"},
      {"\"O3\"", "\"Ofast\"", "optimise: is \"Ofast\", accepted are O0, O1, O2, O3, Os"},
      {"\"O3\"", "\"O3 -include x\"", "optimise"},
      {"src/b.S", "-fplugin=x.c", "sources: -fplugin=x.c has a component that starts with '-'"},
      {"src/b.S", "@src/a.c", "has a character other than"},
      {"src/b.S", "src/common.h", "does not end in"},
      {"src/b.S", "src/none.c", "src/none.c is not in the submission"},
      {"src/b.S", "src/a.c", "src/a.c is named twice"},
      {"src/b.S", "../s/src/a.c", "has the component \"..\""},
      {"[\"src/a.c\", \"src/b.S\"]", "[]", "sources: has 0 entries"},
      {"TILE = \"8\"", "TILE = 8", "defines.TILE: must be a string"},
      {"TILE = \"8\"", "TILE = \"8 -include\"", "the value of TILE has a character"},
      {"TILE = \"8\"", "\"A B\" = \"8\"", "A B is no macro name"},
      {"optimise", "flags", "unknown key"},
      {"task = \"scale\"\n", "", "task: is missing"},
  };
  Folder folder;
  fill(folder);
  for (const Change& change : changes) {
    SCOPED_TRACE(change.to);
    std::string text = manifest;
    const size_t at = text.find(change.from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, std::string(change.from).size(), change.to);
    folder.write("s/submission.toml", text);
    const Result<Submission> submission = load_submission(folder.path("s"));
    ASSERT_FALSE(submission);
    EXPECT_THAT(submission.error().message, HasSubstr(change.message));
    EXPECT_THAT(text_problem(submission.error().message, true), std::nullopt) << "errors are shown";
  }
  std::filesystem::remove(folder.path("s/submission.toml"));
  EXPECT_THAT(load_submission(folder.path("s")).error().message, HasSubstr("no submission.toml"));
}

TEST(Submission, RefusesLinksAndOddFilesInFolders) {
  Folder folder;
  fill(folder);
  const std::string odd = folder.path("s/src/odd");
  std::filesystem::create_symlink("/etc/passwd", odd);
  EXPECT_THAT(load_submission(folder.path("s")).error().message,
              HasSubstr("src/odd: neither a regular file nor a folder"));
  std::filesystem::remove(odd);
  ASSERT_EQ(shell("mkfifo " + odd).status, 0);
  EXPECT_THAT(load_submission(folder.path("s")).error().message,
              HasSubstr("src/odd: neither a regular file nor a folder"));
  std::filesystem::remove(odd);
  folder.write("s/src/od d.h", "");
  EXPECT_THAT(load_submission(folder.path("s")).error().message,
              HasSubstr("a character other than"));
  std::filesystem::remove(folder.path("s/src/od d.h"));
  for (u32 k = 0; k < 256; ++k) folder.write("s/src/h" + std::to_string(k) + ".h", "");
  EXPECT_THAT(load_submission(folder.path("s")).error().message, HasSubstr("more than 256 files"));
}

TEST(Submission, RefusesArchiveTricks) {
  // Python writes what tar(1) would not.
  const Folder folder;
  const auto ran = test::python(folder, R"(
import tarfile, io, gzip
def make(name, *entries, **kw):
    with tarfile.open(name + ".tar", "w", **kw) as t:
        for path, kind, data in (("submission.toml", b"0", b"x"),) + entries:
            i = tarfile.TarInfo(path); i.type = kind
            if kind in (b"1", b"2"): i.linkname = data.decode(); data = b""
            i.size = len(data)
            t.addfile(i, io.BytesIO(data))
make("symlink", ("src", b"2", b"/tmp"), ("src/a.c", b"0", b"x"))
make("hardlink", ("src/a.c", b"1", b"/etc/passwd"))
make("dotdot", ("src/../../a.c", b"0", b"x"))
make("absolute", ("/etc/a.c", b"0", b"x"))
make("device", ("src/a.c", b"3", b""))
make("fifo", ("src/a.c", b"6", b""))
make("twice", ("src/a.c", b"0", b"x"), ("src/a.c", b"0", b"y"))
make("case", ("src/a.c", b"0", b"x"), ("src/A.c", b"0", b"y"))
make("both", ("src", b"0", b"x"), ("src/a.c", b"0", b"y"))
make("folder", ("Src/", b"5", b""), ("src", b"0", b"y"))
make("deep", ("/".join("abcdefghi"), b"0", b"x"))
make("hidden", (".git/config", b"0", b"x"))
make("latin", ("src/\xe9.c", b"0", b"x"), encoding="latin-1", format=tarfile.GNU_FORMAT)
make("none"); tarfile.open("none.tar", "w").close()
make("many", *[(f"f{k}", b"0", b"") for k in range(256)])
make("folders", *[(f"f{k}/", b"5", b"") for k in range(600)])
with tarfile.open("large.tar", "w") as t:
    i = tarfile.TarInfo("a.c"); i.size = 17 << 20
    t.addfile(i, io.BytesIO(bytes(i.size)))
with gzip.open("bomb.tar", "wb") as z:
    z.write(open("large.tar", "rb").read())
open("cut.tar", "wb").write(open("twice.tar", "rb").read()[:1100])
open("text.tar", "w").write("not a tar file")
open("empty.tar", "w")
make("sparse"); b = bytearray(open("sparse.tar", "rb").read()); b[124:136] = b"77777777777\0"
b[148:156] = b" " * 8; b[148:156] = b"%06o\0 " % sum(b[:512]); open("sparse.tar", "wb").write(b)
)");
  ASSERT_EQ(ran.status, 0) << ran.output;
  const std::pair<const char*, const char*> tricks[] = {
      {"symlink", "entry src: is a symbolic link"},
      {"hardlink", "entry src/a.c: is a hard link"},
      {"dotdot", "the name has the component \"..\""},
      {"absolute", "the name is absolute"},
      {"device", "is neither a regular file nor a folder"},
      {"fifo", "is neither a regular file nor a folder"},
      {"twice", "entry src/a.c: is there twice"},
      {"case", "entry src/A.c: is there twice (as src/a.c)"},
      {"both", "entry src: is a file and a folder"},
      {"folder", "entry src: is a file and a folder"},
      {"deep", "more than 8 folders deep"},
      {"hidden", "starts with '.'"},
      {"latin", "entry"},
      {"none", "holds no files"},
      {"many", "more than 256 files"},
      {"folders", "more than 512 entries"},
      {"large", "17827840 bytes, at most"},
      {"bomb", "more than 16777216 bytes of files"},
      {"cut", "not a readable tar file"},
      {"text", "not a readable tar file"},
      {"empty", "not a readable tar file"},
      {"sparse", "not a readable tar file"},
  };
  for (const auto& [name, message] : tricks) {
    SCOPED_TRACE(name);
    const auto files = read_tar(folder.path(name + std::string(".tar")), max_submission);
    ASSERT_FALSE(files);
    EXPECT_THAT(files.error().message, HasSubstr(message));
    EXPECT_THAT(text_problem(files.error().message, true), std::nullopt) << "errors are shown";
  }
}

TEST(Submission, DamagedArchivesAreRefusedOrHarmless) {
  Folder folder;
  fill(folder);
  const std::vector<u8> good =
      print_tar(read_folder(folder.path("s"), max_submission).value()).value();
  u64 random = 1;
  for (u32 round = 0; round < 2000; ++round) {
    std::vector<u8> bad = good;
    for (u32 k = 0; k < 3; ++k) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      bad[(random >> 33) % bad.size()] = static_cast<u8>(random >> 20);
    }
    const auto files = parse_tar(bad, "bad.tar", max_submission);
    if (!files) continue;
    for (const PackageFile& file : *files) ASSERT_FALSE(path_problem(file.path)) << file.path;
  }
}

TEST(Archive, EqualFilesGiveEqualBytesAndReadBack) {
  const std::vector<PackageFile> files = {
      {"b/c.txt", {1, 2, 3}},
      {"a", {}},
      {"b/" + std::string(90, 'x') + "/" + std::string(90, 'y'), {9}}};
  const std::vector<u8> first = print_tar(files).value();
  EXPECT_EQ(first, print_tar({files[2], files[0], files[1]}).value());
  const Folder folder;
  ASSERT_TRUE(write_file(folder.path("x.tar"), first));
  const auto back = read_tar(folder.path("x.tar"), max_submission);
  ASSERT_TRUE(back) << back.error().message;
  ASSERT_EQ(back->size(), 3u);
  EXPECT_EQ((*back)[1].path, "b/c.txt");
  EXPECT_EQ((*back)[1].bytes, (std::vector<u8>{1, 2, 3}));
  const auto listing = shell("tar tvf " + folder.path("x.tar") + " --utc | sort -k6 | head -1");
  EXPECT_THAT(listing.output, HasSubstr("-rw-r--r-- 0/0"));
  EXPECT_THAT(listing.output, HasSubstr("1970-01-01 00:00"));
}

TEST(Submission, TaskSaysWhatItAllows) {
  Folder folder;
  fill(folder);
  const Submission submission = load_submission(folder.path("s")).value();
  Task task;
  task.name = "scale";
  EXPECT_THAT(check_against(submission, task).error().message,
              HasSubstr("TILE is not among those that task scale allows (none)"));
  task.defines = {"SIZE", "TILE"};
  EXPECT_TRUE(check_against(submission, task));
  task.limits.source_bytes = 22;
  EXPECT_THAT(check_against(submission, task).error().message,
              HasSubstr("23 bytes of files, task scale allows 22"));
  task.name = "other";
  EXPECT_THAT(check_against(submission, task).error().message,
              HasSubstr("task: is scale, judged here is other"));
}

TEST(Text, KnowsUtf8AndWhatHides) {
  EXPECT_FALSE(text_problem("plain, Zoë, 漢字, 🙂", false));
  EXPECT_TRUE(text_problem("a\nb", false));
  EXPECT_FALSE(text_problem("a\nb\tc", true));
  EXPECT_TRUE(text_problem("a\rb", true));
  for (const char* bad : {"\x80", "\xc0\xaf", "\xc3", "\xe0\x80\xaf", "\xed\xa0\x80",
                          "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xff"})
    EXPECT_THAT(text_problem(bad, true).value_or(""), HasSubstr("not UTF-8"));
  for (const char* bad :
       {"\u202e", "\u200b", "\u2066", "\ufeff", "\u2028", "\u0085", "\x7f", "\x1b"})
    EXPECT_TRUE(text_problem(bad, true)) << bad;
  EXPECT_EQ(utf8_characters("Zoë🙂"), 4u);
}

TEST(Verdict, TableIsCompleteAndOrdered) {
  for (u32 k = 0; k < static_cast<u32>(Verdict::count); ++k) {
    const Verdict verdict = static_cast<Verdict>(k);
    EXPECT_EQ(parse_verdict(name(verdict)), verdict);
    EXPECT_FALSE(row(verdict).meaning.empty());
  }
  EXPECT_FALSE(parse_verdict("accepted"));
  EXPECT_EQ(graver(Verdict::accepted, Verdict::wrong_output), Verdict::wrong_output);
  EXPECT_EQ(graver(Verdict::nondeterministic, Verdict::wrong_output), Verdict::nondeterministic);
  EXPECT_EQ(graver(Verdict::compile_error, Verdict::system_error), Verdict::system_error);
  EXPECT_TRUE(row(Verdict::rejected).authors);
  for (const Verdict farms :
       {Verdict::system_error, Verdict::judge_error, Verdict::host_limit, Verdict::cancelled})
    EXPECT_FALSE(row(farms).authors);
}

}  // namespace
}  // namespace simfarm::farm
