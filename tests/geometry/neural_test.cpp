#include <gtest/gtest.h>
#include <stiction/error.h>
#include <stiction/sdf.h>
#include <unistd.h>

#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <numbers>

#include "geometry/collide.h"
#include "geometry/sdf/descent.h"
#include "geometry/sdf/network.h"
#include "geometry/sdf_samples.h"
#include "message_of.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

class NeuralFile : public testing::Test {
 protected:
  ~NeuralFile() override { std::filesystem::remove(path_); }
  std::string path_ =
      testing::TempDir() + "network_" + std::to_string(static_cast<long>(getpid())) + ".nsdf";

  void write(const std::string& text) const { std::ofstream(path_) << text; }
  std::string message(const std::string& text) const {
    write(text);
    const std::string what = message_of([&] { read_network(path_); });
    EXPECT_TRUE(what.empty() || what.starts_with(path_)) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    return what;
  }
};

const NeuralPointer& small_bolt() {
  static const NeuralPointer network =
      train_network(*make_bolt("bolt", {.length = 0.03}),
                    {.steps = 20, .branches = 2, .width = 16, .thread_width = 24, .batch = 64});
  return network;
}

TEST(Neural, SinesAndCosinesAreThose) {
  double x[64], sine[64], cosine[64];
  for (const double reach : {1e-3, 1.0, 100.0}) {
    for (int k = 0; k < 64; ++k) x[k] = reach * (k - 31.7) / 32;
    sine_and_cosine(x, sine, cosine, 64);
    for (int k = 0; k < 64; ++k) {
      EXPECT_NEAR(sine[k], std::sin(x[k]), 1e-14);
      EXPECT_NEAR(cosine[k], std::cos(x[k]), 1e-14);
    }
  }
}

TEST(Neural, GradientsAreDerivatives) {
  const NeuralPointer dish =
      train_network(*make_dish("plate", plate_shape()), {.steps = 20, .branches = 3, .batch = 64});
  for (const NeuralPointer& network : {small_bolt(), dish}) {
    const SdfPointer sdf = make_neural("network", network);
    // Near the surface, and outside of the box as well.
    for (const double spread : {0.1 * sdf->detail, 0.1}) {
      const GradientCheck check = check_gradient(*sdf, spread, 1e-8, 300);
      EXPECT_LT(check.error, 1e-5);
      EXPECT_GT(check.used, 200);
    }
  }
}

// To the bit, whichever branches the other points of the block have: near the surface, across it so
// that several parts and branches meet in a block, outside of the box, and on the axis.
TEST(Neural, ManyDistancesAtOnceAreThoseOneByOne) {
  const SdfPointer sdf = make_neural("network", small_bolt());
  std::mt19937 rng(3);
  std::normal_distribution<double> normal;
  for (const double spread : {0.0, 0.1 * sdf->detail, 0.05}) {
    for (int round = 0; round < 200; ++round) {
      DistanceBlock block;
      for (int k = 0; k < DistanceBlock::kSize; ++k) {
        const Vector3d& vertex = sdf->surface.vertices[rng() % sdf->surface.vertices.size()];
        block.x[k] = round == 0 ? 0 : vertex.x() + spread * normal(rng);
        block.y[k] = round == 0 ? 0 : vertex.y() + spread * normal(rng);
        block.z[k] = vertex.z() + spread * normal(rng);
      }
      sdf->distances(block);
      for (int k = 0; k < DistanceBlock::kSize; ++k) {
        Vector3d gradient;
        ASSERT_EQ(block.distance[k], sdf->distance({block.x[k], block.y[k], block.z[k]}, gradient));
        ASSERT_EQ(Vector3d(block.grad_x[k], block.grad_y[k], block.grad_z[k]), gradient);
      }
    }
  }
}

TEST(Neural, OnTheAxisOfAThreadTheDistanceIsSmooth) {
  const SdfPointer sdf = make_neural("bolt", small_bolt());
  Vector3d one, other;
  sdf->distance({1e-10, 0, 0.01}, one);
  sdf->distance({0, -1e-10, 0.01}, other);
  EXPECT_LT((one - other).norm(), 1e-5);
}

