// The formats that load_model chooses from.
#pragma once

#include <stiction/files.h>

#include <string>

namespace stiction {

Loaded load_mjcf(const std::string& path, const LoadOptions& options);
Loaded load_urdf(const std::string& path, const LoadOptions& options);

}  // namespace stiction
