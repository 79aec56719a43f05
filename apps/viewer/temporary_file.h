// A name for a file that libraries can write only to a path; the file goes with the object.
#pragma once

#include <string>

namespace stiction::viewer {

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& ending);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }
  /// Empty if nothing was written.
  std::string read() const;

 private:
  std::string folder_;
  std::string path_;
};

}  // namespace stiction::viewer
