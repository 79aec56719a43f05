#include "repeat.h"

#include <stiction/error.h>

#include <cmath>

namespace stiction::cli {
namespace {

bool same_state(const State& state, const RecordingFrame& frame) {
  return state.time == frame.time && state.qpos == frame.qpos && state.qvel == frame.qvel;
}

}  // namespace

Repetition::Repetition(const std::string& path, const Simulation& simulation)
    : recording_(read_recording(path)) {
  const RecordingHeader& header = recording_.header;
  const std::vector<RecordingFrame>& frames = recording_.frames;
  const auto refuse = [&path](const std::string& why) { throw InputError(path + ": " + why); };
  if (frames.size() < 2) refuse("holds no step to repeat");
  const SimulationOptions& options = simulation.options();
  if (header.solver != options.solver || header.tolerance != options.budget.tolerance ||
      header.timestep != options.timestep) {
    char settings[160];
    std::snprintf(settings, sizeof settings, "--solver %s --tol %.17g --dt %.17g",
                  header.solver.c_str(), header.tolerance, header.timestep);
    refuse(std::string("was recorded with other settings, ") + settings);
  }
  if (!same_state(simulation.state(), frames[0])) {
    refuse("starts from another state; repeat it with the same model, --key and --set");
  }
  for (size_t k = 1; k < frames.size(); ++k) {
    if (frames[k].time - frames[k - 1].time < 1.5 * header.timestep) continue;
    refuse("does not hold every step; record it without --record-every");
  }
}

const StepReport& Repetition::step(Simulation& simulation) {
  const RecordingFrame& frame = recording_.frames.at(static_cast<size_t>(++done_));
  simulation.ctrl() = frame.ctrl;
  const StepReport& report = simulation.step(frame.clock);
  if (first_difference_ < 0 && !same_state(simulation.state(), frame)) first_difference_ = done_;
  return report;
}

}  // namespace stiction::cli
