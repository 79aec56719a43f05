// The files that a command reads and writes, by their flags. Nothing is written over what is read,
// and what cannot be written is refused before the work for it is done.
#pragma once

#include <string>
#include <vector>

namespace stiction::cli {

struct NamedFile {
  std::string flag;  ///< as people type it
  std::string path;  ///< empty: not given
};

/// The path of a command's FILE, or empty where it is the name of a scene.
std::string file_or_scene(const std::string& name);

/// Throws InputError if an output is an input or another output, by any spelling or link, or if it
/// cannot be written. Leaves no file behind.
void check_files(const std::vector<NamedFile>& inputs, const std::vector<NamedFile>& outputs);

}  // namespace stiction::cli
