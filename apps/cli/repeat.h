// Repeats a recorded run and compares it bit by bit.
#pragma once

#include <stiction/files.h>
#include <stiction/simulation.h>

#include <string>

namespace stiction::cli {

class Repetition {
 public:
  /// Throws InputError unless the simulation stands where the recording starts, with the same
  /// solver, and every step was recorded; and, if `sets_ctrl`, with the same controls as now.
  Repetition(const std::string& path, const Simulation& simulation, bool sets_ctrl);

  long steps() const { return static_cast<long>(recording_.frames.size()) - 1; }
  /// The next step: with the controls of the recording, and time is up where it was up there.
  const StepReport& step(Simulation& simulation);
  /// The first step that ended in another state, or -1.
  long first_difference() const { return first_difference_; }

 private:
  Recording recording_;
  long done_ = 0;
  long first_difference_ = -1;
};

}  // namespace stiction::cli
