// Files that are written whole or not at all: what may be replaced is, behind links; pipes and
// devices stay what they are.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stiction/error.h>
#include <stiction/files.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "io/hdf5.h"

namespace stiction {
namespace {

namespace fs = std::filesystem;

class PartFileTest : public testing::Test {
 protected:
  PartFileTest() { fs::create_directories(folder_); }
  ~PartFileTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  long files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("part_file_" + std::to_string(getpid()));
};

TEST_F(PartFileTest, ReplacesARegularFileWhole) {
  write_file(path("a"), "a longer text");
  write_file(path("a"), "short");
  EXPECT_EQ(read(path("a")), "short");
  EXPECT_EQ(files(), 1);
}

TEST_F(PartFileTest, WritesTheFileBehindALink) {
  write_file(path("target"), "old");
  fs::create_directory(path("folder"));
  fs::create_symlink("target", path("link"));
  fs::create_symlink("../link", path("folder/link"));  // relative to its own folder
  write_file(path("folder/link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_TRUE(fs::is_symlink(path("folder/link")));
  EXPECT_EQ(read(path("target")), "new");
  fs::create_symlink("absent", path("dangling"));
  write_file(path("dangling"), "made");
  EXPECT_TRUE(fs::is_symlink(path("dangling")));
  EXPECT_EQ(read(path("absent")), "made");
}

TEST_F(PartFileTest, WritesIntoAPipeWithoutReplacingIt) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", path("link"));
  const int reader = open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_file(path("link"), "through");
  char text[16] = {};
  EXPECT_EQ(::read(reader, text, sizeof text), 7);
  EXPECT_STREQ(text, "through");
  close(reader);
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(files(), 2);
}

TEST_F(PartFileTest, Hdf5GoesIntoAPipeToo) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  Hdf5Writer writer(path("pipe"));
  writer.integer("/version", 7);
  writer.commit();
  std::string bytes(65536, '\0');
  const ssize_t size = ::read(reader, bytes.data(), bytes.size());
  close(reader);
  ASSERT_GT(size, 0);
  write_file(path("file"), bytes.substr(0, static_cast<size_t>(size)));
  EXPECT_EQ(Hdf5Reader(path("file")).integer("/version"), 7);
  EXPECT_EQ(files(), 2);
}

// /dev/full by another name: the true one must not be at stake.
TEST_F(PartFileTest, ADeviceStaysADevice) {
  struct stat full {};
  if (stat("/dev/full", &full) != 0 || mknod(path("full").c_str(), S_IFCHR | 0600, full.st_rdev)) {
    GTEST_SKIP() << "only root makes devices";
  }
  const int probe = open(path("full").c_str(), O_WRONLY);
  if (probe < 0) GTEST_SKIP() << "the folder of temporary files has no devices";
  close(probe);
  EXPECT_THROW(write_file(path("full"), "text"), InputError);
  EXPECT_TRUE(fs::is_character_file(path("full")));
  EXPECT_EQ(files(), 1);
}

TEST_F(PartFileTest, RefusesFoldersAndNoName) {
  EXPECT_THROW(write_file(folder_.string(), "text"), InputError);
  EXPECT_THROW(write_file("", "text"), InputError);
  EXPECT_THROW(write_file(path("no/such/folder"), "text"), InputError);
  EXPECT_EQ(files(), 0);
}

}  // namespace
}  // namespace stiction
