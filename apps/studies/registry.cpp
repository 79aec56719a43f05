#include <stiction/error.h>

#include "studies/study.h"

namespace stiction::studies {

const std::vector<Study>& all_studies() {
  static const std::vector<Study> all = {
      {"dish-single", "Four stacked dishes, one step: residual over time, time over iteration",
       "[TRO25] Fig. 9", run_dish_single},
      {"inner-newton", "The same cases: Newton steps and failures inside ten loops",
       "[TRO25] Table II", run_inner_newton},
      {"bolt-single", "An M48 nut on its bolt, one step: residual over time, time over iteration",
       "[TRO25] Fig. 7", run_bolt_single},
      {"dish-slide", "Two stacked dishes pushed along the floor: gliding and sinking",
       "[TRO25] Fig. 14", run_dish_slide},
      {"friction", "How friction decides whether a solver converges: bowl stacks, mu 0.1 to 2",
       "[TRO25] V, measured", run_friction},
      {"scaling", "Time and accuracy over the number of bodies in a pile",
       "[TRO25] Fig. 11, [ICRA23] Fig. 2", run_scaling},
      {"balls", "Balls in a cube by implicit complementarity: iterations and Newton points",
       "[TOD11] Table 1, Fig. 6", run_balls},
      {"door", "A door handle with dry friction and stops", "[JOINT] Figs. 2, 3", run_door},
      {"panda-box", "An arm with a box on its end effector, random actions, all constraint types",
       "[JOINT] Fig. 4", run_panda_box},
      {"laikago", "Quadrupeds dropped on each other: what splitting by subsystem and body brings",
       "[TRO25] Table III", run_laikago},
      {"truth", "Scenes on which other engines creep, sink and glide", "closed forms", run_truth},
  };
  return all;
}

const Study& find_study(const std::string& name) {
  std::string known;
  for (const Study& study : all_studies()) {
    if (study.name == name) return study;
    known += (known.empty() ? "" : ", ") + study.name;
  }
  throw InputError("study '" + name + "' is unknown, expected one of " + known);
}

std::string verdict(bool holds, const std::string& why_not) {
  return holds ? "holds" : "does not hold here: " + why_not;
}

bool holds(const Claim& claim) { return claim.verdict.starts_with("holds"); }

}  // namespace stiction::studies
