// Live in the browser; behind `view` and `demo`.
#pragma once

#include "run.h"
#include "viewer/server.h"

namespace stiction::cli {

struct ViewRequest {
  RunRequest run;
  viewer::ServerOptions server;
  double speed = 1;
  bool paused = false;
  bool no_wait = false;
  bool no_browser = false;
};

/// Serves until Ctrl-C, or until the duration of the request is over.
void view(const ViewRequest& request);

/// The scene's own solver and tolerance, where the request names no solver.
void use_scene_solver(RunRequest& run);

/// What `view` and `demo` take beside the options of the simulation; returns what it adds.
std::vector<CLI::Option*> add_view_options(CLI::App& command, ViewRequest& request);

}  // namespace stiction::cli
