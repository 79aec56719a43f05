// Passive and actuator forces against closed forms, and against the gradients of what they come
// from.
#include <gtest/gtest.h>
#include <stiction/tree.h>

#include <numbers>

#include "random_tree.h"
#include "tree/transmission.h"

namespace stiction {
namespace {

using std::numbers::pi;

void update(const Model& model, const Eigen::VectorXd& qpos, const Eigen::VectorXd& qvel,
            TreeData& data) {
  update_kinematics(model, qpos, data);
  update_velocity(model, qvel, data);
  compute_passive_forces(model, qpos, qvel, data);
}

TEST(Passive, SpringsAreTheGradientOfTheirEnergy) {
  RandomTree random(31);
  ModelBuilder builder = random.builder(6);
  builder.options().gravity.setZero();
  std::vector<int> scalar;
  for (int j = 0; j < static_cast<int>(builder.model().joints.size()); ++j) {
    builder.joint(j).stiffness = 1 + j;
    builder.joint(j).springref = 0.1 * j;
    if (builder.joint(j).nv() == 1) scalar.push_back(j);
  }
  ASSERT_GE(scalar.size(), 2u);
  builder.add_tendon({.joints = {scalar[0], scalar[1]},
                      .coefs = {1, -2},
                      .stiffness = 3,
                      .spring_length = {-0.1, 0.1}});
  const Model model = builder.build();
  const Eigen::VectorXd qpos = random.position(model), rest = Eigen::VectorXd::Zero(model.nv);
  TreeData data(model);
  update(model, qpos, rest, data);
  const Eigen::VectorXd force = data.passive;
  const double t = 1e-6;
  for (int i = 0; i < model.nv; ++i) {
    const auto potential = [&](double s) {
      Eigen::VectorXd q = qpos;
      integrate_positions(model, Eigen::VectorXd::Unit(model.nv, i), s, q);
      return energy(model, q, rest, data).potential;
    };
    EXPECT_NEAR(force[i], -(potential(t) - potential(-t)) / (2 * t), 1e-6);
  }
}

TEST(Passive, BallSpringTurnsBackAlongTheRotation) {
  ModelBuilder builder;
  RandomTree random(32);
  const int body = builder.add_body(random.body(0));
  builder.add_joint({.type = JointType::kBall, .body = body, .stiffness = 7, .damping = 2});
  const Model model = builder.build();
  Eigen::VectorXd w(3), rate(3);
  w << 0.3, -0.5, 0.2;
  rate << 1, 2, 3;
  Eigen::VectorXd qpos = model.qpos0;
  integrate_positions(model, w, 1, qpos);
  TreeData data(model);
  update(model, qpos, rate, data);
  EXPECT_LT((data.passive + 7 * w + 2 * rate).norm(), 1e-13);
}

TEST(Passive, FullGravityCompensationHoldsAnArmStill) {
  RandomTree random(33);
  ModelBuilder builder = random.builder(8);
  for (int b = 1; b <= 8; ++b) builder.body(b).gravcomp = 1;
  for (int j = 0; j < 4; ++j) builder.joint(j).actuator_gravcomp = true;
  const Model model = builder.build();
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(model.nv), none(0);
  const Eigen::VectorXd qpos = random.position(model);
  TreeData data(model);
  update(model, qpos, rest, data);
  compute_actuator_forces(model, qpos, rest, none, none, model.options.timestep, data);
  compute_bias(model, data);
  EXPECT_GT(data.bias.norm(), 1);
  EXPECT_GT(data.actuation.norm(), 1e-3);
  EXPECT_LT((data.passive + data.actuation - data.bias).norm(), 1e-12);
}

/// A free box through air and honey: the drag of the box that it is.
TEST(Passive, DragOfABox) {
  const Eigen::Vector3d edges(0.2, 0.3, 0.5);
  for (const auto& [density, viscosity] : {std::pair{1.2, 0.0}, std::pair{0.0, 5.0}}) {
    ModelBuilder builder;
    const int body = builder.add_body({});
    builder.add_joint({.type = JointType::kFree, .body = body});
    builder.add_geom({.body = body, .shape = Box{edges / 2}}, 700);
    builder.options().density = density;
    builder.options().viscosity = viscosity;
    builder.options().wind = {1, 0, 0};
    const Model model = builder.build();
    Eigen::VectorXd qvel(6);
    qvel << 3, 0, -4, 0, 5, 0;  // the wind takes 1 m/s off the first
    TreeData data(model);
    update(model, model.qpos0, qvel, data);
    const double d = edges.mean();
    Eigen::VectorXd expected(6);
    expected << -0.5 * density * 0.3 * 0.5 * 4 - 3 * pi * d * viscosity * 2, 0,
        0.5 * density * 0.2 * 0.3 * 16 + 3 * pi * d * viscosity * 4, 0,
        -density / 64 * 0.3 * (std::pow(0.2, 4) + std::pow(0.5, 4)) * 25 -
            pi * d * d * d * viscosity * 5,
        0;
    EXPECT_LT((data.passive - expected).norm(), 1e-12) << density;
  }
}

/// Two arms on one base with a site at each end: transmissions of every kind can be tried on it.
struct Arms {
  RandomTree random{34};
  ModelBuilder builder;
  int left_hinge = 0, ball = 0, tip1 = 0, tip2 = 0;

