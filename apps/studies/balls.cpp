// [TOD11] IV: balls of different radii in a cube, h = 5 ms, b = 0, no warm start.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "studies/measure.h"
#include "studies/study.h"

namespace stiction::studies {
namespace {

using Eigen::Vector3d;

constexpr double kStep = 0.005;           // s
constexpr double kSide = 1;               // m
constexpr double kBallsTolerance = 1e-6;  // m/s
const std::vector<double> kBallsMu = {0.1, 0.5, 1, 2};
const std::vector<int> kBalls = {5, 10, 15};
// [TOD11] Table 1: iterations, share of accepted Newton points, contacts.
constexpr double kPaperIterations[4][3] = {
    {3.8, 4.8, 6.5}, {2.6, 5.3, 7.5}, {2.8, 4.9, 10.2}, {2.9, 4.6, 16.2}};
constexpr double kPaperShare[4][3] = {
    {0.99, 0.98, 0.90}, {0.95, 0.85, 0.73}, {0.90, 0.71, 0.60}, {0.88, 0.71, 0.55}};
constexpr double kPaperContacts[3] = {7, 16, 27};
const std::vector<std::string> kOthers = {"grip", "nnewton", "canal"};

struct Ball {
  double radius;
  double mass;
  Vector3d p;
  Vector6d v = Vector6d::Zero();
};

Ball make_ball(double radius, const Vector3d& p) {
  return {radius, 1000 * 4 / 3.0 * M_PI * std::pow(radius, 3), p};
}

// Large enough for about as many contacts as the paper had.
std::vector<Ball> random_balls(int count, std::mt19937& random) {
  std::uniform_real_distribution<double> unit(0, 1);
  const auto uniform = [&](Eigen::Index) { return unit(random); };
  std::vector<Ball> balls;
  while (static_cast<int>(balls.size()) < count) {
    const double radius = 0.13 + 0.07 * unit(random);
    const Vector3d p =
        Vector3d::Constant(radius) + (kSide - 2 * radius) * Vector3d::NullaryExpr(uniform);
    const bool overlaps = std::any_of(balls.begin(), balls.end(), [&](const Ball& other) {
      return (p - other.p).norm() < radius + other.radius;
    });
    if (overlaps) continue;
    balls.push_back(make_ball(radius, p));
    balls.back().v.head<3>() = 2 * Vector3d::NullaryExpr(uniform) - Vector3d::Ones();
  }
  return balls;
}

Port contact_port(int body, const Vector3d& p, const Vector3d& n, double sign) {
  Port port;
  port.body = body;
  const Vector3d t = n.unitOrthogonal();
  const Vector3d axes[3] = {t, n.cross(t), n};
  for (int r = 0; r < 3; ++r) {
    port.block.row(r) << sign * axes[r].transpose(), sign * p.cross(axes[r]).transpose();
  }
  return port;
}

void add_wall_contacts(const Ball& ball, int index, double mu, Problem& problem) {
  for (int axis = 0; axis < 3; ++axis) {
    for (double wall : {0.0, kSide}) {
      if (std::abs(ball.p[axis] - wall) > ball.radius) continue;
      const Vector3d n = (wall == 0 ? 1 : -1) * Vector3d::Unit(axis);
      problem.add_constraint({.mu = mu}, {contact_port(index, -ball.radius * n, n, 1)},
                             Vector3d::Zero());
    }
  }
}

Problem step_problem(const std::vector<Ball>& balls, double mu) {
  Problem problem;
  for (const Ball& ball : balls) {
    Eigen::Matrix<double, 6, 6> H = ball.mass * Eigen::Matrix<double, 6, 6>::Identity();
    H.bottomRightCorner<3, 3>() *= 0.4 * ball.radius * ball.radius;
    Vector6d momentum = H * ball.v;
    momentum[2] -= 9.81 * kStep * ball.mass;
    problem.add_rigid_body(H, momentum);
  }
  for (int i = 0; i < static_cast<int>(balls.size()); ++i) {
    add_wall_contacts(balls[i], i, mu, problem);
    for (int j = 0; j < i; ++j) {
      const Vector3d d = balls[i].p - balls[j].p;
      if (d.norm() > balls[i].radius + balls[j].radius) continue;
      const Vector3d n = d.normalized();
      problem.add_constraint({.mu = mu},
                             {contact_port(i, -balls[i].radius * n, n, 1),
                              contact_port(j, balls[j].radius * n, n, -1)},
                             Vector3d::Zero());
    }
  }
  return problem;
}

SolveReport advance(std::vector<Ball>& balls, const Problem& problem) {
  Solution solution;
  solve(problem, "implicit", {.tolerance = kBallsTolerance}, false, solution);
  for (size_t k = 0; k < balls.size(); ++k) {
    balls[k].v = solution.v.segment<6>(6 * static_cast<Eigen::Index>(k));
    balls[k].p += kStep * balls[k].v.head<3>();
  }
  return solution.report;
}

// One cell of Table 1.
struct BallsCell {
  double iterations = 0;  ///< medians of the runs, averaged
  double contacts = 0;
  double newton_share = 0;         ///< of all iterations
  double newton_share_solved = 0;  ///< of those in steps that are solved
  double unsolved = 0;
  double without_solution = 0;  ///< of all steps: unsolved, and Grip has no solution either
  std::vector<double> others;   ///< median factorizations of kOthers on every tenth step
};

BallsCell measure(double mu, int count, int runs, int steps,
                  const std::function<void(double)>& progress) {
  BallsCell cell;
  std::vector<std::vector<double>> others(kOthers.size());
  double total = 0, accepted = 0, total_solved = 0, accepted_solved = 0;
  for (int run = 0; run < runs; ++run) {
    progress(static_cast<double>(run) / runs);
    std::mt19937 random(static_cast<unsigned>(1 + run));
    std::vector<Ball> balls = random_balls(count, random);
    std::vector<double> iterations;
    for (int step = 0; step < steps; ++step) {
      const Case one{step_problem(balls, mu)};
      const SolveReport report = advance(balls, one.problem);
      const double share = 1.0 / (runs * steps);
      cell.contacts += share * static_cast<double>(one.problem.constraints.size());
      iterations.push_back(report.iterations);
      total += report.factorizations;
      accepted += report.newton_accepted;
      if (report.residual.scaled <= kBallsTolerance) {
        total_solved += report.factorizations;
        accepted_solved += report.newton_accepted;
      } else {
        const SolveReport grip = solve_case(one, "grip", {.tolerance = kBallsTolerance});
        cell.unsolved += share;
        cell.without_solution += share * (grip.residual.scaled > kBallsTolerance);
      }
      if (step % 10 != 9) continue;
      for (size_t k = 0; k < kOthers.size(); ++k) {
        others[k].push_back(
            solve_case(one, kOthers[k], {.tolerance = kBallsTolerance}).factorizations);
      }
    }
    cell.iterations += median(iterations) / runs;
  }
  cell.newton_share = accepted / std::max(total, 1.0);
  cell.newton_share_solved = accepted_solved / std::max(total_solved, 1.0);
  for (const auto& values : others) cell.others.push_back(median(values));
  return cell;
}

// Fig. 6: five balls fall as a column; the iterations of the step in which the lowest hits the
// floor, and the fastest ball after it.
struct BallsDrop {
  int iterations = 0;
  double speed = 0;
  PlotPanel panel{"time [s]", "height [m]", false, false, {}};
};

BallsDrop drop_column() {
  std::vector<Ball> balls;
  double top = 0.1;
  for (double radius : {0.08, 0.06, 0.07, 0.05, 0.06}) {
    balls.push_back(make_ball(radius, {0.5, 0.5, top + radius}));
    top += 2 * radius * (1 - 1e-9);  // in touch whatever the rounding
  }
  BallsDrop drop;
  drop.panel.title = "Five balls dropped as a column (Fig. 6)";
  for (size_t k = 0; k < balls.size(); ++k) {
    drop.panel.lines.push_back({"ball " + std::to_string(k + 1), {}, {}});
  }
  bool landed = false;
  for (int step = 0; step < 60; ++step) {
    for (size_t k = 0; k < balls.size(); ++k) {
      drop.panel.lines[k].x.push_back(step * kStep);
      drop.panel.lines[k].y.push_back(balls[k].p.z());
    }
    const Problem problem = step_problem(balls, 0.5);
    const bool hits = balls[0].p.z() <= balls[0].radius;
    const SolveReport report = advance(balls, problem);
    if (!hits || landed) continue;
    landed = true;
    drop.iterations = report.iterations;
    for (const Ball& ball : balls) drop.speed = std::max(drop.speed, std::abs(ball.v[2]));
  }
  return drop;
}

using BallsGrid = std::vector<std::vector<BallsCell>>;

PlotPanel draw(const BallsGrid& grid) {
  PlotPanel panel{"friction coefficient", "iterations per step", false, false, {}};
  panel.title = "Iterations per step: ours, and Table 1 (dashed)";
  const char* const colors[] = {"#0072B2", "#009E73", "#D55E00"};
  for (size_t b = 0; b < kBalls.size(); ++b) {
    PlotLine ours{std::to_string(kBalls[b]) + " balls", kBallsMu, {}};
    PlotLine paper{std::to_string(kBalls[b]) + " balls, [TOD11]", kBallsMu, {}};
    for (size_t m = 0; m < kBallsMu.size(); ++m) {
      ours.y.push_back(grid[m][b].iterations);
      paper.y.push_back(kPaperIterations[m][b]);
    }
    ours.color = paper.color = colors[b];
    paper.dashed = true;
    panel.lines.push_back(ours);
    panel.lines.push_back(paper);
  }
  return panel;
}

void add_tables(const BallsGrid& grid, Result& result) {
  Table table{"Table 1: iterations, share of accepted Newton points, contacts",
              {"mu", "balls", "iterations, paper", "here", "Newton points, paper", "here",
               "in solved steps", "contacts, paper", "here", "not solved"},
              {}};
  Table beside{"Other solvers on the same problems: median factorizations", {"mu", "balls"}, {}};
  for (const std::string& solver : kOthers) beside.columns.push_back(solver_label(solver));
  result.data.columns = {"mu",       "balls",   "iterations", "newton_share", "newton_share_solved",
                         "contacts", "unsolved"};
  for (const std::string& solver : kOthers) result.data.columns.push_back(solver);
  for (size_t m = 0; m < kBallsMu.size(); ++m) {
    for (size_t b = 0; b < kBalls.size(); ++b) {
      const BallsCell& cell = grid[m][b];
      const std::string mu = text(kBallsMu[m]), balls = std::to_string(kBalls[b]);
      table.rows.push_back({mu, balls, text(kPaperIterations[m][b]), text(cell.iterations),
                            percent(kPaperShare[m][b]), percent(cell.newton_share),
                            percent(cell.newton_share_solved), text(kPaperContacts[b]),
                            text(cell.contacts), percent(cell.unsolved)});
      beside.rows.push_back({mu, balls});
      result.data.rows.push_back({mu, balls, text(cell.iterations), text(cell.newton_share),
                                  text(cell.newton_share_solved), text(cell.contacts),
                                  text(cell.unsolved)});
      for (double value : cell.others) {
        beside.rows.back().push_back(text(value));
        result.data.rows.back().push_back(text(value));
      }
    }
  }
  result.tables = {table, beside};
}

void add_claims(const BallsGrid& grid, const BallsDrop& drop, bool quick, Result& result) {
  int within = 0, below = 0, share_above = 0, share_above_solved = 0;
  double unsolved = 0, without_solution = 0;
  for (size_t m = 0; m < kBallsMu.size(); ++m) {
    for (size_t b = 0; b < kBalls.size(); ++b) {
      const BallsCell& cell = grid[m][b];
      within += cell.iterations <= 1.3 * kPaperIterations[m][b];
      below += cell.iterations <= kPaperIterations[m][b];
      share_above += cell.newton_share >= kPaperShare[m][b] - 0.1;
      share_above_solved += cell.newton_share_solved >= kPaperShare[m][b] - 0.1;
      unsolved += cell.unsolved / 12;
      without_solution += cell.without_solution / 12;
    }
  }
  const int needed = quick ? 10 : 12;
  result.claims.push_back(
      {"At most 30 % more iterations than Table 1", "2.6 to 16.2 per step",
       std::to_string(within) + " of 12 cells, " + std::to_string(below) + " at or below the print",
       verdict(within >= needed,
               "see the table; the paper gives neither the radii nor its tolerance")});
  result.claims.push_back(
      {"Newton points are accepted as often as in Table 1, less ten points", "55 to 99 %",
       std::to_string(share_above) + " of 12 cells; " + std::to_string(share_above_solved) +
           " if the steps that end in a local minimum are left out",
       share_above >= needed ? "holds"
       : share_above_solved >= needed
           ? "holds with the steps left out that end in a local minimum: they first search lines "
             "for up to 100 iterations, and the paper hardly had any"
           : verdict(false, "see the table")});
  result.claims.push_back({"Local minima are rare", "\"very rare\" (V.A)",
                           percent(unsolved) + " of the steps end in a local minimum above 1e-6, " +
                               percent(without_solution) + " where Grip finds no solution",
                           verdict(unsolved < 0.02,
                                   "with 15 balls and mu >= 1 a third of the steps end so; the "
                                   "paper does not count its own")});
  result.claims.push_back({"The shock of five balls passes in one iteration",
                           "one iteration (Fig. 6)",
                           std::to_string(drop.iterations) +
                               " iterations (the guess that all contacts stick is the solution), "
                               "fastest ball afterwards " +
                               text(drop.speed) + " m/s",
                           verdict(drop.iterations <= 1 && drop.speed < 1e-5, "it takes more")});
}

}  // namespace

Result run_balls(const Setup& setup) {
  const int runs = setup.quick ? 2 : 10;
  const int steps = setup.quick ? 100 : 200;
  BallsGrid grid(kBallsMu.size());
  for (size_t m = 0; m < kBallsMu.size(); ++m) {
    for (size_t b = 0; b < kBalls.size(); ++b) {
      const auto progress = [&](double share) {
        const double cells = static_cast<double>(m * kBalls.size() + b) + share;
        setup.progress(cells / static_cast<double>(kBallsMu.size() * kBalls.size()),
                       "mu = " + text(kBallsMu[m]) + ", " + std::to_string(kBalls[b]) + " balls");
      };
      grid[m].push_back(measure(kBallsMu[m], kBalls[b], runs, steps, progress));
    }
  }
  const BallsDrop drop = drop_column();
  Result result;
  result.pictures.push_back(
      {"Balls in a cube by implicit complementarity",
       "Left: median iterations per step of 5 ms without warm start, averaged over " +
           std::to_string(runs) + " runs of " + std::to_string(steps) +
           " steps; dashed: [TOD11] Table 1. Right: five balls fall together and stop within the "
           "step in which the lowest one lands.",
       {draw(grid), drop.panel}});
  add_tables(grid, result);
  add_claims(grid, drop, setup.quick, result);
  result.method =
      "A simulation of its own, as simple as the paper's: contacts where balls overlap each other "
      "or the walls, b = 0, no recovery of penetration, every solve cold (all contacts assumed to "
      "stick), tolerance 1e-6 m/s; the last iterate is taken whatever its residual. The paper "
      "gives no radii: 0.13 to 0.20 m in a cube of 1 m come near its numbers of contacts. The "
      "others get every tenth problem.";
  return result;
}

}  // namespace stiction::studies
