// Contact detection: Stiction against MuJoCo's C library, on the same states of the same file at
// equal margins, in one run, alternating. The states are consecutive ones of MuJoCo's own run, so
// that what is kept from step to step counts as it would in a simulation. Times are medians of CPU
// time of the thread; kinematics are left out on both sides, placing the geoms only on MuJoCo's.
//
//   collision_bench [FILE...]      default: quad8, quad27 and granular216 of ../shared/scenes
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

#include "cpu_time.h"
#include "sim/detect.h"

namespace {

constexpr double kMargin = 1e-3;  // m
constexpr int kFirstStep = 180;   // things have fallen on each other
constexpr int kStates = 120;
constexpr int kRounds = 5;

class MuJoCo {
 public:
  explicit MuJoCo(const std::string& path) {
    char error[1000] = "";
    model_.reset(mj_loadXML(path.c_str(), nullptr, error, sizeof(error)));
    if (!model_) throw std::runtime_error(path + ": " + error);
    std::fill_n(model_->geom_margin, model_->ngeom, kMargin);
    model_->opt.solver = mjSOL_CG;  // fast enough to get to the states
    data_.reset(mj_makeData(model_.get()));
  }

  mjModel* model() { return model_.get(); }
  mjData* data() { return data_.get(); }

  std::vector<Eigen::VectorXd> states() {
    std::vector<Eigen::VectorXd> result;
    for (int k = 0; k < kFirstStep + kStates; ++k) {
      mj_step(model(), data());
      if (k < kFirstStep) continue;
      result.push_back(Eigen::Map<Eigen::VectorXd>(data()->qpos, model()->nq));
    }
    return result;
  }

  double collide(const Eigen::VectorXd& qpos) {
    mju_copy(data()->qpos, qpos.data(), static_cast<int>(qpos.size()));
    mj_kinematics(model(), data());
    mj_comPos(model(), data());
    const double start = cpu_microseconds();
    mj_collision(model(), data());
    return cpu_microseconds() - start;
  }

  int touching() {
    int count = 0;
    for (int k = 0; k < data()->ncon; ++k) count += data()->contact[k].dist < 0;
    return count;
  }

 private:
  std::unique_ptr<mjModel, decltype(&mj_deleteModel)> model_{nullptr, mj_deleteModel};
  std::unique_ptr<mjData, decltype(&mj_deleteData)> data_{nullptr, mj_deleteData};
};

class Stiction {
 public:
  explicit Stiction(const std::string& path)
      : model_(with_margins(stiction::load_model(path).model)),
        structure_(model_),
        detector_(model_, structure_, {.rest_margin = 0}),
        tree_(model_) {}

  double collide(const Eigen::VectorXd& qpos) {
    stiction::update_kinematics(model_, qpos, tree_);
    const double start = cpu_microseconds();
    detector_.detect(tree_, 0, contacts_);
    return cpu_microseconds() - start;
  }

  int count() const { return static_cast<int>(contacts_.size()); }
  int touching() const {
    int count = 0;
    for (const auto& contact : contacts_) count += contact.gap < 0;
    return count;
  }

 private:
  static stiction::Model with_margins(stiction::Model model) {
    for (stiction::Geom& geom : model.geoms) geom.contact.margin = kMargin;
    return model;
  }

  stiction::Model model_;
  stiction::Structure structure_;
  stiction::ContactDetector detector_;
  stiction::TreeData tree_;
  std::vector<stiction::ContactForce> contacts_;
};

void compare(const std::string& path) {
  MuJoCo mujoco(path);
  Stiction ours(path);
  std::vector<double> our_times, their_times, ratios;
  double our_contacts = 0, their_contacts = 0, our_touching = 0, their_touching = 0;
  const std::vector<Eigen::VectorXd> states = mujoco.states();
  for (int round = 0; round < kRounds; ++round) {
    for (const Eigen::VectorXd& qpos : states) {
      their_times.push_back(mujoco.collide(qpos));
      our_times.push_back(ours.collide(qpos));
      ratios.push_back(our_times.back() / their_times.back());
      our_contacts += ours.count();
      their_contacts += mujoco.data()->ncon;
      our_touching += ours.touching();
      their_touching += mujoco.touching();
    }
  }
  const double calls = kRounds * kStates;
  std::printf(
      "%-16s stiction %7.1f us, %6.1f contacts, %6.1f overlapping   mujoco %7.1f us, %6.1f, %6.1f "
      "  ratio %.2f\n",
      path.substr(path.find_last_of('/') + 1).c_str(), median(our_times), our_contacts / calls,
      our_touching / calls, median(their_times), their_contacts / calls, their_touching / calls,
      median(ratios));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> paths(argv + 1, argv + argc);
  if (paths.empty()) {
    const std::string scenes = STICTION_SHARED_DIR "/scenes/";
    paths = {scenes + "quad8.xml", scenes + "quad27.xml", scenes + "granular216.xml"};
  }
  std::printf("contact detection, margin %g m, medians of CPU time; MuJoCo %s\n", kMargin,
              mj_versionString());
  try {
    for (const std::string& path : paths) compare(path);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "collision_bench: %s\n", error.what());
    return 2;
  }
  return 0;
}