TEST_F(NeuralFile, SavedAndReadItIsTheSameToTheBit) {
  write(network_text(*small_bolt()));
  const NeuralPointer read = read_network(path_);
  EXPECT_EQ(network_text(*read), network_text(*small_bolt()));
  EXPECT_EQ(network_error(*read).near_rms, network_error(*small_bolt()).near_rms);
  const SdfPointer saved = make_neural("bolt", small_bolt()), again = make_neural("bolt", read);
  EXPECT_EQ(saved->surface.vertices, again->surface.vertices);
  for (const Vector3d& p : saved->surface.vertices) {
    Vector3d one, other;
    ASSERT_EQ(saved->distance(1.01 * p, one), again->distance(1.01 * p, other));
    ASSERT_EQ(one, other);
  }
  const auto folder = std::filesystem::path(path_).parent_path().string();
  const auto file = std::filesystem::path(path_).filename().string();
  EXPECT_EQ(describe_sdf("geom", "neural file=" + file, nullptr, folder)->detail, saved->detail);
}

TEST_F(NeuralFile, BadOnesAreRefusedWithTheLine) {
  const std::string good = network_text(*small_bolt());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return message(text);
  };
  const auto line_of = [&](const std::string& word, int further = 0) {
    const auto end = good.begin() + static_cast<std::ptrdiff_t>(good.find(word));
    return ":" + std::to_string(1 + further + std::count(good.begin(), end, '\n')) + ": ";
  };
  EXPECT_EQ(message(good), "");
  EXPECT_NE(message("").find(":1: the file ends, expected stiction-nsdf"), std::string::npos);
  EXPECT_NE(message("<mujoco/>").find("'<mujoco/>', expected stiction-nsdf"), std::string::npos);
  EXPECT_NE(with("nsdf 2", "nsdf 3").find(":1: version is 3"), std::string::npos);
  EXPECT_NE(with("scale", "scale nan").find(":4: 'nan', expected scale"), std::string::npos);
  EXPECT_NE(with("scale ", "scale -").find("scale is not positive"), std::string::npos);
  EXPECT_NE(with("parts 2", "parts 0").find(":9: number of parts"), std::string::npos);
  EXPECT_NE(with("part ", "part 10").find(":10: number of branches"), std::string::npos);
  EXPECT_NE(with("position", "colour").find(line_of("position") + "expected position or"),
            std::string::npos);
  EXPECT_NE(with("pitch 0.005", "pitch 0").find("but the pitch is 0"), std::string::npos);
  EXPECT_NE(with("layers 4", "layers 7").find("expected sizes from 4 to 1"), std::string::npos);
  EXPECT_NE(
      with("layers 4 16", "layers 4 1000000").find(line_of("layers 4 16") + "size of a layer"),
      std::string::npos);
  EXPECT_NE(
      with("16 16 16 1\n", "16 16 16 1\nweights ").find(line_of("16 16 16 1\n", 1) + "'weights'"),
      std::string::npos);
  EXPECT_NE(message(good.substr(0, good.size() / 3)).find("the file ends"), std::string::npos);
  EXPECT_NE(message(good + "1").find("more after the end"), std::string::npos);
  EXPECT_NE(message(good.substr(0, good.rfind(' ')) + " 99999999\n").find("a vertex of a triangle"),
            std::string::npos);
  const std::string last = good.substr(good.rfind('\n', good.size() - 2) + 1);
  EXPECT_NE(message(good + last).find("more after the end"), std::string::npos);
  EXPECT_THROW(read_network(path_ + ".none"), InputError);
  EXPECT_THROW(read_network(testing::TempDir()), InputError);
}

TEST(Neural, TrainingIsTheSameForTheSameSeed) {
  const SdfPointer bowl = make_dish("bowl", bowl_shape());
  Training training{.steps = 40, .branches = 2, .width = 12, .batch = 128};
  const std::string one = network_text(*train_network(*bowl, training));
  EXPECT_TRUE(one == network_text(*train_network(*bowl, training)));
  training.seed = 2;
  EXPECT_FALSE(one == network_text(*train_network(*bowl, training)));
}

TEST(Neural, TrainingRefusesWhatMakesNoSense) {
  const SdfPointer bowl = make_dish("bowl", bowl_shape());
  EXPECT_THROW(train_network(*bowl, {.steps = 0}), InputError);
  EXPECT_THROW(train_network(*bowl, {.branches = 0}), InputError);
  EXPECT_THROW(train_network(*bowl, {.branches = 1000}), InputError);
  EXPECT_THROW(train_network(*bowl, {.width = 1000}), InputError);
  EXPECT_THROW(train_network(*bowl, {.thread_width = 1}), InputError);
  EXPECT_THROW(train_network(*bowl, {.batch = 100}), InputError);
  EXPECT_THROW(train_network({.name = "nothing"}, {}), InputError);
}

