#include "scenes/make.h"
#include "scenes/scene.h"

namespace stiction {

const std::vector<Scene>& scenes() {
  static const std::vector<Scene> all = {
      {"dishes", "Two bowls and a plate of 0.1 kg carry a pot of 5 kg.", 2, make_dishes,
       "drag the plate out from under the pot."},
      {"tower", "Ten cubes, the top one fifty times heavier: it stands.", 2, make_tower,
       "choose pgs in the Solver tab and watch it fall; choose grip, press Backspace, and it "
       "stands."},
      {"slope", "A box on a slope just below its friction angle: it does not creep.", 10,
       make_slope},
      {"slide", "A box launched at 3 m/s: it stops where Coulomb says.", 1.5, make_slide},
      {"granular", "216 balls settle in a box.", 2, make_granular,
       "drag a ball. SubADMM to 1e-5 m/s keeps up with the clock; grip is exact and slow here.",
       "subadmm", 1e-5},
      {"dish_slide", "A bowl in a bowl, to be pushed along the floor.", 1, make_dish_slide,
       "drag the lower bowl along."},
      {"stack", "Three light boxes under one fifty times heavier: nothing sinks.", 5, make_stack},
      {"grasp", "A cube held by two fingers, friction alone: it does not creep.", 5, make_grasp},
      {"nut", "An M48 nut runs down its bolt by its own weight.", 2, make_nut_runs},
      {"nut_holds", "The same nut with more friction: the thread locks.", 2, make_nut_holds},
      {"door", "A door handle with dry friction, a spring and a stop.", 2, make_door,
       "drag the handle down and let go."},
      {"laikago", "Eight quadrupeds dropped on each other.", 2, make_laikago,
       "drag one by its leg."},
      {"panda", "A robot arm holds a box on a tray.", 2, make_panda,
       "drag the tray, and see what the box does."},
  };
  return all;
}

const Scene* find_scene(const std::string& name) {
  for (const Scene& scene : scenes()) {
    if (scene.name == name) return &scene;
  }
  return nullptr;
}

}  // namespace stiction
