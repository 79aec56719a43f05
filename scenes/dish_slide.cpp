// A bowl in a bowl on the floor, to be pushed along ([TRO25] Fig. 13).
#include <stiction/sdf.h>

#include "scenes/make.h"
#include "scenes/parts.h"

namespace stiction {

Model make_dish_slide() {
  ModelBuilder builder("dish_slide");
  add_floor(builder, 0.5);
  const SdfPointer wide = make_dish("wide bowl", bowl_shape(0.04, 0.085, 0.06));
  const SdfPointer bowl = make_dish("bowl", bowl_shape(0.03, 0.08, 0.06));
  add_free_part(builder, {.name = "lower",
                          .shape = SdfSolid{wide},
                          .p = {0, 0, 0.0005},
                          .mass = 0.1,
                          .rgba = {0.75, 0.45, 0.3, 1}});
  add_free_part(builder, {.name = "upper",
                          .shape = SdfSolid{bowl},
                          .p = {0, 0, 0.012},
                          .mass = 0.1,
                          .rgba = {0.93, 0.9, 0.82, 1}});
  return builder.build();
}

}  // namespace stiction
