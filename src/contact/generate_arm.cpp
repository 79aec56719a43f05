// Seven hinges under stiff implicit control, with a flat hand that presses boxes on the floor.
#include <cmath>

#include "contact/generate_tree.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

constexpr int kJoints = 7;
const Vector3d kHandHalf(0.08, 0.08, 0.02);
const Vector3d kBoxHalf(0.05, 0.05, 0.04);

// Joint centres and axes from the base to a wrist that points down, roll and pitch by turns.
struct ArmPose {
  Vector3d joint[kJoints];
  Vector3d axis[kJoints];
};

ArmPose random_pose(Random& random) {
  const Vector3d points[kJoints] = {{0, 0, 0.15},   {0, 0, 0.33},  {0.1, 0, 0.55}, {0.25, 0, 0.65},
                                    {0.4, 0, 0.55}, {0.5, 0, 0.4}, {0.5, 0, 0.25}};
  ArmPose pose;
  for (int k = 0; k < kJoints; ++k) {
    pose.joint[k] = points[k] + random.in_ball(0.02);
    const Vector3d axis = k % 2 == 0 ? Vector3d(0, 0, 1) : Vector3d(0, 1, 0);
    pose.axis[k] = (axis + random.in_ball(0.3)).normalized();
  }
  pose.axis[kJoints - 1] = (Vector3d(1, 0, 0) + random.in_ball(0.3)).normalized();
  return pose;
}

// A = M + h kd + h^2 kp: the implicit control enters as a diagonal, its error as an impulse.
int add_arm(GeneratedScene& scene, Random& random, const ArmPose& pose, const Vector3d& hand_W) {
  int body = -1;
  for (int k = 0; k < kJoints; ++k) {
    const Vector3d end = k + 1 < kJoints ? pose.joint[k + 1] : hand_W;
    Link link;
    link.parent = body;
    link.S.resize(6, 1);
    link.S.col(0) = hinge_column(pose.axis[k], pose.joint[k], Vector3d::Zero());
    link.mass = random.uniform(0.5, 4) * (k + 1 < kJoints ? 1 : 0.3);
    link.p_WC = 0.5 * (pose.joint[k] + end);
    link.I_c = box_inertia(link.mass, {0.05, 0.05, 0.1});
    body = add_link(scene, link, Vector3d::Zero());
  }
  Problem& problem = scene.problem;
  const double kp = random.log_uniform(1e3, 1e6);
  const double press = random.uniform(20, 200);  // N, shared by the joints that can push down
  Eigen::VectorXd v(kJoints);
  for (int k = 0; k < kJoints; ++k) v[k] = random.uniform(-0.2, 0.2);
  add_tree_momentum(scene, problem.subsystems.back(), v);
  for (int k = 0; k < kJoints; ++k) {
    const double kd = 0.02 * kp;
    problem.D[k] = 0.01 + kTimeStep * kd + kTimeStep * kTimeStep * kp;
    const double lever = pose.axis[k].cross(hand_W - pose.joint[k])[2];
    const double error = random.uniform(-1e-3, 1e-3);  // rad
    problem.b[k] += kTimeStep * (kp * error - press * lever);
  }
  return body;
}

}  // namespace

// The hand can rise faster than the boxes, and those faster than the floor: solvable.
Problem generate_arm(GenerateContext& context) {
  Random& random = context.random;
  const int objects = context.size(1, 3);
  const double mu = context.mu({0.2, 0.4, 0.6, 1});
  const Vector3d hand_W(0.5, 0, 2 * kBoxHalf[2] + kHandHalf[2]);
  GeneratedScene scene;
  const int hand = add_arm(scene, random, random_pose(random), hand_W);
  for (int k = 0; k < objects; ++k) {
    const double mass = random.log_uniform(0.05, 2);
    const Vector3d centre = hand_W + Vector3d(0, 2 * kHandHalf[1] * (k - 0.5 * (objects - 1)), 0) -
                            Vector3d(0, 0, kHandHalf[2] + kBoxHalf[2]);
    Motion motion;
    motion.force = random.in_ball(0.5 * mass * kGravity);
    const int box = scene.add_body(mass, box_inertia(mass, kBoxHalf), centre, motion);
    for (int corner = 0; corner < 8; ++corner) {
      const bool top = (corner & 4) != 0;
      const Vector3d p = centre + Vector3d(corner & 1 ? kBoxHalf[0] : -kBoxHalf[0],
                                           corner & 2 ? kBoxHalf[1] : -kBoxHalf[1],
                                           top ? kBoxHalf[2] : -kBoxHalf[2]);
      const double gap = random.uniform(0, 1) < 0.5 ? 0 : random.uniform(0, 1e-4);
      scene.add_contact(top ? hand : box, top ? box : -1, p, Vector3d::UnitZ(), mu, gap);
    }
  }
  return scene.problem;
}

}  // namespace stiction
