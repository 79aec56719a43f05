#include "outputs.h"

#include <fcntl.h>
#include <stiction/error.h>
#include <stiction/files.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "scenes/scene.h"

namespace stiction::cli {
namespace {

namespace fs = std::filesystem;

// One name for all spellings. Links to files that are not there yet are links all the same.
fs::path true_path(const std::string& path) {
  std::error_code error;
  fs::path target = fs::absolute(path, error);
  for (int k = 0; k < 40 && fs::is_symlink(target, error) && !fs::exists(target, error); ++k) {
    target = target.parent_path() / fs::read_symlink(target, error);
  }
  const fs::path canonical = fs::weakly_canonical(target, error);
  return error ? target.lexically_normal() : canonical;
}

// A file can hold one thing; pipes and devices can hold several, one after the other.
bool holds_one_thing(const std::string& path) {
  std::error_code error;
  return !fs::exists(path, error) || fs::is_regular_file(path, error);
}

void check_apart(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs) {
  std::map<fs::path, std::string> taken;
  for (const auto& [flag, path] : inputs) {
    if (!path.empty() && holds_one_thing(path)) taken.emplace(true_path(path), flag);
  }
  for (const auto& [flag, path] : outputs) {
    if (path.empty() || !holds_one_thing(path)) continue;
    const auto [other, is_new] = taken.emplace(true_path(path), flag);
    if (!is_new) throw InputError(other->second + " and " + flag + " are both '" + path + "'");
  }
}

// By trying: permissions do not tell, even root makes no files in /proc. Zero, or errno.
int error_of_writing(const std::string& path) {
  const PartFile file(path);
  if (!holds_one_thing(path) && access(path.c_str(), W_OK) != 0) return errno;
  const int descriptor = open(file.part().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return errno;
  close(descriptor);
  return 0;
}

void check_writable(const NamedFile& output) {
  std::error_code error;
  const std::string what = output.flag + ": '" + output.path + "' ";
  if (fs::is_directory(output.path, error)) {
    throw InputError(what + "is a folder, expected a file to write");
  }
  const int failed = error_of_writing(output.path);
  if (failed != 0) throw InputError(what + "cannot be written: " + std::strerror(failed));
}

}  // namespace

std::string file_or_scene(const std::string& name) { return find_scene(name) ? "" : name; }

void check_files(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs) {
  check_apart(inputs, outputs);
  for (const NamedFile& output : outputs) {
    if (!output.path.empty()) check_writable(output);
  }
}

}  // namespace stiction::cli
