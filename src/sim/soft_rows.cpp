#include "sim/soft_rows.h"

#include <algorithm>

#include "sim/ports.h"
#include "tree/springs.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// A soft row needs some damping; this much, in N s per m/s, is nothing beside any mass.
constexpr double kLeastDamping = 1e-12;

bool has_servo(const std::vector<Servo>& servos, int tendon) {
  return std::any_of(servos.begin(), servos.end(),
                     [tendon](const Servo& servo) { return servo.tendon == tendon; });
}

// lambda = -c J v - e.
Constraint soft_row() {
  Constraint row;
  row.type = ConstraintType::kSoft;
  row.rows = 1;
  row.k = 1;
  row.c = kLeastDamping;
  return row;
}

}  // namespace

void add_tendon_rows(const AssembleInput& input, Problem& problem,
                     std::vector<ConstraintSource>& sources) {
  for (int t = 0; t < static_cast<int>(input.model.tendons.size()); ++t) {
    const Tendon& tendon = input.model.tendons[t];
    const bool passive =
        input.model.options.passive_enabled && (tendon.stiffness > 0 || tendon.damping > 0);
    if (tendon.joints.empty()) continue;
    if (tendon.armature <= 0 && !passive && !has_servo(input.servos, t)) continue;
    problem.add_constraint(soft_row(), {tendon_port(input.model, tendon, problem)},
                           Vector3d::Zero());
    sources.push_back(
        {SourceKind::kTendonDynamics, t, 0, constraint_id(SourceKind::kTendonDynamics, t)});
  }
}

void set_tendon_rows(const AssembleInput& input, const std::vector<ConstraintSource>& sources,
                     Problem& problem) {
  const double h = input.h;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].kind != SourceKind::kTendonDynamics) continue;
    const Tendon& tendon = input.model.tendons[sources[i].index];
    const double u = tendon_velocity(input.model, tendon, input.qvel);
    double c = tendon.armature;
    double impulse = tendon.armature * u;
    if (input.model.options.passive_enabled) {
      const double length = tendon_length(input.model, tendon, input.qpos);
      const bool stretched = tendon_stretch(tendon, length) != 0;
      c += h * tendon.damping + (stretched ? h * h * tendon.stiffness : 0);
      impulse += h * tendon.damping * u;  // b has the explicit damping force
    }
    for (const Servo& servo : input.servos) {
      if (servo.tendon != sources[i].index) continue;
      c += h * servo.gear * servo.gear * servo.piece.slope;
      impulse += h * servo.gear * servo.piece.f0;
    }
    Constraint& row = problem.constraints[i];
    row.c = std::max(c, kLeastDamping);
    problem.e[row.row_begin] = -impulse;
  }
}

void add_servo_rows(const AssembleInput& input, Problem& problem,
                    std::vector<ConstraintSource>& sources) {
  for (int s = 0; s < static_cast<int>(input.servos.size()); ++s) {
    const Servo& servo = input.servos[s];
    if (servo.moment.empty()) continue;
    problem.add_constraint(soft_row(), {moment_port(servo.moment, problem)}, Vector3d::Zero());
    sources.push_back(
        {SourceKind::kServo, servo.actuator, s, constraint_id(SourceKind::kServo, servo.actuator)});
  }
}

void set_servo_rows(const AssembleInput& input, const std::vector<ConstraintSource>& sources,
                    Problem& problem) {
  for (size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].kind != SourceKind::kServo) continue;
    const Servo& servo = input.servos[sources[i].part];
    Constraint& row = problem.constraints[i];
    row.c = std::max(input.h * servo.piece.slope, kLeastDamping);
    problem.e[row.row_begin] = -input.h * servo.piece.f0;
  }
}

void add_springs(const AssembleInput& input, Problem& problem,
                 std::vector<ConstraintSource>& sources) {
  for (int s = 0; s < static_cast<int>(input.springs.size()); ++s) {
    const Spring& spring = input.springs[s];
    const TreeData& tree = input.tree;
    const Vector3d p1 = tree.p_WB[spring.body1] + tree.R_WB[spring.body1] * spring.anchor1;
    const Vector3d p2 = tree.p_WB[spring.body2] + tree.R_WB[spring.body2] * spring.anchor2;
    const std::vector<Port> ports =
        point_ports(input.structure, tree, spring.body1, p1, spring.body2, p2);
    if (ports.empty()) continue;
    Constraint row;
    row.type = ConstraintType::kSoft;
    // h times the force at the end of the step: -stiffness (e + h J v) - damping J v.
    row.k = input.h * spring.stiffness;
    row.c = input.h * (spring.damping + input.h * spring.stiffness);
    problem.add_constraint(row, ports, p1 - p2);
    sources.push_back({SourceKind::kSpring, s, 0, constraint_id(SourceKind::kSpring, s)});
  }
}

void add_rolling(const AssembleInput& input, Problem& problem,
                 std::vector<ConstraintSource>& sources) {
  for (int r = 0; r < static_cast<int>(input.rolling.size()); ++r) {
    const Rolling& rolling = input.rolling[r];
    const Vector3d n = rolling.normal_W.normalized();
    const Vector3d t1 = n.unitOrthogonal();
    const Vector3d p_W = input.tree.p_WB[rolling.body] + rolling.contact_W;
    for (int part = 0; part < 2; ++part) {
      Matrix3d rows = Matrix3d::Zero();
      rows.row(0) = part == 0 ? t1 : n.cross(t1);
      Constraint row;
      row.type = ConstraintType::kEquality;
      row.rows = 1;
      problem.add_constraint(row,
                             {point_port(input.structure, input.tree, rolling.body, p_W, rows)},
                             Vector3d::Zero());
      sources.push_back(
          {SourceKind::kRolling, r, part, constraint_id(SourceKind::kRolling, r, part)});
    }
  }
}

}  // namespace stiction
