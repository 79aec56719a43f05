#include "io/urdf/link_tree.h"

#include <map>

namespace stiction {
namespace {

struct Lookup {
  std::vector<UrdfLink> links;  ///< in the order of the file
  std::map<std::string, int> index;

  int find(const XmlElement& joint, const char* role) const {
    const auto end = joint.only_child(role);
    if (!end) joint.fail(std::string("<") + role + " link=\"...\"/> is missing");
    const std::string name = end->required_text("link");
    const auto it = index.find(name);
    if (it == index.end()) end->fail("there is no link '" + name + "'");
    return it->second;
  }
};

Lookup read_links(const XmlElement& robot) {
  Lookup lookup;
  for (const XmlElement& element : robot.children("link")) {
    const std::string name = element.required_text("name");
    if (name.empty()) element.refuse("name", "a name");
    const auto [it, is_new] = lookup.index.emplace(name, static_cast<int>(lookup.links.size()));
    if (!is_new) {
      element.fail("the name is used twice, first in line " +
                   std::to_string(lookup.links[it->second].element.line()));
    }
    lookup.links.push_back({element, name});
  }
  if (lookup.links.empty()) robot.fail("there are no links, expected one or more");
  return lookup;
}

/// Fills in each link's parent and joint.
void connect(Lookup& lookup, const std::vector<XmlElement>& joints) {
  std::map<std::string, int> lines;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const XmlElement& joint = joints[i];
    const auto [it, is_new] = lines.emplace(joint.required_text("name"), joint.line());
    if (!is_new) {
      joint.fail("the name is used twice, first in line " + std::to_string(it->second));
    }
    const int parent = lookup.find(joint, "parent");
    UrdfLink& child = lookup.links[lookup.find(joint, "child")];
    if (child.joint >= 0) {
      joint.fail("link '" + child.name + "' has two parents, the other by " +
                 joints[child.joint].label() + ", expected one");
    }
    child.parent = parent;
    child.joint = static_cast<int>(i);
  }
}

int find_root(const std::vector<UrdfLink>& links) {
  int root = -1;
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (links[i].joint >= 0) continue;
    if (root >= 0) {
      links[i].element.fail("there are two root links, the other is '" + links[root].name +
                            "', expected one");
    }
    root = static_cast<int>(i);
  }
  if (root < 0) links[0].element.fail("there is no root link, the joints form a cycle");
  return root;
}

}  // namespace

UrdfTree read_link_tree(const XmlElement& robot) {
  UrdfTree tree;
  tree.joints = robot.children("joint");
  Lookup lookup = read_links(robot);
  connect(lookup, tree.joints);

  std::vector<std::vector<int>> children(lookup.links.size());
  for (const XmlElement& joint : tree.joints) {
    children[lookup.find(joint, "parent")].push_back(lookup.find(joint, "child"));
  }
  std::vector<int> new_index(lookup.links.size(), -1);
  std::vector<int> open{find_root(lookup.links)};
  while (!open.empty()) {
    const int i = open.back();
    open.pop_back();
    new_index[i] = static_cast<int>(tree.links.size());
    UrdfLink link = lookup.links[i];
    if (link.parent >= 0) link.parent = new_index[link.parent];
    tree.links.push_back(link);
    open.insert(open.end(), children[i].rbegin(), children[i].rend());
  }
  for (std::size_t i = 0; i < lookup.links.size(); ++i) {
    if (new_index[i] < 0) lookup.links[i].element.fail("is part of a cycle of joints");
  }
  return tree;
}

}  // namespace stiction
