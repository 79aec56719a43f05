// Piles of spheres and of boxes: how time and accuracy go with the number of bodies.
#include <stiction/builder.h>

#include <cmath>
#include <map>

#include "scenes/parts.h"
#include "studies/measure.h"
#include "studies/study.h"

namespace stiction::studies {
namespace {

struct ScalingContender {
  std::string solver;
  int iterations;  ///< as in [TRO25] VII-C and [ICRA23] IV-E
};
const std::vector<ScalingContender> kScalingContenders = {
    {"canal", 5}, {"pgs", 100}, {"subadmm", 100}, {"grip", 0}};

// A loose lattice above a walled floor, as wide as it is high; layers are shifted so that no column
// stands on another by chance.
Model pile_model(const Shape& shape, int side) {
  constexpr double kRadius = 0.01;
  constexpr double kPitch = 0.024;
  const double half = 0.5 * kPitch * side + 0.003;
  ModelBuilder builder("pile");
  add_floor(builder, 0.5);
  for (int k = 0; k < 4; ++k) {
    const Eigen::Vector3d out(k == 0 ? 1 : k == 1 ? -1 : 0, k == 2 ? 1 : k == 3 ? -1 : 0, 0);
    const double height = 0.75 * kPitch * side;
    add_static_part(builder, {.name = "wall" + std::to_string(k),
                              .shape = Box{{out.x() != 0 ? 0.01 : half + 0.02,
                                            out.y() != 0 ? 0.01 : half + 0.02, height}},
                              .p = (half + 0.01) * out + Eigen::Vector3d(0, 0, height)});
  }
  for (int k = 0; k < side * side * side; ++k) {
    const int x = k % side, y = k / side % side, z = k / (side * side);
    const double shift = z % 2 == 0 ? 0.001 : -0.001;
    const double middle = 0.5 * (side - 1);
    add_free_part(builder, {.name = "part" + std::to_string(k),
                            .shape = shape,
                            .p = {(x - middle) * kPitch + shift, (y - middle) * kPitch - shift,
                                  kRadius + 0.002 + kPitch * z},
                            .mass = 0.01});
  }
  return builder.build();
}

struct Sample {
  int bodies = 0;
  double dofs = 0;
  double contacts = 0;
  std::map<std::string, std::vector<double>> seconds;
  std::map<std::string, std::vector<double>> residuals;
};

// The parts fall and settle by a cheap solver; every solver has a few of its steps.
Sample measure(const Shape& shape, int side, int samples, bool heavy) {
  SimulationOptions options;
  options.solver = "subadmm";
  options.budget.max_iterations = 60;
  Simulation simulation(pile_model(shape, side), options);
  Sample sample;
  sample.bodies = side * side * side;
  sample.dofs = simulation.model().nv;
  const int pause = 10 + 2 * side;
  for (int k = 0; k < samples; ++k) {
    for (int step = 0; step < pause; ++step) simulation.step();
    const State before = simulation.state();
    simulation.step();
    const Case one = captured_case(simulation, before);
    sample.contacts += static_cast<double>(one.problem.constraints.size()) / samples;
    for (const ScalingContender& contender : kScalingContenders) {
      if (!heavy && (contender.solver == "canal" || contender.solver == "grip")) continue;
      Budget budget;
      budget.max_iterations = contender.iterations;
      budget.tolerance = contender.iterations > 0 ? 1e-15 : 1e-8;
      budget.max_seconds = 5;
      const SolveReport report = timed_case(one, contender.solver, budget);
      sample.seconds[contender.solver].push_back(report.seconds);
      sample.residuals[contender.solver].push_back(report.residual.paper);
    }
  }
  return sample;
}

struct Series {
  std::string name;
  std::vector<Sample> samples;
  // Median seconds over dofs, for the sizes at which the solver was run.
  Fit fit(const std::string& solver, bool power) const {
    std::vector<double> x, y;
    for (const Sample& sample : samples) {
      const auto found = sample.seconds.find(solver);
      if (found == sample.seconds.end()) continue;
      x.push_back(sample.dofs);
      y.push_back(median(found->second));
    }
    return power ? fit_power(x, y) : fit_line(x, y);
  }
};

Picture draw(const Series& series) {
  PlotPanel time{"dof", "time per step [ms]", true, true, {}};
  time.title = "Time";
  PlotPanel residual{"dof", "residual of the paper", true, true, {}};
  residual.title = "Accuracy (median)";
  for (const ScalingContender& contender : kScalingContenders) {
    PlotLine seconds = solver_line(contender.solver);
    PlotLine accuracy = seconds;
    seconds.name += contender.iterations > 0 ? ", " + std::to_string(contender.iterations) : "";
    seconds.name += ", n^" + text(series.fit(contender.solver, true).slope, 2);
    for (const Sample& sample : series.samples) {
      const auto found = sample.seconds.find(contender.solver);
      if (found == sample.seconds.end()) continue;
      seconds.x.push_back(sample.dofs);
      seconds.y.push_back(1e3 * median(found->second));
      accuracy.x.push_back(sample.dofs);
      accuracy.y.push_back(median(sample.residuals.at(contender.solver)));
    }
    time.lines.push_back(seconds);
    residual.lines.push_back(accuracy);
  }
  return {
      "A pile of " + series.name,
      "Parts of 1 cm fall into a box and settle, mu 0.5; steps of 1/240 s from the same warm "
      "start for all; a fixed number of iterations (5 for CANAL, 100 for PGS and SubADMM), Grip "
      "to 1e-8 m/s. Exponents are fits in logarithms over the sizes shown.",
      {time, residual}};
}

void add_rows(const Series& series, Result& result) {
  for (const Sample& sample : series.samples) {
    for (const auto& [solver, seconds] : sample.seconds) {
      result.data.rows.push_back({series.name, std::to_string(sample.bodies), text(sample.dofs, 6),
                                  text(sample.contacts, 5), solver, text(median(seconds), 4),
                                  text(median(sample.residuals.at(solver)), 3)});
    }
  }
}

}  // namespace

Result run_scaling(const Setup& setup) {
  const std::vector<int> sides =
      setup.quick ? std::vector<int>{2, 3, 4} : std::vector<int>{3, 4, 5, 6, 7, 8, 9, 10};
  const std::vector<int> box_sides =
      setup.quick ? std::vector<int>{2, 3} : std::vector<int>{2, 3, 4, 5, 6};
  Series spheres{"spheres", {}}, boxes{"boxes", {}};
  const double total = static_cast<double>(sides.size() + box_sides.size());
  for (int side : sides) {
    setup.progress(static_cast<double>(spheres.samples.size()) / total,
                   std::to_string(side * side * side) + " spheres");
    spheres.samples.push_back(measure(Sphere{0.01}, side, setup.quick ? 3 : 5, side <= 6));
  }
  for (int side : box_sides) {
    setup.progress(static_cast<double>(sides.size() + boxes.samples.size()) / total,
                   std::to_string(side * side * side) + " boxes");
    boxes.samples.push_back(
        measure(Box{{0.009, 0.009, 0.009}}, side, setup.quick ? 3 : 5, side <= 4));
  }

  Result result;
  result.pictures = {draw(spheres), draw(boxes)};
  result.data.columns = {"pile", "bodies", "dof", "contacts", "solver", "seconds", "residual"};
  add_rows(spheres, result);
  add_rows(boxes, result);
  Table table{"Exponents of time over dof", {"solver", "spheres", "R²", "boxes", "R²"}, {}};
  for (const ScalingContender& contender : kScalingContenders) {
    const Fit a = spheres.fit(contender.solver, true);
    const Fit b = boxes.fit(contender.solver, true);
    table.rows.push_back({solver_label(contender.solver), text(a.slope), text(a.r2, 5),
                          text(b.slope), text(b.r2, 5)});
  }
  result.tables.push_back(table);

  const Fit linear = spheres.fit("subadmm", false);
  const double sub = spheres.fit("subadmm", true).slope;
  const double pgs = spheres.fit("pgs", true).slope;
  const double canal = spheres.fit("canal", true).slope;
  result.claims.push_back({"SubADMM is linear in the number of spheres",
                           "R² 0.9993 of a line ([ICRA23] Fig. 2)",
                           "R² " + text(linear.r2, 5) + " of a line, exponent " + text(sub),
                           verdict(linear.r2 >= 0.999, "the points scatter more"), true});
  result.claims.push_back({"Exponents: SubADMM, then PGS, then CANAL", "in this order (Fig. 11)",
                           text(sub) + ", " + text(pgs) + ", " + text(canal),
                           verdict(sub <= pgs && pgs <= canal,
                                   "our PGS keeps A⁻¹Jᵀ per contact instead of the Delassus "
                                   "matrix, and is as linear as SubADMM"),
                           true});
  result.claims.push_back({"CANAL's exponent is well below 3", "\"significantly lower than 3\"",
                           text(canal), verdict(canal < 2.5, "it is not"), true});
  const Sample& last = spheres.samples[setup.quick ? spheres.samples.size() - 1 : 3];
  const double grip = quantile(last.residuals.at("grip"), 1);
  const double best_other =
      std::min(median(last.residuals.at("subadmm")), median(last.residuals.at("pgs")));
  result.claims.push_back({"The Newton method is the most accurate",
                           "CANAL below 1e-5 within 5 loops",
                           "CANAL " + text(median(last.residuals.at("canal"))) + ", Grip " +
                               text(grip) + " (worst), best first-order " + text(best_other) +
                               " at " + std::to_string(last.bodies) + " spheres",
                           verdict(grip < best_other && grip < 1e-7, "Grip is not")});
  result.method =
      "The parts fall and settle by SubADMM at 60 iterations; five steps on the way are solved by "
      "every solver from the same warm start (the impulses of the step before), fastest of three. "
      "Times include each solver's set-up. CANAL and Grip are run up to 216 spheres and 64 boxes.";
  return result;
}

}  // namespace stiction::studies
