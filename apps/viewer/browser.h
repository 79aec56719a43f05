// Headless Chromium, for pictures of pages. It is driven over a pair of pipes by its DevTools
// protocol: JSON messages, each ended by a zero byte.
#pragma once

#include <sys/types.h>

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "temporary_file.h"

namespace stiction::viewer {

/// Full name of the first of these programs that is installed, or empty.
std::string find_program(std::initializer_list<const char*> names);
std::string find_chromium();

class Browser {
 public:
  /// A window of this size. Throws InputError if Chromium is missing or does not start.
  Browser(int width, int height);
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  void open(const std::string& url);
  /// Runs JavaScript in the page and waits for its promise. Throws InputError with what it threw.
  void run(const std::string& script);
  /// The window as "png" or "jpeg" bytes.
  std::string picture(const std::string& format);

 private:
  nlohmann::json call(const std::string& method, const nlohmann::json& parameters);
  nlohmann::json receive();

  TemporaryFile profile_;
  pid_t process_ = -1;
  int to_ = -1;
  int from_ = -1;
  int last_id_ = 0;
  std::string session_;
  std::string buffer_;
};

}  // namespace stiction::viewer
