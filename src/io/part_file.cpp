#include <fcntl.h>
#include <stiction/error.h>
#include <stiction/files.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>
#include <utility>

namespace stiction {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as many as the kernel follows

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw InputError(path + ": cannot be written: " + why);
}

bool is_open_file(const struct stat& file, int descriptor) {
  struct stat open_file {};
  return fstat(descriptor, &open_file) == 0 && open_file.st_dev == file.st_dev &&
         open_file.st_ino == file.st_ino;
}

// The file itself where the path is a symbolic link, even to a file that is not there yet.
fs::path behind_links(fs::path path) {
  std::error_code error;
  for (int k = 0; k < kMostLinks && fs::is_symlink(path, error); ++k) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path;
}

void write_all(const std::string& path, int descriptor, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t written = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      refuse(path, std::strerror(errno));
    }
  }
}

// Closes the descriptor in every case, and says what it could not keep.
void write_and_close(const std::string& path, int descriptor, const std::string& bytes) {
  if (descriptor < 0) refuse(path, std::strerror(errno));
  try {
    write_all(path, descriptor, bytes);
  } catch (const InputError&) {
    close(descriptor);
    throw;
  }
  if (close(descriptor) != 0) refuse(path, std::strerror(errno));
}

// Into what cannot be replaced. The standard output goes on where it is: opened anew, a regular
// file behind it would be written from its start.
void write_through(const std::string& path, const std::string& bytes) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) refuse(path, std::strerror(errno));
  for (int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    if (!is_open_file(file, descriptor)) continue;
    std::cout.flush();
    return write_all(path, descriptor, bytes);
  }
  write_and_close(path, open(path.c_str(), O_WRONLY | O_CLOEXEC), bytes);
}

std::string temporary_file(const std::string& path) {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "stiction.partXXXXXX").string();
  const int descriptor = mkstemp(name.data());
  if (descriptor < 0) refuse(path, name + ": " + std::strerror(errno));
  close(descriptor);
  return name;
}

}  // namespace

PartFile::PartFile(std::string path) : path_(std::move(path)) {
  if (path_.empty()) throw InputError("expected the name of a file to write, got an empty one");
  struct stat file {};
  const bool exists = stat(path_.c_str(), &file) == 0;
  if (exists && S_ISDIR(file.st_mode)) {
    throw InputError(path_ + ": is a folder, expected a file to write");
  }
  if (exists && (!S_ISREG(file.st_mode) || is_open_file(file, STDOUT_FILENO) ||
                 is_open_file(file, STDERR_FILENO))) {
    part_ = temporary_file(path_);
  } else {
    target_ = behind_links(path_).string();
    part_ = target_ + ".part" + std::to_string(getpid());
  }
}

PartFile::~PartFile() {
  std::error_code ignored;
  if (!renamed_) fs::remove(part_, ignored);
}

void PartFile::commit() {
  if (target_.empty()) {
    std::ostringstream bytes;
    bytes << std::ifstream(part_, std::ios::binary).rdbuf();
    return write_through(path_, bytes.str());
  }
  std::error_code error;
  fs::rename(part_, target_, error);
  if (error) refuse(path_, error.message());
  renamed_ = true;
}

void write_file(const std::string& path, const std::string& text) {
  PartFile file(path);
  const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  write_and_close(path, open(file.part().c_str(), flags, 0666), text);
  file.commit();
}

}  // namespace stiction
