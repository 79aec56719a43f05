// What the generators of test problems share: a random number generator that gives the same numbers
// everywhere, and a scene of bodies that turns points and normals into constraints.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>
#include <vector>

namespace stiction {

constexpr double kTimeStep = 1.0 / 240;  ///< s
constexpr double kGravity = 9.81;        ///< m/s^2

/// SplitMix64: any seed is a good one, and no distribution of the standard library, which may
/// differ from one to the next.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next();
  double uniform(double low, double high);
  double log_uniform(double low, double high);
  int integer(int low, int high);          ///< both included
  Eigen::Vector3d in_ball(double radius);  ///< by rejection
  double pick(const std::vector<double>& from);

 private:
  std::uint64_t state_;
};

/// The options with their gaps filled.
struct GenerateContext {
  Random random;
  std::uint64_t seed = 0;
  GenerateOptions options;

  /// options.size, or a number of the range.
  int size(int low, int high);
  double mu(const std::vector<double>& from);
  double mass_ratio(double otherwise) const;
};

/// A body's velocity before the step and the force and torque on it besides gravity.
struct Motion {
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();
  Eigen::Vector3d spin = Eigen::Vector3d::Zero();
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
  Eigen::Vector3d torque = Eigen::Vector3d::Zero();
};

Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& p);
/// Rotational inertia of a solid box with half sizes, and of a solid sphere.
Eigen::Matrix3d box_inertia(double mass, const Eigen::Vector3d& half_size);
Eigen::Matrix3d sphere_inertia(double mass, double radius);
/// Inertia about a point from which the centre of mass is at c; twists are (linear; angular).
Eigen::Matrix<double, 6, 6> spatial_inertia(double mass, const Eigen::Vector3d& c,
                                            const Eigen::Matrix3d& I_c);

/// Collects bodies and contacts. Points and normals are in the world.
struct GeneratedScene {
  Problem problem;
  std::vector<Eigen::Vector3d> origins;  ///< per body: the reference point of its twist

  /// A free body with its reference point at its centre of mass; b = M v_before + h forces.
  int add_body(double mass, const Eigen::Matrix3d& I_c, const Eigen::Vector3d& p_WC,
               const Motion& motion);
  /// Rows of the contact frame [t1 t2 n]^T on the twist of `body`.
  Port body_port(int body, const Eigen::Vector3d& p_W, const Eigen::Vector3d& n_W,
                 double sign) const;
  /// n points from `b` (-1: the world) to `a`; e_n = gap / h.
  int add_contact(int a, int b, const Eigen::Vector3d& p_W, const Eigen::Vector3d& n_W, double mu,
                  double gap);
};

Problem generate_stack(GenerateContext& context);
Problem generate_nut(GenerateContext& context);
Problem generate_pile(GenerateContext& context);
Problem generate_arm(GenerateContext& context);
Problem generate_slide(GenerateContext& context);
Problem generate_wedge(GenerateContext& context);
Problem generate_tower(GenerateContext& context);
Problem generate_dish(GenerateContext& context);
Problem generate_discs(GenerateContext& context);
Problem generate_robot(GenerateContext& context);
Problem generate_empty(GenerateContext& context);
Problem generate_one(GenerateContext& context);

}  // namespace stiction
