// stiction replay RECORDING.h5 --html FILE, and stiction render RECORDING.h5 --png|--mp4 FILE.
#include "replay.h"

#include <stiction/error.h>
#include <stiction/files.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>

#include "commands.h"
#include "options.h"
#include "outputs.h"
#include "progress.h"
#include "scenes/scene.h"
#include "text.h"
#include "viewer/film.h"
#include "viewer/replay.h"

namespace stiction::cli {
namespace {

constexpr char kReplayExamples[] =
    "Examples:\n"
    "  stiction run tower --record tower.h5\n"
    "  stiction replay tower.h5 --html tower.html      one file, plays in any browser, offline\n";
constexpr char kRenderExamples[] =
    "Examples:\n"
    "  stiction render tower.h5 --png tower.png --time 1.5\n"
    "  stiction render tower.h5 --mp4 tower.mp4 --size 1920x1080 --dark\n";

struct RenderRequest {
  std::string recording;
  std::string png;
  std::string mp4;
  std::optional<double> time;  ///< s; the end if not given
  std::string size = "1280x720";
  bool dark = false;
};

viewer::PictureOptions picture_options(const RenderRequest& request) {
  viewer::PictureOptions options;
  const size_t cross = request.size.find('x');
  const std::string what = "--size '" + request.size + "'";
  if (cross == std::string::npos) throw InputError(what + ": expected WIDTHxHEIGHT");
  const auto width = parse_numbers(request.size.substr(0, cross), what);
  const auto height = parse_numbers(request.size.substr(cross + 1), what);
  if (width.size() != 1 || height.size() != 1 || !(width[0] >= 200 && width[0] <= 8000) ||
      !(height[0] >= 200 && height[0] <= 8000)) {
    throw InputError(what + ": expected WIDTHxHEIGHT, each 200 to 8000");
  }
  options.width = static_cast<int>(width[0]) / 2 * 2;  // films want even sizes
  options.height = static_cast<int>(height[0]) / 2 * 2;
  options.dark = request.dark;
  return options;
}

void render(const RenderRequest& request) {
  if (request.png.empty() == request.mp4.empty()) {
    throw InputError("expected --png FILE or --mp4 FILE");
  }
  const viewer::PictureOptions options = picture_options(request);
  check_files({{"RECORDING", request.recording}}, {{"--png", request.png}, {"--mp4", request.mp4}});
  const Recording recording = read_recording(request.recording);
  const std::string page = replay_page_of(recording, request.recording);
  if (!request.png.empty()) {
    const double end = recording.frames.back().time;
    const double begin = recording.frames.front().time;
    const double time = request.time.value_or(end);
    if (!(time >= begin && time <= end)) {
      char text[96];
      std::snprintf(text, sizeof text, "--time is %g, the recording is of %g to %g s", time, begin,
                    end);
      throw InputError(text);
    }
    write_file(request.png, viewer::render_png(page, time, options));
    std::cout << request.png << '\n';
    return;
  }
  Progress progress(request.mp4, 1);
  viewer::render_mp4(page, recording.frames.front().time, recording.frames.back().time, options,
                     request.mp4, [&](double share) { progress.update(share, ""); });
  std::cout << request.mp4 << '\n';
}

}  // namespace

std::string replay_page_of(const Recording& recording, const std::string& path) {
  const std::string& model = recording.header.model;
  const Scene* scene = find_scene(model);
  const std::string title = model.empty() ? std::filesystem::path(path).stem().string() : model;
  return viewer::replay_page(
      viewer::encode_recording(recording, title, scene ? scene->sentence : ""));
}

void add_replay(CLI::App& app) {
  CLI::App* command = app.add_subcommand("replay", "Make a recording one HTML file that plays");
  command->footer(kReplayExamples);
  auto recording = std::make_shared<std::string>();
  auto html = std::make_shared<std::string>();
  command->add_option("RECORDING", *recording, "From stiction run --record")->required();
  command->add_option("--html", *html, "The file to write")->required()->check(not_empty());
  command->callback([recording, html] {
    check_files({{"RECORDING", *recording}}, {{"--html", *html}});
    const std::string page = replay_page_of(read_recording(*recording), *recording);
    write_file(*html, page);
    std::cout << *html << ", " << page.size() / 1000 << " kB\n";
  });
}

void add_render(CLI::App& app) {
  CLI::App* command = app.add_subcommand("render", "Draw a recording: a picture or a film");
  command->footer(kRenderExamples);
  auto request = std::make_shared<RenderRequest>();
  command->add_option("RECORDING", request->recording, "From stiction run --record")->required();
  command->add_option("--png", request->png, "Picture to write (needs Chromium)")
      ->check(not_empty());
  CLI::Option* mp4 =
      command->add_option("--mp4", request->mp4, "Film to write (needs Chromium and ffmpeg)")
          ->check(not_empty());
  command->add_option("--time", request->time, "Moment of the picture, s; the end if not given")
      ->check(number_in(0, std::numeric_limits<double>::infinity()))
      ->excludes(mp4);
  command->add_option("--size", request->size, "In pixels")->capture_default_str();
  command->add_flag("--dark", request->dark, "Dark colours");
  command->callback([request] { render(*request); });
}

}  // namespace stiction::cli
