// What the studies share: solving a captured problem, statistics, fits, numbers as text.
#pragma once

#include <stiction/files.h>
#include <stiction/simulation.h>
#include <stiction/solve.h>

#include <string>
#include <vector>

namespace stiction::studies {

double mean(const std::vector<double>& values);
/// By linear interpolation of the sorted values; NaN if there are none.
double quantile(std::vector<double> values, double share);
double median(const std::vector<double>& values);
/// Of values per case: by how much `other` is larger than `one`, the median over the cases.
double median_ratio(const std::vector<double>& other, const std::vector<double>& one);
/// Mean of -log10, zero counted as 1e-16.
double mean_digits(const std::vector<double>& residuals);

/// y = intercept + slope x by least squares, and its coefficient of determination.
struct Fit {
  double slope = 0;
  double intercept = 0;
  double r2 = 0;
};
Fit fit_line(const std::vector<double>& x, const std::vector<double>& y);
/// y = c x^slope, in logarithms.
Fit fit_power(const std::vector<double>& x, const std::vector<double>& y);

/// printf's %.<digits>g.
std::string text(double value, int digits = 3);
std::string percent(double share);
std::string milliseconds(double seconds);

/// "Grip (ours)", "CANAL", ...; and one colour per solver in all pictures.
std::string solver_label(const std::string& solver);
std::string solver_color(const std::string& solver);
PlotLine solver_line(const std::string& solver);

/// A problem and the guess that every solver gets.
struct Case {
  Problem problem;
  Solution guess{};
};
SolveReport solve_case(const Case& one, const std::string& solver, const Budget& budget,
                       bool record_history = false);
/// The fastest of a few solves: other programs can only make a solve slower.
SolveReport timed_case(const Case& one, const std::string& solver, const Budget& budget,
                       bool record_history = false);

/// The problem of the step that the simulation has just taken, with the guess that it had from
/// the contacts of `before`, its state before the step.
Case captured_case(const Simulation& simulation, const State& before);

}  // namespace stiction::studies
