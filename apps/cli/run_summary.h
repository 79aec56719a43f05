// Statistics over the steps of a run, for people and for programs.
#pragma once

#include <stiction/files.h>
#include <stiction/simulation.h>

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace stiction::cli {

class RunSummary {
 public:
  explicit RunSummary(const Simulation& simulation);

  void add(const StepReport& report);

  /// The report of `stiction run --report`.
  nlohmann::json json(const Simulation& simulation) const;
  void print(const Simulation& simulation, std::ostream& out) const;

  /// The quantities that can be drawn over time, and the picture of one of them.
  static const std::vector<std::string>& plot_names();
  PlotPanel panel(const std::string& name) const;

 private:
  static constexpr int kStageCount = 7;
  /// Single precision where three digits matter: long runs have many steps.
  struct Step {
    double time = 0;
    double energy = 0;
    float energy_error = 0;
    float residual = 0;
    float penetration = 0;
    float microseconds = 0;
    std::array<float, kStageCount> stages{};  ///< microseconds
    int contacts = 0;
    int iterations = 0;
  };
  struct BodyState {
    Pose pose;
    Vector6d velocity;  ///< linear at the origin, angular; world axes
  };
  static std::vector<BodyState> body_states(const Simulation& simulation);
  template <class Field>
  std::vector<double> collect(const Field& field) const;
  std::vector<double> stage(int index) const;

  std::vector<Step> steps_;
  long missed_ = 0;
  StepReport worst_;  ///< of the largest residual
  Residual largest_;  ///< of each part, over all steps
  std::vector<BodyState> start_;
  Energy energy_start_;
};

}  // namespace stiction::cli
