// stiction train-sdf DESCRIPTION --out FILE: a network that gives the distance of a solid.
#include <stiction/error.h>
#include <stiction/files.h>
#include <stiction/sdf.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "options.h"
#include "outputs.h"
#include "progress.h"

namespace stiction::cli {
namespace {

using nlohmann::json;

struct TrainSdfArguments {
  std::string description;  // or the name of a geom of the model
  std::string model;
  std::string out;
  Training training{};
  bool plain = false;
  bool has_thread_width = false;
  bool json = false;
};

SdfPointer solid_of_model(const std::string& path, const std::string& name) {
  const Loaded loaded = load_model(path);
  for (const Geom& geom : loaded.model.geoms) {
    if (geom.name != name) continue;
    if (const auto* solid = std::get_if<SdfSolid>(&geom.shape)) return solid->sdf;
    throw InputError(path + ": geom '" + name +
                     "' is no signed distance solid, expected a text 'stiction:sdf:" + name + "'");
  }
  throw InputError(path + ": geom '" + name + "' does not exist");
}

// They would change nothing.
void refuse_thread_flags(const TrainSdfArguments& arguments, const Sdf& solid) {
  const std::string none = "'" + arguments.description + "' has no thread";
  if (arguments.has_thread_width && solid.pitch == 0) throw InputError("--thread-width: " + none);
  if (arguments.plain && solid.pitch == 0) throw InputError("--plain: " + none);
  if (arguments.has_thread_width && arguments.plain) {
    throw InputError("--thread-width: with --plain threads have no branch of their own");
  }
}

void train_sdf(TrainSdfArguments arguments) {
  check_files({{"--model", arguments.model}}, {{"--out", arguments.out}});
  const SdfPointer solid = arguments.model.empty()
                               ? describe_sdf(arguments.out, arguments.description)
                               : solid_of_model(arguments.model, arguments.description);
  refuse_thread_flags(arguments, *solid);
  arguments.training.use_pitch = !arguments.plain;
  Progress progress("training", 1);
  arguments.training.progress = [&](double share, double loss) {
    char note[32];
    std::snprintf(note, sizeof note, "loss %.3g", loss);
    progress.update(share, note);
  };
  const auto start = std::chrono::steady_clock::now();
  const NeuralPointer network = train_network(*solid, arguments.training);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  write_file(arguments.out, network_text(*network));
  const NeuralError& error = network_error(*network);
  if (arguments.json) {
    json parts = json::array();
    for (const NeuralError::Part& part : error.parts) {
      parts.push_back({{"near_rms", part.near_rms}, {"near_max", part.near_max}});
    }
    const json result = {{"solid", arguments.description},
                         {"file", arguments.out},
                         {"steps", arguments.training.steps},
                         {"seed", arguments.training.seed},
                         {"seconds", taken.count()},
                         {"near_rms", error.near_rms},
                         {"near_max", error.near_max},
                         {"volume_rms", error.volume_rms},
                         {"volume_max", error.volume_max},
                         {"gradient_rms", error.gradient_rms},
                         {"parts", parts}};
    std::cout << result.dump(2) << '\n';
    return;
  }
  std::printf("%s: %d steps in %.1f s\n", arguments.out.c_str(), arguments.training.steps,
              taken.count());
  std::printf("error near the surface  %.3g um RMS, %.3g um at most; gradient %.3g RMS\n",
              1e6 * error.near_rms, 1e6 * error.near_max, error.gradient_rms);
  for (size_t k = 0; error.parts.size() > 1 && k < error.parts.size(); ++k) {
    std::printf("  at part %zu             %.3g um RMS, %.3g um at most\n", k + 1,
                1e6 * error.parts[k].near_rms, 1e6 * error.parts[k].near_max);
  }
  std::printf("error in the volume     %.3g um RMS, %.3g um at most\n", 1e6 * error.volume_rms,
              1e6 * error.volume_max);
  std::fflush(stdout);
}

}  // namespace

void add_train_sdf(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "train-sdf", "Train a network on the signed distance of a solid, and tell its error");
  auto arguments = std::make_shared<TrainSdfArguments>();
  Training& training = arguments->training;
  command
      ->add_option("SOLID", arguments->description,
                   "As in model files: \"bolt size=M48\", \"bowl rim_radius=0.08\"")
      ->required();
  command
      ->add_option("--model", arguments->model,
                   "SOLID is the name of a geom of this file: a grid of a mesh, for one")
      ->check(not_empty());
  command->add_option("--out", arguments->out, "Write the network here")
      ->required()
      ->check(not_empty());
  command->add_option("--steps", training.steps, "Steps of the training of each part")
      ->check(integer_in(1, std::numeric_limits<int>::max()))
      ->capture_default_str();
  command
      ->add_option("--branches", training.branches, "Of each part: their largest is the distance")
      ->check(integer_in(1, 64))
      ->capture_default_str();
  command->add_option("--width", training.width, "Of each of a branch's three hidden layers")
      ->check(integer_in(8, 128))
      ->capture_default_str();
  CLI::Option* thread_width =
      command->add_option("--thread-width", training.thread_width, "The same of a thread's branch")
          ->check(integer_in(8, 128))
          ->capture_default_str();
  command->add_option("--batch", training.batch, "Points per step, a multiple of 64")
      ->check(integer_in(64, 1 << 20))
      ->capture_default_str();
  command->add_option("--seed", training.seed, "Of the random numbers")
      ->check(integer_in(0, std::numeric_limits<unsigned>::max()))
      ->capture_default_str();
  command->add_flag("--plain", arguments->plain,
                    "Threads too: give the network the position only, not the thread's phase");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(
      "A model file uses it as <text name=\"stiction:sdf:GEOM\" data=\"neural file=FILE\"/>.\n\n"
      "Examples:\n"
      "  stiction train-sdf \"bowl\" --out bowl.nsdf --steps 1000\n"
      "  stiction train-sdf \"bolt size=M48\" --out bolt.nsdf\n"
      "  stiction train-sdf cup --model kitchen.xml --out cup.nsdf");
  command->callback([arguments, thread_width] {
    arguments->has_thread_width = thread_width->count() > 0;
    train_sdf(*arguments);
  });
}

}  // namespace stiction::cli
