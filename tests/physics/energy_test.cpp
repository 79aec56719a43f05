// Energy and momentum: pendulums to the integrator's order, Poinsot's motion, a floating
// quadruped, elastic bounces.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <cmath>

#include "io/mjcf_file.h"
#include "scenes/parts.h"

namespace stiction {
namespace {

double total(const Energy& energy) { return energy.kinetic + energy.potential; }

Simulation with_step(const Model& model, double h) {
  SimulationOptions options;
  options.timestep = h;
  return Simulation(model, options);
}

// Largest |E - E0| within `duration`, as a share of `scale`.
double energy_drift(Simulation& simulation, double duration, double scale) {
  const double start = total(simulation.energy());
  double largest = 0;
  while (simulation.state().time < duration - 1e-9) {
    simulation.step();
    largest = std::max(largest, std::abs(total(simulation.energy()) - start));
  }
  return largest / scale;
}

const char* const kPendulums = R"(
  <worldbody>
    <body name="first">
      <joint name="one" axis="0 1 0"/>
      <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -1" mass="1" contype="0" conaffinity="0"/>
      %s
    </body>
  </worldbody>)";
const char* const kSecond = R"(
      <body name="second" pos="0 0 -1">
        <joint name="two" axis="0 1 0"/>
        <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -1" mass="1" contype="0"
              conaffinity="0"/>
      </body>)";

// Without gravity and friction, whatever spins keeps its energy: taken at the start of the step,
// Coriolis forces would make it grow by h omega^2 / 2 per second or so, up to infinity.
TEST(Spinning, TreesKeepTheirEnergy) {
  const char* const ball = R"(
    <body><joint type="ball"/><geom type="box" size=".05 .1 .3" pos="0 0 .2" mass="1"/></body>)";
  const char* const chain = R"(
    <body><joint type="hinge" axis="0 1 0"/>
      <geom type="capsule" size=".02" fromto="0 0 0 0 0 -1" mass="1" contype="0" conaffinity="0"/>
      <body pos="0 0 -1"><joint type="hinge" axis="0 1 0"/>
        <geom type="capsule" size=".02" fromto="0 0 0 0 0 -1" mass="1" contype="0" conaffinity="0"/>
      </body>
    </body>)";
  const char* const limb = R"(
    <body><freejoint/><geom type="box" size=".05 .1 .3" mass="1"/>
      <body pos="0 0 .3"><joint type="hinge" axis="0 1 0"/>
        <geom type="capsule" size=".02" fromto="0 0 0 0 0 .3" mass="0.1" contype="0" conaffinity="0"/>
      </body>
    </body>)";
  struct Case {
    const char* bodies;
    std::vector<double> qvel;
    double drift;  // of the energy in 5 s
  };
  const Case cases[] = {{ball, {5, 5, 5}, 1e-3},
                        {ball, {20, 20, 20}, 1e-3},
                        {ball, {50, 50, 50}, 0.02},
                        {chain, {20, -20}, 0.05},
                        {limb, {0, 0, 0, 0.1, 10, 0.1, 0}, 0.01},
                        {limb, {0, 0, 0, 0.1, 20, 0.1, 0}, 0.05}};
  for (const Case& spin : cases) {
    Simulation simulation =
        with_step(model_of(std::string(R"(<option gravity="0 0 0"/><worldbody>)") + spin.bodies +
                           "</worldbody>"),
                  1.0 / 240);
    State state = simulation.state();
    state.qvel = Eigen::Map<const Eigen::VectorXd>(spin.qvel.data(), state.qvel.size());
    simulation.set_state(state);
    const double start = total(simulation.energy());
    EXPECT_LT(energy_drift(simulation, 5, start), spin.drift) << spin.bodies << spin.qvel.back();
  }
}

