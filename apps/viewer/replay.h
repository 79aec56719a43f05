// A recording as one HTML file that plays offline.
#pragma once

#include <stiction/files.h>

#include <string>

namespace stiction::viewer {

/// The recording as the page reads it: at most sixty frames a second, quantized to what an eye can
/// see, deflated, base 64. Throws InputError if it holds no frames or no scene.
std::string encode_recording(const Recording& recording, const std::string& title,
                             const std::string& sentence);

/// The page with an encoded recording inside.
std::string replay_page(const std::string& encoded);

}  // namespace stiction::viewer
