// Ctrl-C and SIGTERM end a command in good order: it asks between two pieces of its work, and
// leaves what it has. The second signal ends the program at once.
#pragma once

#include <string>

namespace stiction::cli {

/// Holds the two signals back while it lives; one at a time. Also where a script that
/// started the program in the background had it ignore Ctrl-C.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// The signal that came, or 0.
  int signal() const;
  std::string signal_name() const;
  /// What a shell reports of a program that a signal ended: 130, 143.
  int exit_code() const { return 128 + signal(); }
};

}  // namespace stiction::cli
