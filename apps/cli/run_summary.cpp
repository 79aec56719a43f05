#include "run_summary.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "studies/measure.h"
#include "text.h"

namespace stiction::cli {
namespace {

using nlohmann::json;
using studies::quantile;

constexpr size_t kMostKept = 65536;
constexpr size_t kPlotPoints = 400;
constexpr double kWorthTelling = 1e-3;  // m or rad beyond a limit

// Of the last quarter.
double late_mean(const std::vector<double>& values) {
  const size_t begin = 3 * values.size() / 4;
  double sum = 0;
  for (size_t k = begin; k < values.size(); ++k) sum += values[k];
  return values.empty() ? 0 : sum / static_cast<double>(values.size() - begin);
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

// Why steps are missed, as the report names it.
const std::pair<const char*, Miss> kMisses[] = {{"residual", Miss::kResidual},
                                                {"reach", Miss::kReach},
                                                {"force_limits", Miss::kForceLimits},
                                                {"energy", Miss::kEnergy},
                                                {"equality", Miss::kEquality}};

constexpr Status kStatuses[] = {Status::kSolved,  Status::kIterationLimit, Status::kTimeLimit,
                                Status::kStalled, Status::kRegularized,    Status::kFailed};

json vector_json(const Eigen::VectorXd& x) { return std::vector<double>(x.begin(), x.end()); }

// A curve of many steps as medians of kPlotPoints stretches, with a band from least to largest:
// what goes up and down from step to step would fill the picture.
void thin_out(PlotLine& line) {
  const size_t count = line.x.size();
  if (count <= 2 * kPlotPoints) return;
  PlotLine thin;
  thin.name = line.name;
  for (size_t k = 0; k < kPlotPoints; ++k) {
    const size_t begin = k * count / kPlotPoints;
    const size_t end = (k + 1) * count / kPlotPoints;
    const std::vector<double> part(line.y.begin() + static_cast<std::ptrdiff_t>(begin),
                                   line.y.begin() + static_cast<std::ptrdiff_t>(end));
    thin.x.push_back(line.x[(begin + end) / 2]);
    thin.y.push_back(quantile(part, 0.5));
    const auto [low, high] = std::minmax_element(part.begin(), part.end());
    thin.low.push_back(*low);
    thin.high.push_back(*high);
  }
  line = thin;
}

// How far a joint is outside its range, m or rad; negative within.
double beyond_limits(const Joint& joint, const Eigen::VectorXd& qpos) {
  if (!joint.range.limited() || joint.type == JointType::kFree) return 0;
  if (joint.type == JointType::kBall) {
    const auto q = qpos.segment<4>(joint.qpos_begin);
    return 2 * std::atan2(q.tail<3>().norm(), std::abs(q[0])) - joint.range.upper;
  }
  const double q = qpos[joint.qpos_begin];
  return std::max(joint.range.lower - q, q - joint.range.upper);
}

// " (step 3, contact 'floor' - 'box')", or nothing if nothing has a name.
std::string where(const StepReport& report, const std::string& name) {
  return name.empty() ? "" : " (step " + std::to_string(report.step) + ", " + name + ")";
}

template <class... Values>
void line(std::ostream& out, const char* format, Values... values) {
  std::string text(static_cast<size_t>(std::snprintf(nullptr, 0, format, values...)), ' ');
  std::snprintf(text.data(), text.size() + 1, format, values...);
  out << text << '\n';
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

void RunSummary::add(const Simulation& simulation) {
  const StepReport& report = simulation.report();
  look_at_limits(simulation);
  const Residual& residual = report.solve.residual;
  if (totals_.steps == 0 || residual.scaled > totals_.residual.scaled) worst_ = report;
  if (totals_.steps == 0 || report.equality_error > totals_.equality_error) worst_open_ = report;
  if (report.max_penetration > totals_.penetration) deepest_ = report;
  totals_.equality_error = std::max(totals_.equality_error, report.equality_error);
  totals_.residual.scaled = std::max(totals_.residual.scaled, residual.scaled);
  totals_.residual.dynamics = std::max(totals_.residual.dynamics, residual.dynamics);
  for (const auto& [name, part] : kParts) {
    totals_.residual.*part = std::max(totals_.residual.*part, residual.*part);
  }
  count_misses(report);
  totals_.contacts += report.contacts;
  totals_.iterations += report.solve.iterations;
  totals_.seconds += report.seconds.total();
  totals_.penetration = std::max(totals_.penetration, report.max_penetration);
  totals_.energy_error = std::max(totals_.energy_error, std::abs(report.energy_error));
  if (totals_.steps++ % stride_ == 0) keep(report);
}

void RunSummary::look_at_limits(const Simulation& simulation) {
  const Model& model = simulation.model();
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const double beyond = beyond_limits(model.joints[j], simulation.state().qpos);
    if (beyond <= totals_.limit_violation) continue;
    totals_.limit_violation = beyond;
    totals_.beyond_step = simulation.report().step;
    totals_.beyond_joint = j;
  }
}

void RunSummary::count_misses(const StepReport& report) {
  const auto status = static_cast<size_t>(report.solve.status);
  ++totals_.statuses.at(status);
  totals_.retried += report.retries > 0;
  if (report.within_tolerance) return;
  if (totals_.missed++ == 0) totals_.first_missed = report.step;
  for (const Miss miss : report.misses) {
    ++totals_.missed_by.at(static_cast<size_t>(miss));
    if (miss == Miss::kResidual) ++totals_.unreached.at(status);
  }
}

void RunSummary::keep(const StepReport& report) {
  Step step;
  step.time = report.time;
  step.energy = report.energy;
  step.residual = static_cast<float>(report.solve.residual.scaled);
  step.penetration = static_cast<float>(report.max_penetration);
  step.equality_error = static_cast<float>(report.equality_error);
  step.microseconds = static_cast<float>(1e6 * report.seconds.total());
  for (int k = 0; k < kStageCount; ++k) {
    step.stages[k] = static_cast<float>(1e6 * report.seconds.*(kStages[k].second));
  }
  step.contacts = report.contacts;
  steps_.push_back(step);
  if (steps_.size() < kMostKept) return;
  for (size_t k = 0; k < steps_.size() / 2; ++k) steps_[k] = steps_[2 * k];
  steps_.resize(steps_.size() / 2);
  stride_ *= 2;
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
  const std::vector<double> open = collect([](const Step& s) { return s.equality_error; });
  const std::vector<double> micro = collect([](const Step& s) { return s.microseconds; });
  nlohmann::json stages;
  for (int k = 0; k < kStageCount; ++k) stages[kStages[k].first] = quantile(stage(k), 0.5);
  nlohmann::json by_type;
  for (const auto& [name, part] : kParts) by_type[name] = totals_.residual.*part;
  nlohmann::json missed_by;
  for (const auto& [name, miss] : kMisses) {
    missed_by[name] = totals_.missed_by[static_cast<size_t>(miss)];
  }
  nlohmann::json statuses;
  for (const Status status : kStatuses) {
    statuses[to_string(status)] = totals_.statuses[static_cast<size_t>(status)];
  }
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
  const Model& model = simulation.model();
  const bool beyond = totals_.beyond_joint >= 0;
  return {
      {"model", simulation.model().name},
      {"solver", simulation.options().solver},
      {"timestep", simulation.timestep()},
      {"tolerance", simulation.options().budget.tolerance},
      {"steps", totals_.steps},
      {"steps_missed", totals_.missed},
      {"steps_missed_by", missed_by},
      {"first_missed_step", totals_.missed > 0 ? nlohmann::json(totals_.first_missed) : nullptr},
      {"steps_by_status", statuses},
      {"steps_retried", totals_.retried},
      {"residual_scaled",
       {{"median", quantile(residual, 0.5)},
        {"p99", quantile(residual, 0.99)},
        {"max", totals_.residual.scaled},
        {"max_step", worst_.step},
        {"max_constraint", worst_.worst_constraint},
        {"max_by_type", by_type}}},
      {"dynamics_defect_max", totals_.residual.dynamics},
      {"penetration",
       {{"max", totals_.penetration},
        {"max_step", totals_.penetration > 0 ? nlohmann::json(deepest_.step) : nullptr},
        {"max_contact", deepest_.deepest_contact},
        {"late_mean", late_mean(depth)}}},
      {"equality_error",
       {{"max", totals_.equality_error},
        {"max_step", worst_open_.step},
        {"max_equality", worst_open_.worst_equality},
        {"late_mean", late_mean(open)}}},
      {"limit_violation",
       {{"max", totals_.limit_violation},
        {"step", beyond ? nlohmann::json(totals_.beyond_step) : nullptr},
        {"joint", beyond ? model.joint_label(model.joints[totals_.beyond_joint]) : ""}}},
      {"contacts_mean", mean(totals_.contacts)},
      {"iterations_mean", mean(totals_.iterations)},
      {"time_per_step_us",
       {{"median", quantile(micro, 0.5)}, {"p99", quantile(micro, 0.99)}, {"stages", stages}}},
      {"energy",
       {{"start", energy_start_.potential + energy_start_.kinetic},
        {"end", now.potential + now.kinetic},
        {"max_error_per_step", totals_.energy_error}}},
      {"bodies", bodies},
  };
}

void RunSummary::print(const Simulation& simulation, std::ostream& out) const {
  if (steps_.empty()) {
    out << "  steps          none\n";
    return;
  }
  const std::vector<double> residual = collect([](const Step& s) { return s.residual; });
  const std::vector<double> micro = collect([](const Step& s) { return s.microseconds; });
  const std::string first =
      totals_.missed > 0 ? ", the first is step " + std::to_string(totals_.first_missed) : "";
  line(out, "  steps          %ld of %.3g ms, %ld missed the tolerance %.3g%s", totals_.steps,
       1e3 * simulation.timestep(), totals_.missed, simulation.options().budget.tolerance,
       first.c_str());
  print_misses(out);
  if (totals_.retried > 0) {
    line(out, "  solved again   %ld of %ld steps (--on-trouble %s)", totals_.retried, totals_.steps,
         to_string(simulation.options().on_trouble));
  }
  line(out, "  residual       median %.1e   p99 %.1e   worst %.1e m/s%s", quantile(residual, 0.5),
       quantile(residual, 0.99), totals_.residual.scaled,
       where(worst_, worst_.worst_constraint).c_str());
  if (totals_.penetration > 0) {
    line(out, "  penetration    %s at most%s", length_text(totals_.penetration).c_str(),
         where(deepest_, deepest_.deepest_contact).c_str());
  } else {
    out << "  penetration    none\n";
  }
  if (!worst_open_.worst_equality.empty()) {
    line(out, "  equalities     open by %.1e m or rad at most%s", totals_.equality_error,
         where(worst_open_, worst_open_.worst_equality).c_str());
  }
  if (totals_.limit_violation > kWorthTelling) {
    const Model& model = simulation.model();
    line(out, "  limits         exceeded by %.1e m or rad at most (step %ld, %s)",
         totals_.limit_violation, static_cast<long>(totals_.beyond_step),
         model.joint_label(model.joints[totals_.beyond_joint]).c_str());
  }
  const std::string& solver = simulation.options().solver;
  line(out, "  contacts       %.1f on average, solver %s, %.1f iterations%s",
       mean(totals_.contacts), solver.c_str(), mean(totals_.iterations),
       solver == "grip" ? " after its sweeps" : "");
  line(out, "  time per step  median %.0f us   p99 %.0f us   %.1f x real time",
       quantile(micro, 0.5), quantile(micro, 0.99), simulation.timestep() / mean(totals_.seconds));
  std::string stages;
  for (int k = 0; k < kStageCount; ++k) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%s%s %.0f", stages.empty() ? "" : ", ", kStages[k].first,
                  quantile(stage(k), 0.5));
    stages += buffer;
  }
  line(out, "  stages, us     %s (the median of each)", stages.c_str());
}

// One line per reason, with what ended the solves that did not reach the tolerance.
void RunSummary::print_misses(std::ostream& out) const {
  for (const auto& [name, miss] : kMisses) {
    const long count = totals_.missed_by[static_cast<size_t>(miss)];
    if (count == 0) continue;
    std::string ends;
    for (const Status status : kStatuses) {
      const long ended = totals_.unreached[static_cast<size_t>(status)];
      if (miss != Miss::kResidual || ended == 0) continue;
      ends += (ends.empty() ? " (" : ", ") + std::string(to_string(status)) + " " +
              std::to_string(ended);
    }
    if (!ends.empty()) ends += ")";
    line(out, "  missed by      %s: %ld%s", to_string(miss), count, ends.c_str());
  }
}

const std::vector<std::string>& RunSummary::plot_names() {
  static const std::vector<std::string> names = {"energy", "penetration", "residual", "contacts",
                                                 "time"};
  return names;
}

PlotPanel RunSummary::panel(const std::string& name, double tolerance) const {
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
    panel.y_range.lower = 0;
    line.y = collect([](const Step& s) { return s.penetration; });
  } else if (name == "residual") {
    panel.y_label = "scaled residual, m/s";
    panel.log_y = true;
    line.y = collect([](const Step& s) { return s.residual; });
  } else if (name == "contacts") {
    panel.y_label = "contacts";
    panel.y_range.lower = 0;
    line.y = collect([](const Step& s) { return s.contacts; });
  } else {
    panel.y_label = "time per step, us";
    panel.log_y = true;
    line.y = collect([](const Step& s) { return s.microseconds; });
  }
  const double last = line.x.empty() ? 0 : line.x.back();
  thin_out(line);
  panel.lines.push_back(std::move(line));
  if (name == "residual") {
    panel.lines.push_back({.name = "tolerance",
                           .x = {0, last},
                           .y = {tolerance, tolerance},
                           .color = "#000000",
                           .dashed = true});
  }
  return panel;
}

}  // namespace stiction::cli
