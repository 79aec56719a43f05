#include "contact/generate.h"

#include <stiction/error.h>

#include <cmath>
#include <utility>

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

using Generator = Problem (*)(GenerateContext&);

const std::vector<std::pair<std::string, Generator>>& generators() {
  static const std::vector<std::pair<std::string, Generator>> all = {
      {"stack", generate_stack}, {"nut", generate_nut},     {"pile", generate_pile},
      {"arm", generate_arm},     {"slide", generate_slide}, {"wedge", generate_wedge},
      {"tower", generate_tower}, {"dish", generate_dish},   {"discs", generate_discs},
      {"robot", generate_robot}, {"empty", generate_empty}, {"one", generate_one},
  };
  return all;
}

// An option that the kind does not have would change nothing.
void check_kind(const std::string& kind, const GenerateOptions& options) {
  const auto refuse = [&kind](const char* what) {
    throw InputError("generate: '" + kind + "' has no " + what);
  };
  if (options.size > 0 && kind == "one") refuse("size");
  if (options.mu >= 0 && kind == "empty") refuse("mu");
  const bool has_ratio = kind == "stack" || kind == "pile" || kind == "tower";
  if (options.mass_ratio > 0 && !has_ratio) refuse("mass ratio");
}

void check_options(const GenerateOptions& options) {
  if (options.size < 0 || options.size > 100000) {
    throw InputError("generate: size is " + std::to_string(options.size) +
                     ", expected 1 to 100000, or 0 for the kind's own");
  }
  if (!(options.mass_ratio >= 0) || !(options.mass_ratio <= 1e6)) {
    throw InputError("generate: mass ratio is " + std::to_string(options.mass_ratio) +
                     ", expected up to 1e6, or 0 for the kind's own");
  }
  if (!(options.mu == -1 || options.mu >= 0) || !(options.mu <= 100)) {
    throw InputError("generate: mu is " + std::to_string(options.mu) +
                     ", expected 0 to 100, or -1 for the kind's own");
  }
}

}  // namespace

std::uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15u;
  std::uint64_t x = state_;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

double Random::uniform(double low, double high) {
  return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
}

double Random::log_uniform(double low, double high) {
  return low * std::pow(high / low, uniform(0, 1));
}

int Random::integer(int low, int high) {
  return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1));
}

Vector3d Random::in_ball(double radius) {
  for (;;) {
    const double x = uniform(-1, 1);
    const double y = uniform(-1, 1);
    const double z = uniform(-1, 1);
    if (x * x + y * y + z * z <= 1) return radius * Vector3d(x, y, z);
  }
}

double Random::pick(const std::vector<double>& from) {
  return from[integer(0, static_cast<int>(from.size()) - 1)];
}

int GenerateContext::size(int low, int high) {
  const int chosen = random.integer(low, high);
  return options.size > 0 ? options.size : chosen;
}

double GenerateContext::mu(const std::vector<double>& from) {
  const double chosen = random.pick(from);
  return options.mu >= 0 ? options.mu : chosen;
}

double GenerateContext::mass_ratio(double otherwise) const {
  return options.mass_ratio > 0 ? options.mass_ratio : otherwise;
}

Matrix3d cross_matrix(const Vector3d& p) {
  Matrix3d m;
  m << 0, -p[2], p[1], p[2], 0, -p[0], -p[1], p[0], 0;
  return m;
}

Matrix3d box_inertia(double mass, const Vector3d& half_size) {
  const Vector3d square = half_size.cwiseAbs2();
  return (mass / 3 * Vector3d(square[1] + square[2], square[0] + square[2], square[0] + square[1]))
      .asDiagonal();
}

Matrix3d sphere_inertia(double mass, double radius) {
  return 0.4 * mass * radius * radius * Matrix3d::Identity();
}

Eigen::Matrix<double, 6, 6> spatial_inertia(double mass, const Vector3d& c, const Matrix3d& I_c) {
  const Matrix3d C = cross_matrix(c);
  Eigen::Matrix<double, 6, 6> H;
  H << mass * Matrix3d::Identity(), -mass * C, mass * C, I_c - mass * C * C;
  return H;
}

int GeneratedScene::add_body(double mass, const Matrix3d& I_c, const Vector3d& p_WC,
                             const Motion& motion) {
  Eigen::Matrix<double, 6, 1> momentum;
  momentum << mass * motion.velocity + kTimeStep * (motion.force - Vector3d(0, 0, mass * kGravity)),
      I_c * motion.spin + kTimeStep * motion.torque;
  origins.push_back(p_WC);
  return problem.add_rigid_body(spatial_inertia(mass, Vector3d::Zero(), I_c), momentum);
}

Port GeneratedScene::body_port(int body, const Vector3d& p_W, const Vector3d& n_W,
                               double sign) const {
  // t1 from the axis that is least aligned with n.
  int axis = 0;
  n_W.cwiseAbs().minCoeff(&axis);
  const Vector3d t1 = n_W.cross(Vector3d::Unit(axis)).normalized();
  Matrix3d frame;
  frame << t1.transpose(), n_W.cross(t1).transpose(), n_W.transpose();
  Port port;
  port.body = body;
  port.block << sign * frame, -sign * frame * cross_matrix(p_W - origins[body]);
  return port;
}

int GeneratedScene::add_contact(int a, int b, const Vector3d& p_W, const Vector3d& n_W, double mu,
                                double gap) {
  std::vector<Port> ports = {body_port(a, p_W, n_W, 1)};
  if (b >= 0) ports.push_back(body_port(b, p_W, n_W, -1));
  Constraint contact;
  contact.mu = mu;
  return problem.add_constraint(contact, ports, {0, 0, gap / kTimeStep});
}

const std::vector<std::string>& problem_kinds() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& entry : generators()) all.push_back(entry.first);
    return all;
  }();
  return names;
}

Problem generate_problem(const std::string& kind, std::uint64_t seed,
                         const GenerateOptions& options) {
  check_options(options);
  std::string known;
  for (const auto& [name, generator] : generators()) {
    if (name == kind) {
      check_kind(kind, options);
      GenerateContext context{Random(seed), seed, options};
      return generator(context);
    }
    known += (known.empty() ? "" : ", ") + name;
  }
  throw InputError("generate: kind '" + kind + "' is unknown, expected one of " + known);
}

}  // namespace stiction
