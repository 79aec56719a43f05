// A motor presses a bar on a hinge into the floor so steeply that friction locks it: contact forces
// that cancel each other could be of any size. They balance the motor and no more, and the bar
// stays.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <cmath>
#include <string>

#include "io/mjcf_file.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

Simulation bar(const std::string& shape, double friction, double height, double restitution) {
  const std::string mu = "friction='" + std::to_string(friction) + "'";
  const std::string size = shape == "box" ? "0.02 0.02 0.3" : "0.02 0.3";
  return Simulation(model_of(R"(<compiler angle="radian"/><option timestep="0.004166666666666667"/>
    <custom><numeric name="stiction:restitution" data=")" +
                             std::to_string(restitution) + R"("/></custom>
    <worldbody><geom type="plane" size="5 5 .1" )" +
                             mu + R"(/>
      <body pos="0 0 )" + std::to_string(height) +
                             R"("><joint name="hinge" type="hinge" axis="0 1 0"/>
        <geom type=")" + shape +
                             "\" size='" + size + "' pos='.3 0 0' euler='0 1.5707963 0' mass='1' " +
                             mu + R"(/></body></worldbody>
    <actuator><motor joint="hinge"/></actuator>)"));
}

// With the tip at (x, -z) from the hinge it jams where friction is above x / z: here it does, or
// just does not, and a bounce has no solution where it does.
TEST(Jam, ForcesBalanceTheMotorAndNoMore) {
  for (const char* shape : {"capsule", "box"}) {
    for (const double friction : {0.5, 0.7, 1.0}) {
      for (const double height : {0.5, 0.55, 0.6}) {
        for (const double restitution : {0.0, 0.8}) {
          for (const double torque : {1.0, 20.0}) {
            SCOPED_TRACE(std::string(shape) + " " + std::to_string(friction) + " " +
                         std::to_string(height) + " " + std::to_string(restitution) + " " +
                         std::to_string(torque));
            Simulation simulation = bar(shape, friction, height, restitution);
            simulation.ctrl()[0] = torque;
            double most = 0;
            for (int k = 0; k < 480; ++k) {
              EXPECT_TRUE(simulation.step().within_tolerance) << k;
              for (const ContactForce& contact : simulation.contacts()) {
                most = std::max(most, contact.force_W.norm());
              }
            }
            // 1 kg at some 10 m/s is stopped within 1/240 s: with a thousandth of the lever left,
            // by 1e6 N.
            EXPECT_LT(most, 1e6);
            if (std::abs(simulation.state().qvel[0]) > 1e-6) continue;  // it still bounces
            double held = 0;
            for (const ContactForce& contact : simulation.contacts()) {
              const Vector3d arm = contact.p_W - Vector3d(0, 0, height);
              held -= arm.cross(contact.force_W)[1];
            }
            const double weight = 9.81 * 0.3 * std::cos(simulation.state().qpos[0]);
            EXPECT_NEAR(held, torque + weight, 1e-3);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace stiction
