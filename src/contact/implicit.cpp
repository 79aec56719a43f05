#include "contact/implicit.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <vector>

#include "contact/delassus.h"
#include "contact/implicit_edges.h"
#include "linalg/front_kernels.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// The equation r(x) = 0 in scaled contact coordinates.
struct Equation {
  const Problem& problem;
  std::vector<HybridLaw> laws;
  VectorXd scale;
  MatrixXd A;
  VectorXd v0;
  VectorXd f;
  VectorXd r;

  Equation(const Problem& p, const DynamicsFactor& factor, const VectorXd& m)
      : problem(p),
        scale(row_scales(p, m)),
        A(scaled_delassus(p, factor, scale)),
        v0(scaled_free_velocity(p, factor, scale)),
        f(p.n_c()),
        r(p.n_c()) {
    for (int i = 0; i < m.size(); ++i) {
      const Constraint& constraint = p.constraints[i];
      laws.push_back({&constraint, std::sqrt(m[i]), rows_of(constraint, p.e)});
    }
  }

  int count() const { return static_cast<int>(laws.size()); }

  // l(x); f and r stay behind.
  double objective(const VectorXd& x) {
    for (const HybridLaw& law : laws) {
      set_rows(*law.constraint, hybrid_impulse(law, rows_of(*law.constraint, x)), f);
    }
    r.noalias() = A * f;
    r += v0 - f - x;  // [TOD11] (15)
    return 0.5 * r.squaredNorm();
  }

  VectorXd sticking() const { return A.completeOrthogonalDecomposition().solve(v0); }

  VectorXd from_impulses(const VectorXd& lambda) const {
    const VectorXd f_hat = lambda.cwiseQuotient(scale);
    return A * f_hat + v0 - f_hat;  // (14)
  }
};

// J at x, and the points x_N and x_C of its quadratic model.
class LocalModel {
 public:
  explicit LocalModel(const Equation& equation)
      : eq_(equation),
        active_(eq_.count()),
        D_(eq_.count()),
        B_(eq_.count()),
        columns_(eq_.count()),
        w_(eq_.r.size()),
        g_(w_),
        root_weight_(w_),
        scratch_(w_),
        step_(w_),
        JB_(eq_.A.rows(), eq_.A.rows()),
        JBt_(JB_),
        H_(JB_),
        xi_(w_) {}

  void linearise(const VectorXd& x, const VectorXd& r);
  bool newton_point(const VectorXd& x, const VectorXd& r, double lambda, VectorXd& x_N);
  void cauchy_point(const VectorXd& x, double lambda, VectorXd& x_C);
  double predicted_improvement() const { return predicted_; }

 private:
  void choose_side(int i, const Vector3d& x, const Vector3d& r);
  bool is_open(int i) const {
    return columns_[i] == eq_.laws[i].constraint->rows && D_[i].isZero(0);
  }
  int assemble(double lambda);
  void project_on_active_cones(VectorXd& x) const;

  const Equation& eq_;
  std::vector<Edge> active_;  // kind kNone where no edge is active
  std::vector<Matrix3d> D_;   // -df/dx
  std::vector<Matrix3d> B_;
  std::vector<int> columns_;  // of B_
  VectorXd w_;                // (A - I) r
  VectorXd g_;
  VectorXd root_weight_;
  VectorXd scratch_;
  VectorXd step_;
  MatrixXd JB_;
  MatrixXd JBt_;  // its transpose, negated
  MatrixXd H_;
  VectorXd xi_;
  double predicted_ = 0;
};

