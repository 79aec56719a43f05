#include <stiction/error.h>
#include <stiction/files.h>

#include "io/formats.h"
#include "io/xml.h"

namespace stiction {

Loaded load_model(const std::string& path, const LoadOptions& options) {
  const XmlDocument document(path);
  const std::string tag = document.root().tag();
  if (tag == "mujoco") return load_mjcf(path, options);
  if (tag == "robot") return load_urdf(path, options);
  document.root().fail("not a model: the root element is <" + tag +
                       ">, expected <mujoco> (MJCF) or <robot> (URDF)");
}

}  // namespace stiction
