// Equality constraints that are open when a run begins close on positions alone: at a bounded
// speed, and with no more energy than before. Those that are closed stay so, however fast. The
// report says how far the worst one is open.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>

#include "io/mjcf_file.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

const char* const kWeightless =
    R"(<compiler angle="radian"/><option gravity="0 0 0" timestep="0.004166666666666667"/>)";

std::string two_boxes(const char* equality) {
  return std::string(kWeightless) + R"(
    <worldbody>
      <body name="a"><freejoint/><geom type="box" size=".1 .05 .02" mass="1" contype="0"/></body>
      <body name="b" pos="0.5 0 0"><freejoint/>
        <geom type="box" size=".1 .05 .02" mass="2" contype="0"/></body>
    </worldbody>
    <equality>)" +
         equality + "</equality>";
}

// Steps until the loop is closed: it comes nearer in every step, by no more than half a metre (or
// radian) per second, and nothing moves.
void expect_to_close(Simulation& simulation, const std::function<double()>& opening) {
  const double h = simulation.timestep();
  double open = opening();
  ASSERT_GT(open, 0.1);
  for (int k = 0; k < 2400; ++k) {
    const StepReport& report = simulation.step();
    EXPECT_LT(simulation.energy().kinetic, 1e-20);
    EXPECT_LT(std::abs(report.energy_error), 1e-20);
    const double now = opening();
    EXPECT_NEAR(report.equality_error, now, 1e-7 * now + 1e-11);  // arc cosines have 8 digits
    EXPECT_EQ(report.worst_equality, "equality #0");
    EXPECT_LE(open - now, 0.5001 * h);
    EXPECT_LT(now, open > 1e-9 ? open : 1e-11);
    open = now;
  }
  EXPECT_LT(open, 1e-11);
}

void turn_second_box(Simulation& simulation, const Vector3d& shift, const Vector3d& turn) {
  State state = simulation.state();
  const Eigen::Quaterniond q(Eigen::AngleAxisd(turn.norm(), turn.normalized()));
  state.qpos.tail<7>() << Vector3d(0.5, 0, 0) + shift, q.w(), q.vec();
  simulation.set_state(state);
}

TEST(OpenLoop, AConnectClosesWithoutEnergy) {
  Simulation simulation(
      model_of(two_boxes(R"(<connect body1="a" body2="b" anchor="0.2 0.05 0.01"/>)")));
  turn_second_box(simulation, Vector3d(0.1, -0.2, 0.2), Vector3d(0.1, 0.1, -0.2));
  const Equality& loop = simulation.model().equalities[0];
  expect_to_close(simulation, [&] {
    const Pose a = simulation.body_pose(1);
    const Pose b = simulation.body_pose(2);
    return (a.p + a.q * loop.anchor1 - b.p - b.q * loop.anchor2).norm();
  });
}

TEST(OpenLoop, AWeldDoes) {
  for (double angle : {0.5, 3.0}) {
    Simulation simulation(model_of(two_boxes(R"(<weld body1="a" body2="b"/>)")));
    turn_second_box(simulation, Vector3d(0.1, -0.2, 0.2), angle * Vector3d(1, 2, 2) / 3);
    expect_to_close(simulation, [&] {
      const Pose a = simulation.body_pose(1);
      const Pose b = simulation.body_pose(2);
      const double across = (a.q.conjugate() * (b.p - a.p) - Vector3d(0.5, 0, 0)).norm();
      return std::max(across, a.q.angularDistance(b.q));
    });
  }
}

TEST(OpenLoop, CoupledJointsAndTendonsDo) {
  const std::string pendulums = std::string(kWeightless) + R"(
    <worldbody>
      <body><joint name="x" type="hinge" axis="0 1 0"/><geom type="sphere" size=".1" pos="0 0 -1" mass="1"/></body>
      <body><joint name="y" type="hinge" axis="0 1 0"/><geom type="sphere" size=".1" pos="0 0 -1" mass="2"/></body>
    </worldbody>)";
  for (const char* rest :
       {R"(<equality><joint joint1="y" joint2="x" polycoef="0 2 0.5 0 0"/></equality>)",
        R"(<tendon><fixed name="t"><joint joint="y" coef="1"/><joint joint="x" coef="-2"/>
                              </fixed></tendon><equality><tendon tendon1="t"/></equality>)"}) {
    Simulation simulation(model_of(pendulums + rest));
    const double square = simulation.model().equalities[0].polycoef[2];
    State state = simulation.state();
    state.qpos << 0.3, -0.4;
    simulation.set_state(state);
    expect_to_close(simulation, [&] {
      const double x = simulation.state().qpos[0];
      return std::abs(simulation.state().qpos[1] - 2 * x - square * x * x);
    });
  }
}

