#include "temporary_file.h"

#include <stdlib.h>
#include <stiction/error.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace stiction::viewer {

// A folder of our own, which nobody else can write to, makes the name inside it safe.
TemporaryFile::TemporaryFile(const std::string& ending)
    : folder_((std::filesystem::temp_directory_path() / "stiction-XXXXXX").string()) {
  if (mkdtemp(folder_.data()) == nullptr) throw InputError(folder_ + ": cannot be made");
  path_ = folder_ + "/file" + ending;
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string TemporaryFile::read() const {
  std::ostringstream text;
  text << std::ifstream(path_, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace stiction::viewer
