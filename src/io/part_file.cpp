#include "io/part_file.h"

#include <stiction/error.h>
#include <stiction/files.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

namespace stiction {

PartFile::PartFile(std::string path)
    : path_(std::move(path)), part_(path_ + ".part" + std::to_string(getpid())) {
  std::error_code error;
  if (std::filesystem::is_directory(path_, error)) {
    throw InputError(path_ + ": is a folder, expected a file to write");
  }
}

PartFile::~PartFile() {
  std::error_code ignored;
  if (!committed_) std::filesystem::remove(part_, ignored);
}

void PartFile::commit() {
  std::error_code error;
  std::filesystem::rename(part_, path_, error);
  if (error) throw InputError(path_ + ": cannot be written: " + error.message());
  committed_ = true;
}

void write_file(const std::string& path, const std::string& text) {
  PartFile file(path);
  std::ofstream stream(file.part(), std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw InputError(path + ": cannot be written");
  file.commit();
}

}  // namespace stiction
