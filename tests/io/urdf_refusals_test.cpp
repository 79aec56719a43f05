// What people are told about a bad URDF file: line, element, attribute, value, what was expected.
#include "urdf_file.h"

namespace stiction {
namespace {

TEST(UrdfRefusals, NamesAndStructure) {
  const std::string two = link("a") + link("b");
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", ":1: robot 'r': there are no links, expected one or more"},
      {link("a") + link("a"), ":3: link 'a': the name is used twice, first in line 2"},
      {two, ":3: link 'b': there are two root links, the other is 'a', expected one"},
      {two + joint("j", "fixed", "a", "c"), ":4: child of joint 'j': there is no link 'c'"},
      {two + joint("j", "fixed", "a", "b") + joint("k", "fixed", "b", "a"),
       ":2: link 'a': there is no root link, the joints form a cycle"},
      {two + joint("j", "fixed", "a", "b") + joint("j", "fixed", "a", "b"),
       ":5: joint 'j': the name is used twice, first in line 4"},
      {two + joint("j", "fixed", "a", "b") + joint("k", "fixed", "a", "b"),
       ":5: joint 'k': link 'b' has two parents, the other by joint 'j', expected one"},
      {two + link("c") + joint("j", "fixed", "b", "c") + joint("k", "fixed", "c", "b"),
       ":3: link 'b': is part of a cycle of joints"},
      {two + joint("j", "screw", "a", "b"),
       ":4: joint 'j': type is 'screw', expected fixed, revolute, continuous, prismatic, floating, "
       "planar or spherical"},
      {two + joint("j", "revolute", "a", "b", "<limit lower=\"1\" upper=\"0\"/>"),
       ":4: limit of joint 'j': lower is '1', expected lower <= upper; upper is '0'"},
      {two + joint("j", "continuous", "a", "b", "<axis xyz=\"0 0 0\"/>"),
       ":4: axis of joint 'j': xyz is '0 0 0', expected a direction, of length > 0"},
      {two + joint("j", "continuous", "a", "b", "<axis xyz=\"0 nan 0\"/>"),
       ":4: axis of joint 'j': xyz: 'nan' is not a finite number"},
      {two + joint("j", "continuous", "a", "b", "<origin xyz=\"0 0\"/>"),
       ":4: origin of joint 'j': xyz is '0 0', expected 3 numbers, not 2"},
      {two + joint("j", "continuous", "a", "b", "<mimic joint=\"k\"/>"),
       ":4: mimic of joint 'j': there is no hinge or slide joint 'k'"},
      {two + joint("j", "continuous", "a", "b", "<mimic joint=\"j\"/>"),
       ":4: mimic of joint 'j': joint is 'j', expected another joint: it mimics itself"},
      {link("a", "<collision/>"), ":2: collision of link 'a': <geometry> is missing"},
      {link("a", "<collision><geometry><cone/></geometry></collision>"),
       ":2: cone of link 'a': is no shape, expected box, sphere, cylinder, capsule or mesh"},
      {link("a", "<collision><geometry><box size=\"1 0 1\"/></geometry></collision>"),
       ":2: box of link 'a': size is '1 0 1', expected three numbers > 0"},
      {collision("none.stl"), ":2: mesh of link 'a': mesh file 'none.stl' not found"},
      {"<link name=\"a\"><inertial><mass value=\"-1\"/></inertial></link>",
       ":2: mass of link 'a': value is '-1', expected >= 0"},
      {"<link name=\"a\"><inertial><mass value=\"1\"/></inertial>\n<inertial/></link>",
       ":3: inertial of link 'a': is the second one here, expected one"},
      {"<link name=\"a\"><inertial><mass value=\"1\"/>"
       "<inertia ixx=\"1\" iyy=\"1\" izz=\"3\"/></inertial></link>",
       ":2: link 'a': principal inertias are 1, 1, 3, expected that no one exceeds the sum of the "
       "others"},
      {"<link name=\"a\"><inertial><mass value=\"1\"/>"
       "<inertia ixx=\"-1\" iyy=\"1\" izz=\"1\"/></inertial></link>",
       ":2: link 'a': smallest principal inertia is -1, expected >= 0"},
      {two + link("c") + joint("j", "continuous", "a", "b") + joint("k", "floating", "b", "c"),
       ":6: joint 'k': type is 'floating', expected another one below a moving link"},
      {"<mujoco>\n<compiler boundmass=\"-1\"/></mujoco>" + link("a"),
       ":3: compiler: boundmass is '-1', expected >= 0"},
      {"<mujoco>\n<option timestep=\"0\"/></mujoco>" + link("a"),
       ":3: option: timestep is '0', expected > 0"},
      {two + link("c") + joint("j", "planar", "a", "b") + joint("j_x", "continuous", "b", "c"),
       ":6: joint 'j_x': name is used twice, by 0 and 3, expected once"},
      {link("a") + "<link name=\"b\"/>" + joint("j", "continuous", "a", "b"),
       ":3: link 'b': moves, but its mass is 0 and its smallest inertia 0, expected both >= "
       "1e-15"}};
  for (const auto& [body, expected] : cases) {
    const std::string error = urdf_error(body);
    EXPECT_EQ(error, folder() + "robot.urdf" + expected);
  }
}

// Numbers that no attribute takes, and those that one of them does not take.
TEST(UrdfRefusals, NumbersOfEveryElement) {
  const auto in_joint = [](const std::string& inside) {
    return link("a") + link("b") + joint("j", "revolute", "a", "b", "\n\n" + inside);
  };
  const auto shape = [](const std::string& inside) {
    return link("a", "\n\n\n\n<collision><geometry>" + inside + "</geometry></collision>");
  };
  const auto inertial = [](const std::string& inside) {
    return "\n\n\n\n<link name=\"a\"><inertial>" + inside + "</inertial></link>";
  };
  struct Row {
    std::string text;  ///< with @ in place of the value, in line 6
    std::string place;
    std::string good;
    std::vector<std::string> bad;
  };
  const std::vector<Row> rows = {
      {in_joint("<limit lower='@' upper='1'/>"), "limit of joint 'j': lower", "0", {"2", "1 2"}},
      {in_joint("<limit lower='0' upper='@'/>"), "limit of joint 'j': upper", "1", {"1 2"}},
      {in_joint("<limit effort='@'/>"), "limit of joint 'j': effort", "1", {"-1"}},
      {in_joint("<limit velocity='@'/>"), "limit of joint 'j': velocity", "1", {"-1"}},
      {in_joint("<dynamics damping='@'/>"), "dynamics of joint 'j': damping", "1", {"-1"}},
      {in_joint("<dynamics friction='@'/>"), "dynamics of joint 'j': friction", "1", {"-1"}},
      {in_joint("<axis xyz='@'/>"), "axis of joint 'j': xyz", "0 0 1", {"0 0 0", "1 1"}},
      {in_joint("<origin xyz='@'/>"), "origin of joint 'j': xyz", "0 0 1", {"1 1"}},
      {in_joint("<origin rpy='@'/>"), "origin of joint 'j': rpy", "0 0 1", {"1 1"}},
      {shape("<sphere radius='@'/>"), "sphere of link 'a': radius", "1", {"-1", "0"}},
      {shape("<cylinder length='1' radius='@'/>"), "cylinder of link 'a': radius", "1", {"0"}},
      {shape("<cylinder radius='1' length='@'/>"), "cylinder of link 'a': length", "1", {"-1"}},
      {shape("<box size='@'/>"), "box of link 'a': size", "1 1 1", {"1 -1 1", "1 1"}},
      {inertial("<mass value='@'/>"), "mass of link 'a': value", "1", {"-1", "1 2"}},
      {inertial("<inertia iyy='1' izz='1' ixx='@'/>"), "inertia of link 'a': ixx", "1", {"1 2"}},
      {inertial("<inertia ixx='1' iyy='1' izz='1' ixy='@'/>"), "inertia of link 'a': ixy", "0", {}},
      {inertial("<origin xyz='@'/>"), "origin of link 'a': xyz", "0 0 0", {"0 0"}},
  };
  const auto with = [](std::string text, const std::string& value) {
    return text.replace(text.find('@'), 1, value);
  };
  for (const Row& row : rows) {
    EXPECT_EQ(urdf_error(with(row.text, row.good)), "") << row.place;
    std::vector<std::string> bad = {"nan", "inf", "abc", "0x10", "1,2", ""};
    bad.insert(bad.end(), row.bad.begin(), row.bad.end());
    for (const std::string& value : bad) {
      const std::string error = urdf_error(with(row.text, value));
      EXPECT_TRUE(error.starts_with(folder() + "robot.urdf:6: " + row.place)) << error << row.place;
      EXPECT_NE(error.find("'" + value + "'"), std::string::npos) << error;
      EXPECT_TRUE(error.find(", expected ") != std::string::npos ||
                  error.find(" is not a number") != std::string::npos ||
                  error.find(" is not a finite number") != std::string::npos)
          << error;
    }
  }
}

}  // namespace
}  // namespace stiction
