// Bodies that land a little tilted on an edge, a line or a face come to rest on all of it. What is
// up at first swings down by the step's own impact; if it is not seen coming, it sinks in, the
// other end goes up, and the body rocks for ever.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "io/mjcf_file.h"

namespace stiction {
namespace {

// Above it penetration is recovered, to 4 um, but only every fourth step.
constexpr double kDepth = 1e-5;
// When it lands. Corners move on arcs, and a step on their tangents.
constexpr double kLandingDepth = 1e-3;
// m/s and rad/s: the solver's tolerance is 1e-8 m/s.
constexpr double kSpeed = 1e-4;

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

std::string free_body(const std::string& place, const std::string& geom) {
  return "<body " + place + "><freejoint/><geom mass='.5' " + geom + "/></body>";
}

struct Landing {
  std::string name;
  std::string assets;
  std::string world;
  double height;  // of the first body at rest, m; NaN if it depends on the way there
};

std::string rod_of_many_sides(int sides, double radius, double half_length) {
  std::string vertices;
  for (const double z : {-half_length, half_length}) {
    for (int k = 0; k < sides; ++k) {
      const double angle = 2 * M_PI * k / sides;
      vertices += number(radius * std::cos(angle)) + " " + number(radius * std::sin(angle)) + " " +
                  number(z) + " ";
    }
  }
  return "<asset><mesh name='rod' vertex='" + vertices + "'/></asset>";
}

const std::string kFloor = "<geom type='plane' size='1 1 .1'/>";
const std::string kLying = "euler='0 1.5707963267948966 0' ";

// The top of each is at height 0; they lie along y.
std::string two_bars(const std::string& geom, double height) {
  std::string bars;
  for (const double x : {-0.03, 0.03}) {
    bars += "<geom pos='" + number(x) + " 0 " + number(-height) + "' " + geom + "/>";
  }
  return bars;
}

std::string two_walls() {
  return "<geom type='box' size='.02 .06 .025' pos='.0401 0 .025'/>"
         "<geom type='box' size='.02 .06 .025' pos='-.0401 0 .025'/>";
}

std::vector<Landing> landings() {
  const double unknown = std::nan("");
  const std::string rails =
      two_bars("type='box' size='.02 .1 .02' euler='0 .7853981633974483 0'", 0.02 * M_SQRT2);
  const std::string log_bars =
      two_bars("type='cylinder' size='.02 .1' euler='1.5707963267948966 0 0'", 0.02);
  const std::string upright =
      free_body("pos='0 0 .053' euler='.01 .004 .03'", "type='cylinder' size='.05 .05'");
  const std::string hole = two_walls() +
                           "<geom type='box' size='.06 .02 .025' pos='0 .0401 .025'/>"
                           "<geom type='box' size='.06 .02 .025' pos='0 -.0401 .025'/>";
  const auto log = [](double x, double z, double tilt) {
    return free_body("pos='" + number(x) + " 0 " + number(z) + "' euler='" +
                         number(M_PI / 2 + tilt) + " 0 .0005'",
                     "type='cylinder' size='.05 .15'");
  };
  return {
      {"cylinder_on_a_plane", "",
       kFloor + free_body("pos='0 0 .033' euler='.01 .004 .03'",
                          kLying + "type='cylinder' size='.03 .06'"),
       0.03},
      {"steep_cylinder_on_a_plane", "",
       kFloor +
           free_body("pos='0 0 .06' euler='0 .2 0'", kLying + "type='cylinder' size='.03 .06'"),
       0.03},
      {"rod_of_many_sides_on_a_plane", rod_of_many_sides(32, 0.02, 0.3),
       // On a side: on a corner it would balance for a while.
       kFloor + free_body("pos='0 0 .03' euler='1.5807963 0 0'",
                          "euler='0 0 .11' type='mesh' mesh='rod'"),
       0.02 * std::cos(M_PI / 32)},
      {"thin_plate_on_a_plane", "",
       kFloor + free_body("pos='0 0 .055' euler='0 .1 0'", "type='box' size='.5 .01 .0005'"),
       0.0005},
      {"box_on_rails", "",
       rails + free_body("pos='0 0 .052' euler='.003 0 0'", "type='box' size='.05 .02 .05'"), 0.05},
      {"turned_box_on_rails", "",
       rails + free_body("pos='0 0 .052' euler='.03 0 .05'", "type='box' size='.05 .02 .05'"),
       0.05},
      {"disc_on_rails", "", rails + upright, 0.05},
      {"disc_on_logs", "", log_bars + upright, 0.05},
      {"block_in_a_groove", "",
       kFloor + two_walls() +
           free_body("pos='.0065 0 .07' euler='0 .95 .005'", "type='box' size='.02 .02 .03'"),
       unknown},
      {"peg_in_a_hole", "",
       kFloor + hole + free_body("pos='0 0 .08' euler='0 .05 0'", "type='box' size='.02 .02 .03'"),
       unknown},
      {"three_piled_logs", "",
       kFloor +
           "<geom type='box' size='.02 .3 .1' pos='-.1205 0 .1'/>"
           "<geom type='box' size='.02 .3 .1' pos='.1205 0 .1'/>" +
           log(-0.05, 0.052, 0.0005) + log(0.05, 0.052, 0.001) + log(0, 0.1408, 0.0015),
       0.05},
  };
}

class TiltedLanding : public testing::TestWithParam<Landing> {};

TEST_P(TiltedLanding, ComesToRestOnAllOfIt) {
  const Landing& landing = GetParam();
  for (const double h : {1.0 / 240, 1.0 / 100}) {
    SCOPED_TRACE(h);
    Simulation simulation(load_text("<compiler angle='radian'/><option timestep='" + number(h) +
                                    "'/><default><geom friction='.5'/></default>" + landing.assets +
                                    "<worldbody>" + landing.world + "</worldbody>")
                              .model);
    const int steps = static_cast<int>(3 / h);
    double first_energy = 0, most_energy = -1e9, landing_depth = 0, depth = 0, speed = 0;
    for (int k = 0; k < steps; ++k) {
      const StepReport& report = simulation.step();
      ASSERT_TRUE(report.within_tolerance) << k;
      if (k == 0) first_energy = report.energy;
      most_energy = std::max(most_energy, report.energy);
      landing_depth = std::max(landing_depth, report.max_penetration);
      if (k < steps - steps / 6) continue;
      depth = std::max(depth, report.max_penetration);
      speed = std::max(speed, simulation.state().qvel.cwiseAbs().maxCoeff());
    }
    EXPECT_LT(landing_depth, kLandingDepth);
    EXPECT_LT(depth, kDepth);
    EXPECT_LT(speed, kSpeed);
    EXPECT_LE(most_energy, first_energy + 1e-9);
    if (!std::isnan(landing.height)) {
      EXPECT_NEAR(simulation.state().qpos[2], landing.height, kDepth);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, TiltedLanding, testing::ValuesIn(landings()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace stiction
