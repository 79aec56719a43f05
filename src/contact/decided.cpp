#include "contact/decided.h"

#include <cmath>

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

// A guess must be better than the tolerance by this share: at rest, its error would be the same in
// every step, a creep.
constexpr double kSettledShare = 0.01;
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

// Where lambda is within what the law allows, the natural map over m is at most |s|, s = J v + e:
// projections do not stretch. Where it is at its bound and s pushes that way, it is 0.
bool meets_law(const Constraint& constraint, const Vector3d& lambda, const Vector3d& s,
               double enough) {
  const bool rests = s.norm() <= enough;
  switch (constraint.type) {
    case ConstraintType::kContact: {
      if (lambda.isZero(0)) return s[2] >= 0;
      const double mu = constraint.mu;
      return s.norm() * (1 + mu) <= enough && lambda.head<2>().norm() <= mu * lambda[2];
    }
    case ConstraintType::kUnilateral:
      return lambda[0] == 0 ? s[0] >= 0 : lambda[0] > 0 && rests;
    case ConstraintType::kEquality:
      return rests;
    case ConstraintType::kSoft:
      return false;
    case ConstraintType::kJointFriction: {
      const double bound = constraint.bound;
      return (std::abs(lambda[0]) <= bound && rests) || (lambda[0] == bound && s[0] <= 0) ||
             (lambda[0] == -bound && s[0] >= 0);
    }
    case ConstraintType::kJointLimit: {
      const double above = s[0] - constraint.lower;
      const double below = constraint.upper - s[0];
      if (lambda[0] == 0) return above >= 0 && below >= 0;
      return std::abs(lambda[0] > 0 ? above : below) <= enough;
    }
  }
  return false;
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

void Decided::find(const DynamicsFactor& factor, const Budget& budget, const VectorXd& v_0,
                   const VectorXd& lambda_0) {
  // err_v may ask for more than the tolerance does.
  enough_ = std::isfinite(budget.err_v) ? 0 : kSettledShare * budget.tolerance;
  lambda_0_ = lambda_0;
  V_.resize(6, problem_.bodies.size());
  Matrix6Xd V_0(6, problem_.bodies.size());
  v_ = problem_.b;
  add_J_transposed(problem_, lambda_0, V_, v_);
  factor.solve_in_place(v_);
  body_twists(problem_, v_, V_);
  body_twists(problem_, v_0, V_0);
  left_out_.assign(problem_.constraints.size(), 0);
  came_back_.assign(problem_.constraints.size(), 0);
  for (size_t i = 0; i < problem_.constraints.size(); ++i) {
    const Constraint& contact = problem_.constraints[i];
    if (!is_of_bodies(problem_, contact)) continue;
    if (!lambda_0.segment<3>(contact.row_begin).isZero(0)) continue;
    const double u_0 = normal_velocity(problem_, contact, V_0);
    const double u = normal_velocity(problem_, contact, V_);
    const double least = kChanges * std::abs(u - u_0) + kSlow * budget.tolerance;
    if (!(u_0 > least && u > least)) continue;
    left_out_[i] = 1;
    ++count_;
  }
}

bool Decided::is_settled(int constraint) const {
  if (came_back_.empty() || came_back_[constraint]) return false;
  const Constraint& c = problem_.constraints[constraint];
  const Vector3d s = constraint_velocity(problem_, c, v_, V_) + rows_of(c, problem_.e);
  return meets_law(c, rows_of(c, lambda_0_), s, enough_);
}

std::vector<char> Decided::settled(const IslandLabels& islands) const {
  std::vector<char> all(islands.count, 1);
  for (size_t i = 0; i < islands.of_constraint.size(); ++i) {
    const int island = islands.of_constraint[i];
    if (island >= 0 && all[island]) all[island] = is_settled(static_cast<int>(i));
  }
  return all;
}

std::vector<char> Decided::give_back(const VectorXd& Jv) {
  if (count_ == 0) return {};
  std::vector<char> given_back(left_out_.size(), 0);
  bool any = false;
  for (size_t i = 0; i < left_out_.size(); ++i) {
    const int row = problem_.constraints[i].row_begin + 2;
    if (!left_out_[i] || Jv[row] + problem_.e[row] >= 0) continue;
    given_back[i] = 1;
    any = true;
  }
  if (!any) return {};
  if (++rounds_ > kRounds) given_back = left_out_;
  for (size_t i = 0; i < left_out_.size(); ++i) {
    if (!given_back[i]) continue;
    left_out_[i] = 0;
    came_back_[i] = 1;
    --count_;
  }
  return given_back;
}

}  // namespace stiction