  Arms() {
    builder.add_body(random.body(0));
    builder.add_joint(random.joint(1, JointType::kFree));
    for (const int parent : {1, 2, 1, 4}) {
      const int b = builder.add_body(random.body(parent));
      const int joint =
          builder.add_joint(random.joint(b, parent == 4 ? JointType::kBall : JointType::kHinge));
      if (parent == 2) left_hinge = joint;
      if (parent == 4) ball = joint;
    }
    tip1 = builder.add_site({.body = 3, .X_BS = random.pose(), .shape = Sphere{0.01}});
    tip2 = builder.add_site({.body = 4, .X_BS = random.pose(), .shape = Sphere{0.01}});
  }
};

TEST(Transmission, SliderCrankMomentIsTheGradientOfItsLength) {
  Arms arms;
  arms.builder.add_actuator({.transmission = Transmission::kSliderCrank,
                             .target = arms.tip1,
                             .ref_site = arms.tip2,
                             .crank_length = 10,
                             .gear = 2 * Vector6d::Unit(0)});
  const Model model = arms.builder.build();
  const Eigen::VectorXd qpos = arms.random.position(model);
  TreeData data(model);
  update_kinematics(model, qpos, data);
  const Moment moment = actuator_moment(model, model.actuators[0], qpos, data);
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(model.nv);
  add_moment(model, moment, 1, data, gradient);
  EXPECT_GT(gradient.norm(), 0.1);
  const double t = 1e-6;
  for (int i = 0; i < model.nv; ++i) {
    const auto length = [&](double s) {
      Eigen::VectorXd q = qpos;
      integrate_positions(model, Eigen::VectorXd::Unit(model.nv, i), s, q);
      TreeData moved(model);
      update_kinematics(model, q, moved);
      return actuator_moment(model, model.actuators[0], q, moved).length;
    };
    EXPECT_NEAR(gradient[i], (length(t) - length(-t)) / (2 * t), 1e-7);
  }
  const Eigen::VectorXd qvel = arms.random.vector(model.nv);
  EXPECT_NEAR(moment_velocity(model, moment, qvel, data), gradient.dot(qvel), 1e-12);
}

TEST(Transmission, SiteWrenchActsAtTheSite) {
  Arms arms;
  Vector6d gear;
  gear << 1, -2, 3, 0.1, 0.2, -0.3;
  arms.builder.add_actuator(
      {.transmission = Transmission::kSite, .target = arms.tip1, .gear = gear});
  const Model model = arms.builder.build();
  const Eigen::VectorXd qpos = arms.random.position(model), qvel = arms.random.vector(model.nv);
  TreeData data(model);
  update(model, qpos, qvel, data);
  compute_actuator_forces(model, qpos, qvel, Eigen::VectorXd::Constant(1, 2.0), Eigen::VectorXd(0),
                          model.options.timestep, data);
  const Pose X_WS = Pose{data.p_WB[3], data.q_WB[3]} * model.sites[0].X_BS;
  Eigen::VectorXd expected = Eigen::VectorXd::Zero(model.nv);
  add_force(data, 3, X_WS.p, 2 * (X_WS.q * gear.head<3>()), 2 * (X_WS.q * gear.tail<3>()),
            expected);
  EXPECT_LT((data.actuation - expected).norm(), 1e-12);
}

TEST(Transmission, ReferenceSiteTakesTheReaction) {
  Arms arms;
  arms.builder.add_actuator({.transmission = Transmission::kSite,
                             .target = arms.tip1,
                             .ref_site = arms.tip2,
                             .gear = Vector6d::Unit(1)});
  const Model model = arms.builder.build();
  const Eigen::VectorXd qpos = arms.random.position(model), qvel = arms.random.vector(model.nv);
  TreeData data(model);
  update(model, qpos, qvel, data);
  compute_actuator_forces(model, qpos, qvel, Eigen::VectorXd::Ones(1), Eigen::VectorXd(0),
                          model.options.timestep, data);
  EXPECT_EQ(data.actuation.head<6>().norm(), 0);  // the base moves both sites alike
  EXPECT_GT(data.actuation.tail(model.nv - 6).norm(), 0.01);
}

TEST(Transmission, BallGearInParentAxesTurnsBack) {
  Arms arms;
  const Vector6d gear = Vector6d::Unit(1);
  arms.builder.add_actuator(
      {.transmission = Transmission::kJoint, .target = arms.ball, .gear = gear});
  arms.builder.add_actuator(
      {.transmission = Transmission::kJointInParent, .target = arms.ball, .gear = gear});
  const Model model = arms.builder.build();
  const Joint& ball = model.joints.back();
  const Eigen::VectorXd qpos = arms.random.position(model), qvel = arms.random.vector(model.nv);
  const double* q = qpos.data() + ball.qpos_begin;
  const Eigen::Matrix3d R = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
  TreeData data(model);
  update(model, qpos, qvel, data);
  for (int k = 0; k < 2; ++k) {
    compute_actuator_forces(model, qpos, qvel, Eigen::VectorXd::Unit(2, k), Eigen::VectorXd(0),
                            model.options.timestep, data);
    const Eigen::Vector3d torque = data.actuation.segment<3>(ball.dof_begin);
    const Eigen::Vector3d expected = k == 0 ? Eigen::Vector3d(0, 1, 0) : Eigen::Vector3d(R.row(1));
    EXPECT_LT((torque - expected).norm(), 1e-13);
  }
}

/// One slide and everything that bounds or shapes the force on it.
struct Slide {
  ModelBuilder builder;
  Slide() {
    builder.add_body({.mass = 1, .inertia = Eigen::Matrix3d::Identity()});
    builder.add_joint({.type = JointType::kSlide, .body = 1});
  }
  double force(double q, double v, double ctrl, double act = 0) const {
    const Model model = builder.build();
    TreeData data(model);
    const Eigen::VectorXd qpos = Eigen::VectorXd::Constant(1, q);
    const Eigen::VectorXd qvel = Eigen::VectorXd::Constant(1, v);
    update(model, qpos, qvel, data);
    compute_actuator_forces(model, qpos, qvel, Eigen::VectorXd::Constant(model.nu(), ctrl),
                            Eigen::VectorXd::Constant(model.na, act), model.options.timestep, data);
    return data.actuation[0];
  }
};

TEST(Actuator, AffineGainsAndRanges) {
  Slide slide;
  Actuator servo{.target = 0,
                 .gear = 3 * Vector6d::Unit(0),
                 .ctrl_range = {-1, 1},
                 .force_range = {-50, 50},
                 .bias_type = Bias::kAffine,
                 .gain = {10, 0, 0},
                 .bias = {0.5, -10, -2}};
  slide.builder.add_actuator(servo);
  const auto free_force = [](double q, double v, double u) {
    return 3 * (10 * u + 0.5 - 10 * 3 * q - 2 * 3 * v);
  };
  EXPECT_NEAR(slide.force(0.2, 0.1, 0.7), free_force(0.2, 0.1, 0.7), 1e-12);
  EXPECT_NEAR(slide.force(0.2, 0.1, 9), free_force(0.2, 0.1, 1), 1e-12);
  EXPECT_NEAR(slide.force(-9, 0, 0), 3 * 50, 1e-12);
  slide.builder.joint(0).actuator_force_range = {-20, 20};
  EXPECT_NEAR(slide.force(-9, 0, 0), 20, 1e-12);
  slide.builder.options().clamp_ctrl_enabled = false;
  EXPECT_NEAR(slide.force(1, 0, 2.9), free_force(1, 0, 2.9), 1e-12);
  slide.builder.options().actuation_enabled = false;
  EXPECT_EQ(slide.force(0, 0, 1), 0);
}

TEST(Actuator, ActuatorsOfATendonShareItsForceRange) {
  Slide slide;
  slide.builder.add_tendon({.joints = {0}, .coefs = {2}, .actuator_force_range = {-6, 6}});
  for (const double gain : {1.0, 3.0}) {
    slide.builder.add_actuator(
        {.transmission = Transmission::kTendon, .target = 0, .gain = {gain, 0, 0}});
  }
  EXPECT_NEAR(slide.force(0, 0, 1), 2 * (1 + 3), 1e-12);
  EXPECT_NEAR(slide.force(0, 0, -3), 2 * -6, 1e-12);
}

TEST(Actuator, MusclesGiveNoForce) {
  Slide slide;
  slide.builder.add_actuator({.target = 0, .force_range = {1, 2}, .gain_type = Gain::kUnsupported});
  EXPECT_EQ(slide.force(0, 0, 1), 0);
}

TEST(Activation, ExactFilterIsTheExponential) {
  for (const Activation kind :
       {Activation::kFilter, Activation::kFilterExact, Activation::kIntegrator}) {
    Slide slide;
    slide.builder.add_actuator(
        {.target = 0, .act_range = {-1, 1}, .activation = kind, .time_constant = 0.5});
    const Model model = slide.builder.build();
    EXPECT_NEAR(slide.force(0, 0, 0.8, 0.25), 0.25, 1e-15);
    Eigen::VectorXd act = Eigen::VectorXd::Constant(1, 0.2), ctrl = Eigen::VectorXd::Ones(1);
    advance_activations(model, ctrl, 0.1, act);
    const double expected = kind == Activation::kFilter        ? 0.2 + 0.1 * 0.8 / 0.5
                            : kind == Activation::kFilterExact ? 1 - 0.8 * std::exp(-0.1 / 0.5)
                                                               : 0.2 + 0.1;
    EXPECT_NEAR(act[0], expected, 1e-15);
    advance_activations(model, 1e3 * ctrl, 10, act);
    EXPECT_EQ(act[0], 1);
  }
}

}  // namespace
}  // namespace stiction
