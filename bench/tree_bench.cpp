// Kinematics + mass matrix + its factorization + bias: Stiction against MuJoCo's C library, on the
// same files at the same state, in one run, alternating. Times are medians of CPU time of the
// thread; the largest difference of M and of the bias force is printed beside them.
//
//   tree_bench [FILE...]      default: the go1 quadruped and the humanoid of ../shared/models
#include <mujoco/mujoco.h>
#include <stiction/files.h>
#include <stiction/tree.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int kRounds = 301;        // medians of so many...
constexpr int kCallsPerRound = 50;  // ... means over so many calls

double cpu_nanoseconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

template <typename Call>
double mean_time(Call call) {
  const double start = cpu_nanoseconds();
  for (int k = 0; k < kCallsPerRound; ++k) call();
  return (cpu_nanoseconds() - start) / kCallsPerRound;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + kRounds / 2, values.end());
  return values[kRounds / 2];
}

class MuJoCo {
 public:
  explicit MuJoCo(const std::string& path) {
    char error[1000] = "";
    model_.reset(mj_loadXML(path.c_str(), nullptr, error, sizeof(error)));
    if (!model_) throw std::runtime_error(path + ": " + error);
    data_.reset(mj_makeData(model_.get()));
  }

  mjModel* model() { return model_.get(); }
  mjData* data() { return data_.get(); }

  void evaluate() {
    mj_kinematics(model(), data());
    mj_comPos(model(), data());
    mj_makeM(model(), data());
    mj_factorM(model(), data());
    mj_comVel(model(), data());
    mj_rne(model(), data(), 0, data()->qfrc_bias);
  }

 private:
  std::unique_ptr<mjModel, decltype(&mj_deleteModel)> model_{nullptr, mj_deleteModel};
  std::unique_ptr<mjData, decltype(&mj_deleteData)> data_{nullptr, mj_deleteData};
};

void evaluate(const stiction::Model& model, const Eigen::VectorXd& qpos,
              const Eigen::VectorXd& qvel, stiction::TreeData& data) {
  stiction::update_kinematics(model, qpos, data);
  stiction::compute_mass_matrix(model, data);
  stiction::factorize(data);
  stiction::update_velocity(model, qvel, data);
  stiction::compute_bias(model, data);
}

/// Largest difference of M and bias, relative to their largest entries.
double difference(MuJoCo& mujoco, const stiction::TreeData& data) {
  const int nv = static_cast<int>(mujoco.model()->nv);
  Eigen::MatrixXd M(nv, nv);
  for (int d = 0; d < nv; ++d) {  // mj_fullM has changed its arguments over the versions
    const Eigen::VectorXd unit = Eigen::VectorXd::Unit(nv, d);
    mj_mulM(mujoco.model(), mujoco.data(), M.col(d).data(), unit.data());
  }
  const Eigen::Map<Eigen::VectorXd> bias(mujoco.data()->qfrc_bias, nv);
  const Eigen::MatrixXd M_difference = M - stiction::dense_mass_matrix(data);
  return std::max(M_difference.cwiseAbs().maxCoeff() / M.cwiseAbs().maxCoeff(),
                  (bias - data.bias).cwiseAbs().maxCoeff() / bias.cwiseAbs().maxCoeff());
}

void compare(const std::string& path) {
  const stiction::Model model = stiction::load_model(path).model;
  stiction::TreeData data(model);
  MuJoCo mujoco(path);

  // A state off the symmetric ones, the same for both.
  const auto spread = [](int n) -> Eigen::VectorXd {
    return Eigen::VectorXd::LinSpaced(n, -0.3, 0.4).array().sin();
  };
  Eigen::VectorXd qpos = model.qpos0;
  const Eigen::VectorXd qvel = spread(model.nv);
  stiction::integrate_positions(model, qvel, 1.0, qpos);
  mju_copy(mujoco.data()->qpos, qpos.data(), model.nq);
  mju_copy(mujoco.data()->qvel, qvel.data(), model.nv);

  std::vector<double> ours, theirs, ratio;
  for (int round = 0; round < kRounds; ++round) {
    theirs.push_back(mean_time([&] { mujoco.evaluate(); }));
    ours.push_back(mean_time([&] { evaluate(model, qpos, qvel, data); }));
    ratio.push_back(ours.back() / theirs.back());
  }
  std::printf("%-16s nv %3d   stiction %6.2f us   mujoco %6.2f us   ratio %.2f   difference %.0e\n",
              path.substr(path.find_last_of('/') + 1).c_str(), model.nv, 1e-3 * median(ours),
              1e-3 * median(theirs), median(ratio), difference(mujoco, data));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> paths(argv + 1, argv + argc);
  if (paths.empty()) {
    const std::string models = STICTION_SHARED_DIR "/models/";
    paths = {models + "unitree_go1/go1.xml", models + "humanoid/humanoid.xml"};
  }
  std::printf("kinematics + M + factorization + bias, medians of CPU time; MuJoCo %s\n",
              mj_versionString());
  try {
    for (const std::string& path : paths) compare(path);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tree_bench: %s\n", error.what());
    return 2;
  }
  return 0;
}
