// Statistics over the steps of a run, for people and for programs, in bounded memory: largest
// values and means are of all steps; of runs longer than 65536 steps, medians, 99 % quantiles, the
// late means and the plots are of every second step, every fourth, and so on. Quantiles lie between
// sorted values by linear interpolation: the median of an even number is the mean of the middle
// two, p99 of N steps is at 0.99 (N - 1) from the smallest, which counts as 0. Without steps there
// are none (null in the report).
#pragma once

#include <stiction/files.h>
#include <stiction/simulation.h>

#include <algorithm>
#include <array>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace stiction::cli {

class RunSummary {
 public:
  explicit RunSummary(const Simulation& simulation);

  void add(const Simulation& simulation);  ///< its last step

  /// The report of `stiction run --report`.
  nlohmann::json json(const Simulation& simulation) const;
  bool empty() const { return totals_.steps == 0; }
  void print(const Simulation& simulation, std::ostream& out) const;

  /// The quantities that can be drawn over time, and the picture of one of them.
  static const std::vector<std::string>& plot_names();
  PlotPanel panel(const std::string& name, double tolerance) const;

 private:
  static constexpr int kStageCount = 7;
  static constexpr int kStatusCount = 6;  ///< of Status
  /// Single precision where three digits matter.
  struct Step {
    double time = 0;
    double energy = 0;
    float residual = 0;
    float penetration = 0;
    float equality_error = 0;
    float microseconds = 0;
    std::array<float, kStageCount> stages{};  ///< microseconds
    int contacts = 0;
  };
  struct BodyState {
    Pose pose;
    Vector6d velocity;  ///< linear at the origin, angular; world axes
  };
  /// Over all steps.
  struct Totals {
    long steps = 0;
    long missed = 0;
    std::array<long, kMissCount> missed_by{};    ///< of these, by reason; some have several
    std::array<long, kStatusCount> statuses{};   ///< how solves ended
    std::array<long, kStatusCount> unreached{};  ///< those whose residual missed the tolerance
    std::int64_t first_missed = 0;               ///< step, or 0
    long retried = 0;                            ///< steps with a solve that was repeated
    double contacts = 0;
    double iterations = 0;
    double seconds = 0;
    double penetration = 0;        ///< largest, m
    double equality_error = 0;     ///< largest, m or rad
    double energy_error = 0;       ///< largest, J
    double limit_violation = 0;    ///< of joints at the ends of steps, largest, m or rad
    std::int64_t beyond_step = 0;  ///< where it was, or 0
    int beyond_joint = -1;
    Residual residual;  ///< the largest of each part
  };
  static std::vector<BodyState> body_states(const Simulation& simulation);
  void count_misses(const StepReport& report);
  void look_at_limits(const Simulation& simulation);
  void keep(const StepReport& report);
  void print_misses(std::ostream& out) const;
  double mean(double total) const {
    return total / static_cast<double>(std::max(totals_.steps, 1L));
  }
  template <class Field>
  std::vector<double> collect(const Field& field) const;
  std::vector<double> stage(int index) const;

  /// Every stride_-th step, for quantiles and plots: a long run stays within kMostKept.
  std::vector<Step> steps_;
  long stride_ = 1;
  Totals totals_;
  StepReport worst_;       ///< of the largest residual
  StepReport worst_open_;  ///< of the largest error of an equality
  StepReport deepest_;     ///< of the largest penetration
  std::vector<BodyState> start_;
  Energy energy_start_;
};

}  // namespace stiction::cli
