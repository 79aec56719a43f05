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

// Parts of the certificate, as the report names them.
const std::pair<const char*, double Residual::*> kParts[] = {
    {"contact", &Residual::contact},
    {"unilateral", &Residual::unilateral},
    {"equality", &Residual::equality},
    {"soft", &Residual::soft},
    {"joint_friction", &Residual::joint_friction},
    {"joint_limit", &Residual::joint_limit},
};

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
  for (int b = 0; b < static_cast<int>(simulation.model().bodies.size()); ++b) {
    states.push_back({simulation.body_pose(b), simulation.body_velocity(b)});
  }
  return states;
}

void RunSummary::add(const StepReport& report) {
  Step step;
  step.time = report.time;
  step.energy = report.energy;
  step.energy_error = static_cast<float>(report.energy_error);
  step.residual = static_cast<float>(report.solve.residual.scaled);
  step.penetration = static_cast<float>(report.max_penetration);
  step.microseconds = static_cast<float>(1e6 * report.seconds.total());
  for (int k = 0; k < kStageCount; ++k) {
    step.stages[k] = static_cast<float>(1e6 * report.seconds.*(kStages[k].second));
  }
  step.contacts = report.contacts;
  step.iterations = report.solve.iterations;
  if (steps_.empty() || report.solve.residual.scaled > worst_.solve.residual.scaled) {
    worst_ = report;
  }
  for (const auto& [name, part] : kParts) {
    largest_.*part = std::max(largest_.*part, report.solve.residual.*part);
  }
  largest_.dynamics = std::max(largest_.dynamics, report.solve.residual.dynamics);
  missed_ += !report.within_tolerance;
  steps_.push_back(step);
}

template <class Field>
std::vector<double> RunSummary::collect(const Field& field) const {
  std::vector<double> values;
  values.reserve(steps_.size());
  for (const Step& step : steps_) values.push_back(static_cast<double>(field(step)));
  return values;
}

std::vector<double> RunSummary::stage(int index) const {
  return collect([index](const Step& step) { return step.stages[index]; });
}

json RunSummary::json(const Simulation& simulation) const {
  const std::vector<double> residual = collect([](const Step& s) { return s.residual; });
  const std::vector<double> depth = collect([](const Step& s) { return s.penetration; });
  const std::vector<double> late(depth.begin() + static_cast<std::ptrdiff_t>(3 * depth.size() / 4),
                                 depth.end());
  const std::vector<double> micro = collect([](const Step& s) { return s.microseconds; });
  nlohmann::json stages;
  for (int k = 0; k < kStageCount; ++k) stages[kStages[k].first] = quantile(stage(k), 0.5);
  nlohmann::json by_type;
  for (const auto& [name, part] : kParts) by_type[name] = largest_.*part;
  nlohmann::json bodies = nlohmann::json::array();
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
  const Energy now = simulation.energy();
  const std::vector<double> energy_error =
      collect([](const Step& s) { return std::abs(s.energy_error); });
  return {
      {"model", simulation.model().name},
      {"solver", simulation.options().solver},
      {"timestep", simulation.timestep()},
      {"tolerance", simulation.options().budget.tolerance},
      {"steps", steps_.size()},
      {"steps_missed", missed_},
      {"residual_scaled",
       {{"median", quantile(residual, 0.5)},
        {"p99", quantile(residual, 0.99)},
        {"max", quantile(residual, 1)},
        {"max_step", worst_.step},
        {"max_constraint", worst_.worst_constraint},
        {"max_by_type", by_type}}},
      {"dynamics_defect_max", largest_.dynamics},
      {"penetration", {{"max", quantile(depth, 1)}, {"late_mean", mean(late)}}},
      {"contacts_mean", mean(collect([](const Step& s) { return s.contacts; }))},
      {"iterations_mean", mean(collect([](const Step& s) { return s.iterations; }))},
      {"time_per_step_us",
       {{"median", quantile(micro, 0.5)}, {"p99", quantile(micro, 0.99)}, {"stages", stages}}},
      {"energy",
       {{"start", energy_start_.potential + energy_start_.kinetic},
        {"end", now.potential + now.kinetic},
        {"max_error_per_step", quantile(energy_error, 1)}}},
      {"bodies", bodies},
  };
}

void RunSummary::print(const Simulation& simulation, std::ostream& out) const {
  if (steps_.empty()) {
    out << "no steps\n";
    return;
  }
  const std::vector<double> residual = collect([](const Step& s) { return s.residual; });
  const std::vector<double> micro = collect([](const Step& s) { return s.microseconds; });
  const double depth = quantile(collect([](const Step& s) { return s.penetration; }), 1);
  line(out, "  steps          %zu of %.3g ms, %ld missed the tolerance %.0e", steps_.size(),
       1e3 * simulation.timestep(), missed_, simulation.options().budget.tolerance);
  line(out, "  residual       median %.1e   p99 %.1e   worst %.1e m/s (step %ld, %s)",
       quantile(residual, 0.5), quantile(residual, 0.99), quantile(residual, 1),
       static_cast<long>(worst_.step),
       worst_.worst_constraint.empty() ? "-" : worst_.worst_constraint.c_str());
  line(out, "  penetration    %.3g um at most", 1e6 * depth);
  line(out, "  contacts       %.1f on average, solver %s, %.1f iterations",
       mean(collect([](const Step& s) { return s.contacts; })), simulation.options().solver.c_str(),
       mean(collect([](const Step& s) { return s.iterations; })));
  line(out, "  time per step  median %.0f us   p99 %.0f us   %.1f x real time",
       quantile(micro, 0.5), quantile(micro, 0.99), 1e6 * simulation.timestep() / mean(micro));
  std::string stages;
  for (int k = 0; k < kStageCount; ++k) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%s%s %.0f", stages.empty() ? "" : ", ", kStages[k].first,
                  quantile(stage(k), 0.5));
    stages += buffer;
  }
  line(out, "  stages, us     %s", stages.c_str());
}

const std::vector<std::string>& RunSummary::plot_names() {
  static const std::vector<std::string> names = {"energy", "penetration", "residual", "contacts",
                                                 "time"};
  return names;
}

PlotPanel RunSummary::panel(const std::string& name) const {
  PlotPanel panel;
  panel.x_label = "time, s";
  PlotLine line;
  line.name = name;
  line.x = collect([](const Step& s) { return s.time; });
  if (name == "energy") {
    panel.y_label = "energy above that at the start, J";
    const double start = energy_start_.potential + energy_start_.kinetic;
    line.y = collect([start](const Step& s) { return s.energy - start; });
  } else if (name == "penetration") {
    panel.y_label = "largest penetration, m";
    line.y = collect([](const Step& s) { return s.penetration; });
  } else if (name == "residual") {
    panel.y_label = "scaled residual, m/s";
    panel.log_y = true;
    line.y = collect([](const Step& s) { return s.residual; });
  } else if (name == "contacts") {
    panel.y_label = "contacts";
    line.y = collect([](const Step& s) { return s.contacts; });
  } else {
    panel.y_label = "time per step, us";
    panel.log_y = true;
    line.y = collect([](const Step& s) { return s.microseconds; });
  }
  panel.lines.push_back(std::move(line));
  return panel;
}

}  // namespace stiction::cli
