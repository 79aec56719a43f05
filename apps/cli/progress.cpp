#include "progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <utility>

namespace stiction::cli {

bool on_terminal() {
  const char* ci = std::getenv("CI");
  return isatty(STDERR_FILENO) && !(ci && std::string(ci) == "true");
}

Progress::Progress(std::string title, double total)
    : title_(std::move(title)), total_(total), shown_(on_terminal()) {}

Progress::~Progress() {
  if (shown_) std::cerr << "\r\033[K" << std::flush;
}

void Progress::update(double done, const std::string& note) {
  const auto now = std::chrono::steady_clock::now();
  if (!shown_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  constexpr int kWidth = 32;
  const double share = total_ > 0 ? std::clamp(done / total_, 0.0, 1.0) : 1;
  const int filled = static_cast<int>(share * kWidth);
  std::cerr << "\r\033[K" << title_ << " [" << std::string(filled, '#')
            << std::string(kWidth - filled, '.') << "] " << static_cast<int>(100 * share) << " %  "
            << note << std::flush;
}

}  // namespace stiction::cli
