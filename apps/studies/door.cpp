// [JOINT] Figs. 2 and 3: a door handle, its dry friction and its stops, several parameters, both of
// the paper's solvers and ours.
#include <cmath>
#include <map>

#include "scenes/scene.h"
#include "studies/measure.h"
#include "studies/study.h"

namespace stiction::studies {
namespace {

const std::vector<std::string> kDoorSolvers = {"canal", "subadmm", "grip"};

Simulation door(const std::string& solver, double friction, double stop, double stiffness) {
  Model model = find_scene("door")->make();
  model.options.gravity.setZero();
  model.joints[0].frictionloss = friction;
  model.joints[0].stiffness = stiffness;
  model.joints[0].range = {-0.1, stop};
  SimulationOptions options;
  options.solver = solver;
  options.budget.tolerance = 1e-13;
  if (solver == "subadmm") options.budget.max_iterations = 100;
  return Simulation(std::move(model), options);
}

double friction_torque(const Simulation& simulation) {
  const Problem& problem = simulation.problem();
  for (const Constraint& constraint : problem.constraints) {
    if (constraint.type != ConstraintType::kJointFriction) continue;
    return simulation.solution().lambda[constraint.row_begin] / simulation.timestep();
  }
  return 0;
}

struct Worst {
  double friction_error = 0;  ///< N m, against Coulomb's law
  double overshoot = 0;       ///< rad, beyond a stop
  double residual = 0;
};

// Fig. 2: a torque that grows from 0 to 0.3 N m against friction alone. Coulomb: the friction
// cancels the torque up to its bound, and stays there.
PlotPanel ramp(const std::vector<double>& frictions, std::map<std::string, Worst>& worst) {
  PlotPanel panel{"joint torque [N m]", "friction torque [N m]", false, false, {}};
  panel.title = "Friction over torque (Fig. 2)";
  panel.y_range = {0, 0.22};
  for (const std::string& solver : kDoorSolvers) {
    PlotLine points = solver_line(solver);
    points.style = PlotStyle::kPoints;
    for (double friction : frictions) {
      Simulation simulation = door(solver, friction, kInfinity, 0);
      for (int k = 0; k <= 60; ++k) {
        const double torque = 0.3 * k / 60;
        simulation.ctrl()[0] = torque;
        const StepReport& report = simulation.step();
        const double ours = friction_torque(simulation);
        const double error = std::abs(ours + std::min(torque, friction));
        worst[solver].friction_error = std::max(worst[solver].friction_error, error);
        worst[solver].residual = std::max(worst[solver].residual, report.solve.residual.paper);
        if (k % 6 != 2 * static_cast<int>(panel.lines.size()))
          continue;  // beside the others' points
        points.x.push_back(torque);
        points.y.push_back(-ours);
      }
    }
    panel.lines.push_back(points);
  }
  for (double friction : frictions) {
    PlotLine coulomb{
        friction == frictions[0] ? "Coulomb" : "", {0, friction, 0.3}, {0, friction, friction}};
    coulomb.color = "#999999";
    coulomb.dashed = true;
    panel.lines.push_back(coulomb);
  }
  return panel;
}

struct Variant {
  double friction;
  double stop;
};

// Fig. 3: a periodic torque against spring, friction and stops.
PlotPanel periodic(const std::vector<Variant>& variants, int steps,
                   std::map<std::string, Worst>& worst, double& disagreement) {
  PlotPanel panel{"time [s]", "joint position [rad]", false, false, {}};
  panel.title = "Position under 0.5 sin(2 pi t) N m (Fig. 3)";
  panel.y_range = {-0.2, 0.9};
  const char* const colors[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7"};
  for (size_t v = 0; v < variants.size(); ++v) {
    std::map<std::string, std::vector<double>> positions;
    for (const std::string& solver : kDoorSolvers) {
      Simulation simulation = door(solver, variants[v].friction, variants[v].stop, 0.4);
      for (int k = 0; k < steps; ++k) {
        simulation.ctrl()[0] = 0.5 * std::sin(2 * M_PI * simulation.state().time);
        const StepReport& report = simulation.step();
        const double q = simulation.state().qpos[0];
        positions[solver].push_back(q);
        Worst& own = worst[solver];
        own.overshoot = std::max({own.overshoot, q - variants[v].stop, -0.1 - q});
        own.residual = std::max(own.residual, report.solve.residual.paper);
      }
    }
    PlotLine line{"friction " + text(variants[v].friction) + ", stop " + text(variants[v].stop),
                  {},
                  positions["grip"]};
    line.color = colors[v % std::size(colors)];
    for (int k = 0; k < steps; ++k) {
      line.x.push_back((k + 1) / 240.0);
      for (const char* solver : {"canal", "subadmm"}) {
        disagreement =
            std::max(disagreement, std::abs(positions[solver][k] - positions["grip"][k]));
      }
    }
    panel.lines.push_back(line);
  }
  return panel;
}

}  // namespace

Result run_door(const Setup& setup) {
  std::map<std::string, Worst> worst;
  Result result;
  setup.progress(0, "friction over torque");
  PlotPanel first = ramp({0.05, 0.1, 0.2}, worst);
  setup.progress(0.4, "periodic torque");
  double disagreement = 0;
  const std::vector<Variant> variants = {{0.02, 0.8}, {0.1, 0.8}, {0.1, 0.4}, {0.3, 0.8}};
  PlotPanel second = periodic(variants, setup.quick ? 240 : 480, worst, disagreement);
  result.pictures.push_back(
      {"A door handle: dry friction and stops",
       "Left: the friction torque cancels a growing joint torque up to its bound (0.05, 0.1, 0.2 "
       "N m), by CANAL, SubADMM (100 iterations) and Grip. Right: the handle under a periodic "
       "torque, against a spring of 0.4 N m/rad, dry friction (N m) and a stop (rad); one curve "
       "per parameter set, the three solvers lie on each other.",
       {first, second}});
  result.data.columns = {"solver", "worst_friction_error_Nm", "worst_overshoot_rad",
                         "worst_residual"};
  Table table{"Worst over all steps",
              {"solver", "friction against Coulomb, N m", "beyond a stop, rad", "residual"},
              {}};
  for (const std::string& solver : kDoorSolvers) {
    const Worst& own = worst[solver];
    table.rows.push_back(
        {solver_label(solver), text(own.friction_error), text(own.overshoot), text(own.residual)});
    result.data.rows.push_back(
        {solver, text(own.friction_error), text(own.overshoot), text(own.residual)});
  }
  result.tables.push_back(table);

  const auto least = [&](double Worst::*field) {
    return "CANAL " + text(worst["canal"].*field) + ", SubADMM " + text(worst["subadmm"].*field) +
           ", Grip " + text(worst["grip"].*field);
  };
  const double friction = std::max({worst["canal"].friction_error, worst["subadmm"].friction_error,
                                    worst["grip"].friction_error});
  result.claims.push_back({"Both solvers give dry friction over torque",
                           "consistently enforced (Fig. 2)",
                           "largest error " + least(&Worst::friction_error) + " N m",
                           verdict(friction < 1e-6, "an error above 1e-6 N m")});
  const double overshoot =
      std::max({worst["canal"].overshoot, worst["subadmm"].overshoot, worst["grip"].overshoot});
  result.claims.push_back({"Stops hold under a periodic torque", "consistently enforced (Fig. 3)",
                           "largest overshoot " + least(&Worst::overshoot) + " rad",
                           verdict(overshoot < 1e-6, "an overshoot above 1e-6 rad")});
  result.claims.push_back({"All solvers agree", "both curves look alike (Fig. 3)",
                           "positions differ by " + text(disagreement) + " rad at most",
                           verdict(disagreement < 1e-5, "more than 1e-5 rad")});
  result.method =
      "`models/door_handle.xml` without gravity, h = 1/240 s. The paper gives no parameters; these "
      "are ours. Friction is compared with Coulomb's law, |torque| up to the bound. CANAL and Grip "
      "solve to 1e-13, SubADMM has 100 iterations.";
  return result;
}

}  // namespace stiction::studies