// Along the unit vector d the slope of l is r^T J d = -(r + D^T w)^T d; the columns of other
// constraints do not enter, so each constraint decides for itself.
void LocalModel::choose_side(int i, const Vector3d& x, const Vector3d& r) {
  const HybridLaw& law = eq_.laws[i];
  Edge edge = edge_at(law, x);
  hybrid_impulse(law, x, D_[i]);
  if (edge.kind != EdgeKind::kNone) {
    const Vector3d w = rows_of(*law.constraint, w_);
    const double delta_1 = -edge.d.dot(r + edge.D1.transpose() * w);  // (25)
    const double delta_2 = edge.d.dot(r + edge.D2.transpose() * w);
    if (std::min(delta_1, delta_2) < 0) {
      D_[i] = delta_1 < delta_2 ? edge.D1 : edge.D2;
      edge.kind = EdgeKind::kNone;  // inactive
    } else if (delta_1 + delta_2 > 0) {
      D_[i] = (delta_2 * edge.D1 + delta_1 * edge.D2) / (delta_1 + delta_2);  // (26)
    }
  }
  columns_[i] = edge_tangents(law, edge, x, B_[i]);  // (29)
  active_[i] = edge;
}

void LocalModel::linearise(const VectorXd& x, const VectorXd& r) {
  w_.noalias() = eq_.A * r;
  w_ -= r;
  for (int i = 0; i < eq_.count(); ++i) {
    const Constraint& constraint = *eq_.laws[i].constraint;
    const Vector3d r_i = rows_of(constraint, r);
    choose_side(i, rows_of(constraint, x), r_i);
    set_rows(constraint, -(r_i + D_[i].transpose() * rows_of(constraint, w_)), g_);  // (20)
  }
}

// Columns of J B, J = -((I - D) + A D), for all constraints but the open ones. Those have J = -I,
// so their step (J_a step_a + r)_o / (1 + lambda) is eliminated, which leaves their rows of J_a
// with the weight lambda / (1 + lambda).
int LocalModel::assemble(double lambda) {
  int column = 0;
  for (int i = 0; i < eq_.count(); ++i) {
    const Constraint& constraint = *eq_.laws[i].constraint;
    const int begin = constraint.row_begin;
    const int rows = constraint.rows;
    root_weight_.segment(begin, rows)
        .setConstant(is_open(i) ? std::sqrt(lambda / (1 + lambda)) : 1);
    if (is_open(i)) continue;
    for (int c = 0; c < columns_[i]; ++c, ++column) {
      const Vector3d B = B_[i].col(c);
      const Vector3d DB = D_[i] * B;
      JB_.col(column).setZero();
      for (int r = 0; r < rows; ++r) {
        JB_.col(column) -= DB[r] * eq_.A.col(begin + r);
        JB_(begin + r, column) -= B[r] - DB[r];
      }
    }
  }
  return column;
}

void LocalModel::project_on_active_cones(VectorXd& x) const {
  for (int i = 0; i < eq_.count(); ++i) {
    const HybridLaw& law = eq_.laws[i];
    if (active_[i].kind != EdgeKind::kCone) continue;
    set_rows(*law.constraint, project_on_edge(law, active_[i], rows_of(*law.constraint, x)), x);
  }
}

bool LocalModel::newton_point(const VectorXd& x, const VectorXd& r, double lambda, VectorXd& x_N) {
  const int size = assemble(lambda);
  auto JB = JB_.leftCols(size);
  auto xi = xi_.head(size);
  Eigen::Map<MatrixXd> H(H_.data(), size, size);
  Eigen::Map<MatrixXd> minus_JBt(JBt_.data(), size, JB_.rows());
  step_ = r;
  if (size > 0) {
    JB = root_weight_.asDiagonal() * JB;
    scratch_ = -root_weight_.cwiseProduct(r);
    xi.noalias() = JB.transpose() * scratch_;
    minus_JBt = -JB.transpose();
    H.setZero();
    H.diagonal().setConstant(lambda);
    const int rows = static_cast<int>(JB_.rows());
    subtract_product(size, size, rows, minus_JBt.data(), size, JB_.data(), 1, rows, H.data(), size);
    if (!eliminate_cholesky(size, size, H.data())) return false;  // (21)
    H.triangularView<Eigen::Lower>().solveInPlace(xi);
    H.triangularView<Eigen::Lower>().transpose().solveInPlace(xi);
    scratch_.noalias() = JB * xi;
    step_ += scratch_.cwiseQuotient(root_weight_);
  }
  step_ /= 1 + lambda;  // of the open ones; the others follow
  for (int i = 0, column = 0; i < eq_.count(); ++i) {
    if (is_open(i)) continue;
    Vector3d step = Vector3d::Zero();
    for (int c = 0; c < columns_[i]; ++c, ++column) step += B_[i].col(c) * xi_[column];
    set_rows(*eq_.laws[i].constraint, step, step_);
  }
  predicted_ = -0.5 * g_.dot(step_);
  x_N = x + step_;  // (22), (28)
  project_on_active_cones(x_N);
  return std::isfinite(predicted_);
}

