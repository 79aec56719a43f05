#include "sim/sensors.h"

#include <map>
#include <string>

#include "sim/frames.h"
#include "sim/simulation_impl.h"
#include "tree/springs.h"
#include "tree/transmission.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

const std::map<std::string, SensorKind>& kinds() {
  static const std::map<std::string, SensorKind> table = {
      {"touch", SensorKind::kTouch},
      {"accelerometer", SensorKind::kAccelerometer},
      {"velocimeter", SensorKind::kVelocimeter},
      {"gyro", SensorKind::kGyro},
      {"force", SensorKind::kForce},
      {"torque", SensorKind::kTorque},
      {"jointpos", SensorKind::kJointPos},
      {"jointvel", SensorKind::kJointVel},
      {"jointactuatorfrc", SensorKind::kJointActuatorForce},
      {"jointlimitpos", SensorKind::kJointLimitPos},
      {"jointlimitvel", SensorKind::kJointLimitVel},
      {"jointlimitfrc", SensorKind::kJointLimitForce},
      {"ballquat", SensorKind::kBallQuat},
      {"ballangvel", SensorKind::kBallAngVel},
      {"tendonpos", SensorKind::kTendonPos},
      {"tendonvel", SensorKind::kTendonVel},
      {"tendonactuatorfrc", SensorKind::kTendonActuatorForce},
      {"tendonlimitpos", SensorKind::kTendonLimitPos},
      {"tendonlimitvel", SensorKind::kTendonLimitVel},
      {"tendonlimitfrc", SensorKind::kTendonLimitForce},
      {"actuatorpos", SensorKind::kActuatorPos},
      {"actuatorvel", SensorKind::kActuatorVel},
      {"actuatorfrc", SensorKind::kActuatorForce},
      {"subtreecom", SensorKind::kSubtreeCom},
      {"subtreelinvel", SensorKind::kSubtreeLinVel},
      {"subtreeangmom", SensorKind::kSubtreeAngMom},
      {"clock", SensorKind::kClock},
      {"e_potential", SensorKind::kPotential},
      {"e_kinetic", SensorKind::kKinetic},
      {"framepos", SensorKind::kFramePos},
      {"framequat", SensorKind::kFrameQuat},
      {"framexaxis", SensorKind::kFrameXAxis},
      {"frameyaxis", SensorKind::kFrameYAxis},
      {"framezaxis", SensorKind::kFrameZAxis},
      {"framelinvel", SensorKind::kFrameLinVel},
      {"frameangvel", SensorKind::kFrameAngVel},
      {"framelinacc", SensorKind::kFrameLinAcc},
      {"frameangacc", SensorKind::kFrameAngAcc},
  };
  return table;
}

// Pose and velocity of an object's frame, of the world's if there is no reference.
struct MovingFrame {
  Pose X_W;
  Vector6d velocity = Vector6d::Zero();  // linear at the origin; angular
};

MovingFrame moving_frame(const Simulation::Impl& sim, ObjectType type, int object) {
  MovingFrame frame;
  const ObjectFrame where = object_frame(sim.model, sim.tree, type, object);
  frame.X_W = where.X_W;
  frame.velocity = point_velocity(sim.tree, where.body, where.X_W.p);
  return frame;
}

// Position, velocity and force of a limit as MuJoCo has them: of the bound that is active, with the
// distance beyond the margin; zeros if none is.
Vector3d limit_state(const Simulation::Impl& sim, SourceKind kind, const Sensor& sensor) {
  const Model& model = sim.model;
  Range range;
  double margin = 0;
  double position = 0;
  double velocity = 0;
  if (kind == SourceKind::kJointLimit) {
    const Joint& joint = model.joints[sensor.object];
    range = joint.range;
    margin = joint.margin;
    position = sim.state.qpos[joint.qpos_begin];
    velocity = sim.state.qvel[joint.dof_begin];
  } else {
    const Tendon& tendon = model.tendons[sensor.object];
    range = tendon.range;
    margin = tendon.margin;
    position = tendon_length(model, tendon, sim.state.qpos);
    velocity = tendon_velocity(model, tendon, sim.state.qvel);
  }
  double force = 0;
  for (size_t i = 0; i < sim.sources.size(); ++i) {
    if (sim.sources[i].kind != kind || sim.sources[i].index != sensor.object) continue;
    force = std::abs(sim.solution.lambda[sim.problem.constraints[i].row_begin]) / sim.h;
  }
  const bool lower = position - range.lower < range.upper - position;
  const double distance = (lower ? position - range.lower : range.upper - position) - margin;
  if (distance >= 0 && force == 0) return Vector3d::Zero();
  return {distance, lower ? velocity : -velocity, force};
}

// Mass, centre of mass, momentum and angular momentum about it, of a body and all below it.
struct Subtree {
  double mass = 0;
  Vector3d com = Vector3d::Zero();
  Vector3d momentum = Vector3d::Zero();
  Vector3d angular = Vector3d::Zero();
};

