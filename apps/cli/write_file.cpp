#include "write_file.h"

#include <stiction/error.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace stiction::cli {

void write_file(const std::string& path, const std::string& text) {
  const std::string temporary = path + "." + std::to_string(getpid()) + ".tmp";
  std::ofstream file(temporary, std::ios::binary);
  file << text;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(temporary, path, error);
  if (!file || error) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw InputError(path + ": cannot be written" + (error ? ": " + error.message() : ""));
  }
}

}  // namespace stiction::cli
