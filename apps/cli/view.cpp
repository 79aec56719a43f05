// stiction view FILE|SCENE|RECORDING: in the browser, live or recorded.
#include "view.h"

#include <stiction/error.h>
#include <stiction/files.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <set>
#include <thread>

#include "commands.h"
#include "options.h"
#include "replay.h"
#include "scenes/scene.h"
#include "viewer/live.h"
#include "viewer/page.h"

namespace stiction::cli {
namespace {

constexpr char kViewExamples[] =
    "Examples:\n"
    "  stiction view tower                      a scene by name (stiction demo --list)\n"
    "  stiction view robot.xml --solver pgs     and switch solvers while it runs\n"
    "  stiction view tower --speed 0 --paused   as fast as it can, once you let it\n"
    "  stiction view tower.h5                   what stiction run --record has left\n";

std::atomic<bool> g_stop{false};

// Only where there is a screen; a server on the far end of ssh has none.
void open_browser(const std::string& url) {
  if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY")) return;
  if (std::system("command -v xdg-open >/dev/null 2>&1") != 0) return;
  if (std::system(("xdg-open '" + url + "' >/dev/null 2>&1 &").c_str()) != 0) return;
}

void announce(const viewer::Server& server, const ViewRequest& request) {
  std::cout << "watch " << request.run.title << " at " << server.url() << "   (Ctrl-C ends it)"
            << std::endl;
  if (!request.no_browser) open_browser(server.url());
  std::signal(SIGINT, [](int) { g_stop = true; });
  std::signal(SIGTERM, [](int) { g_stop = true; });
}

void view_recording(const ViewRequest& request) {
  const Recording recording = read_recording(request.run.title);
  const viewer::Server server(request.server, replay_page_of(recording, request.run.title), {});
  announce(server, request);
  while (!g_stop) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

void view_simulation(const ViewRequest& request) {
  RunRequest run = request.run;
  use_scene_solver(run);
  const Scene* scene = find_scene(run.title);
  Model model = open_model(run);
  viewer::LiveOptions options;
  options.title = model.name.empty() ? run.title : model.name;
  if (scene) options.sentence = scene->sentence;
  if (scene) options.hint = scene->hint;
  options.speed = request.speed;
  options.paused = request.paused;
  options.wait = !request.no_wait;
  if (run.duration) options.duration = *run.duration;
  viewer::Live live(make_simulation(std::move(model), run), options);
  viewer::Server server(request.server, viewer::page(), live.handlers());
  announce(server, request);
  live.run(server, g_stop);
  std::cout << "ended at t = " << live.simulation().state().time << " s\n";
}

bool is_recording(const std::string& name) {
  const auto ends_with = [&name](const std::string& ending) {
    return name.size() > ending.size() &&
           name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
  };
  return ends_with(".h5") || ends_with(".hdf5");
}

// A recording is played as it is.
void refuse_simulation_options(const CLI::App& command, const std::string& recording) {
  const std::set<std::string> taken = {"FILE", "--port", "--host", "--no-browser"};
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || taken.contains(option->get_name())) continue;
    throw InputError(option->get_name() + ": " + recording +
                     " is a recording, expected a model or a scene");
  }
}

}  // namespace

void use_scene_solver(RunRequest& run) {
  const Scene* scene = find_scene(run.title);
  if (!scene || scene->solver.empty() || !run.solver.empty()) return;
  run.solver = scene->solver;
  if (!run.tolerance) run.tolerance = scene->tolerance;
}

void view(const ViewRequest& request) {
  is_recording(request.run.title) ? view_recording(request) : view_simulation(request);
}

std::vector<CLI::Option*> add_view_options(CLI::App& command, ViewRequest& request) {
  return {
      command.add_option("--port", request.server.port, "Port; 4747 or a free one if not given")
          ->check(integer_in(0, 65535)),
      command
          .add_option("--host", request.server.host,
                      "Address to listen on; anything but loopback lets the network in")
          ->check(not_empty("an address"))
          ->capture_default_str(),
      command.add_option("--speed", request.speed, "Simulated seconds per second; 0: no limit")
          ->check(number_in(0, 1000))
          ->capture_default_str(),
      command.add_flag("--paused", request.paused, "Start paused"),
      command.add_flag("--no-wait", request.no_wait, "Start before anybody watches"),
      command.add_flag("--no-browser", request.no_browser, "Print the address, open nothing"),
  };
}

void add_view(CLI::App& app) {
  CLI::App* command = app.add_subcommand("view", "Watch a simulation in the browser, live");
  command->footer(kViewExamples);
  auto request = std::make_shared<ViewRequest>();
  command
      ->add_option("FILE", request->run.title,
                   "MJCF or URDF file, the name of a scene, or a recording (.h5)")
      ->required();
  add_view_options(*command, *request);
  add_simulation_options(*command, request->run);
  add_floating_flag(*command, request->run.floating);
  command->callback([request, command] {
    if (is_recording(request->run.title)) refuse_simulation_options(*command, request->run.title);
    view(*request);
  });
}

}  // namespace stiction::cli
