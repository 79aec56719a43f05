// Sensors with MuJoCo's meanings, against closed forms.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <cmath>

#include "io/mjcf_file.h"

namespace stiction {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kGravity = 9.81;

void run(Simulation& simulation, int steps) {
  for (int k = 0; k < steps; ++k) simulation.step();
}

TEST(Sensors, AtRestOnTheFloor) {
  Simulation simulation(model_of(R"(
    <worldbody>
      <geom name="floor" type="plane" size="1 1 1"/>
      <body name="box" pos="0 0 0.1" euler="0 0 90">
        <freejoint/>
        <geom type="box" size="0.1 0.1 0.1" mass="2"/>
        <site name="imu" pos="0.05 0 0" euler="0 90 0"/>
        <site name="sole" pos="0 0 -0.1" type="box" size="0.2 0.2 0.01"/>
        <site name="lid" pos="0 0 0.2" type="sphere" size="0.01"/>
      </body>
    </worldbody>
    <sensor>
      <accelerometer name="a" site="imu"/>
      <touch name="sole" site="sole"/>
      <touch name="lid" site="lid"/>
      <framelinacc name="la" objtype="site" objname="imu"/>
      <clock name="clock"/>
      <framepos name="p" objtype="site" objname="imu"/>
      <subtreecom name="com" body="box"/>
    </sensor>)"));
  run(simulation, 20);
  // The site's x axis points down (its frame is turned by 90 degrees about y).
  EXPECT_NEAR((simulation.sensor("a") - Vector3d(-kGravity, 0, 0)).norm(), 0, 1e-5);
  EXPECT_NEAR((simulation.sensor("la") - Vector3d(0, 0, kGravity)).norm(), 0, 1e-5);
  EXPECT_NEAR(simulation.sensor("sole")[0], 2 * kGravity, 1e-4);
  EXPECT_EQ(simulation.sensor("lid")[0], 0);
  EXPECT_NEAR(simulation.sensor("clock")[0], 20 * simulation.timestep(), 1e-12);
  EXPECT_NEAR((simulation.sensor("p") - Vector3d(0, 0.05, 0.1)).norm(), 0, 1e-6);
  EXPECT_NEAR((simulation.sensor("com") - Vector3d(0, 0, 0.1)).norm(), 0, 1e-6);
  EXPECT_EQ(simulation.sensordata().size(), 3 + 1 + 1 + 3 + 1 + 3 + 3);
  EXPECT_EQ(simulation.sensordata().head<3>(), simulation.sensor("a"));
  EXPECT_EQ(simulation.sensordata().tail<3>(), simulation.sensor("com"));
}

TEST(Sensors, HangingMassPullsWithItsWeight) {
  Simulation simulation(model_of(R"(
    <worldbody>
      <body name="beam" pos="0 0 2">
        <joint name="hinge" axis="0 1 0"/>
        <geom type="sphere" size="0.01" mass="0.5" pos="0 0 -0.5"/>
        <site name="mount" pos="0 0 0"/>
        <body name="load" pos="0 0 -1">
          <geom type="sphere" size="0.1" mass="3"/>
          <site name="hook" pos="0.2 0 0"/>
        </body>
      </body>
    </worldbody>
    <sensor>
      <force name="hook" site="hook"/>
      <torque name="turn" site="hook"/>
      <force name="mount" site="mount"/>
    </sensor>)"));
  run(simulation, 10);
  // MuJoCo: the force with which the parent holds the child, in the site's frame.
  EXPECT_NEAR((simulation.sensor("hook") - Vector3d(0, 0, 3 * kGravity)).norm(), 0, 1e-9);
  // It acts at the load's centre, 0.2 m behind the site: r x F = (-0.2, 0, 0) x (0, 0, mg).
  EXPECT_NEAR((simulation.sensor("turn") - Vector3d(0, 0.2 * 3 * kGravity, 0)).norm(), 0, 1e-9);
  EXPECT_NEAR((simulation.sensor("mount") - Vector3d(0, 0, 3.5 * kGravity)).norm(), 0, 1e-9);
}

TEST(Sensors, LimitsReadNothingUntilTheyAct) {
  Simulation simulation(model_of(R"(
    <worldbody>
      <body name="slider" pos="0 0 1">
        <joint name="rail" type="slide" axis="0 0 1" range="-0.1 1"/>
        <geom type="sphere" size="0.01" mass="0.5"/>
      </body>
    </worldbody>
    <sensor>
      <jointlimitpos name="p" joint="rail"/>
      <jointlimitvel name="v" joint="rail"/>
      <jointlimitfrc name="f" joint="rail"/>
    </sensor>)"));
  run(simulation, 5);
  for (const char* name : {"p", "v", "f"}) EXPECT_EQ(simulation.sensor(name)[0], 0) << name;
  run(simulation, 500);
  EXPECT_NEAR(simulation.sensor("p")[0], 0, 1e-9);
  EXPECT_NEAR(simulation.sensor("f")[0], 0.5 * kGravity, 1e-6);
}

TEST(Sensors, SpinningArm) {
  Simulation simulation(model_of(R"(
    <option gravity="0 0 0" timestep="1e-4"/>
    <worldbody>
      <body name="arm">
        <joint name="hinge" axis="0 0 1"/>
        <geom type="sphere" size="0.01" mass="2" pos="0.5 0 0"/>
        <site name="tip" pos="0.5 0 0"/>
      </body>
    </worldbody>
    <sensor>
      <gyro name="w" site="tip"/>
      <velocimeter name="v" site="tip"/>
      <accelerometer name="a" site="tip"/>
      <jointpos name="q" joint="hinge"/>
      <jointvel name="qd" joint="hinge"/>
      <frameangvel name="wf" objtype="site" objname="tip"/>
      <framelinvel name="vf" objtype="site" objname="tip"/>
      <framelinvel name="vr" objtype="body" objname="world" reftype="site" refname="tip"/>
      <subtreeangmom name="L" body="arm"/>
      <force name="f" site="tip"/>
    </sensor>)"));
  State state = simulation.state();
  state.qvel[0] = 4;
  simulation.set_state(state);
  run(simulation, 100);
  const double angle = simulation.state().qpos[0];
  const Vector3d along(std::cos(angle), std::sin(angle), 0);
  const Vector3d across(-std::sin(angle), std::cos(angle), 0);
  EXPECT_NEAR((simulation.sensor("w") - Vector3d(0, 0, 4)).norm(), 0, 1e-9);
  EXPECT_NEAR((simulation.sensor("v") - Vector3d(0, 2, 0)).norm(), 0, 1e-9);
  EXPECT_NEAR((simulation.sensor("a") - Vector3d(-8, 0, 0)).norm(), 0, 1e-9);  // omega^2 r
  EXPECT_NEAR((simulation.sensor("f") - Vector3d(-16, 0, 0)).norm(), 0, 1e-9);
  EXPECT_NEAR((simulation.sensor("wf") - Vector3d(0, 0, 4)).norm(), 0, 1e-9);
  EXPECT_NEAR((simulation.sensor("vf") - 2 * across).norm(), 0, 1e-9);
  // Seen from the tip, the world's origin is at (-0.5, 0, 0) of its frame and stays there.
  EXPECT_NEAR(simulation.sensor("vr").norm(), 0, 1e-9);
  EXPECT_NEAR(simulation.sensor("q")[0], angle, 1e-12);
  EXPECT_NEAR(simulation.sensor("qd")[0], 4, 1e-9);
  // A point mass and its sphere, about the subtree's own centre of mass.
  EXPECT_NEAR(simulation.sensor("L")[2], 0.4 * 2 * 1e-4 * 4, 1e-9);
  EXPECT_NEAR(along.dot(simulation.site_pose(0).p), 0.5, 1e-9);
  EXPECT_NEAR((simulation.site_velocity(0).head<3>() - 2 * across).norm(), 0, 1e-9);
}

TEST(Sensors, ActuatorsTendonsAndBalls) {
  Simulation simulation(model_of(R"(
    <option gravity="0 0 0"/>
    <worldbody>
      <body name="a"><joint name="a" axis="0 0 1"/><geom type="sphere" size="0.1" mass="1"/></body>
      <body name="b" pos="1 0 0"><joint name="b" axis="0 0 1"/>
        <geom type="sphere" size="0.1" mass="1"/></body>
      <body name="c" pos="3 0 0"><joint name="c" type="ball"/>
        <geom type="sphere" size="0.1" mass="1"/></body>
    </worldbody>
    <tendon>
      <fixed name="t"><joint joint="a" coef="2"/><joint joint="b" coef="-1"/></fixed>
    </tendon>
    <actuator>
      <motor name="m" joint="a" gear="3"/>
      <motor name="mt" tendon="t"/>
    </actuator>
    <sensor>
      <actuatorfrc name="f" actuator="m"/>
      <actuatorpos name="l" actuator="m"/>
      <actuatorvel name="ld" actuator="m"/>
      <jointactuatorfrc name="ja" joint="a"/>
      <tendonpos name="tp" tendon="t"/>
      <tendonvel name="tv" tendon="t"/>
      <tendonactuatorfrc name="tf" tendon="t"/>
      <ballquat name="bq" joint="c"/>
      <ballangvel name="bw" joint="c"/>
    </sensor>)"));
  simulation.ctrl() << 0.01, 0.005;
  State state = simulation.state();
  state.qvel.tail<3>() << 0.1, 0.2, 0.3;
  simulation.set_state(state);
  run(simulation, 10);
  const VectorXd& q = simulation.state().qpos;
  const VectorXd& v = simulation.state().qvel;
  EXPECT_NEAR(simulation.sensor("f")[0], 0.01, 1e-12);
  EXPECT_NEAR(simulation.sensor("l")[0], 3 * q[0], 1e-12);
  EXPECT_NEAR(simulation.sensor("ld")[0], 3 * v[0], 1e-12);
  EXPECT_NEAR(simulation.sensor("ja")[0], 3 * 0.01 + 2 * 0.005, 1e-12);
  EXPECT_NEAR(simulation.sensor("tp")[0], 2 * q[0] - q[1], 1e-12);
  EXPECT_NEAR(simulation.sensor("tv")[0], 2 * v[0] - v[1], 1e-12);
  EXPECT_NEAR(simulation.sensor("tf")[0], 0.005, 1e-12);
  EXPECT_EQ(simulation.sensor("bq"), q.segment<4>(2));
  EXPECT_EQ(simulation.sensor("bw"), v.segment<3>(2));
  EXPECT_GT(v[0], 0.1);
}

// F hangs from the world by a connect or a spring and carries A: on F, A pulls with its weight of
// 1 kg, and F itself weighs 2 kg.
TEST(Sensors, AForceSensorKnowsWhatIsTiedToABodyWithoutJoints) {
  const char* const text = R"(
    <option timestep="0.004"/>
    <worldbody>
      <body name="A" pos="0 0 1"><joint type="slide" axis="0 0 1"/>
        <geom type="sphere" size="0.1" mass="1"/>
        <body name="F"><geom type="sphere" size="0.1" mass="2"/><site name="s"/></body>
      </body>
    </worldbody>
    %s
    <sensor><force name="f" site="s"/></sensor>)";
  for (bool spring : {false, true}) {
    char file[1000];
    std::snprintf(file, sizeof file, text,
                  spring ? "" : R"(<equality><connect body1="F" anchor="0 0 0"/></equality>)");
    Simulation simulation(model_of(file));
    if (spring) {
      Spring tie;
      tie.body1 = simulation.model().body_index("F");
      tie.anchor2 = Eigen::Vector3d(0, 0, 1);
      tie.stiffness = 1e5;
      tie.damping = 1e3;
      simulation.add_spring(tie);
    }
    for (int k = 0; k < 1000; ++k) simulation.step();
    EXPECT_NEAR(simulation.sensor("f")[2], -9.81, 1e-4) << spring;
  }
}

}  // namespace
}  // namespace stiction
