// An M48 nut on an upright bolt. It runs down by itself below mu = tan(lead) cos 30 = 0.0308, and
// holds above.
#include <stiction/sdf.h>

#include <cmath>

#include "scenes/make.h"
#include "scenes/parts.h"

namespace stiction {
namespace {

Model make_nut_on_bolt(const char* name, double mu) {
  ModelBuilder builder(name);
  const Bolt bolt{.length = 0.12};
  const Nut nut;
  add_static_part(builder, {.name = "bolt",
                            .shape = SdfSolid{make_bolt("bolt", bolt)},
                            .p = {0, 0, bolt.head_height},
                            .mu = mu,
                            .rgba = {0.55, 0.57, 0.6, 1}});
  // With equal play on both flanks at any multiple of the pitch: near the end of the thread.
  add_free_part(builder, {.name = "nut",
                          .shape = SdfSolid{make_nut("nut", nut)},
                          .p = {0, 0, bolt.head_height + 18 * bolt.thread.pitch},
                          .mass = 0.98,
                          .mu = mu,
                          .rgba = {0.8, 0.65, 0.3, 1}});
  return builder.build();
}

}  // namespace

Model make_nut_runs() { return make_nut_on_bolt("nut", 0.01); }
Model make_nut_holds() { return make_nut_on_bolt("nut_holds", 0.1); }

}  // namespace stiction
