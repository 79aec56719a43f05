#include <stiction/error.h>
#include <stiction/files.h>

#include "io/formats.h"
#include "io/xml.h"

namespace stiction {

Loaded load_model(const std::string& path, const LoadOptions& options) {
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