void LocalModel::cauchy_point(const VectorXd& x, double lambda, VectorXd& x_C) {
  for (int i = 0; i < eq_.count(); ++i) {
    const Constraint& constraint = *eq_.laws[i].constraint;
    const auto B = B_[i].leftCols(columns_[i]);
    const Vector3d p = B * (B.transpose() * rows_of(constraint, g_));
    set_rows(constraint, p, step_);
    set_rows(constraint, D_[i] * p, scratch_);
  }
  w_.noalias() = eq_.A * scratch_;
  w_ += step_ - scratch_;  // -J p
  const double p2 = step_.squaredNorm();
  const double curvature = w_.squaredNorm() + lambda * p2;
  x_C = x;
  if (curvature > 0) x_C -= (p2 / curvature) * step_;  // (24), (28)
  project_on_active_cones(x_C);
}

// Searches x : x_C and x_C : x_N, piece by piece between edge crossings.
class DoglegSearch {
 public:
  explicit DoglegSearch(Equation& equation)
      : eq_(equation), u_(equation.r.size()), trial_(u_), best_x_(u_) {
    crossings_.reserve(3 * eq_.laws.size() + 1);
  }

  // Moves x to the best point; false if there is none below `objective`.
  bool run(const VectorXd& x_C, const VectorXd& x_N, double objective, VectorXd& x);
  bool on_edge() const { return best_.kind != EdgeKind::kNone; }
  bool beyond_cauchy() const { return beyond_cauchy_; }

 private:
  bool search_segment(const VectorXd& from, const VectorXd& to);
  void find_crossings(const VectorXd& from);
  double value(const VectorXd& from, double alpha);
  bool offer(const VectorXd& from, const Crossing& point, double value);

  Equation& eq_;
  std::vector<Crossing> crossings_;
  VectorXd u_;
  VectorXd trial_;
  VectorXd best_x_;
  double best_value_ = 0;
  Crossing best_;
  bool beyond_cauchy_ = false;
};

void DoglegSearch::find_crossings(const VectorXd& from) {
  crossings_.clear();
  Crossing found[3];
  for (int i = 0; i < eq_.count(); ++i) {
    const Constraint& constraint = *eq_.laws[i].constraint;
    const int count =
        edge_crossings(eq_.laws[i], rows_of(constraint, from), rows_of(constraint, u_), found);
    for (int k = 0; k < count; ++k) {
      found[k].constraint = i;
      crossings_.push_back(found[k]);
    }
  }
  crossings_.push_back({.alpha = 1});
  std::sort(crossings_.begin(), crossings_.end(),
            [](const Crossing& a, const Crossing& b) { return a.alpha < b.alpha; });
}

double DoglegSearch::value(const VectorXd& from, double alpha) {
  trial_ = from + alpha * u_;
  return eq_.objective(trial_);
}

bool DoglegSearch::offer(const VectorXd& from, const Crossing& point, double value) {
  if (!(value < best_value_)) return false;
  best_value_ = value;
  best_ = point;
  best_x_ = from + point.alpha * u_;
  return true;
}

