// Recordings as pages; behind `replay`, `render`, `view` and `demo`.
#pragma once

#include <stiction/files.h>

#include <string>

namespace stiction::cli {

/// One HTML document that plays the recording; `path` names it where the model has no name.
std::string replay_page_of(const Recording& recording, const std::string& path);

}  // namespace stiction::cli
