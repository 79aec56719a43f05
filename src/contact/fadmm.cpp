#include "contact/fadmm.h"

#include <algorithm>
#include <cmath>

#include "contact/newton_matrix.h"
#include "contact/operators.h"
#include "contact/subadmm_pack.h"
#include "contact/subadmm_penalty.h"
#include "contact/subadmm_split.h"
#include "contact/subsystem_of.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

// The problem with every constraint cut into `pieces`, each a constraint of its own.
struct CutProblem {
  Problem problem;
  std::vector<int> piece_begin;  ///< of problem.constraints, one more than the original's

  int count(int i) const { return piece_begin[i + 1] - piece_begin[i]; }
};

// The part of a port that lies on one subsystem.
Port port_on(const Problem& problem, const Port& port, const SubsystemOf& subsystem_of,
             int subsystem, Problem& cut) {
  if (port.body >= 0) return subsystem_of.body[port.body] == subsystem ? port : Port{};
  std::vector<int> dofs;
  std::vector<Vector3d> columns;
  for (int k = port.entry_begin; k < port.entry_begin + port.entry_count; ++k) {
    if (subsystem_of.dof[problem.port_dofs[k]] != subsystem) continue;
    dofs.push_back(problem.port_dofs[k]);
    columns.push_back(problem.port_columns[k]);
  }
  return dofs.empty() ? Port{} : cut.dof_port(dofs, columns);
}

CutProblem cut_by_subsystems(const Problem& problem) {
  CutProblem cut;
  cut.problem = problem;
  cut.problem.constraints.clear();
  cut.problem.ports.clear();
  cut.problem.port_dofs.clear();
  cut.problem.port_columns.clear();
  cut.problem.names.clear();
  cut.problem.e.resize(0);
  const SubsystemOf subsystem_of(problem);
  cut.piece_begin.push_back(0);
  for (const Constraint& constraint : problem.constraints) {
    std::vector<int> touched;
    for (int p = 0; p < constraint.port_count; ++p) {
      const Port& port = problem.ports[constraint.port_begin + p];
      if (port.body >= 0) touched.push_back(subsystem_of.body[port.body]);
      for (int k = port.entry_begin; k < port.entry_begin + port.entry_count; ++k) {
        touched.push_back(subsystem_of.dof[problem.port_dofs[k]]);
      }
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (int j : touched) {
      std::vector<Port> ports;
      for (int p = 0; p < constraint.port_count; ++p) {
        const Port part = port_on(problem, problem.ports[constraint.port_begin + p], subsystem_of,
                                  j, cut.problem);
        if (part.body >= 0 || part.entry_count > 0) ports.push_back(part);
      }
      cut.problem.add_constraint(constraint, ports, Vector3d::Zero());
    }
    cut.piece_begin.push_back(static_cast<int>(cut.problem.constraints.size()));
  }
  return cut;
}

CutProblem uncut(const Problem& problem) {
  CutProblem cut{problem, {}};
  for (int i = 0; i <= static_cast<int>(problem.constraints.size()); ++i) {
    cut.piece_begin.push_back(i);
  }
  return cut;
}

}  // namespace

void solve_fadmm(const Problem& problem, const DynamicsFactor& /*factor*/,
                 const FadmmOptions& options, const Start& start, Monitor& monitor) {
  const int count = static_cast<int>(problem.constraints.size());
  const double a = options.penalty.relaxation;
  const CutProblem cut = options.split_subsystems ? cut_by_subsystems(problem) : uncut(problem);
  const SplitProblem bodies = split_by_bodies(problem);
  Penalty penalty(problem, bodies, monitor.evaluator().masses(), options.penalty);
  NewtonMatrix M(cut.problem);
  std::vector<Matrix3d> D(cut.problem.constraints.size(), Matrix3d::Zero());
  VectorXd x = start.v, v(problem.n());
  VectorXd lambda = start.lambda, tau = -lambda;
  VectorXd Jx(cut.problem.n_c()), impulse(cut.problem.n_c());
  Matrix6Xd V(6, problem.bodies.size()), W = V;
  int factorizations = 0;
  const auto beta_of = [&](int i) { return penalty.weights()[i] * penalty.beta()[0]; };
  const auto factorize = [&] {
    ++factorizations;
    for (int i = 0; i < count; ++i) {
      for (int k = cut.piece_begin[i]; k < cut.piece_begin[i + 1]; ++k) {
        D[k].diagonal().head(problem.constraints[i].rows).setConstant(beta_of(i));
      }
    }
    M.assemble(D);
    return M.factorize(Factorization::kCholesky);
  };
  const auto update_v = [&] {  // (29), [ICRA23] (15)
    v = problem.b;
    add_J_transposed(cut.problem, impulse, W, v);
    M.solve_in_place(v);
    x += a * (v - x);
  };
  const auto update_slacks = [&] {  // lambda, z, u, as in subadmm_pack.h
    multiply_J(cut.problem, x, V, Jx);
    for (int i = 0; i < count; ++i) {
      const Constraint& constraint = problem.constraints[i];
      const Vector3d e = rows_of(constraint, problem.e);
      const double rho = beta_of(i) / cut.count(i);
      Vector3d sum = e;
      for (int k = cut.piece_begin[i]; k < cut.piece_begin[i + 1]; ++k) {
        sum += rows_of(cut.problem.constraints[k], Jx);
      }
      const Vector3d t = rows_of(constraint, tau);
      const Vector3d l = apply_operator(constraint, ContactLaw::kStrict, rho, e, -rho * sum - t);
      set_rows(constraint, l, lambda);
      const Vector3d sigma =
          (t + l).unaryExpr([](double value) { return std::abs(value) < kVanished ? 0.0 : value; });
      set_rows(constraint, (1 - a) * sigma - l, tau);
      for (int k = cut.piece_begin[i]; k < cut.piece_begin[i + 1]; ++k) {
        const Constraint& piece = cut.problem.constraints[k];
        set_rows(piece, t + 2 * l + beta_of(i) * rows_of(piece, Jx), impulse);  // beta z - u
      }
    }
  };

  bool ok = factorize();
  for (int l = 0; ok; ++l) {
    if (l % options.measure_every == 0 || l >= monitor.max_iterations()) {
      if (monitor.should_stop(lambda, l, factorizations)) return;
    }
    update_slacks();
    update_v();
    if (penalty.is_recount_due(l + 1) && penalty.recount(lambda)) ok = factorize();
  }
  monitor.set_status(Status::kFailed);
}

}  // namespace stiction
