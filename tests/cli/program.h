// Runs the `stiction` program as a user would, and keeps all that it says.
#pragma once

#include <csignal>
#include <functional>
#include <string>

namespace stiction::test {

struct Outcome {
  int exit_code = -1;  ///< -1: ended by a signal
  std::string out;
  std::string err;
};

/// `arguments` as typed in a shell, from the project's root folder.
Outcome run_program(const std::string& arguments);

/// The same, but the program gets a signal, Ctrl-C by default, as soon as `ready`.
Outcome interrupt_program(const std::string& arguments, const std::function<bool()>& ready,
                          int signal = SIGINT);

}  // namespace stiction::test
