#include "studies/measure.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <numeric>

namespace stiction::studies {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], at - static_cast<double>(below));
}

double median(const std::vector<double>& values) { return quantile(values, 0.5); }

double median_ratio(const std::vector<double>& other, const std::vector<double>& one) {
  std::vector<double> ratios(one.size());
  for (size_t k = 0; k < one.size(); ++k) ratios[k] = other[k] / one[k];
  return median(ratios);
}

double mean_digits(const std::vector<double>& residuals) {
  std::vector<double> digits;
  for (double residual : residuals) digits.push_back(-std::log10(std::max(residual, 1e-16)));
  return mean(digits);
}

Fit fit_line(const std::vector<double>& x, const std::vector<double>& y) {
  const double x_mean = mean(x);
  const double y_mean = mean(y);
  double xx = 0, xy = 0, yy = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    xx += (x[k] - x_mean) * (x[k] - x_mean);
    xy += (x[k] - x_mean) * (y[k] - y_mean);
    yy += (y[k] - y_mean) * (y[k] - y_mean);
  }
  const double slope = xy / xx;
  return {slope, y_mean - slope * x_mean, xy * xy / (xx * yy)};
}

Fit fit_power(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> log_x, log_y;
  for (double value : x) log_x.push_back(std::log(value));
  for (double value : y) log_y.push_back(std::log(value));
  return fit_line(log_x, log_y);
}

std::string text(double value, int digits) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
  return buffer;
}

std::string percent(double share) { return text(100 * share) + " %"; }

std::string milliseconds(double seconds) { return text(1e3 * seconds) + " ms"; }

std::string solver_label(const std::string& solver) {
  static const std::map<std::string, std::string> labels = {
      {"grip", "Grip (ours)"},  {"canal", "CANAL"},
      {"subadmm", "SubADMM"},   {"pgs", "PGS"},
      {"fadmm", "No Sub"},      {"nobody", "No Body"},
      {"implicit", "Implicit"}, {"trdogleg", "TRDogleg"},
      {"dampedsn", "DampedSN"}, {"nnewton", "Newton (FB)"},
      {"convex", "convex"},     {"subadmm_aa", "SubADMM + Anderson"}};
  const auto found = labels.find(solver);
  return found == labels.end() ? solver : found->second;
}

std::string solver_color(const std::string& solver) {
  static const std::map<std::string, std::string> colors = {
      {"grip", "#D55E00"},     {"canal", "#0072B2"},    {"subadmm", "#009E73"},
      {"pgs", "#CC79A7"},      {"fadmm", "#E69F00"},    {"nobody", "#56B4E9"},
      {"implicit", "#0072B2"}, {"trdogleg", "#E69F00"}, {"dampedsn", "#56B4E9"},
      {"nnewton", "#999999"},  {"convex", "#000000"},   {"subadmm_aa", "#66C2A5"}};
  const auto found = colors.find(solver);
  return found == colors.end() ? "#000000" : found->second;
}

PlotLine solver_line(const std::string& solver) {
  PlotLine line;
  line.name = solver_label(solver);
  line.color = solver_color(solver);
  return line;
}

SolveReport solve_case(const Case& one, const std::string& solver, const Budget& budget,
                       bool record_history) {
  Solution solution = one.guess;
  solve(one.problem, solver, budget, record_history, solution);
  return solution.report;
}

SolveReport timed_case(const Case& one, const std::string& solver, const Budget& budget,
                       bool record_history) {
  constexpr int kRepeats = 3;
  SolveReport best = solve_case(one, solver, budget, record_history);
  for (int k = 1; k < kRepeats; ++k) {
    SolveReport again = solve_case(one, solver, budget, record_history);
    if (again.seconds < best.seconds) best = std::move(again);
  }
  return best;
}

Case captured_case(const Simulation& simulation, const State& before) {
  Case result{simulation.problem()};
  Solution& guess = result.guess;
  guess.v = before.qvel;
  guess.lambda.setZero(result.problem.n_c());
  const std::vector<ContactForce>& contacts = simulation.contacts();
  for (size_t k = 0; k < contacts.size(); ++k) {
    const auto found =
        std::lower_bound(before.impulses.begin(), before.impulses.end(), contacts[k].id,
                         [](const auto& entry, std::uint64_t id) { return entry.first < id; });
    if (found == before.impulses.end() || found->first != contacts[k].id) continue;
    // The contacts are the first constraints of a problem, in their order.
    const int row = result.problem.constraints[k].row_begin;
    guess.lambda.segment<3>(row) = contacts[k].R_CW * found->second;
    guess.warm = true;
  }
  return result;
}

}  // namespace stiction::studies
