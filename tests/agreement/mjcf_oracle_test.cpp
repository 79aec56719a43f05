// Every MJCF file of ../shared/models that MuJoCo loads, against what MuJoCo made of it.
#include <gtest/gtest.h>
#include <stiction/error.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/formats.h"

namespace stiction {
namespace {

using nlohmann::json;

const std::string kModels = STICTION_SHARED_DIR "/models/";

struct Case {
  std::string file;
  std::string oracle;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.file; }

/// From index.csv: folder, file, kind, loads, ...; the oracle's path is the only field that begins
/// with "oracle/".
std::vector<Case> cases() {
  std::vector<Case> result;
  std::ifstream index(kModels + "index.csv");
  for (std::string line; std::getline(index, line);) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
    const size_t at = line.find(",oracle/");
    if (fields.size() < 4 || fields[2] != "mjcf" || fields[3] != "yes" || at == line.npos) continue;
    const std::string folder = kModels + fields[0] + "/";
    const size_t end = line.find(',', at + 1);
    result.push_back({folder + fields[1], folder + line.substr(at + 1, end - at - 1)});
  }
  return result;
}

std::string text_of(const json& value) { return value.is_null() ? "" : value.get<std::string>(); }

Eigen::VectorXd vector_of(const json& values) {
  Eigen::VectorXd result(static_cast<Eigen::Index>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    result[static_cast<Eigen::Index>(i)] = values[i].get<double>();
  }
  return result;
}

Pose pose_of(const json& pos, const json& quat) {
  const Eigen::VectorXd p = vector_of(pos), q = vector_of(quat);
  return {p, Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized()};
}

class MjcfOracle : public ::testing::TestWithParam<Case> {
 protected:
  void near(double actual, double expected, double tolerance, const std::string& what) {
    EXPECT_NEAR(actual, expected, tolerance * std::max(1.0, std::abs(expected))) << what;
  }
  void near(const Eigen::VectorXd& actual, const Eigen::VectorXd& expected, double tolerance,
            const std::string& what) {
    ASSERT_EQ(actual.size(), expected.size()) << what;
    if (expected.size() == 0) return;
    const double scale = std::max(1.0, expected.cwiseAbs().maxCoeff());
    EXPECT_LE((actual - expected).cwiseAbs().maxCoeff(), tolerance * scale)
        << what << ": " << actual.transpose() << " instead of " << expected.transpose();
  }
  void near(const Pose& actual, const Pose& expected, double tolerance, const std::string& what) {
    near(Eigen::VectorXd(actual.p), Eigen::VectorXd(expected.p), tolerance, what + " position");
    EXPECT_LE(actual.q.angularDistance(expected.q), std::max(tolerance, 1e-7)) << what;
  }
  void near(const Range& actual, bool limited, const json& expected, const std::string& what) {
    EXPECT_EQ(actual.limited(), limited) << what;
    if (!limited) return;
    near(actual.lower, expected[0], 1e-11, what);
    near(actual.upper, expected[1], 1e-11, what);
  }

