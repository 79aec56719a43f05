// What the page and the program say to each other. Texts are JSON objects with a "type"; a frame is
// binary, little endian, in words of four bytes. docs/viewer.md has the tables.
#pragma once

#include <stiction/simulation.h>

#include <Eigen/Core>
#include <string>
#include <vector>

namespace stiction::viewer {

enum class CommandKind { kPause, kRun, kStep, kReset, kSpeed, kSolver, kDrag, kRelease, kFreeze };

struct Command {
  CommandKind kind = CommandKind::kPause;
  double speed = 1;      ///< kSpeed: simulated seconds per second; 0: as fast as possible
  std::string solver;    ///< kSolver
  int iterations = 0;    ///< kSolver; 0: the solver's own limit
  double tolerance = 0;  ///< kSolver, m/s
  int body = 0;          ///< kDrag
  Eigen::Vector3d point = Eigen::Vector3d::Zero();   ///< kDrag: in the body's frame, m
  Eigen::Vector3d target = Eigen::Vector3d::Zero();  ///< kDrag: where to, world, m
};

/// Throws InputError for anything but a well-formed command with sensible numbers.
Command parse_command(const std::string& text, const Model& model);

/// What happened since the last frame.
struct FrameStats {
  double residual = 0;          ///< worst, scaled, m/s
  double penetration = 0;       ///< worst, m
  int iterations = 0;           ///< most
  double solve_seconds = 0;     ///< mean per step
  double step_seconds = 0;      ///< mean per step, all stages
  std::uint32_t missed_by = 0;  ///< a bit per Miss; 0: every step met the tolerance
  double real_time_factor = 0;
};

/// Poses, contacts, positions and report of the simulation as it stands.
std::string encode_frame(const Simulation& simulation, const FrameStats& stats);

/// {"type": "scene"}: the model and all that stays as it is. `scene` as from scene_json.
std::string scene_message(const std::string& title, const std::string& sentence,
                          const std::string& hint, const std::string& scene);

/// {"type": "state"}: what the controls show.
struct ControlState {
  bool paused = false;
  double speed = 1;
  std::string solver;
  int iterations = 0;
  double tolerance = 0;
  std::string error;  ///< why it stopped, or empty
};
std::string state_message(const ControlState& state);

/// {"type": "freeze"}: solving starts; {"type": "curve"}: one solver's convergence on it.
std::string freeze_message(const Simulation& simulation);
std::string curve_message(const std::string& solver, const SolveReport& report);

}  // namespace stiction::viewer
