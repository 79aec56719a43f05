// Bad input: a file, a flag, a number, a malformed problem. One message, one line, that names the
// place, the value and what was expected. Programs print it and exit with code 2.
#pragma once

#include <stdexcept>
#include <string>

namespace stiction {

class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace stiction
