// Files out, whole or not at all.
#pragma once

#include <string>

namespace stiction::cli {

/// Writes beside `path` and renames, so that a reader never sees half a file and a failure leaves
/// the old one. Throws InputError with the path.
void write_file(const std::string& path, const std::string& text);

}  // namespace stiction::cli