  void compare_bodies(const Model& model, const json& oracle, double tolerance);
  void compare_joints(const Model& model, const json& oracle);
  void compare_geoms(const Model& model, const json& oracle);
  void compare_actuators(const Model& model, const json& oracle, double tolerance);
  void compare_equalities(const Model& model, const json& oracle);
};

void MjcfOracle::compare_bodies(const Model& model, const json& oracle, double tolerance) {
  ASSERT_EQ(model.bodies.size(), oracle.at("bodies").size());
  for (size_t i = 1; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const json& expected = oracle.at("bodies")[i];
    const std::string what = "body " + std::to_string(i) + " '" + body.name + "'";
    EXPECT_EQ(body.name, text_of(expected.at("name"))) << what;
    EXPECT_EQ(body.parent, expected.at("parent").get<int>()) << what;
    near(body.X_PB, pose_of(expected.at("pos"), expected.at("quat")), 1e-11, what);
    const double mass = expected.at("mass");
    EXPECT_NEAR(body.mass, mass, tolerance * mass) << what;
    if (mass == 0) continue;
    const Pose X_BI = pose_of(expected.at("ipos"), expected.at("iquat"));
    near(Eigen::VectorXd(body.com), Eigen::VectorXd(X_BI.p), tolerance, what + " com");
    const Eigen::Matrix3d R = X_BI.q.toRotationMatrix();
    const Eigen::Vector3d moments = vector_of(expected.at("inertia"));
    const Eigen::Matrix3d inertia = R * moments.asDiagonal() * R.transpose();
    EXPECT_LE((body.inertia - inertia).cwiseAbs().maxCoeff(), tolerance * moments.maxCoeff())
        << what << " inertia\n"
        << body.inertia << "\ninstead of\n"
        << inertia;
  }
}

void MjcfOracle::compare_joints(const Model& model, const json& oracle) {
  const std::map<std::string, JointType> types = {{"free", JointType::kFree},
                                                  {"ball", JointType::kBall},
                                                  {"slide", JointType::kSlide},
                                                  {"hinge", JointType::kHinge}};
  ASSERT_EQ(model.joints.size(), oracle.at("joints").size());
  for (size_t i = 0; i < model.joints.size(); ++i) {
    const Joint& joint = model.joints[i];
    const json& expected = oracle.at("joints")[i];
    const std::string what = "joint " + std::to_string(i) + " '" + joint.name + "'";
    EXPECT_EQ(joint.name, text_of(expected.at("name"))) << what;
    EXPECT_EQ(joint.type, types.at(expected.at("type"))) << what;
    EXPECT_EQ(joint.body, expected.at("body").get<int>()) << what;
    EXPECT_EQ(joint.qpos_begin, expected.at("qposadr").get<int>()) << what;
    EXPECT_EQ(joint.dof_begin, expected.at("dofadr").get<int>()) << what;
    near(joint.range, expected.at("limited"), expected.at("range"), what + " range");
    if (expected.contains("actfrcrange")) {
      near(joint.actuator_force_range, true, expected.at("actfrcrange"), what + " actuator force");
    }
    near(joint.stiffness, expected.at("stiffness"), 1e-11, what + " stiffness");
    near(joint.damping, expected.at("damping"), 1e-11, what + " damping");
    near(joint.armature, expected.at("armature"), 1e-11, what + " armature");
    near(joint.frictionloss, expected.at("frictionloss"), 1e-11, what + " frictionloss");
    if (joint.nv() > 1) continue;
    near(Eigen::VectorXd(joint.anchor), vector_of(expected.at("pos")), 1e-11, what + " anchor");
    near(Eigen::VectorXd(joint.axis), vector_of(expected.at("axis")), 1e-11, what + " axis");
    near(joint.ref, expected.at("ref"), 1e-11, what + " ref");
    near(joint.springref, expected.at("springref"), 1e-11, what + " springref");
  }
}

void MjcfOracle::compare_geoms(const Model& model, const json& oracle) {
  std::map<std::string, Pose> X_mesh;  // the frame that MuJoCo moves each mesh to
  for (const json& mesh : oracle.at("meshes")) {
    X_mesh[text_of(mesh.at("name"))] = pose_of(mesh.at("pos"), mesh.at("quat"));
  }
  ASSERT_EQ(model.geoms.size(), oracle.at("geoms").size());
  for (size_t i = 0; i < model.geoms.size(); ++i) {
    const Geom& geom = model.geoms[i];
    const json& expected = oracle.at("geoms")[i];
    const std::string what = "geom " + std::to_string(i) + " '" + geom.name + "'";
    EXPECT_EQ(geom.name, text_of(expected.at("name"))) << what;
    EXPECT_EQ(geom.body, expected.at("body").get<int>()) << what;
    EXPECT_EQ(geom.group, expected.at("group").get<int>()) << what;
    const Contact& contact = geom.contact;
    EXPECT_EQ(contact.contype, expected.at("contype").get<int>()) << what;
    EXPECT_EQ(contact.conaffinity, expected.at("conaffinity").get<int>()) << what;
    if (expected.contains("condim")) {  // left out for geoms that touch nothing
      EXPECT_EQ(contact.condim, expected.at("condim").get<int>()) << what;
      EXPECT_EQ(contact.priority, expected.at("priority").get<int>()) << what;
      near(Eigen::VectorXd(contact.friction), vector_of(expected.at("friction")), 1e-11, what);
      near(contact.margin, expected.at("margin"), 1e-11, what);
      near(contact.gap, expected.at("gap"), 1e-11, what);
    }
    const std::string type = expected.at("type");
    const Pose X = pose_of(expected.at("pos"), expected.at("quat"));
    const Eigen::Vector3d size = vector_of(expected.at("size"));
    if (type == "mesh") {
      ASSERT_TRUE(std::holds_alternative<ConvexMesh>(geom.shape)) << what;
      near(geom.X_BG, X * inverse(X_mesh.at(text_of(expected.at("mesh")))), 1e-6, what);
      continue;
    }
    near(geom.X_BG, X, 1e-11, what);
    if (const auto* sphere = std::get_if<Sphere>(&geom.shape)) {
      EXPECT_EQ(type, "sphere");
      near(sphere->radius, size[0], 1e-11, what);
    } else if (const auto* capsule = std::get_if<Capsule>(&geom.shape)) {
      EXPECT_EQ(type, "capsule");
      near(capsule->radius, size[0], 1e-11, what);
      near(capsule->half_length, size[1], 1e-11, what);
    } else if (const auto* cylinder = std::get_if<Cylinder>(&geom.shape)) {
      EXPECT_EQ(type, "cylinder");
      near(cylinder->radius, size[0], 1e-11, what);
      near(cylinder->half_length, size[1], 1e-11, what);
    } else if (const auto* box = std::get_if<Box>(&geom.shape)) {
      EXPECT_EQ(type, "box");
      near(Eigen::VectorXd(box->half_size), Eigen::VectorXd(size), 1e-11, what);
    } else if (const auto* ellipsoid = std::get_if<Ellipsoid>(&geom.shape)) {
      EXPECT_EQ(type, "ellipsoid");
      near(Eigen::VectorXd(ellipsoid->radii), Eigen::VectorXd(size), 1e-11, what);
    } else {
      EXPECT_EQ(type, "plane") << what;
    }
  }
}

void MjcfOracle::compare_actuators(const Model& model, const json& oracle, double tolerance) {
  ASSERT_EQ(model.actuators.size(), oracle.at("actuators").size());
  for (size_t i = 0; i < model.actuators.size(); ++i) {
    const Actuator& actuator = model.actuators[i];
    const json& expected = oracle.at("actuators")[i];
    const std::string what = "actuator " + std::to_string(i) + " '" + actuator.name + "'";
    EXPECT_EQ(actuator.name, text_of(expected.at("name"))) << what;
    near(Eigen::VectorXd(actuator.gear), vector_of(expected.at("gear")), 1e-11, what + " gear");
    near(actuator.ctrl_range, expected.at("ctrllimited"), expected.at("ctrlrange"),
         what + " ctrlrange");
    near(actuator.force_range, expected.at("forcelimited"), expected.at("forcerange"),
         what + " force");
    if (actuator.gain_type == Gain::kUnsupported) continue;  // muscles
    const Eigen::Vector3d gain(actuator.gain.data()), bias(actuator.bias.data());
    near(Eigen::VectorXd(gain), vector_of(expected.at("gainprm")), 1e-11, what + " gain");
    // Damping ratios depend on the mass.
    near(Eigen::VectorXd(bias), vector_of(expected.at("biasprm")), tolerance, what + " bias");
    if (actuator.transmission == Transmission::kJoint) {
      EXPECT_EQ(expected.at("trn"), "joint") << what;
      EXPECT_EQ(model.joints.at(static_cast<size_t>(actuator.target)).name,
                text_of(expected.at("target")));
    }
    if (actuator.transmission == Transmission::kTendon) {
      EXPECT_EQ(expected.at("trn"), "tendon") << what;
      EXPECT_EQ(model.tendons.at(static_cast<size_t>(actuator.target)).name,
                text_of(expected.at("target")));
    }
  }
}

void MjcfOracle::compare_equalities(const Model& model, const json& oracle) {
  ASSERT_EQ(model.equalities.size(), oracle.at("equality").size());
  for (size_t i = 0; i < model.equalities.size(); ++i) {
    const Equality& equality = model.equalities[i];
    const json& expected = oracle.at("equality")[i];
    const std::string what = "equality " + std::to_string(i);
    const Eigen::VectorXd data = vector_of(expected.at("data"));
    if (expected.at("type") == "connect") {
      ASSERT_EQ(equality.type, EqualityType::kConnect);
      near(Eigen::VectorXd(equality.anchor1), data.head(3), 1e-9, what);
      near(Eigen::VectorXd(equality.anchor2), data.segment(3, 3), 1e-9, what);
    } else if (expected.at("type") == "joint") {
      ASSERT_EQ(equality.type, EqualityType::kJoint);
      near(Eigen::Map<const Eigen::VectorXd>(equality.polycoef.data(), 5), data.head(5), 1e-11,
           what);
    } else {
      FAIL() << what << " is of type " << expected.at("type");
    }
  }
}

TEST_P(MjcfOracle, AgreesWithMuJoCo) {
  std::ifstream stream(GetParam().oracle);
  const json oracle = json::parse(stream);
  const Model model = load_mjcf(GetParam().file, {}).model;
  const json& sizes = oracle.at("sizes");
  EXPECT_EQ(model.nq, sizes.at("nq").get<int>());
  EXPECT_EQ(model.nv, sizes.at("nv").get<int>());
  EXPECT_EQ(model.nu(), sizes.at("nu").get<int>());
  EXPECT_EQ(model.na, sizes.at("na").get<int>());
  EXPECT_EQ(model.sites.size(), sizes.at("nsite").get<size_t>());
  EXPECT_EQ(model.excludes.size(), sizes.at("nexclude").get<size_t>());
  EXPECT_EQ(model.pairs.size(), sizes.at("npair").get<size_t>());
  EXPECT_EQ(model.sensors.size(), sizes.at("nsensor").get<size_t>());
  EXPECT_EQ(model.keyframes.size(), sizes.at("nkey").get<size_t>());
  // MuJoCo keeps mesh vertices in single precision.
  const bool has_meshes = sizes.at("nmesh").get<int>() > 0;
  const double tolerance = has_meshes ? 1e-6 : 1e-9;
  const double mass = oracle.at("total_mass");
  EXPECT_NEAR(model.total_mass(), mass, tolerance * mass);
  near(model.options.timestep, oracle.at("opt").at("timestep"), 1e-12, "timestep");
  near(Eigen::VectorXd(model.options.gravity), vector_of(oracle.at("opt").at("gravity")), 1e-12,
       "g");
  compare_bodies(model, oracle, tolerance);
  compare_joints(model, oracle);
  compare_geoms(model, oracle);
  compare_actuators(model, oracle, tolerance);
  compare_equalities(model, oracle);
  for (const json& state : oracle.at("states")) {
    const std::string name = state.at("name");
    if (name == "qpos0") near(model.qpos0, vector_of(state.at("qpos")), 1e-11, name);
    if (name.rfind("key:", 0) != 0) continue;
    const int key = model.keyframe_index(name.substr(4));
    ASSERT_GE(key, 0) << name;
    near(model.keyframes[static_cast<size_t>(key)].qpos, vector_of(state.at("qpos")), 1e-11, name);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, MjcfOracle, ::testing::ValuesIn(cases()), [](const auto& test) {
  std::string name = test.param.file.substr(kModels.size());
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
});
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MjcfOracle);

TEST(MjcfScenes, Load) {
  const std::filesystem::path folder = STICTION_SHARED_DIR "/scenes";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "../shared is missing";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".xml") continue;
    try {
      EXPECT_GT(load_mjcf(entry.path().string(), {}).model.geoms.size(), 0) << entry.path();
    } catch (const InputError& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

}  // namespace
}  // namespace stiction
