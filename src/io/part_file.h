// Files out, whole or not at all: written under another name beside the target and renamed when
// complete, so that a reader never sees half a file and a failure leaves what was there before.
#pragma once

#include <string>

namespace stiction {

class PartFile {
 public:
  /// Throws InputError if `path` is a folder.
  explicit PartFile(std::string path);
  ~PartFile();  ///< removes the part unless it was committed
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::string& target() const { return path_; }
  const std::string& part() const { return part_; }  ///< write here
  /// Throws InputError if the part cannot take the target's place.
  void commit();

 private:
  std::string path_;
  std::string part_;
  bool committed_ = false;
};

}  // namespace stiction
