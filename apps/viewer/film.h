// Pictures and films of a replay page, by headless Chromium and ffmpeg.
#pragma once

#include <functional>
#include <string>

namespace stiction::viewer {

struct PictureOptions {
  int width = 1280;
  int height = 720;
  bool dark = false;
};

/// PNG bytes of the page as it stands at `time`. Throws InputError if Chromium is missing.
std::string render_png(const std::string& page, double time, const PictureOptions& options);

/// Thirty pictures a second from `begin` to `end`, written to `path`. `progress` is told the share
/// that is done. Throws InputError if Chromium or ffmpeg is missing or fails.
void render_mp4(const std::string& page, double begin, double end, const PictureOptions& options,
                const std::string& path, const std::function<void(double)>& progress);

}  // namespace stiction::viewer
