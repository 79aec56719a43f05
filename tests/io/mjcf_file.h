// MJCF written in a test, through a temporary folder.
#pragma once

#include <gtest/gtest.h>
#include <stiction/error.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "io/formats.h"
#include "message_of.h"

namespace stiction {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("stiction_mjcf_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

/// The text is what stands between <mujoco> and </mujoco>.
inline Loaded load_text(const std::string& text) {
  const TemporaryFolder folder;
  return load_mjcf(folder.write("model.xml", "<mujoco>\n" + text + "\n</mujoco>"), {});
}

inline Model model_of(const std::string& text) { return load_text(text).model; }

/// The message of the error that the text gives, without its folder; empty if it loads.
inline std::string error_of(const std::string& text) {
  const std::string message = message_of([&] { load_text(text); });
  const size_t at = message.find("model.xml");
  return at == std::string::npos ? message : message.substr(at);
}

}  // namespace stiction
