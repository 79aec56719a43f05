// What validation refuses, with the part that it is about: who read the part from a file can say
// where in the file it stands.
#pragma once

#include <stiction/error.h>

#include <string>
#include <utility>

namespace stiction {

/// A part of a model: its kind, its place among those of its kind, its name.
struct Part {
  const char* kind;
  int index;  ///< -1 where there is but one
  std::string name{};

  /// "body 'arm'", or "body 3" if it has no name.
  std::string text() const;
};

class PartError : public InputError {
 public:
  PartError(Part refused, std::string reason)
      : InputError(refused.text() + ": " + reason),
        part(std::move(refused)),
        what_is_wrong(std::move(reason)) {}

  const Part part;
  const std::string what_is_wrong;
};

}  // namespace stiction
