// Runs a model or a named scene and prints its certificate; behind `run` and `demo`.
#pragma once

#include <stiction/model.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace stiction::cli {

struct RunRequest {
  std::string title;
  std::string solver;
  double duration = 0;  ///< s
  double dt = 0;        ///< s; 0: the model's
  double tolerance = 1e-8;
  std::string budget;  ///< "500us", "20" iterations; empty: the solver's own
  int threads = 1;
  std::string key;
  std::vector<std::string> set;  ///< "qvel=0 0 1 0 0 0"
  std::string on_trouble = "warn";
  std::string report;             ///< file, or empty
  std::string record;             ///< file, or empty
  double record_every = 0;        ///< s; 0: every step
  std::vector<std::string> plot;  ///< names of RunSummary::plot_names()
  std::string plot_file = "run.png";
  int dump_worst = 0;         ///< how many problems
  std::string dump_to = ".";  ///< folder
  bool json = false;
};

void run_model(Model model, const RunRequest& request);

/// The options that `run` and `demo` share.
void add_run_options(CLI::App& command, RunRequest& request);

}  // namespace stiction::cli
