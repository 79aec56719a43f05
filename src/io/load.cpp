#include <stiction/error.h>
#include <stiction/files.h>

#include <fstream>
#include <string_view>

#include "io/formats.h"
#include "io/xml.h"

namespace stiction {

namespace {

// Recordings and contact problems come from this program as well, and are easily mixed up.
void refuse_hdf5(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char start[4] = {};
  file.read(start, sizeof start);
  if (std::string_view(start, sizeof start) != "\x89HDF") return;
  throw InputError(path +
                   ": an HDF5 file, expected MJCF or URDF (recordings are for stiction replay and "
                   "run --repeat, contact problems for stiction solve)");
}

}  // namespace

Loaded load_model(const std::string& path, const LoadOptions& options) {
  refuse_hdf5(path);
  const XmlDocument document(path);
  const std::string tag = document.root().tag();
  if (options.floating_base && tag == "mujoco") {
    document.root().fail(
        "a floating base is asked for in <mujoco>, whose joints say what floats, " +
        std::string("expected <robot> (URDF)"));
  }
  if (tag == "mujoco") return load_mjcf(path, options);
  if (tag == "robot") return load_urdf(path, options);
  document.root().fail("not a model: the root element is <" + tag +
                       ">, expected <mujoco> (MJCF) or <robot> (URDF)");
}

}  // namespace stiction
