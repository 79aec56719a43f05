// Model files in. Bad files throw InputError with file, line and element; nothing is dropped
// silently: whatever is read but not honoured comes back as a Note.
#pragma once

#include <stiction/model.h>

#include <string>
#include <vector>

namespace stiction {

enum class Severity { kPhysics, kCosmetic };

/// An element or attribute of the file that the model does not honour.
struct Note {
  Severity severity = Severity::kPhysics;
  std::string file{};
  int line = 0;
  std::string element{};  ///< as in the file: "joint 'hip'", "option"
  std::string message{};  ///< what is ignored, and what happens instead
};

struct Loaded {
  Model model{};
  std::vector<Note> notes{};
};

struct LoadOptions {
  bool floating_base = false;  ///< URDF: free joint at the root link instead of a fixed base
  std::vector<std::string> package_paths{};  ///< URDF: where package://NAME/ may be found
};

/// MJCF or URDF, told apart by the root element.
Loaded load_model(const std::string& path, const LoadOptions& options = {});

}  // namespace stiction
