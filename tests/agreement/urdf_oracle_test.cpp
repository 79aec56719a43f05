// Every URDF file of ../shared/models, fixed and floating, against MuJoCo's compiled model.
#include <gtest/gtest.h>
#include <stiction/error.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/formats.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using nlohmann::json;

const std::string kUrdfModels = std::string(STICTION_SHARED_DIR) + "/models/";

struct UrdfCase {
  std::string folder, file, oracle;
  bool floating = false;
  std::string expected_error;  ///< the body that MuJoCo refuses
};

/// The cells of a line, quotes removed.
std::vector<std::string> csv_cells(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

std::vector<UrdfCase> urdf_cases() {
  std::vector<UrdfCase> cases;
  std::ifstream index(kUrdfModels + "index.csv");
  std::string line;
  std::getline(index, line);
  std::map<std::string, std::size_t> column;
  const std::vector<std::string> names = csv_cells(line);
  for (std::size_t i = 0; i < names.size(); ++i) column[names[i]] = i;
  while (std::getline(index, line)) {
    const std::vector<std::string> cells = csv_cells(line);
    const std::string kind = cells.at(column.at("kind"));
    if (!kind.starts_with("urdf")) continue;
    UrdfCase c{cells.at(column.at("folder")), cells.at(column.at("file")),
               cells.at(column.at("oracle")), kind == "urdf-floating", ""};
    if (cells.at(column.at("loads")) != "yes") {
      const std::string note = cells.at(column.at("notes"));
      const std::size_t begin = note.find("'") + 1;
      c.expected_error = note.substr(begin, note.find("'", begin) - begin);
    }
    cases.push_back(c);
  }
  return cases;
}

Vector3d vector3(const json& values) {
  return {values[0].get<double>(), values[1].get<double>(), values[2].get<double>()};
}

Eigen::Quaterniond quaternion(const json& q) {
  return {q[0].get<double>(), q[1].get<double>(), q[2].get<double>(), q[3].get<double>()};
}

Matrix3d tensor(const json& body) {
  const Matrix3d R = quaternion(body["iquat"]).toRotationMatrix();
  return R * vector3(body["inertia"]).asDiagonal() * R.transpose();
}

void expect_same_body(const Model& model, const json& oracle, const json& expected) {
  const std::string name = expected["name"];
  const int index = model.body_index(name);
  ASSERT_GE(index, 0) << name;
  const Body& body = model.bodies[index];
  EXPECT_EQ(model.bodies[body.parent].name, oracle["bodies"][expected["parent"].get<int>()]["name"])
      << name;
  EXPECT_LT((body.X_PB.p - vector3(expected["pos"])).norm(), 1e-11) << name;
  EXPECT_LT(body.X_PB.q.angularDistance(quaternion(expected["quat"])), 1e-7) << name;
  EXPECT_NEAR(body.mass, expected["mass"], 1e-11) << name;
  if (body.mass > 0) {
    EXPECT_LT((body.com - vector3(expected["ipos"])).norm(), 1e-11) << name;
  }
  const Matrix3d inertia = tensor(expected);
  EXPECT_LT((body.inertia - inertia).norm(), 1e-9 * inertia.norm() + 1e-14) << name;
}

void expect_same_joint(const Model& model, const json& oracle, const json& expected) {
  const std::string name = expected["name"];
  const int index = model.joint_index(name);
  ASSERT_GE(index, 0) << name;
  const Joint& joint = model.joints[index];
  const std::map<JointType, std::string> types{{JointType::kFree, "free"},
                                               {JointType::kBall, "ball"},
                                               {JointType::kSlide, "slide"},
                                               {JointType::kHinge, "hinge"}};
  EXPECT_EQ(types.at(joint.type), expected["type"]) << name;
  EXPECT_EQ(model.bodies[joint.body].name, oracle["bodies"][expected["body"].get<int>()]["name"]);
  if (joint.nq() == 1) {
    EXPECT_LT((joint.axis - vector3(expected["axis"])).norm(), 1e-11) << name;
  }
  EXPECT_LT((joint.anchor - vector3(expected["pos"])).norm(), 1e-15) << name;
  EXPECT_EQ(joint.range.limited(), expected["limited"].get<bool>()) << name;
  if (joint.range.limited()) {
    EXPECT_NEAR(joint.range.lower, expected["range"][0], 1e-11) << name;
    EXPECT_NEAR(joint.range.upper, expected["range"][1], 1e-11) << name;
  }
  EXPECT_EQ(joint.actuator_force_range.limited(), expected.contains("actfrcrange")) << name;
  if (expected.contains("actfrcrange")) {
    EXPECT_NEAR(joint.actuator_force_range.lower, expected["actfrcrange"][0], 1e-11) << name;
    EXPECT_NEAR(joint.actuator_force_range.upper, expected["actfrcrange"][1], 1e-11) << name;
  }
  EXPECT_NEAR(joint.damping, expected["damping"], 1e-12) << name;
  EXPECT_NEAR(joint.frictionloss, expected["frictionloss"], 1e-12) << name;
  EXPECT_NEAR(joint.armature, expected["armature"], 1e-12) << name;
  EXPECT_NEAR(joint.ref, expected["ref"], 1e-12) << name;
}

void expect_same_mimics(const Model& model, const json& expected) {
  ASSERT_EQ(model.equalities.size(), expected.size());
  for (const json& equality : expected) {
    bool found = false;
    for (const Equality& ours : model.equalities) {
      if (model.joints[ours.object1].name != equality["obj1"]) continue;
      found = true;
      EXPECT_EQ(model.joints[ours.object2].name, equality["obj2"]);
      for (int k = 0; k < 5; ++k) EXPECT_NEAR(ours.polycoef[k], equality["data"][k], 1e-15);
    }
    EXPECT_TRUE(found) << equality["obj1"];
  }
}

void PrintTo(const UrdfCase& c, std::ostream* out) { *out << c.folder << "/" << c.file; }

std::string case_name(const testing::TestParamInfo<UrdfCase>& info) {
  std::string name = info.param.folder + "_" + info.param.file;
  name += info.param.floating ? "_floating" : "_fixed";
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

class UrdfOracle : public testing::TestWithParam<UrdfCase> {};

TEST_P(UrdfOracle, CompiledModelAgrees) {
  const UrdfCase& c = GetParam();
  const std::string path = kUrdfModels + c.folder + "/" + c.file;
  const LoadOptions options{.floating_base = c.floating};
  if (!c.expected_error.empty()) {
    try {
      load_urdf(path, options);
      FAIL() << "MuJoCo refuses body '" << c.expected_error << "'";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("'" + c.expected_error + "'"), std::string::npos)
          << error.what();
      return;
    }
  }
  std::ifstream in(kUrdfModels + c.folder + "/" + c.oracle);
  ASSERT_TRUE(in) << c.oracle;
  const json oracle = json::parse(in);
  const Model model = load_urdf(path, options).model;

  EXPECT_EQ(model.nq, oracle["sizes"]["nq"]);
  EXPECT_EQ(model.nv, oracle["sizes"]["nv"]);
  EXPECT_EQ(model.bodies.size(), oracle["sizes"]["nbody"]);
  EXPECT_EQ(model.joints.size(), oracle["sizes"]["njnt"]);
  EXPECT_NEAR(model.total_mass(), oracle["total_mass"], 1e-9);
  for (const json& body : oracle["bodies"]) expect_same_body(model, oracle, body);
  for (const json& joint : oracle["joints"]) expect_same_joint(model, oracle, joint);
  expect_same_mimics(model, oracle["equality"]);

  std::size_t colliding = 0;
  for (const Geom& geom : model.geoms) colliding += geom.contact.contype != 0;
  EXPECT_EQ(colliding, oracle["sizes"]["ngeom"]);
}

/// Mesh geoms are re-centred in the oracle: their pose is compared by the mesh's centre.
TEST_P(UrdfOracle, CollisionGeomsAgree) {
  const UrdfCase& c = GetParam();
  if (!c.expected_error.empty()) return;  // refused, as the test above asks
  std::ifstream in(kUrdfModels + c.folder + "/" + c.oracle);
  ASSERT_TRUE(in) << c.oracle;
  const json oracle = json::parse(in);
  const Model model = load_urdf(kUrdfModels + c.folder + "/" + c.file, {}).model;
  std::map<std::string, std::vector<Geom>> ours;
  for (const Geom& geom : model.geoms) {
    if (geom.contact.contype != 0) ours[model.bodies[geom.body].name].push_back(geom);
  }
  std::map<std::string, std::size_t> next;
  for (const json& expected : oracle["geoms"]) {
    const std::string body = oracle["bodies"][expected["body"].get<int>()]["name"];
    ASSERT_LT(next[body], ours[body].size()) << body;
    const Geom& geom = ours[body][next[body]++];
    EXPECT_EQ(geom.group, expected["group"]);
    const Vector3d size = vector3(expected["size"]);
    if (expected["type"] == "box") {
      EXPECT_LT((std::get<Box>(geom.shape).half_size - size).norm(), 1e-11);
    } else if (expected["type"] == "sphere") {
      EXPECT_NEAR(std::get<Sphere>(geom.shape).radius, size[0], 1e-11);
    } else if (expected["type"] == "cylinder") {
      EXPECT_NEAR(std::get<Cylinder>(geom.shape).radius, size[0], 1e-11);
      EXPECT_NEAR(std::get<Cylinder>(geom.shape).half_length, size[1], 1e-11);
    } else {
      ASSERT_EQ(expected["type"], "mesh");
      EXPECT_TRUE(std::holds_alternative<ConvexMesh>(geom.shape));
      Pose X_GM;
      for (const json& mesh : oracle["meshes"]) {
        if (mesh["name"] == expected["mesh"]) {
          X_GM = {vector3(mesh["pos"]), quaternion(mesh["quat"])};
        }
      }
      const Pose X_BM = geom.X_BG * X_GM;
      EXPECT_LT((X_BM.p - vector3(expected["pos"])).norm(), 1e-9) << body;
      EXPECT_LT(X_BM.q.angularDistance(quaternion(expected["quat"])), 1e-6) << body;
      continue;
    }
    EXPECT_LT((geom.X_BG.p - vector3(expected["pos"])).norm(), 1e-11) << body;
    EXPECT_LT(geom.X_BG.q.angularDistance(quaternion(expected["quat"])), 1e-7) << body;
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(UrdfOracle);
INSTANTIATE_TEST_SUITE_P(Models, UrdfOracle, testing::ValuesIn(urdf_cases()), case_name);

TEST(UrdfOracleFiles, AreThere) {
  if (urdf_cases().empty()) GTEST_SKIP() << "../shared is missing";
  EXPECT_GE(urdf_cases().size(), 32u);
}

}  // namespace
}  // namespace stiction