TEST(Pendulum, EnergyErrorIsOfFirstOrder) {
  for (const char* second : {"", kSecond}) {
    char text[2000];
    std::snprintf(text, sizeof text, kPendulums, second);
    const Model model = model_of(text);
    double previous = 0;
    for (double h : {4e-3, 2e-3, 1e-3}) {
      Simulation simulation = with_step(model, h);
      State state = simulation.state();
      state.qpos.setConstant(1.2);
      simulation.set_state(state);
      const double drift = energy_drift(simulation, 2, 9.81);
      EXPECT_LT(drift, 20 * h) << h;
      if (previous > 0) {
        EXPECT_NEAR(previous / drift, 2, 0.4) << h;
      }
      previous = drift;
    }
  }
}

// A symmetric top without torque: seen from the body, omega turns about the axis of symmetry with
// the rate (I3 - I1) / I1 omega3.
TEST(Poinsot, SymmetricTopPrecesses) {
  double previous = 0;
  for (double h : {1e-3, 5e-4}) {
    Simulation simulation = with_step(model_of(R"(<option gravity="0 0 0"/>
      <worldbody><body name="top"><freejoint/>
        <inertial pos="0 0 0" mass="1" diaginertia="0.02 0.02 0.03"/></body></worldbody>)"),
                                      h);
    State state = simulation.state();
    state.qvel.tail<3>() << 1, 0, 6;
    simulation.set_state(state);
    while (simulation.state().time < 0.5 - 1e-9) simulation.step();
    const double angle = (0.03 - 0.02) / 0.02 * 6 * 0.5;
    const Eigen::Vector3d expected(std::cos(angle), std::sin(angle), 6);
    const double error = (simulation.state().qvel.tail<3>() - expected).norm();
    EXPECT_LT(error, 10 * h * h);
    if (previous > 0) {
      EXPECT_NEAR(previous / error, 4, 0.2);
    }
    previous = error;
  }
}

// About the middle axis, where every error grows, and at half a radian per step.
TEST(Poinsot, TumblingKeepsItsEnergy) {
  for (const double speed : {20.0, 120.0}) {
    Simulation simulation = with_step(model_of(R"(<option gravity="0 0 0"/>
      <worldbody><body><freejoint/>
        <inertial pos="0 0 0" mass="1" diaginertia="0.02 0.03 0.045"/></body></worldbody>)"),
                                      1.0 / 240);
    State state = simulation.state();
    state.qvel.tail<3>() << 0.01, speed, 0.01;
    simulation.set_state(state);
    const double before = simulation.energy().kinetic;
    double least = speed;
    for (int k = 0; k < 2400; ++k) {
      simulation.step();
      least = std::min(least, simulation.state().qvel[4]);
    }
    EXPECT_NEAR(simulation.energy().kinetic, before, 1e-10 * before) << speed;
    EXPECT_LT(least, -0.9 * speed);  // it has turned over
  }
}

Model quadruped() {
  std::string legs;
  for (int k = 0; k < 4; ++k) {
    const std::string x = k < 2 ? "0.2" : "-0.2";
    const std::string y = k % 2 == 0 ? "0.1" : "-0.1";
    const std::string name = std::to_string(k);
    legs += "<body name=\"hip" + name + "\" pos=\"" + x + " " + y +
            " 0\"><joint axis=\"1 0 0\"/><geom type=\"sphere\" size=\"0.04\" mass=\"0.7\"/>"
            "<body pos=\"0 0.05 0\"><joint axis=\"0 1 0\"/>"
            "<geom type=\"capsule\" size=\"0.02\" fromto=\"0 0 0 0 0 -0.2\" mass=\"1\"/>"
            "<body pos=\"0 0 -0.2\"><joint axis=\"0 1 0\"/>"
            "<geom type=\"capsule\" size=\"0.01\" fromto=\"0 0 0 0 0 -0.2\" mass=\"0.2\"/>"
            "</body></body></body>";
  }
  return model_of(
      "<option gravity=\"0 0 0\"><flag contact=\"disable\"/></option><worldbody>"
      "<body name=\"trunk\"><freejoint/><geom type=\"box\" size=\"0.2 0.1 0.05\" mass=\"6\"/>" +
      legs + "</body></worldbody>");
}

