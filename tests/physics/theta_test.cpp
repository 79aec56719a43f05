// The step with theta = 1/2: springs, pendulums and tops against closed forms, and what a
// constraint pushes.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <cmath>
#include <numbers>

#include "io/mjcf_file.h"
#include "scenes/parts.h"

namespace stiction {
namespace {

Simulation midpoint(const Model& model, double h) {
  SimulationOptions options;
  options.timestep = h;
  options.theta = 0.5;
  return Simulation(model, options);
}

void set(Simulation& simulation, const Eigen::VectorXd& qpos, const Eigen::VectorXd& qvel) {
  State state = simulation.state();
  state.qpos = qpos;
  state.qvel = qvel;
  simulation.set_state(state);
}

Eigen::VectorXd one(double x) { return Eigen::VectorXd::Constant(1, x); }

double energy_of(const Simulation& simulation) {
  return simulation.energy().kinetic + simulation.energy().potential;
}

TEST(Theta, HalfFallsOnTheParabolaAndDoesNotBounce) {
  SimulationOptions options;
  options.theta = 0.5;
  ModelBuilder builder("fall");
  add_floor(builder, 0.5);
  add_free_part(builder, {.name = "box", .shape = Box{{0.1, 0.1, 0.1}}, .p = {0, 0, 1.1}});
  Simulation simulation(builder.build(), options);
  State state = simulation.state();
  state.qvel[0] = 0.5;
  simulation.set_state(state);
  for (int k = 0; k < 100; ++k) simulation.step();
  const double t = simulation.state().time;
  EXPECT_NEAR(simulation.body_pose(1).p[2], 1.1 - 9.81 * t * t / 2, 1e-12);
  for (int k = 0; k < 200; ++k) {
    simulation.step();
    EXPECT_LT(simulation.state().qvel[2], 1e-3);
    EXPECT_GT(simulation.state().qvel[0], -1e-6);
  }
  EXPECT_NEAR(simulation.body_pose(1).p[2], 0.1, 1e-5);
  EXPECT_LT(simulation.state().qvel.norm(), 1e-6);
}

// 1 kg on a spring along x, without weight.
Model oscillator(double k, const std::string& joint = "") {
  return model_of(
      "<option gravity='0 0 0'/><worldbody><body><joint type='slide' axis='1 0 0' "
      "stiffness='" +
      std::to_string(k) + "' " + joint +
      "/><geom size='.1' mass='1' contype='0' conaffinity='0'/></body></worldbody>");
}

// The midpoint rule turns (omega x, v) by 2 atan(h omega / 2) per step, whatever h omega is.
TEST(Theta, HalfKeepsASpringsEnergyForAThousandPeriods) {
  for (const double turn : {0.1, 1.0, 30.0}) {  // h omega
    const double h = 0.01, omega = turn / h;
    Simulation simulation = midpoint(oscillator(omega * omega), h);
    set(simulation, one(0.2), one(0));
    const double start = energy_of(simulation);
    const double per_step = 2 * std::atan(turn / 2);
    const int steps = static_cast<int>(1000 * 2 * std::numbers::pi / per_step);
    double largest = 0, off = 0;
    for (int n = 1; n <= steps; ++n) {
      simulation.step();
      largest = std::max(largest, std::abs(energy_of(simulation) / start - 1));
      off = std::max(off, std::abs(simulation.state().qpos[0] - 0.2 * std::cos(n * per_step)));
    }
    EXPECT_LT(largest, 1e-9) << turn;  // rounding, 1e-16 at a time
    EXPECT_LT(off, 1e-8) << turn;
  }
}

// A damper takes what the midpoint rule says: of second order.
TEST(Theta, HalfIsOfSecondOrderWithADamper) {
  const double omega = 10, c = 1, t = 1;
  const double damped = std::sqrt(omega * omega - c * c / 4);
  const double exact =
      0.2 * std::exp(-c * t / 2) * (std::cos(damped * t) + c / 2 / damped * std::sin(damped * t));
  double previous = 0;
  for (const double h : {4e-3, 2e-3, 1e-3}) {
    Simulation simulation = midpoint(oscillator(omega * omega, "damping='1'"), h);
    set(simulation, one(0.2), one(0));
    for (int n = 0; n < std::lround(t / h); ++n) {
      EXPECT_NEAR(simulation.step().energy_error, 0, 1e-13);
    }
    const double error = std::abs(simulation.state().qpos[0] - exact);
    if (previous > 0) {
      EXPECT_NEAR(previous / error, 4, 0.1) << h;
    }
    previous = error;
  }
}

const char* const kRod =
    "<geom type='capsule' size='.02' fromto='0 0 0 0 0 -1' mass='1' contype='0' "
    "conaffinity='0'/>";

// Largest |E - E0| in J while it swings for so long.
double drift_of(Simulation& simulation, double duration) {
  const double start = energy_of(simulation);
  const double end = simulation.state().time + duration;
  double largest = 0;
  while (simulation.state().time < end - 1e-9) {
    simulation.step();
    largest = std::max(largest, std::abs(energy_of(simulation) - start));
  }
  return largest;
}

// Its energy swings by O(h^2) and does not grow: with forces of the start of the step it had grown
// by exp(h omega^2 t / 2) beyond all bounds.
TEST(Theta, HalfKeepsAPendulumsEnergyForAThousandPeriods) {
  const Model model = model_of(std::string("<worldbody><body><joint axis='0 1 0'/>") + kRod +
                               "</body></worldbody>");
  double previous = 0;
  for (const double h : {8e-3, 4e-3}) {
    Simulation simulation = midpoint(model, h);
    set(simulation, one(1.2), one(0));
    const double early = drift_of(simulation, 10);
    EXPECT_LT(early, 9.81 * 3 * h * h);
    if (previous == 0) {  // 1.7 s each, and now from any point of the swing
      EXPECT_LT(drift_of(simulation, 1700), 2.5 * early);
    }
    if (previous > 0) {
      EXPECT_NEAR(previous / early, 4, 0.2);
    }
    previous = early;
  }
}

// Its motion has no period, and its energy may wander, as that of a reversible step does, but has
// no trend.
TEST(Theta, HalfKeepsADoublePendulumsEnergyForTenMinutes) {
  const std::string second =
      std::string("<body pos='0 0 -1'><joint axis='0 1 0'/>") + kRod + "</body>";
  Simulation simulation = midpoint(model_of(std::string("<worldbody><body><joint axis='0 1 0'/>") +
                                            kRod + second + "</body></worldbody>"),
                                   4e-3);
  set(simulation, Eigen::VectorXd::Constant(2, 1.2), Eigen::VectorXd::Zero(2));
  EXPECT_LT(drift_of(simulation, 600), 2e-3 * 2 * 9.81);
}

// Masses that change, Coriolis forces, a wrench and a ball joint.
TEST(Theta, HalfIsOfSecondOrderOnTrees) {
  const std::string second =
      std::string("<body pos='0 0 -1'><joint axis='0 1 0' stiffness='3'/>") + kRod + "</body>";
  const Model models[] = {model_of(std::string("<worldbody><body><joint axis='0 1 0'/>") + kRod +
                                   second + "</body></worldbody>"),
                          model_of(std::string("<worldbody><body><joint type='ball'/>") + kRod +
                                   second + "</body></worldbody>")};
  for (const Model& model : models) {
    double previous = 0;
    for (const double h : {2e-3, 1e-3, 5e-4}) {
      Simulation simulation = midpoint(model, h);
      State state = simulation.state();
      for (int k = 0; k < model.nv; ++k) state.qvel[k] = 1 + 0.5 * k;
      simulation.set_state(state);
      const double drift = drift_of(simulation, 3);
      EXPECT_LT(drift, 1e4 * h * h);
      if (previous > 0) {
        EXPECT_GT(previous / drift, 3.5) << h;
      }
      previous = drift;
    }
  }
}

// A symmetric top without torque turns its omega about the axis at (I3 - I1) / I1 omega3.
TEST(Theta, HalfIsOfSecondOrderForATop) {
  double previous = 0;
  for (const double h : {2e-3, 1e-3}) {
    Simulation simulation = midpoint(model_of(R"(<option gravity="0 0 0"/>
      <worldbody><body name="top"><freejoint/>
        <inertial pos="0 0 0" mass="1" diaginertia="0.02 0.02 0.03"/></body></worldbody>)"),
                                     h);
    State state = simulation.state();
    state.qvel.tail<3>() << 1, 0, 6;
    simulation.set_state(state);
    for (int n = 0; n < std::lround(0.5 / h); ++n) simulation.step();
    const double angle = (0.03 - 0.02) / 0.02 * 6 * 0.5;
    const double error =
        (simulation.state().qvel.tail<3>() - Eigen::Vector3d(std::cos(angle), std::sin(angle), 6))
            .norm();
    if (previous > 0) {
      EXPECT_NEAR(previous / error, 4, 0.3);
    }
    previous = error;
  }
}

// What a constraint pushes takes the step with theta = 0, or a stiff spring at a stop would throw
// its joint about; and so do tendons.
TEST(Theta, HalfIsStableWhereConstraintsPush) {
  const std::string ends[] = {"frictionloss='0.1'", "limited='true' range='0 1'"};
  for (const std::string& end : ends) {
    Simulation simulation = midpoint(oscillator(1e6, end), 1.0 / 240);
    set(simulation, one(0.01), one(0.3));
    double largest = energy_of(simulation);
    for (int n = 0; n < 480; ++n) {
      simulation.step();
      ASSERT_LE(energy_of(simulation), largest * (1 + 1e-9)) << end << " step " << n;
      largest = energy_of(simulation);
    }
  }
  Simulation tendon = midpoint(
      model_of("<option gravity='0 0 0'/><worldbody><body><joint name='a' type='slide'/>"
               "<geom size='.1' mass='1'/></body></worldbody><tendon><fixed stiffness='1e6'>"
               "<joint joint='a' coef='1'/></fixed></tendon>"),
      1.0 / 240);
  set(tendon, one(0.01), one(0.3));
  const double start = energy_of(tendon);
  for (int n = 0; n < 480; ++n) {
    tendon.step();
    ASSERT_LE(energy_of(tendon), start * (1 + 1e-9));
  }
}

}  // namespace
}  // namespace stiction
