// stiction demo [NAME]: a curated scene, live in the browser; or headless, with its certificate, a
// page that plays it and a picture.
#include <stiction/error.h>
#include <stiction/files.h>

#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>

#include "commands.h"
#include "options.h"
#include "outputs.h"
#include "replay.h"
#include "scenes/scene.h"
#include "view.h"
#include "viewer/browser.h"
#include "viewer/film.h"

namespace stiction::cli {
namespace {

constexpr double kFrameTime = 1.0 / 60;  // s

struct DemoRequest {
  ViewRequest view;
  bool list = false;
  bool headless = false;
  std::string out = "demo";
};

void list_scenes() {
  for (const Scene& scene : scenes()) {
    std::cout << "  " << std::left << std::setw(12) << scene.name << scene.sentence << '\n';
  }
}

void print_sentence(const Scene& scene) { std::cout << scene.sentence << "\n\n"; }

void run_headless(RunRequest run, const Scene& scene, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw InputError("--out '" + folder + "': " + error.message());
  const std::filesystem::path to(folder);
  run.record = (to / "recording.h5").string();
  const std::string html = (to / "replay.html").string();
  const std::string png = (to / "picture.png").string();
  check_files({}, {{"--out", run.record}, {"--out", html}, {"--out", png}});
  run.record_every = kFrameTime;
  print_sentence(scene);
  run_model(open_model(run), run);
  const Recording recording = read_recording(run.record);
  const std::string page = replay_page_of(recording, run.title);
  write_file(html, page);
  std::cout << "  replay         " << html << " (" << page.size() / 1000
            << " kB, opens in any browser)\n";
  if (viewer::find_chromium().empty()) {
    std::cout << "  picture        none: Chromium is missing (Debian: apt-get install chromium)\n";
  } else {
    write_file(png, viewer::render_png(page, recording.frames.back().time, {}));
    std::cout << "  picture        " << png << '\n';
  }
  std::cout << "\nWatch it live: stiction demo " << run.title << '\n';
}

void run_demo(const DemoRequest& request) {
  const Scene* scene = find_scene(request.view.run.title);
  if (!scene) {
    throw InputError("demo '" + request.view.run.title + "' is unknown; stiction demo --list");
  }
  if (!request.headless) {
    print_sentence(*scene);
    return view(request.view);
  }
  RunRequest run = request.view.run;
  if (!run.duration) run.duration = scene->duration;
  use_scene_solver(run);
  make_simulation(open_model(run), run);  // what is refused leaves no folder
  run_headless(run, *scene, request.out);
}

}  // namespace

void add_demo(CLI::App& app) {
  CLI::App* command = app.add_subcommand("demo", "A scene worth seeing, live in the browser");
  command->footer(
      "Examples:\n"
      "  stiction demo\n"
      "  stiction demo --list\n"
      "  stiction demo tower --solver pgs\n"
      "  stiction demo tower --headless --out folder    certificate, replay.html, picture.png\n");
  auto request = std::make_shared<DemoRequest>();
  request->view.run.title = scenes().front().name;
  command->add_option("NAME", request->view.run.title, "Scene")->capture_default_str();
  CLI::Option* headless = command->add_flag("--headless", request->headless,
                                            "Run it without a browser, and leave files");
  command->add_option("--out", request->out, "Folder for the files of --headless")
      ->check(not_empty("the name of a folder"))
      ->needs(headless)
      ->capture_default_str();
  for (CLI::Option* option : add_view_options(*command, request->view)) headless->excludes(option);
  add_simulation_options(*command, request->view.run);
  add_list_flag(*command, request->list, "The scenes, with a sentence each");
  command->callback([request] { request->list ? list_scenes() : run_demo(*request); });
}

}  // namespace stiction::cli