TEST(FloatingQuadruped, KeepsMomentumAndEnergyToFirstOrder) {
  const Model model = quadruped();
  Vector6d previous_momentum = Vector6d::Zero();
  double previous_energy = 0;
  for (double h : {2e-3, 1e-3}) {
    Simulation simulation = with_step(model, h);
    State state = simulation.state();
    for (int k = 0; k < model.nv; ++k) state.qvel[k] = std::sin(1.7 * k);
    simulation.set_state(state);
    const Vector6d before = momentum(simulation.model(), simulation.tree());
    const double energy = energy_drift(simulation, 0.5, total(simulation.energy()));
    const Vector6d lost = momentum(simulation.model(), simulation.tree()) - before;
    EXPECT_LT(lost.norm() / before.norm(), 20 * h);
    EXPECT_LT(energy, 20 * h);
    if (previous_energy > 0) {
      EXPECT_LT(lost.norm(), 0.6 * previous_momentum.norm());
      EXPECT_LT(energy, 0.6 * previous_energy);
    }
    previous_momentum = lost;
    previous_energy = energy;
  }
}

// SimBenchmark's bouncing: 25 balls, e = 1, E0 = 24034.5 J. Between bounces the integrator keeps
// E - m g h v / 2, and a bounce that turns the velocity keeps it too: E stays within that.
TEST(Bouncing, ElasticBallsKeepTheirEnergy) {
  ModelBuilder builder("bouncing");
  add_floor(builder, 0);
  for (int k = 0; k < 25; ++k) {
    add_free_part(builder, {.name = "ball" + std::to_string(k),
                            .shape = Sphere{0.5},
                            .p = {2.0 * (k % 5), 2.0 * (k / 5), 9.8},
                            .mass = 10,
                            .mu = 0,
                            .restitution = 1});
  }
  Simulation simulation(builder.build());
  const double start = total(simulation.energy());
  EXPECT_NEAR(start, 24034.5, 1e-6);
  const double fastest = std::sqrt(2 * 9.81 * 9.3);
  const double bound = 250 * 9.81 * simulation.timestep() * fastest / 2;
  int bounces = 0;
  for (int k = 0; k < 2400; ++k) {
    const double before = simulation.state().qvel[2];
    simulation.step();
    bounces += before < 0 && simulation.state().qvel[2] > 0;
    ASSERT_LT(std::abs(total(simulation.energy()) - start), 1.05 * bound) << k;
  }
  EXPECT_EQ(bounces, 4);
}

// With theta = 1/2 flight keeps E, and a bounce but for h^2 g^2 / 2 per kg.
TEST(Bouncing, MidpointRuleKeepsTheEnergyToo) {
  ModelBuilder builder("bouncing");
  add_floor(builder, 0);
  add_free_part(
      builder,
      {.name = "ball", .shape = Sphere{0.1}, .p = {0, 0, 1}, .mass = 1, .mu = 0, .restitution = 1});
  SimulationOptions options;
  options.theta = 0.5;
  Simulation simulation(builder.build(), options);
  const double start = total(simulation.energy());
  const double per_bounce = std::pow(9.81 * simulation.timestep(), 2) / 2;
  int bounces = 0;
  for (int k = 0; k < 2400; ++k) {
    const double before = simulation.state().qvel[2];
    simulation.step();
    bounces += before < 0 && simulation.state().qvel[2] > 0;
    ASSERT_NEAR(total(simulation.energy()), start, 1.05 * bounces * per_bounce + 1e-9) << k;
  }
  EXPECT_NEAR(bounces, 11, 1);
}

