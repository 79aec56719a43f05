// Dishes in stacks ([TRO25] section VII-B): two bowls and a plate of 0.1 kg under a pot of 5 kg.
#include <stiction/sdf.h>

#include "scenes/make.h"
#include "scenes/parts.h"

namespace stiction {
namespace {

const Eigen::Vector4d kClay{0.75, 0.45, 0.3, 1};
const Eigen::Vector4d kCream{0.93, 0.9, 0.82, 1};
const Eigen::Vector4d kBlue{0.35, 0.5, 0.7, 1};
const Eigen::Vector4d kIron{0.3, 0.3, 0.33, 1};

void add_dish(ModelBuilder& builder, const std::string& name, const SdfPointer& sdf,
              const Eigen::Vector3d& p, double mass, const Eigen::Vector4d& rgba) {
  add_free_part(builder,
                {.name = name, .shape = SdfSolid{sdf}, .p = p, .mass = mass, .rgba = rgba});
}

}  // namespace

Model make_dishes() {
  ModelBuilder builder("dishes");
  add_floor(builder, 0.5);
  const SdfPointer wide = make_dish("wide bowl", bowl_shape(0.04, 0.085, 0.06));
  const SdfPointer bowl = make_dish("bowl", bowl_shape(0.03, 0.08, 0.06));
  const SdfPointer plate = make_dish("plate", plate_shape());
  const SdfPointer pot = make_dish("pot", pot_shape(0.055, 0.08));
  add_dish(builder, "bowl0", wide, {0, 0, 0.0005}, 0.1, kClay);
  add_dish(builder, "bowl1", bowl, {0, 0, 0.012}, 0.1, kCream);
  add_dish(builder, "plate", plate, {0, 0, 0.0725}, 0.1, kBlue);
  add_dish(builder, "pot", pot, {0, 0, 0.077}, 5, kIron);
  return builder.build();
}

}  // namespace stiction
