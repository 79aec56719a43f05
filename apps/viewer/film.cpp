#include "film.h"

#include <stiction/error.h>
#include <stiction/files.h>

#include <cmath>
#include <csignal>
#include <cstdio>

#include "browser.h"
#include "temporary_file.h"

namespace stiction::viewer {
namespace {

constexpr int kRate = 30;  // pictures per second

// A browser that shows the page, standing still.
class Theatre {
 public:
  Theatre(const std::string& page, const PictureOptions& options)
      : file_(".html"), browser_(options.width, options.height) {
    write_file(file_.path(), page);
    browser_.open("file://" + file_.path() + "?theme=" + (options.dark ? "dark" : "light") +
                  "#t=0");
    browser_.run("stiction.ready");
  }

  std::string picture(double time, const char* format) {
    browser_.run("stiction.seek(" + std::to_string(time) + ")");
    return browser_.picture(format);
  }

 private:
  TemporaryFile file_;
  Browser browser_;
};

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

}  // namespace

std::string render_png(const std::string& page, double time, const PictureOptions& options) {
  return Theatre(page, options).picture(time, "png");
}

void render_mp4(const std::string& page, double begin, double end, const PictureOptions& options,
                const std::string& path, const std::function<void(double)>& progress) {
  const std::string ffmpeg = find_program({"ffmpeg"});
  if (ffmpeg.empty()) {
    throw InputError("ffmpeg is missing (Debian: apt-get install ffmpeg): no film is made");
  }
  Theatre theatre(page, options);
  PartFile file(path);
  const std::string command = quoted(ffmpeg) + " -loglevel error -y -f image2pipe -c:v mjpeg" +
                              " -framerate " + std::to_string(kRate) +
                              " -i - -c:v libx264 -crf 20 -pix_fmt yuv420p -movflags +faststart" +
                              " -f mp4 " + quoted(file.part());
  std::signal(SIGPIPE, SIG_IGN);  // its exit code says why it ended early
  std::FILE* pipe = popen(command.c_str(), "w");
  if (pipe == nullptr) throw InputError("ffmpeg cannot be started");
  const int count = std::max(1, static_cast<int>(std::lround((end - begin) * kRate)) + 1);
  bool good = true;
  for (int k = 0; k < count && good; ++k) {
    const std::string picture =
        theatre.picture(std::min(begin + static_cast<double>(k) / kRate, end), "jpeg");
    good = std::fwrite(picture.data(), 1, picture.size(), pipe) == picture.size();
    progress(static_cast<double>(k + 1) / count);
  }
  good = pclose(pipe) == 0 && good;
  if (!good) throw InputError(path + ": ffmpeg could not write the film");
  file.commit();
}

}  // namespace stiction::viewer