Subtree subtree(const Model& model, const TreeData& tree, int root) {
  Subtree sum;
  std::vector<char> inside(model.bodies.size(), 0);
  inside[root] = 1;
  for (int b = root; b < static_cast<int>(model.bodies.size()); ++b) {
    if (b > root) inside[b] = inside[model.bodies[b].parent];
    if (!inside[b]) continue;
    sum.mass += model.bodies[b].mass;
    sum.com += model.bodies[b].mass * tree.p_WBcm[b];
  }
  if (sum.mass > 0) sum.com /= sum.mass;
  for (int b = std::max(root, 1); b < static_cast<int>(model.bodies.size()); ++b) {
    if (!inside[b]) continue;
    const Vector6d h = tree.inertia[b].matrix() * tree.V[b];
    sum.momentum += h.head<3>();
    sum.angular += h.tail<3>() + (tree.p_WO[b] - sum.com).cross(h.head<3>());
  }
  return sum;
}

double tendon_actuator_force(const Simulation::Impl& sim, int tendon) {
  double sum = 0;
  for (int k = 0; k < sim.model.nu(); ++k) {
    const Actuator& actuator = sim.model.actuators[k];
    if (actuator.transmission == Transmission::kTendon && actuator.target == tendon) {
      sum += sim.tree.actuator_force[k];
    }
  }
  return sum;
}

VectorXd frame_reading(const Simulation::Impl& sim, const Sensor& sensor, SensorKind kind) {
  const MovingFrame object = moving_frame(sim, sensor.object_type, sensor.object);
  MovingFrame ref;
  if (sensor.ref_type != ObjectType::kNone) ref = moving_frame(sim, sensor.ref_type, sensor.ref);
  const Eigen::Matrix3d R = object.X_W.q.toRotationMatrix();
  const Eigen::Quaterniond to_ref = ref.X_W.q.conjugate();
  const Vector3d r = object.X_W.p - ref.X_W.p;
  const Vector3d w_ref = ref.velocity.tail<3>();
  switch (kind) {
    case SensorKind::kFramePos:
      return to_ref * r;
    case SensorKind::kFrameQuat: {
      const Eigen::Quaterniond q = to_ref * object.X_W.q;
      return Eigen::Vector4d(q.w(), q.x(), q.y(), q.z());
    }
    case SensorKind::kFrameXAxis:
      return to_ref * R.col(0);
    case SensorKind::kFrameYAxis:
      return to_ref * R.col(1);
    case SensorKind::kFrameZAxis:
      return to_ref * R.col(2);
    case SensorKind::kFrameLinVel:
      return to_ref * Vector3d(object.velocity.head<3>() - ref.velocity.head<3>() - w_ref.cross(r));
    default:
      return to_ref * Vector3d(object.velocity.tail<3>() - w_ref);
  }
}

VectorXd scalar(double value) { return VectorXd::Constant(1, value); }

// Whatever depends on positions and velocities; empty for the others.
VectorXd motion_reading(const Simulation::Impl& sim, const Sensor& sensor, SensorKind kind) {
  const Model& model = sim.model;
  const VectorXd& qpos = sim.state.qpos;
  const VectorXd& qvel = sim.state.qvel;
  switch (kind) {
    case SensorKind::kVelocimeter:
    case SensorKind::kGyro: {
      const MovingFrame site = moving_frame(sim, ObjectType::kSite, sensor.object);
      return site.X_W.q.conjugate() * (kind == SensorKind::kGyro
                                           ? Vector3d(site.velocity.tail<3>())
                                           : Vector3d(site.velocity.head<3>()));
    }
    case SensorKind::kJointPos:
      return scalar(qpos[model.joints[sensor.object].qpos_begin]);
    case SensorKind::kJointVel:
      return scalar(qvel[model.joints[sensor.object].dof_begin]);
    case SensorKind::kJointLimitPos:
      return scalar(limit_state(sim, SourceKind::kJointLimit, sensor)[0]);
    case SensorKind::kJointLimitVel:
      return scalar(limit_state(sim, SourceKind::kJointLimit, sensor)[1]);
    case SensorKind::kTendonLimitPos:
      return scalar(limit_state(sim, SourceKind::kTendonLimit, sensor)[0]);
    case SensorKind::kTendonLimitVel:
      return scalar(limit_state(sim, SourceKind::kTendonLimit, sensor)[1]);
    case SensorKind::kBallQuat:
      return qpos.segment<4>(model.joints[sensor.object].qpos_begin);
    case SensorKind::kBallAngVel:
      return qvel.segment<3>(model.joints[sensor.object].dof_begin);
    case SensorKind::kTendonPos:
      return scalar(tendon_length(model, model.tendons[sensor.object], qpos));
    case SensorKind::kTendonVel:
      return scalar(tendon_velocity(model, model.tendons[sensor.object], qvel));
    case SensorKind::kActuatorPos:
      return scalar(actuator_moment(model, model.actuators[sensor.object], qpos, sim.tree).length);
    case SensorKind::kActuatorVel:
      return scalar(moment_velocity(
          model, actuator_moment(model, model.actuators[sensor.object], qpos, sim.tree), qvel,
          sim.tree));
    case SensorKind::kSubtreeCom:
      return subtree(model, sim.tree, sensor.object).com;
    case SensorKind::kSubtreeLinVel: {
      const Subtree sum = subtree(model, sim.tree, sensor.object);
      return sum.mass > 0 ? Vector3d(sum.momentum / sum.mass) : Vector3d::Zero();
    }
    case SensorKind::kSubtreeAngMom:
      return subtree(model, sim.tree, sensor.object).angular;
    case SensorKind::kClock:
      return scalar(sim.state.time);
    case SensorKind::kPotential:
      return scalar(energy(model, qpos, qvel, sim.tree).potential);
    case SensorKind::kKinetic:
      return scalar(energy(model, qpos, qvel, sim.tree).kinetic);
    case SensorKind::kFramePos:
    case SensorKind::kFrameQuat:
    case SensorKind::kFrameXAxis:
    case SensorKind::kFrameYAxis:
    case SensorKind::kFrameZAxis:
    case SensorKind::kFrameLinVel:
    case SensorKind::kFrameAngVel:
      return frame_reading(sim, sensor, kind);
    default:
      return {};
  }
}

