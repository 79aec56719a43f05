// What an action is refused with.
#pragma once

#include <stiction/error.h>

#include <functional>
#include <string>

namespace stiction {

/// The text of the InputError, or empty if there is none.
inline std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace stiction
