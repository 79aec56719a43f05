// Mass and inertia by MuJoCo's rules, against closed forms.
#include <numbers>

#include "mjcf_file.h"

namespace stiction {
namespace {

using std::numbers::pi;

/// A model of one free body with this content.
Body body_with(const std::string& content, const std::string& compiler = "") {
  return model_of(compiler + "<worldbody><body name='b' pos='1 2 3'><freejoint/>" + content +
                  "</body></worldbody>")
      .bodies.at(1);
}

TEST(MjcfInertia, TwoSpheresMakeADumbbell) {
  const Body body =
      body_with("<geom size='0.1' pos='1 0 0' mass='2'/><geom size='0.1' pos='-1 0 0' mass='2'/>");
  EXPECT_DOUBLE_EQ(body.mass, 4);
  EXPECT_TRUE(body.com.isZero(1e-15));
  const double own = 2 * 0.4 * 2 * 0.01;
  EXPECT_TRUE(body.inertia.isApprox(
      Eigen::Vector3d(own, own + 4, own + 4).asDiagonal().toDenseMatrix(), 1e-14));
}

TEST(MjcfInertia, DensityDefaultsToWater) {
  EXPECT_NEAR(body_with("<geom type='box' size='0.1 0.2 0.3'/>").mass, 1000 * 8 * 0.006, 1e-12);
  EXPECT_NEAR(body_with("<geom size='0.1' density='500'/>").mass, 500 * 4.0 / 3 * pi * 1e-3, 1e-12);
}

TEST(MjcfInertia, InertialWinsUnlessGeomsAreAskedFor) {
  const std::string content =
      "<inertial pos='0 0 1' mass='3' diaginertia='1 2 2'/><geom size='0.1' mass='1'/>";
  EXPECT_EQ(body_with(content).mass, 3);
  EXPECT_EQ(body_with(content, "<compiler inertiafromgeom='true'/>").mass, 1);
  EXPECT_EQ(body_with(content).com, Eigen::Vector3d(0, 0, 1));
}

TEST(MjcfInertia, FullInertiaIsWrittenDiagonalFirst) {
  const Body body = body_with("<inertial pos='0 0 0' mass='1' fullinertia='3 4 5 0.1 0.2 0.3'/>");
  Eigen::Matrix3d expected;
  expected << 3, 0.1, 0.2, 0.1, 4, 0.3, 0.2, 0.3, 5;
  EXPECT_TRUE(body.inertia.isApprox(expected, 1e-15));
}

TEST(MjcfInertia, OrientedInertialIsRotatedIntoTheBody) {
  const Body body =
      body_with("<inertial pos='0 0 0' mass='1' euler='0 0 90' diaginertia='1 2 3'/>");
  EXPECT_TRUE(body.inertia.isApprox(Eigen::Vector3d(2, 1, 3).asDiagonal().toDenseMatrix(), 1e-14));
}

TEST(MjcfInertia, GroupRangeSelectsGeoms) {
  const std::string content = "<geom size='0.1' mass='1'/><geom size='0.1' mass='5' group='3'/>";
  EXPECT_EQ(body_with(content, "<compiler inertiagrouprange='3 4'/>").mass, 5);
}

TEST(MjcfInertia, BoundsBalanceAndTotal) {
  const std::string inertial = "<inertial pos='0 0 0' mass='0.5' diaginertia='0.1 0.1 0.9'/>";
  EXPECT_NE(error_of("<worldbody><body><freejoint/>" + inertial + "</body></worldbody>"), "");
  const Body balanced = body_with(inertial, "<compiler balanceinertia='true'/>");
  EXPECT_TRUE(balanced.inertia.isApprox(1.1 / 3 * Eigen::Matrix3d::Identity(), 1e-14));
  const Body bounded = body_with(inertial, "<compiler boundmass='2' boundinertia='0.7'/>");
  EXPECT_EQ(bounded.mass, 2);
  EXPECT_TRUE(
      bounded.inertia.isApprox(Eigen::Vector3d(0.7, 0.7, 0.9).asDiagonal().toDenseMatrix(), 1e-14));
  const Body scaled = body_with("<geom size='0.1' mass='2'/>", "<compiler settotalmass='10'/>");
  EXPECT_NEAR(scaled.mass, 10, 1e-14);
  EXPECT_NEAR(scaled.inertia(0, 0), 0.4 * 10 * 0.01, 1e-15);
}

TEST(MjcfInertia, ShellsCarryTheirMassOnTheSurface) {
  // A hollow sphere has 2/3 m r^2; a capsule without a tube is one.
  const Body sphere = body_with("<geom size='0.2' mass='3' shellinertia='true'/>");
  EXPECT_NEAR(sphere.inertia(1, 1), 2.0 / 3 * 3 * 0.04, 1e-14);
  const Body capsule =
      body_with("<geom type='capsule' size='0.2 1e-9' mass='3' shellinertia='true'/>");
  EXPECT_TRUE(capsule.inertia.isApprox(sphere.inertia, 1e-8));
  const Body ball =
      body_with("<geom type='ellipsoid' size='0.2 0.2 0.2' mass='3' shellinertia='true'/>");
  EXPECT_TRUE(ball.inertia.isApprox(sphere.inertia, 1e-12));
  // Density is per area: a cube of side 1 has 6 m^2. Its shell has I = 5/18 m a^2.
  const Body cube =
      body_with("<geom type='box' size='0.5 0.5 0.5' density='2' shellinertia='true'/>");
  EXPECT_NEAR(cube.mass, 12, 1e-13);
  EXPECT_NEAR(cube.inertia(2, 2), 12 * 5.0 / 18, 1e-13);
  // Can with r = h = 1: tube m1 = 4 pi, discs pi each; I_z = 4 pi + 2 pi / 2.
  const Body can = body_with("<geom type='cylinder' size='1 1' density='1' shellinertia='true'/>");
  EXPECT_NEAR(can.mass, 6 * pi, 1e-13);
  EXPECT_NEAR(can.inertia(2, 2), 5 * pi, 1e-13);
  EXPECT_NEAR(can.inertia(0, 0), 4 * pi * (0.5 + 1.0 / 3) + 2 * pi * (0.25 + 1), 1e-13);
}

TEST(MjcfInertia, MeshScaleReferenceAndMirroring) {
  const auto cube = [](const std::string& attributes) {
    return body_with("<geom type='mesh' mesh='m' density='1'/>",
                     "<asset><mesh name='m' " + attributes +
                         " vertex='0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1'/></asset>");
  };
  EXPECT_NEAR(cube("").mass, 1, 1e-12);
  EXPECT_NEAR(cube("scale='1 2 -3'").mass, 6, 1e-12);
  EXPECT_TRUE(cube("scale='1 2 -3'").com.isApprox(Eigen::Vector3d(0.5, 1, -1.5), 1e-12));
  // refpos is subtracted, then refquat (90 degrees about z) taken back, then the scale applied.
  EXPECT_TRUE(cube("refpos='1 0 0' refquat='1 0 0 1' scale='2 1 1'")
                  .com.isApprox(Eigen::Vector3d(1, 0.5, 0.5), 1e-12));
}

}  // namespace
}  // namespace stiction
