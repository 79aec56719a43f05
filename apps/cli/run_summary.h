// Statistics over the steps of a run, for people and for programs.
#pragma once

#include <stiction/simulation.h>

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <vector>

namespace stiction::cli {

class RunSummary {
 public:
  explicit RunSummary(const Simulation& simulation);

  void add(const StepReport& report);

  /// The report of `stiction run --report`.
  nlohmann::json json(const Simulation& simulation) const;
  void print(const Simulation& simulation, std::ostream& out) const;

 private:
  struct BodyState {
    Pose pose;
    Vector6d velocity;  ///< linear at the origin, angular; world axes
  };
  static std::vector<BodyState> body_states(const Simulation& simulation);

  std::vector<StepReport> reports_;
  std::vector<BodyState> start_;
  Energy energy_start_;
};

}  // namespace stiction::cli
