// Scenes and robots that the project ships begin as a careful user would place them.
#include <gtest/gtest.h>
#include <stiction/simulation.h>

#include "scenes/parts.h"
#include "scenes/scene.h"

namespace stiction {
namespace {

// What overlaps at the start is pushed apart, which is no physics.
void expect_no_overlap(Simulation simulation, const std::string& name) {
  if (simulation.model().keyframe_index("start") >= 0) simulation.reset_to_keyframe("start");
  EXPECT_LT(simulation.step().max_penetration, 1e-7) << name;
}

TEST(Scenes, NothingOverlapsAtTheStart) {
  for (const Scene& scene : scenes()) expect_no_overlap(Simulation(scene.make()), scene.name);
  for (const char* file : {"laikago.xml", "laikago27.xml", "panda_box.xml"}) {
    expect_no_overlap(Simulation(shipped_model(file)), file);
  }
}

}  // namespace
}  // namespace stiction
