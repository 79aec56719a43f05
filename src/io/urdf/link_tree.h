// The links of a URDF file as a tree: names looked up, one root, no cycles.
#pragma once

#include <string>
#include <vector>

#include "io/xml.h"

namespace stiction {

struct UrdfLink {
  XmlElement element;
  std::string name;
  int parent = -1;  ///< link, -1 for the root
  int joint = -1;   ///< to the parent: index into UrdfTree::joints
};

struct UrdfTree {
  std::vector<UrdfLink> links;     ///< parents first, depth first; links[0] is the root
  std::vector<XmlElement> joints;  ///< in the order of the file
};

/// Throws InputError for anything but a tree: no link, unknown or duplicate names, a link with two
/// parents, two roots, cycles.
UrdfTree read_link_tree(const XmlElement& robot);

}  // namespace stiction
