#include "model/reference.h"

#include "model/inertia.h"

namespace stiction {
namespace {

/// Mass, centre and inertia in world axes of each body together with all that hangs on it.
std::vector<Body> composite_bodies(const Model& model, const std::vector<Pose>& X_WB) {
  const size_t n = model.bodies.size();
  std::vector<Body> composite(n);
  for (size_t i = n; i-- > 1;) {
    const Body& body = model.bodies[i];
    const Eigen::Matrix3d R = X_WB[i].q.toRotationMatrix();
    add_mass(composite[i], body.mass, X_WB[i].p + R * body.com, R * body.inertia * R.transpose());
    if (body.parent > 0) {
      add_mass(composite[body.parent], composite[i].mass, composite[i].com, composite[i].inertia);
    }
  }
  return composite;
}

/// Inertia of a body about an axis (unit, world) through a point.
double moment_about(const Body& body, const Eigen::Vector3d& axis, const Eigen::Vector3d& p) {
  return axis.dot(body.inertia * axis) + body.mass * axis.cross(body.com - p).squaredNorm();
}

}  // namespace

std::vector<Pose> reference_poses(const std::vector<Body>& bodies) {
  std::vector<Pose> X_WB(bodies.size());
  for (size_t i = 1; i < bodies.size(); ++i) X_WB[i] = X_WB[bodies[i].parent] * bodies[i].X_PB;
  return X_WB;
}

Eigen::VectorXd reference_mass_diagonal(const Model& model) {
  const std::vector<Pose> X_WB = reference_poses(model.bodies);
  const std::vector<Body> composite = composite_bodies(model, X_WB);
  Eigen::VectorXd diagonal(model.nv);
  for (const Joint& joint : model.joints) {
    const Pose& X = X_WB[joint.body];
    const Body& moved = composite[joint.body];
    const Eigen::Vector3d p = X.p + X.q * joint.anchor;
    double* entry = &diagonal[joint.dof_begin];
    switch (joint.type) {
      case JointType::kSlide:
        *entry++ = moved.mass;
        break;
      case JointType::kHinge:
        *entry++ = moment_about(moved, X.q * joint.axis, p);
        break;
      case JointType::kFree:
        for (int i = 0; i < 3; ++i) *entry++ = moved.mass;
        [[fallthrough]];
      case JointType::kBall:
        for (int i = 0; i < 3; ++i)
          *entry++ = moment_about(moved, X.q * Eigen::Vector3d::Unit(i), p);
        break;
    }
    diagonal.segment(joint.dof_begin, joint.nv()).array() += joint.armature;
  }
  return diagonal;
}

}  // namespace stiction
