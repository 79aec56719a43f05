#include "repeat.h"

#include <stiction/error.h>

#include <cmath>

namespace stiction::cli {
namespace {

// That of another model has other sizes.
bool same(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return a.size() == b.size() && a == b;
}

// Older files do not say all of it.
bool same_state(const State& state, const RecordingFrame& frame) {
  const bool equalities = frame.eq_active.empty() || state.eq_active == frame.eq_active;
  const bool activations = frame.act.size() == 0 || same(state.act, frame.act);
  return state.time == frame.time && same(state.qpos, frame.qpos) && same(state.qvel, frame.qvel) &&
         equalities && activations;
}

// Nor of these.
bool same_settings(const RecordingHeader& header, const SimulationOptions& options) {
  const bool more =
      header.on_trouble.empty() || (header.on_trouble == to_string(options.on_trouble) &&
                                    header.max_iterations == options.budget.max_iterations);
  return header.solver == options.solver && header.tolerance == options.budget.tolerance &&
         header.timestep == options.timestep && header.theta == options.theta && more;
}

// As flags of `stiction run`.
std::string settings_of(const RecordingHeader& header) {
  char numbers[160];
  std::snprintf(numbers, sizeof numbers, "--solver %s --tol %.17g --dt %.17g --theta %.17g",
                header.solver.c_str(), header.tolerance, header.timestep, header.theta);
  std::string settings = numbers;
  if (header.max_iterations > 0) settings += " --budget " + std::to_string(header.max_iterations);
  if (!header.on_trouble.empty()) settings += " --on-trouble " + header.on_trouble;
  return settings;
}

}  // namespace

Repetition::Repetition(const std::string& path, const Simulation& simulation, bool sets_ctrl)
    : recording_(read_recording(path)) {
  const RecordingHeader& header = recording_.header;
  const std::vector<RecordingFrame>& frames = recording_.frames;
  const auto refuse = [&path](const std::string& why) { throw InputError(path + ": " + why); };
  if (frames.size() < 2) refuse("holds no step to repeat");
  const SimulationOptions& options = simulation.options();
  if (!same_settings(header, options)) {
    refuse("was recorded with other settings, " + settings_of(header));
  }
  if (!same_state(simulation.state(), frames[0])) {
    refuse("starts from another state; repeat it with the same model, --key and --set");
  }
  for (size_t k = 1; k < frames.size(); ++k) {
    if (frames[k].time - frames[k - 1].time < 1.5 * header.timestep) continue;
    refuse("does not hold every step; record it without --record-every");
  }
  for (size_t k = 1; sets_ctrl && k < frames.size(); ++k) {
    if (same(frames[k].ctrl, simulation.ctrl())) continue;
    refuse("step " + std::to_string(k) +
           " has other controls than --set ctrl; without it, those of the recording are repeated");
  }
}

const StepReport& Repetition::step(Simulation& simulation) {
  const RecordingFrame& frame = recording_.frames.at(static_cast<size_t>(++done_));
  simulation.ctrl() = frame.ctrl;
  for (size_t k = 0; k < frame.eq_active.size(); ++k) {
    simulation.set_equality_active(static_cast<int>(k), frame.eq_active[k] != 0);
  }
  const StepReport& report = simulation.step(frame.clock);
  if (first_difference_ < 0 && !same_state(simulation.state(), frame)) first_difference_ = done_;
  return report;
}

}  // namespace stiction::cli
