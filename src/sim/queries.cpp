// What a user may ask a simulation: forces between bodies, frames and their motion, sensors. And
// what a user may add to it.
#include <stiction/error.h>
#include <stiction/simulation.h>

#include <algorithm>
#include <cmath>

#include "sim/frames.h"
#include "sim/simulation_impl.h"

namespace stiction {
namespace {

void check_body(const Model& model, const std::string& what, int body) {
  if (body >= 0 && body < static_cast<int>(model.bodies.size())) return;
  throw InputError(what + ": body " + std::to_string(body) + " does not exist, expected 0 to " +
                   std::to_string(model.bodies.size() - 1));
}

void check_site(const Model& model, int site) {
  if (site >= 0 && site < static_cast<int>(model.sites.size())) return;
  throw InputError("site " + std::to_string(site) + " does not exist, expected one of " +
                   std::to_string(model.sites.size()));
}

void check_gain(const std::string& what, double value) {
  if (value >= 0 && std::isfinite(value)) return;
  throw InputError(what + " is " + std::to_string(value) + ", expected a finite number >= 0");
}

}  // namespace

std::vector<PairForce> Simulation::pair_forces() const {
  std::vector<PairForce> pairs;
  for (const ContactForce& contact : impl_->reported_contacts) {
    const auto same = [&contact](const PairForce& pair) {
      return pair.body1 == contact.body1 && pair.body2 == contact.body2;
    };
    auto found = std::find_if(pairs.begin(), pairs.end(), same);
    if (found == pairs.end()) {
      PairForce pair;
      pair.body1 = contact.body1;
      pair.body2 = contact.body2;
      found = pairs.insert(pairs.end(), pair);
    }
    // The contact's place is where the step began; so is the centre of mass that it turns.
    const Eigen::Vector3d arm =
        contact.point_on(contact.body2) - impl_->reported_com[contact.body2];
    found->force_W += contact.force_W;
    found->torque_W += arm.cross(contact.force_W);
    found->contacts += 1;
  }
  return pairs;
}

Vector6d Simulation::contact_wrench(const std::string& name) const {
  const int body = impl_->model.body_index(name);
  if (body < 0) throw InputError("body '" + name + "' is unknown");
  Vector6d sum = Vector6d::Zero();
  for (const ContactForce& contact : impl_->reported_contacts) {
    if (contact.body1 != body && contact.body2 != body) continue;
    const Eigen::Vector3d force =
        contact.body2 == body ? contact.force_W : Eigen::Vector3d(-contact.force_W);
    sum.head<3>() += force;
    sum.tail<3>() += (contact.point_on(body) - impl_->reported_com[body]).cross(force);
  }
  return sum;
}

Pose Simulation::body_pose(int body) const {
  check_body(impl_->model, "pose", body);
  return {impl_->tree.p_WB[body], impl_->tree.q_WB[body]};
}

Pose Simulation::site_pose(int site) const {
  check_site(impl_->model, site);
  const Site& where = impl_->model.sites[site];
  return body_pose(where.body) * where.X_BS;
}

Vector6d Simulation::body_velocity(int body) const {
  check_body(impl_->model, "velocity", body);
  return point_velocity(impl_->tree, body, impl_->tree.p_WB[body]);
}

Vector6d Simulation::site_velocity(int site) const {
  const Eigen::Vector3d p_WS = site_pose(site).p;
  return point_velocity(impl_->tree, impl_->model.sites[site].body, p_WS);
}

const Eigen::VectorXd& Simulation::sensordata() const { return impl_->sensordata; }

Eigen::VectorXd Simulation::sensor(const std::string& name) const {
  const std::vector<Sensor>& sensors = impl_->model.sensors;
  for (size_t k = 0; k < sensors.size(); ++k) {
    if (sensors[k].name == name) {
      return impl_->sensordata.segment(impl_->sensors[k].begin, sensors[k].dim);
    }
  }
  throw InputError("sensor '" + name + "' is unknown");
}

int Simulation::add_spring(const Spring& spring) {
  const std::string what = "spring " + std::to_string(impl_->springs.size());
  check_body(impl_->model, what, spring.body1);
  check_body(impl_->model, what, spring.body2);
  if (spring.body1 == spring.body2) throw InputError(what + " ties a body to itself");
  check_gain(what + ": stiffness", spring.stiffness);
  check_gain(what + ": damping", spring.damping);
  if (spring.stiffness == 0 && spring.damping == 0) {
    throw InputError(what + " has neither stiffness nor damping");
  }
  if (!spring.anchor1.allFinite() || !spring.anchor2.allFinite()) {
    throw InputError(what + ": an anchor is not finite");
  }
  impl_->springs.push_back(spring);
  return static_cast<int>(impl_->springs.size()) - 1;
}

int Simulation::add_rolling(const Rolling& rolling) {
  const std::string what = "rolling " + std::to_string(impl_->rolling.size());
  check_body(impl_->model, what, rolling.body);
  if (impl_->structure.mover[rolling.body] < 0) {
    throw InputError(what + ": body '" + impl_->model.bodies[rolling.body].name +
                     "' does not move");
  }
  const double norm = rolling.normal_W.norm();
  if (!rolling.contact_W.allFinite() || !(norm > 0) || !std::isfinite(norm)) {
    throw InputError(what + ": the contact and the normal must be finite, the normal not zero");
  }
  impl_->rolling.push_back(rolling);
  return static_cast<int>(impl_->rolling.size()) - 1;
}

}  // namespace stiction
