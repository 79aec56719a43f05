// The simulation's parts, grouped by the stage that computes them.
#pragma once

#include <stiction/simulation.h>

#include <vector>

#include "contact/solvers.h"
#include "sim/assemble.h"
#include "sim/detect.h"
#include "sim/dynamics.h"
#include "sim/structure.h"

namespace stiction {

struct Simulation::Impl {
  Impl(Model model_in, SimulationOptions options_in);

  Model model;
  SimulationOptions options;
  SolverOptions solver;
  double h = 0;
  Structure structure;
  ContactDetector detector;

  State state;
  Eigen::VectorXd ctrl;
  Eigen::Matrix<double, 6, Eigen::Dynamic> wrenches;  ///< per body, at the centre of mass

  TreeData tree;                          ///< kinematics
  std::vector<ContactForce> contacts;     ///< detect_contacts
  Eigen::VectorXd applied;                ///< dynamics: joint-space forces of the wrenches
  Problem problem;                        ///< dynamics, assemble
  std::vector<ConstraintSource> sources;  ///< assemble
  Solution solution;                      ///< warm_start, solve
  Energy energy_before;
  Eigen::VectorXd qvel_before;
  StepReport report;  ///< certify
};

/// The step: every stage in order. Nothing else drives the order.
void advance(Simulation::Impl& sim);

/// Kinematics and velocities at the current state.
void update_tree(Simulation::Impl& sim);

}  // namespace stiction
