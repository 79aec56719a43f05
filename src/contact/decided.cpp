#include "contact/decided.h"

#include <cmath>

namespace stiction {
namespace {

using Eigen::VectorXd;

// So many times the change that the step makes, and no less than so many tolerances.
constexpr double kChanges = 10;
constexpr double kSlow = 1000;
constexpr int kRounds = 2;

// Contacts that some dofs have a part in, such as nodes of a beam, are left to the solver.
bool is_of_bodies(const Problem& problem, const Constraint& constraint) {
  if (constraint.type != ConstraintType::kContact) return false;
  for (int p = 0; p < constraint.port_count; ++p) {
    if (problem.ports[constraint.port_begin + p].body < 0) return false;
  }
  return true;
}

double normal_velocity(const Problem& problem, const Constraint& contact, const Matrix6Xd& V) {
  double u = problem.e[contact.row_begin + 2];
  for (int p = 0; p < contact.port_count; ++p) {
    const Port& port = problem.ports[contact.port_begin + p];
    u += port.block.row(2).dot(V.col(port.body));
  }
  return u;
}

}  // namespace

void Decided::find(const DynamicsFactor& factor, double tolerance, const VectorXd& v_0,
                   const VectorXd& lambda_0) {
  Matrix6Xd V(6, problem_.bodies.size()), V_0(6, problem_.bodies.size());
  VectorXd v = problem_.b;
  add_J_transposed(problem_, lambda_0, V, v);
  factor.solve_in_place(v);
  body_twists(problem_, v, V);
  body_twists(problem_, v_0, V_0);
  decided_.resize(problem_.constraints.size(), 0);
  for (size_t i = 0; i < problem_.constraints.size(); ++i) {
    const Constraint& contact = problem_.constraints[i];
    if (!is_of_bodies(problem_, contact)) continue;
    if (!lambda_0.segment<3>(contact.row_begin).isZero(0)) continue;
    const double u_0 = normal_velocity(problem_, contact, V_0);
    const double u = normal_velocity(problem_, contact, V);
    const double least = kChanges * std::abs(u - u_0) + kSlow * tolerance;
    if (!(u_0 > least && u > least)) continue;
    decided_[i] = 1;
    ++count_;
  }
}

std::vector<char> Decided::give_back(const VectorXd& Jv) {
  if (count_ == 0) return {};
  std::vector<char> given_back(decided_.size(), 0);
  bool any = false;
  for (size_t i = 0; i < decided_.size(); ++i) {
    const int row = problem_.constraints[i].row_begin + 2;
    if (!decided_[i] || Jv[row] + problem_.e[row] >= 0) continue;
    given_back[i] = 1;
    any = true;
  }
  if (!any) return {};
  if (++rounds_ > kRounds) given_back = decided_;
  for (size_t i = 0; i < decided_.size(); ++i) {
    if (!given_back[i]) continue;
    decided_[i] = 0;
    --count_;
  }
  return given_back;
}

}  // namespace stiction
