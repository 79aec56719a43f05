// The page of web/, bundled into one HTML document and carried in the program.
#pragma once

#include <string>

namespace stiction::viewer {

/// The document as the live viewer serves it.
const std::string& page();

}  // namespace stiction::viewer