// A dish 140 mm wide with walls of 4 mm.
TEST(Neural, TrainingLearnsADish) {
  const SdfPointer bowl = make_dish("bowl", bowl_shape());
  const NeuralError before = network_error(*train_network(*bowl, {.steps = 1, .branches = 2}));
  const NeuralPointer network = train_network(*bowl, {.steps = 400});
  const NeuralError& after = network_error(*network);
  EXPECT_LT(after.near_rms, 4e-4);
  EXPECT_LT(after.near_rms, 0.4 * before.near_rms);
  EXPECT_LT(after.volume_rms, 4e-3);
  EXPECT_LT(after.volume_rms, 0.2 * before.volume_rms);
  EXPECT_LT(after.gradient_rms, 0.4);
  // The error is what it says, measured on other points.
  const SdfPointer sdf = make_neural("bowl", network);
  std::mt19937 rng(9);
  std::normal_distribution<double> normal;
  double sum = 0;
  for (int k = 0; k < 2000; ++k) {
    const Vector3d p = bowl->surface.vertices[rng() % bowl->surface.vertices.size()] +
                       0.05 * bowl->detail * Vector3d(normal(rng), normal(rng), normal(rng));
    sum += std::pow(distance_at(*sdf, p) - distance_at(*bowl, p), 2);
  }
  EXPECT_LT(std::sqrt(sum / 2000), 2 * after.near_rms);
}

// Patch by patch of the nut's thread, the gaps to the network are those to the bolt it has learnt,
// to a tenth of the play that the nut has.
TEST(Neural, ANutFindsTheSameGapsOnANeuralBolt) {
  const SdfPointer bolt = make_bolt("bolt", {.length = 0.06});
  const NeuralPointer network = train_network(*bolt, {.steps = 400, .branches = 4});
  ASSERT_EQ(network_error(*network).parts.size(), 2u);
  EXPECT_LT(network_error(*network).parts[0].near_rms, 2e-4);  // thread and tip
  Shape nut = SdfSolid{make_nut("nut", {})};
  prepare_for_collision(nut);
  const Frame X_WN{Eigen::Matrix3d::Identity(), {0, 0, 0.03}};
  std::array<std::map<std::uint32_t, ContactPoint>, 2> found;
  for (int k = 0; k < 2; ++k) {
    Shape field = SdfSolid{k == 0 ? bolt : make_neural("neural", network)};
    prepare_for_collision(field);
    std::vector<ContactPoint> contacts;
    ASSERT_TRUE(collide(field, {}, nut, X_WN, 5e-4, contacts));
    for (const ContactPoint& contact : contacts) found[k][contact.feature] = contact;
  }
  std::vector<double> differences;
  for (const auto& [feature, contact] : found[0]) {
    const auto other = found[1].find(feature);
    if (other == found[1].end()) continue;
    differences.push_back(std::abs(contact.gap - other->second.gap));
  }
  std::sort(differences.begin(), differences.end());
  ASSERT_GT(differences.size(), 60u);
  EXPECT_LT(differences[differences.size() / 2], 1.5e-5);
  EXPECT_LT(differences[differences.size() * 9 / 10], 4e-5);  // a patch may show another point
}

// f(W) = |A (W - S) B|^2 / 2 with condition 1e3; Adam's method by itself is left with 0.2 of the
// error after so many steps.
TEST(Neural, DescentFindsItsWayThroughCorrelatedSlopes) {
  std::mt19937 rng(5);
  std::normal_distribution<double> normal;
  const auto random = [&](int rows, int columns) {
    Eigen::MatrixXd M(rows, columns);
    for (double& x : M.reshaped()) x = normal(rng);
    return M;
  };
  const auto stretched = [&](int n) -> Eigen::MatrixXd {
    const Eigen::MatrixXd Q = Eigen::HouseholderQR<Eigen::MatrixXd>(random(n, n)).householderQ();
    return Eigen::VectorXd::LinSpaced(n, 0, -0.75)
               .unaryExpr([](double x) { return std::pow(10, x); })
               .asDiagonal() *
           Q.transpose();
  };
  const Eigen::MatrixXd A = stretched(6), B = stretched(5).transpose(), S = random(6, 5);
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(6, 5);
  Descent descent(6, 5);
  constexpr int kSteps = 300;
  for (int k = 0; k < kSteps; ++k) {
    const Eigen::MatrixXd G = A.transpose() * A * (W - S) * B * B.transpose();
    W -= 0.1 * (1 - static_cast<double>(k) / kSteps) * descent.step(G);
  }
  EXPECT_LT((W - S).norm(), 1e-2 * S.norm());
}

}  // namespace
}  // namespace stiction