Simulation slide_at(double x, double v, const std::string& joint, const std::string& before = "") {
  SimulationOptions options;
  options.timestep = 0.004;
  Simulation simulation(
      model_of(before + "<worldbody><body><joint type='slide' axis='0 0 1' " + joint +
               "/><geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody>"),
      options);
  State state = simulation.state();
  state.qpos[0] = x;
  state.qvel[0] = v;
  simulation.set_state(state);
  return simulation;
}

const char* const kNoGravity = "<option gravity='0 0 0'/>";

// m (v+ - v) vbar = h F vbar: no error but rounding, however stiff the damper.
TEST(EnergyError, DampersLeaveNone) {
  for (const char* damping : {"2", "1e5"}) {
    Simulation simulation = slide_at(0, 1, std::string("damping='") + damping + "'", kNoGravity);
    for (int k = 0; k < 50; ++k) EXPECT_NEAR(simulation.step().energy_error, 0, 1e-13);
    EXPECT_LT(simulation.report().energy, 0.4);
  }
}

TEST(EnergyError, DampersThatAreOffDoNoWork) {
  Simulation simulation =
      slide_at(0, 1, "damping='2'", "<option gravity='0 0 0'><flag passive='disable'/></option>");
  for (int k = 0; k < 50; ++k) EXPECT_NEAR(simulation.step().energy_error, 0, 1e-13);
  EXPECT_NEAR(simulation.report().energy, 0.5, 1e-13);
}

// The implicit spring force at x + h v+ over the mean velocity, against the spring's energy.
TEST(EnergyError, OfASpringIsThatOfTheImplicitStep) {
  const double h = 0.004;
  for (const double k : {100.0, 1e5}) {
    const double x = 0.1, v = 0.7, c = 3;
    Simulation simulation =
        slide_at(x, v, "damping='3' stiffness='" + std::to_string(k) + "'", kNoGravity);
    const double error = simulation.step().energy_error;
    const double v_next = (v - h * k * x) / (1 + h * c + h * h * k);
    EXPECT_NEAR(simulation.state().qvel[0], v_next, 1e-12);
    EXPECT_NEAR(error, 0.5 * h * k * (x * (v_next - v) - h * v_next * v), 1e-11 * k);
  }
}

TEST(EnergyError, CompensationAndDragLeaveNone) {
  Simulation floating(model_of(
      "<worldbody><body gravcomp='1'><freejoint/><geom size='.1' mass='1'/></body></worldbody>"));
  State state = floating.state();
  state.qvel[2] = 3;
  floating.set_state(state);
  Simulation dragged = slide_at(0, 10, "", "<option gravity='0 0 0' density='100' viscosity='1'/>");
  for (int k = 0; k < 50; ++k) {
    EXPECT_NEAR(floating.step().energy_error, 0, 1e-12);
    EXPECT_NEAR(dragged.step().energy_error, 0, 1e-12);
  }
  EXPECT_LT(dragged.state().qvel[0], 9);
}

TEST(EnergyError, TendonDampersLeaveNone) {
  for (const char* flag : {"enable", "disable"}) {
    Simulation simulation(
        model_of(std::string("<option gravity='0 0 0'><flag passive='") + flag +
                 "'/></option><worldbody>"
                 "<body><joint name='a' type='slide'/><geom size='.1' mass='1'/></body>"
                 "<body pos='1 0 0'><joint name='b' type='slide'/><geom size='.1' mass='1'/></body>"
                 "</worldbody><tendon><fixed damping='1e4' armature='.5'>"
                 "<joint joint='a' coef='1'/><joint joint='b' coef='-2'/></fixed></tendon>"));
    State state = simulation.state();
    state.qvel << 1, -1;
    simulation.set_state(state);
    // Impulses are right to the tolerance of 1e-8, energies are of 1 J.
    for (int k = 0; k < 20; ++k) EXPECT_NEAR(simulation.step().energy_error, 0, 1e-8) << flag;
  }
}

}  // namespace
}  // namespace stiction