// Whatever depends on accelerations and forces; empty for the others.
VectorXd force_reading(const Simulation::Impl& sim, const BodyForces& forces, const Sensor& sensor,
                       SensorKind kind) {
  const Model& model = sim.model;
  switch (kind) {
    case SensorKind::kTouch:
      return scalar(touch_force(sim, sensor.object));
    case SensorKind::kAccelerometer:
    case SensorKind::kFrameLinAcc:
    case SensorKind::kFrameAngAcc: {
      const ObjectType type =
          kind == SensorKind::kAccelerometer ? ObjectType::kSite : sensor.object_type;
      const ObjectFrame frame = object_frame(model, sim.tree, type, sensor.object);
      const Vector6d a = forces.point_acceleration(sim, frame.body, frame.X_W.p);
      if (kind == SensorKind::kAccelerometer) return frame.X_W.q.conjugate() * a.head<3>();
      return kind == SensorKind::kFrameLinAcc ? a.head<3>() : a.tail<3>();
    }
    case SensorKind::kForce:
    case SensorKind::kTorque: {
      const ObjectFrame site = object_frame(model, sim.tree, ObjectType::kSite, sensor.object);
      const Vector6d& F = forces.interaction[site.body];
      const Vector3d torque =
          F.tail<3>() + (sim.tree.p_WO[site.body] - site.X_W.p).cross(F.head<3>());
      return site.X_W.q.conjugate() * (kind == SensorKind::kForce ? Vector3d(F.head<3>()) : torque);
    }
    case SensorKind::kJointActuatorForce:
      return scalar(sim.tree.actuation[model.joints[sensor.object].dof_begin]);
    case SensorKind::kTendonActuatorForce:
      return scalar(tendon_actuator_force(sim, sensor.object));
    case SensorKind::kActuatorForce:
      return scalar(sim.tree.actuator_force[sensor.object]);
    case SensorKind::kJointLimitForce:
      return scalar(limit_state(sim, SourceKind::kJointLimit, sensor)[2]);
    case SensorKind::kTendonLimitForce:
      return scalar(limit_state(sim, SourceKind::kTendonLimit, sensor)[2]);
    default:
      return {};
  }
}

// MuJoCo's cutoff: readings are clamped to it, positive ones (touch) from above only.
void store(const Sensor& sensor, const SensorSlot& slot, const VectorXd& reading, VectorXd& data) {
  if (reading.size() == 0) return;
  auto target = data.segment(slot.begin, sensor.dim);
  target = reading;
  if (sensor.cutoff <= 0 || sensor.dim == 4) return;
  target = target.cwiseMin(sensor.cutoff).cwiseMax(-sensor.cutoff);
}

}  // namespace

std::vector<SensorSlot> sensor_slots(const Model& model) {
  std::vector<SensorSlot> slots;
  int begin = 0;
  for (const Sensor& sensor : model.sensors) {
    const auto found = kinds().find(sensor.type);
    slots.push_back({found == kinds().end() ? SensorKind::kUnsupported : found->second, begin});
    begin += sensor.dim;
  }
  return slots;
}

int sensor_size(const Model& model) {
  int size = 0;
  for (const Sensor& sensor : model.sensors) size += sensor.dim;
  return size;
}

void read_force_sensors(Simulation::Impl& sim) {
  if (sim.model.sensors.empty()) return;
  const BodyForces forces(sim);
  for (size_t k = 0; k < sim.model.sensors.size(); ++k) {
    const Sensor& sensor = sim.model.sensors[k];
    store(sensor, sim.sensors[k], force_reading(sim, forces, sensor, sim.sensors[k].kind),
          sim.sensordata);
  }
}

void read_motion_sensors(Simulation::Impl& sim) {
  for (size_t k = 0; k < sim.model.sensors.size(); ++k) {
    const Sensor& sensor = sim.model.sensors[k];
    store(sensor, sim.sensors[k], motion_reading(sim, sensor, sim.sensors[k].kind), sim.sensordata);
  }
}

}  // namespace stiction
