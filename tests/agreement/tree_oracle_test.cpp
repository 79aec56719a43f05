// Loaders and tree dynamics against MuJoCo 3.14: every model of ../shared/models that it loads, at
// every state of its oracle file.
#include <gtest/gtest.h>
#include <stiction/files.h>
#include <stiction/tree.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

namespace stiction {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const fs::path kModelFolder = fs::path(STICTION_SHARED_DIR) / "models";

/// Masses computed from meshes, whose vertices the oracle's MuJoCo rounds to floats.
const std::vector<std::string> kMassFromMeshes = {"wonik_allegro"};

/// What the model does not hold, and so can't agree.
struct Exception {
  std::string oracle, quantity, reason;
};
const std::vector<Exception> kExceptions = {
    {"classic_mujoco/oracle/arm26.xml.json", "qfrc_actuator", "muscles are reported, not modelled"},
    {"classic_mujoco/oracle/arm26.xml.json", "qacc_smooth", "muscles are reported, not modelled"},
};

std::vector<std::string> oracle_files() {
  std::vector<std::string> files;
  if (!fs::exists(kModelFolder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(kModelFolder)) {
    if (entry.path().parent_path().filename() == "oracle" && entry.path().extension() == ".json") {
      files.push_back(fs::relative(entry.path(), kModelFolder));
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// folder/oracle/a__b.urdf.floating.json is about folder/a/b.urdf with a free base.
Loaded load_for_oracle(const std::string& oracle) {
  const std::string folder = oracle.substr(0, oracle.find("/oracle/"));
  std::string file = fs::path(oracle).stem();
  LoadOptions options;
  for (const std::string ending : {".fixed", ".floating"}) {
    if (!file.ends_with(ending)) continue;
    file.resize(file.size() - ending.size());
    options.floating_base = ending == ".floating";
  }
  for (size_t at; (at = file.find("__")) != std::string::npos;) file.replace(at, 2, "/");
  options.package_paths = {kModelFolder / folder};
  return load_model(kModelFolder / folder / file, options);
}

/// Where the oracle has our item: by name, or in the same place if it has none.
template <typename Item>
std::vector<int> match(const std::vector<Item>& ours, const json& theirs) {
  std::vector<int> place(ours.size());
  std::iota(place.begin(), place.end(), 0);
  for (size_t i = 0; i < ours.size(); ++i) {
    if (ours[i].name.empty() || (i < theirs.size() && theirs[i]["name"] == ours[i].name)) continue;
    for (size_t k = 0; k < theirs.size(); ++k) {
      if (theirs[k]["name"] == ours[i].name) place[i] = static_cast<int>(k);
    }
  }
  return place;
}

/// Oracle positions of our coordinates.
struct Places {
  std::vector<int> qpos, dof, body;

  Places(const Model& model, const json& oracle) : body(match(model.bodies, oracle["bodies"])) {
    const std::vector<int> joint = match(model.joints, oracle["joints"]);
    for (size_t j = 0; j < model.joints.size(); ++j) {
      const json& theirs = oracle["joints"][joint[j]];
      for (int k = 0; k < model.joints[j].nq(); ++k)
        qpos.push_back(theirs["qposadr"].get<int>() + k);
      for (int k = 0; k < model.joints[j].nv(); ++k) dof.push_back(theirs["dofadr"].get<int>() + k);
    }
  }
};

Eigen::VectorXd pick(const json& values, const std::vector<int>& places) {
  Eigen::VectorXd x(static_cast<Eigen::Index>(places.size()));
  for (size_t i = 0; i < places.size(); ++i) x[static_cast<Eigen::Index>(i)] = values[places[i]];
  return x;
}

class TreeOracle : public testing::TestWithParam<std::string> {
 protected:
  void compare(const std::string& quantity, const Eigen::VectorXd& ours,
               const Eigen::VectorXd& theirs, double smallest_scale) {
    ASSERT_EQ(ours.size(), theirs.size()) << quantity;
    if (ours.size() == 0) return;
    for (const Exception& e : kExceptions) {
      if (e.oracle == GetParam() && e.quantity == quantity) return;
    }
    Eigen::Index worst;
    const double difference = (ours - theirs).cwiseAbs().maxCoeff(&worst);
    const double scale = std::max(theirs.cwiseAbs().maxCoeff(), smallest_scale);
    EXPECT_LE(difference, tolerance_ * scale)
        << quantity << " of " << state_ << ", entry " << worst << ": " << ours[worst]
        << ", expected " << theirs[worst];
  }

  void compare_state(const Model& model, const Places& places, const json& state, TreeData& data);
  void compare_mass_matrix(const Places& places, const json& state, const TreeData& data);
  void compare_poses(const Places& places, const json& state, const TreeData& data);

  double tolerance_ = 1e-9;
  std::string state_;
};

void TreeOracle::compare_mass_matrix(const Places& places, const json& state,
                                     const TreeData& data) {
  const Eigen::MatrixXd M = dense_mass_matrix(data);
  compare("M_diag", M.diagonal(), pick(state["M_diag"], places.dof), 0);
  if (!state.contains("M_lower")) return;
  const Eigen::Index nv = M.rows();
  Eigen::MatrixXd theirs(nv, nv);
  for (Eigen::Index i = 0; i < nv; ++i) {
    for (Eigen::Index j = 0; j < nv; ++j) {
      const auto [a, b] = std::minmax(places.dof[i], places.dof[j]);
      theirs(i, j) = state["M_lower"][b][a];
    }
  }
  compare("M", M.reshaped(), theirs.reshaped(), 0);
}

void TreeOracle::compare_poses(const Places& places, const json& state, const TreeData& data) {
  if (!state.contains("xpos")) return;
  for (size_t b = 0; b < places.body.size(); ++b) {
    const auto x = state["xpos"][places.body[b]].get<std::array<double, 3>>();
    const auto q = state["xquat"][places.body[b]].get<std::array<double, 4>>();
    compare("xpos", data.p_WB[b], Eigen::Vector3d(x[0], x[1], x[2]), 1);
    Eigen::Quaterniond theirs(q[0], q[1], q[2], q[3]);
    if (theirs.dot(data.q_WB[b]) < 0) theirs.coeffs() *= -1;
    compare("xquat", data.q_WB[b].coeffs(), theirs.coeffs(), 1);
  }
}

void TreeOracle::compare_state(const Model& model, const Places& places, const json& state,
                               TreeData& data) {
  const Eigen::VectorXd qpos = pick(state["qpos"], places.qpos);
  const Eigen::VectorXd qvel = pick(state["qvel"], places.dof);
  std::vector<int> controls(model.nu());
  std::iota(controls.begin(), controls.end(), 0);
  const Eigen::VectorXd ctrl = pick(state.value("ctrl", json::array()), controls);
  update_kinematics(model, qpos, data);
  update_velocity(model, qvel, data);
  compute_mass_matrix(model, data);
  factorize(data);
  compute_bias(model, data);
  compute_passive_forces(model, qpos, qvel, data);
  compute_actuator_forces(model, qpos, qvel, ctrl, Eigen::VectorXd::Zero(model.na),
                          model.options.timestep, data);
  Eigen::VectorXd qacc = data.passive + data.actuation - data.bias;
  solve_in_place(data, qacc);

  compare_mass_matrix(places, state, data);
  compare_poses(places, state, data);
  // Forces that cancel are as exact as their parts.
  const double largest = model.nv > 0 ? data.bias.cwiseAbs().maxCoeff() : 0;
  compare("qfrc_bias", data.bias, pick(state["qfrc_bias"], places.dof), 1e-6);
  compare("qfrc_passive", data.passive, pick(state["qfrc_passive"], places.dof), largest);
  if (state.contains("qfrc_actuator")) {
    compare("qfrc_actuator", data.actuation, pick(state["qfrc_actuator"], places.dof), largest);
  }
  compare("qacc_smooth", qacc, pick(state["qacc_smooth"], places.dof), 1);
  if (model.total_mass() > 0) {
    compare("com", center_of_mass(model, data), pick(state["com"], {0, 1, 2}), 1);
  }
  const Energy e = energy(model, qpos, qvel, data);
  compare("energy", Eigen::Vector2d(e.potential, e.kinetic), pick(state["energy"], {0, 1}), 1);
}

TEST_P(TreeOracle, Agrees) {
  const std::string folder = GetParam().substr(0, GetParam().find('/'));
  if (std::count(kMassFromMeshes.begin(), kMassFromMeshes.end(), folder)) tolerance_ = 1e-6;
  const json oracle = json::parse(std::ifstream(kModelFolder / GetParam()));
  const Model model = load_for_oracle(GetParam()).model;
  const json& sizes = oracle["sizes"];
  ASSERT_EQ(model.nq, sizes["nq"]);
  ASSERT_EQ(model.nv, sizes["nv"]);
  ASSERT_EQ(model.nu(), sizes["nu"]);
  ASSERT_EQ(model.bodies.size(), sizes["nbody"]);
  ASSERT_EQ(model.joints.size(), sizes["njnt"]);
  const double mass = oracle["total_mass"];
  EXPECT_NEAR(model.total_mass(), mass, tolerance_ * mass);

  const Places places(model, oracle);
  TreeData data(model);
  ASSERT_GE(oracle["states"].size(), 2u);
  for (const json& state : oracle["states"]) {
    state_ = state["name"];
    compare_state(model, places, state, data);
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(0, info.param.size() - 5);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Models, TreeOracle, testing::ValuesIn(oracle_files()), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TreeOracle);

/// The list above is complete: as many as index.csv says that MuJoCo loads.
TEST(TreeOracleFiles, CoverTheIndex) {
  if (!fs::exists(kModelFolder)) GTEST_SKIP() << "../shared is missing";
  std::ifstream index(kModelFolder / "index.csv");
  size_t loaded = 0;
  for (std::string line; std::getline(index, line);) {
    if (line.find(",yes,") != std::string::npos && line.find("oracle/") != std::string::npos) {
      ++loaded;
    }
  }
  EXPECT_EQ(oracle_files().size(), loaded);
}

}  // namespace
}  // namespace stiction
