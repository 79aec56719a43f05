// A progress bar on stderr: only on a terminal, never in a pipe or in CI.
#pragma once

#include <chrono>
#include <string>

namespace stiction::cli {

class Progress {
 public:
  Progress(std::string title, double total);
  ~Progress();
  /// Redraws at most ten times a second; `note` stands behind the bar.
  void update(double done, const std::string& note);

 private:
  std::string title_;
  double total_;
  bool shown_;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
};

/// True if stderr is a terminal and CI is not set.
bool on_terminal();

}  // namespace stiction::cli
