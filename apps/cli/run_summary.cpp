#include "run_summary.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace stiction::cli {
namespace {

using nlohmann::json;

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const size_t at = static_cast<size_t>(std::ceil(share * static_cast<double>(values.size())));
  const size_t index = std::min(std::max<size_t>(at, 1) - 1, values.size() - 1);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(index),
                   values.end());
  return values[index];
}

template <class Field>
std::vector<double> collect(const std::vector<StepReport>& reports, const Field& field) {
  std::vector<double> values;
  values.reserve(reports.size());
  for (const StepReport& report : reports) values.push_back(field(report));
  return values;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

const std::pair<const char*, double StageTimes::*> kStages[] = {
    {"kinematics", &StageTimes::kinematics}, {"contacts", &StageTimes::contacts},
    {"dynamics", &StageTimes::dynamics},     {"assemble", &StageTimes::assemble},
    {"solve", &StageTimes::solve},           {"integrate", &StageTimes::integrate},
    {"certify", &StageTimes::certify},
};

double residual_of(const StepReport& report) { return report.solve.residual.scaled; }
double microseconds_of(const StepReport& report) { return 1e6 * report.seconds.total(); }

json vector_json(const Eigen::VectorXd& x) { return std::vector<double>(x.begin(), x.end()); }

template <class... Values>
void line(std::ostream& out, const char* format, Values... values) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, format, values...);
  out << buffer << '\n';
}

}  // namespace

RunSummary::RunSummary(const Simulation& simulation)
    : start_(body_states(simulation)), energy_start_(simulation.energy()) {}

std::vector<RunSummary::BodyState> RunSummary::body_states(const Simulation& simulation) {
  std::vector<BodyState> states;
  const TreeData& tree = simulation.tree();
  for (int b = 0; b < static_cast<int>(simulation.model().bodies.size()); ++b) {
    Vector6d velocity = tree.V[b];
    velocity.head<3>() += velocity.tail<3>().cross(tree.p_WB[b] - tree.p_WO[b]);
    states.push_back({simulation.body_pose(b), velocity});
  }
  return states;
}

void RunSummary::add(const StepReport& report) { reports_.push_back(report); }

json RunSummary::json(const Simulation& simulation) const {
  const std::vector<double> residual = collect(reports_, residual_of);
  const std::vector<double> depth =
      collect(reports_, [](const StepReport& r) { return r.max_penetration; });
  const std::vector<double> late(depth.begin() + static_cast<std::ptrdiff_t>(3 * depth.size() / 4),
                                 depth.end());
  const std::vector<double> micro = collect(reports_, microseconds_of);
  nlohmann::json stages;
  for (const auto& [name, field] : kStages) {
    stages[name] = quantile(
        collect(reports_, [f = field](const StepReport& r) { return 1e6 * r.seconds.*f; }), 0.5);
  }
  nlohmann::json bodies;
  const std::vector<BodyState> end = body_states(simulation);
  for (size_t b = 1; b < end.size(); ++b) {
    const auto state = [](const BodyState& s) {
      return nlohmann::json{{"pos", vector_json(s.pose.p)},
                            {"quat", {s.pose.q.w(), s.pose.q.x(), s.pose.q.y(), s.pose.q.z()}},
                            {"linvel", vector_json(s.velocity.head<3>())},
                            {"angvel", vector_json(s.velocity.tail<3>())}};
    };
    bodies.push_back({{"name", simulation.model().bodies[b].name},
                      {"start", state(start_[b])},
                      {"end", state(end[b])}});
  }
  const auto missed = std::count_if(reports_.begin(), reports_.end(),
                                    [](const StepReport& r) { return !r.within_tolerance; });
  const Energy now = simulation.energy();
  return {
      {"model", simulation.model().name},
      {"solver", simulation.options().solver},
      {"timestep", simulation.timestep()},
      {"tolerance", simulation.options().budget.tolerance},
      {"steps", reports_.size()},
      {"steps_missed", missed},
      {"residual_scaled",
       {{"median", quantile(residual, 0.5)},
        {"p99", quantile(residual, 0.99)},
        {"max", quantile(residual, 1)}}},
      {"penetration", {{"max", quantile(depth, 1)}, {"late_mean", mean(late)}}},
      {"contacts_mean",
       mean(collect(reports_, [](const StepReport& r) { return double(r.contacts); }))},
      {"iterations_mean",
       mean(collect(reports_, [](const StepReport& r) { return double(r.solve.iterations); }))},
      {"time_per_step_us",
       {{"median", quantile(micro, 0.5)}, {"p99", quantile(micro, 0.99)}, {"stages", stages}}},
      {"energy",
       {{"start", energy_start_.potential + energy_start_.kinetic},
        {"end", now.potential + now.kinetic},
        {"max_error_per_step",
         quantile(collect(reports_, [](const StepReport& r) { return std::abs(r.energy_error); }),
                  1)}}},
      {"bodies", bodies},
  };
}

void RunSummary::print(const Simulation& simulation, std::ostream& out) const {
  if (reports_.empty()) {
    out << "no steps\n";
    return;
  }
  const std::vector<double> residual = collect(reports_, residual_of);
  const auto worst = std::max_element(
      reports_.begin(), reports_.end(),
      [](const StepReport& a, const StepReport& b) { return residual_of(a) < residual_of(b); });
  const auto missed = std::count_if(reports_.begin(), reports_.end(),
                                    [](const StepReport& r) { return !r.within_tolerance; });
  const std::vector<double> micro = collect(reports_, microseconds_of);
  const double depth =
      quantile(collect(reports_, [](const StepReport& r) { return r.max_penetration; }), 1);
  line(out, "  steps          %zu of %.3g ms, %ld missed the tolerance %.0e", reports_.size(),
       1e3 * simulation.timestep(), static_cast<long>(missed),
       simulation.options().budget.tolerance);
  line(out, "  residual       median %.1e   p99 %.1e   worst %.1e m/s (step %ld, %s)",
       quantile(residual, 0.5), quantile(residual, 0.99), residual_of(*worst),
       static_cast<long>(worst->step),
       worst->worst_constraint.empty() ? "-" : worst->worst_constraint.c_str());
  line(out, "  penetration    %.3g um at most", 1e6 * depth);
  line(out, "  contacts       %.1f on average, solver %s, %.1f iterations",
       mean(collect(reports_, [](const StepReport& r) { return double(r.contacts); })),
       simulation.options().solver.c_str(),
       mean(collect(reports_, [](const StepReport& r) { return double(r.solve.iterations); })));
  line(out, "  time per step  median %.0f us   p99 %.0f us   %.1f x real time",
       quantile(micro, 0.5), quantile(micro, 0.99), 1e6 * simulation.timestep() / mean(micro));
  std::string stages;
  for (const auto& [name, field] : kStages) {
    char buffer[64];
    std::snprintf(
        buffer, sizeof buffer, "%s%s %.0f", stages.empty() ? "" : ", ", name,
        quantile(collect(reports_, [f = field](const StepReport& r) { return 1e6 * r.seconds.*f; }),
                 0.5));
    stages += buffer;
  }
  line(out, "  stages, us     %s", stages.c_str());
}

}  // namespace stiction::cli
