// Random trees and states for cross-checks.
#pragma once

#include <stiction/builder.h>
#include <stiction/tree.h>

#include <random>

#include "math/rotation.h"

namespace stiction {

class RandomTree {
 public:
  explicit RandomTree(unsigned seed) : random_(seed) {}

  double number(double lower, double upper) {
    return std::uniform_real_distribution<double>(lower, upper)(random_);
  }
  int integer(int lower, int upper) {
    return std::uniform_int_distribution<int>(lower, upper)(random_);
  }
  Eigen::Vector3d vector() { return {number(-1, 1), number(-1, 1), number(-1, 1)}; }
  Eigen::VectorXd vector(int n) {
    return Eigen::VectorXd::NullaryExpr(n, [this] { return number(-1, 1); });
  }
  Pose pose() { return {vector(), exp_rotation(3 * vector())}; }

  Body body(int parent) {
    const Eigen::Matrix3d R = exp_rotation(vector()).toRotationMatrix();
    const Eigen::Vector3d edges(number(0.2, 1), number(0.2, 1), number(0.2, 1));
    Body body{.parent = parent, .X_PB = pose(), .mass = number(0.5, 2), .com = 0.3 * vector()};
    const Eigen::Vector3d e2 = edges.cwiseAbs2();
    body.inertia =
        R * (body.mass / 12 * (e2.sum() - e2.array()).matrix()).asDiagonal() * R.transpose();
    body.inertia = (0.5 * (body.inertia + body.inertia.transpose())).eval();
    return body;
  }

  Joint joint(int body, JointType type) {
    return {.type = type,
            .body = body,
            .anchor = number(0, 1) < 0.5 ? Eigen::Vector3d::Zero() : vector(),
            .axis = vector().normalized(),
            .ref = number(-0.5, 0.5),
            .armature = number(0, 0.1)};
  }

  /// Several trees, fixed or free at their root, all joint kinds, up to three joints per body.
  ModelBuilder builder(int bodies) {
    ModelBuilder builder;
    for (int b = 1; b <= bodies; ++b) {
      const int parent = integer(0, 9) < 2 ? 0 : integer(std::max(0, b - 4), b - 1);
      builder.add_body(body(parent));
      if (parent == 0 && integer(0, 1) == 0) {
        builder.add_joint(joint(b, JointType::kFree));
        continue;
      }
      const int joints = integer(0, 3);
      for (int j = 0; j < joints; ++j) {
        const int kind = integer(0, 4);
        builder.add_joint(joint(b, kind == 0   ? JointType::kBall
                                   : kind == 1 ? JointType::kSlide
                                               : JointType::kHinge));
      }
    }
    return builder;
  }

  /// A position well away from qpos0.
  Eigen::VectorXd position(const Model& model) {
    Eigen::VectorXd qpos = model.qpos0;
    integrate_positions(model, vector(model.nv), 1.0, qpos);
    return qpos;
  }

 private:
  std::mt19937 random_;
};

}  // namespace stiction
