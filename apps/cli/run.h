// Runs a model or a named scene and prints its certificate; behind `run` and `demo`.
#pragma once

#include <stiction/files.h>
#include <stiction/simulation.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace stiction::cli {

struct RunRequest {
  std::string title;
  std::string solver;
  std::optional<double> duration;   ///< s; the scene's own, or 2, if not given
  std::optional<double> dt;         ///< s; the model's if not given
  std::optional<double> tolerance;  ///< m/s; the library's own if not given
  double theta = 0;                 ///< of the integrator, 0 to 1
  std::string budget;               ///< "500us", "20" iterations; empty: the solver's own
  int threads = 1;
  bool floating = false;  ///< URDF: the root link is free
  std::string key;
  std::vector<std::string> set;  ///< "qvel=0 0 1 0 0 0"
  std::string on_trouble = "warn";
  std::string report;             ///< file, or empty
  std::string record;             ///< file, or empty
  double record_every = 0;        ///< s; 0: every step
  std::string repeat;             ///< recording, or empty
  std::vector<std::string> plot;  ///< names of RunSummary::plot_names()
  std::string plot_file = "run.png";
  int dump_worst = 0;         ///< how many problems
  std::string dump_to = ".";  ///< folder
  bool json = false;
};

/// The scene or the file that `title` names; says on stderr if some of its physics is not honoured.
/// A scene's keyframe "start" is used unless the request has another.
Model open_model(RunRequest& request);

/// A file that is not one of the scenes. Throws InputError, with a scene's name that is near if
/// there is no such file.
Loaded load_file(const std::string& path, bool floating);

/// Throws InputError if a scene, which has no such choice, is to float.
void refuse_floating_scene(const std::string& scene, bool floating);

/// Stands where the request wants it to start.
Simulation make_simulation(Model model, const RunRequest& request);

/// Simulates for the request's duration, which must be given unless it repeats a recording, and
/// leaves what it asks for.
void run_model(Model model, const RunRequest& request);

/// The options of whatever simulates.
void add_simulation_options(CLI::App& command, RunRequest& request);
/// And those of `run`.
void add_run_options(CLI::App& command, RunRequest& request);

}  // namespace stiction::cli
