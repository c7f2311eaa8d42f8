#include "base/file.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace simfarm {
namespace {

class File : public testing::Test {
 protected:
  File() {
    std::string name = (std::filesystem::temp_directory_path() / "simfarm-file-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~File() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::filesystem::path folder_;
};

TEST_F(File, ReadsBackWhatWasWrittenAndLeavesNothingElse) {
  const std::vector<u8> bytes = {0, 1, 255, '\n'};
  ASSERT_TRUE(write_file(path("x"), std::vector<u8>{9}));
  ASSERT_TRUE(write_file(path("x"), bytes));
  EXPECT_EQ(read_file(path("x"), 4).value(), bytes);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(File, SaysWhyItDoesNotRead) {
  ASSERT_TRUE(write_file(path("x"), std::vector<u8>(5)));
  EXPECT_EQ(read_file(path("x"), 4).error().message,
            path("x") + ": 5 bytes, at most 4 are accepted");
  EXPECT_EQ(read_file(path("none"), 4).error().kind, Error::Kind::io);
  EXPECT_EQ(read_file(folder_.string(), 4).error().message,
            folder_.string() + ": not a regular file");
}

TEST_F(File, APendingFileThatIsGivenUpIsGone) {
  {
    Result<PendingFile> pending = PendingFile::create(path("x"));
    ASSERT_TRUE(pending);
    EXPECT_TRUE(std::filesystem::exists(pending->temporary()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  EXPECT_FALSE(PendingFile::create(path("no/folder")));
}

}  // namespace
}  // namespace simfarm