// A pendulum of 1 m that should reach a point at 1.5 m, in a direction 2 rad away, turns there.
TEST(OpenLoop, OneThatCannotCloseComesAsNearAsItCan) {
  Simulation simulation(model_of(std::string(kWeightless) + R"(
    <worldbody>
      <body name="rod"><joint type="hinge" axis="0 1 0"/>
        <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -1" mass="1"/></body>
    </worldbody>
    <equality><connect body1="rod" anchor="0 0 -1.5"/></equality>)"));
  Model model = simulation.model();
  model.equalities[0].anchor1 = Vector3d(0, 0, -1);
  simulation = Simulation(model);
  State state = simulation.state();
  state.qpos[0] = 2;
  simulation.set_state(state);
  const auto opening = [&] {
    return (simulation.body_pose(1).q * Vector3d(0, 0, -1) - Vector3d(0, 0, -1.5)).norm();
  };
  for (int k = 0; k < 1200; ++k) {
    const double before = opening();
    simulation.step();
    EXPECT_LT(simulation.energy().kinetic, 1e-20);
    EXPECT_LE(before - opening(), 0.5001 * simulation.timestep());
  }
  EXPECT_NEAR(simulation.state().qpos[0], 0, 1e-6);
  EXPECT_TRUE(simulation.report().within_tolerance);
  EXPECT_NEAR(simulation.report().equality_error, 0.5, 1e-10);
}

// Both ends of a chain are pinned where it is straight, a place from which Newton's method does not
// come back: whatever becomes of it, the report has the gap that the poses have.
TEST(OpenLoop, TheReportNamesTheWorstOfSeveral) {
  std::string bodies;
  std::string pins = R"(<connect body1="l0" anchor="0 0 0"/>)";
  constexpr int kLinks = 6;
  for (int k = 0; k < kLinks; ++k) {
    const std::string name = "l" + std::to_string(k);
    bodies += "<body name='" + name + "' pos='" + std::to_string(0.1 * k) +
              " 0 0'><freejoint/><geom type='capsule' fromto='0 0 0 .1 0 0' size='.01' "
              "mass='.05' contype='0'/></body>";
    const std::string next = "l" + std::to_string(k + 1);
    pins += "<connect name='end of " + name + "' body1='" + name + "' " +
            (k + 1 < kLinks ? "body2='" + next + "' " : "") + "anchor='.1 0 0'/>";
  }
  Simulation simulation(
      model_of("<worldbody>" + bodies + "</worldbody><equality>" + pins + "</equality>"));
  const std::vector<Equality>& equalities = simulation.model().equalities;
  for (int k = 0; k < 200; ++k) {
    const StepReport& report = simulation.step();
    double worst = 0;
    double of_named = 0;  // the chain is symmetric: two may be the worst but for rounding
    for (size_t i = 0; i < equalities.size(); ++i) {
      const Equality& loop = equalities[i];
      const Pose a = simulation.body_pose(loop.object1);
      const Pose b = simulation.body_pose(loop.object2);
      const double open = (a.p + a.q * loop.anchor1 - b.p - b.q * loop.anchor2).norm();
      const std::string name =
          loop.name.empty() ? "equality #" + std::to_string(i) : "equality '" + loop.name + "'";
      if (name == report.worst_equality) of_named = open;
      worst = std::max(worst, open);
    }
    EXPECT_NEAR(report.equality_error, worst, 1e-14);
    EXPECT_NEAR(report.equality_error, of_named, 1e-14);
  }
}

// Five light links carry 10 kg that is pushed: at 1/240 s they swing faster than a step can follow
// and the pins come open. At 1 ms they hold.
TEST(OpenLoop, PinsThatComeOpenAreMisses) {
  std::string bodies;
  std::string pins;
  for (int k = 0; k < 6; ++k) {
    const std::string name = "l" + std::to_string(k);
    const std::string shape = k < 5 ? "type='capsule' fromto='0 0 0 0 0 -.1' size='.01' mass='.01'"
                                    : "type='sphere' size='.05' mass='10'";
    bodies += "<body name='" + name + "' pos='0 0 " + std::to_string(-0.1 * k) +
              "'><freejoint/><geom " + shape + " contype='0' conaffinity='0'/></body>";
    const std::string to = k > 0 ? "body2='l" + std::to_string(k - 1) + "' " : "";
    pins += "<connect body1='" + name + "' " + to + "anchor='0 0 0'/>";
  }
  for (const double h : {1.0 / 240, 1e-3}) {
    Model model =
        model_of("<worldbody>" + bodies + "</worldbody><equality>" + pins + "</equality>");
    model.options.timestep = h;
    Simulation simulation(model);
    State state = simulation.state();
    state.qvel[30] = 0.5;
    simulation.set_state(state);
    double worst = 0;
    bool told = false;
    for (int k = 0; k < std::lround(1 / h); ++k) {
      const double before = worst;
      const StepReport& report = simulation.step();
      worst = std::max(worst, report.equality_error);
      const bool opens = std::ranges::count(report.misses, Miss::kEquality) > 0;
      EXPECT_EQ(opens, !report.within_tolerance);
      EXPECT_TRUE(opens || worst < before + 1.1e-6) << k;
      told |= opens;
    }
    EXPECT_EQ(told, h > 1e-3);
    EXPECT_EQ(worst > 2e-6, h > 1e-3);
  }
}

TEST(OpenLoop, CountsOnlyIfItIsOn) {
  Model model = model_of(two_boxes(R"(<connect body1="a" body2="b" anchor="0.2 0.05 0.01"/>)"));
  model.equalities[0].anchor1 += Vector3d(0, 1, 0);
  for (const bool by_option : {true, false}) {
    Model off = model;
    (by_option ? off.options.equality_enabled : off.equalities[0].active) = false;
    Simulation simulation(off);
    EXPECT_EQ(simulation.step().equality_error, 0);
    EXPECT_EQ(simulation.report().worst_equality, "");
  }
}

// A box on a pivot 0.2 m away goes round at 100 rad/s, 0.42 rad per step. The first step turns the
// velocity from the tangent to the chord, and the pivot's impulse, which is radial, leaves the part
// along the tangent as it is: the speed grows by at most 1 / cos 0.21, and keeps from then on.
TEST(ClosedLoop, StaysClosedHoweverFast) {
  Simulation simulation(model_of(two_boxes(R"(<connect body1="a" anchor="0.2 0 0"/>)")));
  State state = simulation.state();
  state.qvel.head<6>() << 0, -20, 0, 0, 0, 100;
  simulation.set_state(state);
  const double before = simulation.energy().kinetic;
  simulation.step();
  const double on_the_chord = simulation.energy().kinetic;
  const double half_turn = 50 * simulation.timestep();
  EXPECT_GE(on_the_chord, before);
  EXPECT_LE(on_the_chord, before / std::pow(std::cos(half_turn), 2));
  for (int k = 0; k < 8; ++k) simulation.step();
  const double settled = simulation.energy().kinetic;
  EXPECT_NEAR(settled, on_the_chord, 1e-3 * on_the_chord);
  for (int k = 0; k < 48; ++k) {
    simulation.step();
    const Pose a = simulation.body_pose(1);
    EXPECT_LT((a.p + a.q * Vector3d(0.2, 0, 0) - Vector3d(0.2, 0, 0)).norm(), 1e-11);
    EXPECT_NEAR(simulation.energy().kinetic, settled, 1e-9 * settled);
  }
}

// Two free boxes that hold each other go round for 10 s at 5 rad/s: nothing else acts on them, so
// that momenta keep, and rigid rotation keeps its energy. Along the tangent of every step they
// would lose w^2 h / 2 of their speed per second.
TEST(ClosedLoop, KeepsMomentaAndEnergy) {
  for (const char* equality : {R"(<weld body1="a" body2="b"/>)",
                               R"(<connect body1="a" body2="b" anchor="0.25 0 0"/>
                                  <connect body1="a" body2="b" anchor="0.25 0.1 0"/>
                                  <connect body1="a" body2="b" anchor="0.25 0 0.1"/>)"}) {
    Simulation simulation(model_of(two_boxes(equality)));
    State state = simulation.state();
    const Vector3d w(0, 0, 5);
    const double middle = 1.0 / 3;  // of 1 kg at 0 and 2 kg at 0.5 m
    state.qvel << w.cross(Vector3d(-middle, 0, 0)), w, w.cross(Vector3d(0.5 - middle, 0, 0)), w;
    simulation.set_state(state);
    const auto angular_momentum = [&] {
      const State& now = simulation.state();
      const double I[] = {(0.01 + 0.0025) / 3, 2 * (0.01 + 0.0025) / 3};
      double sum = 0;
      for (int b = 0; b < 2; ++b) {
        const Vector3d p = now.qpos.segment<3>(7 * b);
        const Vector3d v = now.qvel.segment<3>(6 * b);
        sum += (b + 1) * p.cross(v)[2] + I[b] * now.qvel[6 * b + 5];
      }
      return sum;
    };
    const double L = angular_momentum();
    const double energy = simulation.energy().kinetic;
    for (int k = 0; k < 2400; ++k) {
      const StepReport& report = simulation.step();
      ASSERT_TRUE(report.within_tolerance);
      ASSERT_LT(report.equality_error, 1e-11);
    }
    EXPECT_NEAR(angular_momentum(), L, 1e-6 * L) << equality;
    // (w h)^2 / 4 of the part that is translation comes with the first step's chord.
    EXPECT_NEAR(simulation.energy().kinetic, energy, 1.1e-4 * energy) << equality;
  }
}

// About no axis of symmetry: a rigid body in space keeps its energy and its angular momentum, of
// which a weld makes two bodies one.
TEST(ClosedLoop, WeldedBodiesTumbleWithoutADrift) {
  SimulationOptions options;
  options.timestep = 0.004;
  Simulation simulation(model_of(R"(<option gravity="0 0 0"/><worldbody>
      <body name="a"><freejoint/><geom type="box" size=".1 .2 .05" mass="1"/></body>
      <body name="b" pos=".2 0 .1"><freejoint/>
        <geom type="box" size=".1 .05 .15" mass="1" contype="0" conaffinity="0"/></body>
    </worldbody><equality><weld body1="a" body2="b"/></equality>)"),
                        options);
  State state = simulation.state();
  const Vector3d w(10, 10, 10);
  state.qvel << 0, 0, 0, w, w.cross(Vector3d(0.2, 0, 0.1)), w;
  simulation.set_state(state);
  simulation.step();  // onto the chord
  const double energy = simulation.energy().kinetic;
  const double L = momentum(simulation.model(), simulation.tree()).tail<3>().norm();
  for (int k = 0; k < 5000; ++k) simulation.step();
  EXPECT_NEAR(simulation.energy().kinetic, energy, 0.01 * energy);
  EXPECT_NEAR(momentum(simulation.model(), simulation.tree()).tail<3>().norm(), L, 0.01 * L);
}

// The certificate counts the work of an ideal pin as an error, and a pendulum on one keeps its
// energy to O(h) oscillations, as one with a hinge does.
TEST(ClosedLoop, APendulumOnAPinKeepsItsEnergy) {
  Simulation simulation(model_of(R"(
    <option timestep="0.004"/>
    <worldbody><body name="h" pos="0.5 0 2"><freejoint/>
      <geom type="box" size=".5 .1 .1" mass="1" contype="0"/></body></worldbody>
    <equality><connect body1="h" anchor="-0.5 0 0"/></equality>)"));
  const Energy start = simulation.energy();
  double errors = 0;
  double most = 0;
  for (int k = 0; k < 2500; ++k) {
    const StepReport& report = simulation.step();
    errors += report.energy_error;
    const double change = report.energy - start.potential - start.kinetic;
    EXPECT_NEAR(errors, change, 1e-9);
    most = std::max(most, std::abs(change));
  }
  EXPECT_LT(most, 0.02 * 9.81 * 0.5);  // h g times the largest speed, of the swing's energy m g l
}

// A planar four-bar with a motor, without weight. Across its plane the connect has nothing to do,
// and in most directions its J there is rounding: the motion is the same in all of them.
TEST(ClosedLoop, APlanarOneMovesTheSameInEveryPlane) {
  double expected = 0;
  for (const char* plane :
       {"0 0 0", "1.5707963267948966 0 0", "-1.5707963267948966 0 0", "0 1.5707963267948966 0",
        "0 0 1.5707963267948966", "3.141592653589793 0 0", "0.7853981633974483 0 0", ".5 0 1"}) {
    Simulation simulation(model_of(R"(
      <compiler angle="radian"/>
      <option timestep="0.002" gravity="0 0 0"/>
      <default><geom type="capsule" size=".01" mass=".02" contype="0" conaffinity="0"/>
        <joint axis="0 1 0" armature=".001"/></default>
      <worldbody><body euler=")" + std::string(plane) +
                                   R"(">
        <body name="a"><joint name="ja"/><geom fromto="0 0 0 0 0 .2"/>
          <body name="b" pos="0 0 .2"><joint/><geom fromto="0 0 0 .3 0 .05"/></body></body>
        <body name="c" pos=".3 0 0"><joint/><geom fromto="0 0 0 0 0 .25"/></body>
      </body></worldbody>
      <equality><connect body1="b" body2="c" anchor=".3 0 .05"/></equality>
      <actuator><motor joint="ja" gear=".1"/></actuator>)"));
    simulation.ctrl()[0] = 1;
    for (int k = 0; k < 100; ++k) EXPECT_TRUE(simulation.step().within_tolerance) << plane;
    const double energy = simulation.energy().kinetic;
    if (expected == 0) expected = energy;
    EXPECT_GT(energy, 0.01) << plane;
    EXPECT_NEAR(energy, expected, 1e-5 * expected) << plane;
  }
}

}  // namespace
}  // namespace stiction
