// stiction demo [NAME]: a curated scene, run to its end, with its certificate.
#include <stiction/error.h>

#include <iomanip>
#include <iostream>
#include <memory>

#include "commands.h"
#include "run.h"
#include "scenes/scene.h"

namespace stiction::cli {
namespace {

void list_scenes() {
  for (const Scene& scene : scenes()) {
    std::cout << "  " << std::left << std::setw(12) << scene.name << scene.sentence << '\n';
  }
}

void run_demo(const RunRequest& asked) {
  const Scene* scene = find_scene(asked.title);
  if (!scene) throw InputError("demo '" + asked.title + "' is unknown; stiction demo --list");
  RunRequest request = asked;
  if (request.duration == 0) request.duration = scene->duration;
  Model model = scene->make();
  if (request.key.empty() && model.keyframe_index("start") >= 0) request.key = "start";
  if (!request.json) std::cout << scene->sentence << "\n\n";
  run_model(std::move(model), request);
}

}  // namespace

void add_demo(CLI::App& app) {
  CLI::App* command = app.add_subcommand("demo", "Run a scene worth seeing");
  command->footer(
      "Examples:\n  stiction demo\n  stiction demo --list\n  stiction demo tower --solver pgs\n");
  auto request = std::make_shared<RunRequest>();
  auto list = std::make_shared<bool>(false);
  request->title = scenes().front().name;
  command->add_option("NAME", request->title, "Scene")->capture_default_str();
  command->add_flag("--list", *list, "The scenes, with a sentence each");
  add_run_options(*command, *request);
  command->callback([request, list] { *list ? list_scenes() : run_demo(*request); });
}

}  // namespace stiction::cli
