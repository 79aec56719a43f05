// The functions behind the list of scenes.
#pragma once

#include <stiction/model.h>

namespace stiction {

Model make_dishes();
Model make_dish_slide();
Model make_door();
Model make_granular();
Model make_grasp();
Model make_laikago();
Model make_panda();
Model make_nut_holds();
Model make_nut_runs();
Model make_slide();
Model make_slope();
Model make_stack();
Model make_tower();

}  // namespace stiction