// The least point of the cubic through four equidistant values at 0, 1/3, 2/3, 1; -1 if it has none
// inside.
double cubic_minimum(double y0, double y1, double y2, double y3) {
  const double c1 = (-11 * y0 + 18 * y1 - 9 * y2 + 2 * y3) / 2;
  const double c2 = 9 * (2 * y0 - 5 * y1 + 4 * y2 - y3) / 2;
  const double c3 = 9 * (-y0 + 3 * y1 - 3 * y2 + y3) / 2;
  const double discriminant = c2 * c2 - 3 * c3 * c1;
  if (discriminant < 0) return -1;
  const double q = c2 + std::sqrt(discriminant);  // the root with positive curvature is -c1 / q
  const double t = q > 0 ? -c1 / q : -1;
  return t > 0 && t < 1 ? t : -1;
}

bool DoglegSearch::search_segment(const VectorXd& from, const VectorXd& to) {
  u_ = to - from;
  find_crossings(from);
  bool improved = false;
  double begin = 0;
  double y0 = value(from, 0);
  for (const Crossing& end : crossings_) {
    const double width = end.alpha - begin;
    if (width < 1e-12) continue;
    const double y1 = value(from, begin + width / 3);
    const double y2 = value(from, begin + 2 * width / 3);
    const double y3 = value(from, end.alpha);
    improved |= offer(from, end, y3);
    const double t = cubic_minimum(y0, y1, y2, y3);
    if (t > 0) {
      const double alpha = begin + t * width;
      improved |= offer(from, {.alpha = alpha}, value(from, alpha));
    }
    begin = end.alpha;
    y0 = y3;
  }
  return improved;
}

bool DoglegSearch::run(const VectorXd& x_C, const VectorXd& x_N, double objective, VectorXd& x) {
  best_value_ = objective;
  const bool before = search_segment(x, x_C);
  beyond_cauchy_ = search_segment(x_C, x_N);
  if (!before && !beyond_cauchy_) return false;
  x = best_x_;
  if (on_edge()) {  // exactly, where x + alpha u is so up to round-off
    const HybridLaw& law = eq_.laws[best_.constraint];
    Edge edge;
    edge.kind = best_.kind;
    edge.offset = best_.offset;
    set_rows(*law.constraint, project_on_edge(law, edge, rows_of(*law.constraint, x)), x);
  }
  return true;
}

}  // namespace

void solve_implicit(const Problem& problem, const DynamicsFactor& factor,
                    const ImplicitOptions& options, const Start& start, Monitor& monitor) {
  Equation equation(problem, factor, monitor.evaluator().masses());
  LocalModel model(equation);
  DoglegSearch search(equation);
  ImplicitStatistics unused;
  ImplicitStatistics& statistics = options.statistics ? *options.statistics : unused;
  VectorXd x = start.warm ? equation.from_impulses(start.lambda) : equation.sticking();
  VectorXd x_N(x.size());
  VectorXd x_C(x.size());
  VectorXd impulses(x.size());
  double lambda = options.lambda;
  for (int iteration = 0;; ++iteration) {
    const double objective = equation.objective(x);
    impulses = equation.scale.cwiseProduct(equation.f);
    if (monitor.should_stop(impulses, iteration, iteration)) return;
    ++statistics.iterations;
    model.linearise(x, equation.r);
    const bool factorized = model.newton_point(x, equation.r, lambda, x_N);
    if (factorized &&
        objective - equation.objective(x_N) >= options.accept * model.predicted_improvement()) {
      x = x_N;
      lambda = std::max(options.decrease * lambda, options.lambda_min);
      ++statistics.newton_accepted;
      monitor.count_newton_accepted();
      continue;
    }
    lambda = std::min(options.increase * lambda, options.lambda_max);
    if (!factorized) continue;
    model.cauchy_point(x, lambda, x_C);
    if (!search.run(x_C, x_N, objective, x)) {
      ++statistics.local_minima;
      monitor.set_status(Status::kStalled);
      return;
    }
    ++(search.on_edge() ? statistics.landed_on_edge : statistics.landed_in_piece);
    if (search.beyond_cauchy()) ++statistics.beyond_the_cauchy;
  }
}

}  // namespace stiction
