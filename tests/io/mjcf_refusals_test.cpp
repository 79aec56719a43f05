// What people are told about a bad MJCF file: line, element, attribute, value, what was expected.
#include <algorithm>
#include <utility>

#include "mjcf_file.h"

namespace stiction {
namespace {

const std::string kWorld = R"(<worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body name="b"><joint name="j"/><geom name="g" size="0.1"/><site name="s"/></body>
<body name="c"><freejoint name="f"/><geom name="cg" size="0.1"/></body></worldbody>
)";

/// The element with @ in place of an attribute, in line 6, and its label.
struct Template {
  std::string text;
  std::string label;
};

std::string with(const std::string& text, const std::string& attribute, const std::string& value) {
  std::string result = text;
  return result.replace(result.find('@'), 1, attribute + "=\"" + value + "\"");
}

Template beside(const std::string& section, const std::string& element, const std::string& label) {
  return {kWorld + "<" + section + ">\n" + element + "</" + section + ">", label};
}

Template in_body(const std::string& element, const std::string& label) {
  return {"<worldbody>\n\n<body name='b'>\n\n" + element + "</body></worldbody>", label};
}

Template in_moving_body(const std::string& element, const std::string& label) {
  return {"<worldbody>\n\n<body name='b'>\n<joint/>\n" + element + "</body></worldbody>", label};
}

// Numbers that no attribute takes, and those that one of them does not take.
TEST(MjcfRefusals, NumbersOfEveryElement) {
  const Template joint = in_body("<joint name='j' @/><geom size='1'/>", "joint 'j'");
  const Template geom = in_moving_body("<geom name='g' size='1' @/>", "geom 'g'");
  const Template capsule = in_moving_body("<geom type='capsule' size='1' @/>", "geom of body 'b'");
  const Template shape = in_moving_body("<geom name='g' @/>", "geom 'g'");
  const Template inertial =
      in_moving_body("<inertial pos='0 0 0' mass='1' @/>", "inertial of body 'b'");
  const Template mass =
      in_moving_body("<inertial pos='0 0 0' diaginertia='1 1 1' @/>", "inertial of body 'b'");
  const Template site = in_moving_body("<geom size='1'/><site name='s' @/>", "site 's'");
  const Template camera = in_moving_body("<geom size='1'/><camera name='c' @/>", "camera 'c'");
  const Template light = in_moving_body("<geom size='1'/><light name='l' @/>", "light 'l'");
  const Template tendon =
      beside("tendon", "<fixed name='t' @><joint joint='j' coef='1'/></fixed>", "fixed 't'");
  const Template part =
      beside("tendon", "<fixed name='t'><joint joint='j' @/></fixed>", "joint of fixed 't'");
  const auto actuator = [](const std::string& kind) {
    return beside("actuator", "<" + kind + " name='a' joint='j' @/>", kind + " 'a'");
  };
  const Template crank =
      beside("actuator", "<motor name='a' cranksite='s' slidersite='s' @/>", "motor 'a'");
  const Template connect = beside("equality", "<connect name='e' body1='b' @/>", "connect 'e'");
  const Template weld = beside("equality", "<weld name='e' body1='b' @/>", "weld 'e'");
  const Template joints = beside("equality", "<joint name='e' joint1='j' @/>", "joint 'e'");
  const Template sensor = beside("sensor", "<jointpos name='x' joint='j' @/>", "jointpos 'x'");
  const Template key = beside("keyframe", "<key name='k' @/>", "key 'k'");
  const Template pair = beside("contact", "<pair name='p' geom1='g' geom2='cg' @/>", "pair 'p'");
  const Template mesh =
      beside("asset", "<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' @/>", "mesh 'm'");
  const Template field = beside("asset", "<hfield name='h' nrow='2' ncol='2' @/>", "hfield 'h'");
  const Template restitution = beside("custom", "<numeric name='stiction:restitution' @/>",
                                      "numeric 'stiction:restitution'");
  const Template option = {"\n\n\n\n<option @/>", "option"};
  const Template compiler = {"\n\n\n\n<compiler @/>", "compiler"};
  const Template default_joint = {
      "<default><default class='a'>\n\n\n\n<joint @/></default></default><worldbody>"
      "<body><joint class='a'/><geom size='1'/></body></worldbody>",
      "joint of default 'a'"};

  // Attribute, a good value; then bad ones beside those that are always bad.
  struct Row {
    Template where;
    std::string attribute;
    std::string good;
    std::vector<std::string> bad;
  };
  const std::vector<Row> rows = {
      {joint, "pos", "0 0 0", {"0 0", "0 0 0 0"}},
      {joint, "axis", "0 0 1", {"0 0 0", "0 0", "1e300 1e300 0"}},
      {joint, "range", "0 1", {"0", "0 1 2"}},
      {joint, "damping", "1", {"-1"}},
      {joint, "stiffness", "1", {"-1"}},
      {joint, "armature", "1", {"-1", "1 2"}},
      {joint, "frictionloss", "1", {"-1", "1 2"}},
      {joint, "margin", "0.1", {"1 2"}},
      {joint, "ref", "1", {"1 2", "1e300"}},
      {joint, "springref", "1", {"1 2"}},
      {joint, "actuatorfrcrange", "-1 1", {"1"}},
      {geom, "mass", "1", {"-1", "1 2"}},
      {geom, "density", "1", {"-1", "1 2"}},
      {geom, "margin", "0", {"1 2"}},
      {geom, "gap", "0", {"1 2"}},
      {geom, "condim", "3", {"-1", "2", "3.5", "1 3"}},
      {geom, "contype", "1", {"0.5", "1e10"}},
      {geom, "group", "1", {"0.5"}},
      {geom, "friction", "1", {"-1", "1 1 1 1"}},
      {geom, "pos", "0 0 0", {"0 0"}},
      {geom, "quat", "1 0 0 0", {"0 0 0 0", "1 0 0", "1e300 1e300 0 0"}},
      {geom, "euler", "0 0 0", {"0 0"}},
      {geom, "axisangle", "0 0 1 0", {"0 0 0 1", "0 0 1"}},
      {geom, "xyaxes", "1 0 0 0 1 0", {"1 0 0 1 0 0", "0 0 0 0 1 0", "1"}},
      {geom, "zaxis", "0 0 1", {"0 0 0", "1"}},
      {geom, "rgba", "1 1 1 1", {"1 1 1"}},
      {shape, "size", "1", {"-1", "0", "1 2 3 4"}},
      {capsule, "fromto", "0 0 0 0 0 1", {"1 1 1 1 1 1", "0 0 0"}},
      {mass, "mass", "1", {"-1", "1 2"}},
      {inertial, "diaginertia", "1 1 1", {"-1 1 1", "1 1"}},
      {inertial, "fullinertia", "1 1 1 0 0 0", {"1 1 1 2 0 0", "1 1 1"}},
      {site, "size", "1", {"-1", "0"}},
      {site, "pos", "0 0 0", {"0"}},
      {camera, "fovy", "45", {"-1", "0"}},
      {light, "dir", "0 0 1", {"0 0 0"}},
      {tendon, "range", "0 1", {"0"}},
      {tendon, "stiffness", "1", {"-1"}},
      {tendon, "damping", "1", {"-1"}},
      {tendon, "frictionloss", "1", {"-1", "1 2"}},
      {tendon, "armature", "1", {"-1", "1 2"}},
      {tendon, "margin", "0.1", {"1 2"}},
      {tendon, "springlength", "1 2", {"2 1", "1 2 3"}},
      {part, "coef", "1", {"1 2"}},
      {actuator("motor"), "gear", "1", {"1 2 3 4 5 6 7"}},
      {actuator("motor"), "ctrlrange", "0 1", {"1"}},
      {actuator("motor"), "forcerange", "0 1", {"1"}},
      {actuator("position"), "kp", "1", {"1 2"}},
      {actuator("position"), "kv", "1", {"-1", "1 2"}},
      {actuator("position"), "dampratio", "1", {"-1"}},
      {actuator("position"), "timeconst", "1", {"-1"}},
      {actuator("velocity"), "kv", "1", {"1 2"}},
      {actuator("cylinder"), "timeconst", "1", {"-1"}},
      {actuator("cylinder"), "area", "1", {"1 2"}},
      {actuator("general"), "gainprm", "1", {"1 2 3 4 5 6 7 8 9 10 11"}},
      {crank, "cranklength", "1", {"-1", "0"}},
      {connect, "anchor", "0 0 0", {"0 0"}},
      {weld, "relpose", "0 0 0 1 0 0 0", {"0 0 0 1"}},
      {joints, "polycoef", "0 1 0 0 0", {"1 2 3 4 5 6"}},
      {sensor, "cutoff", "1", {"-1", "1 2"}},
      {sensor, "noise", "1", {"-1"}},
      {key, "time", "1", {"1 2"}},
      {key, "qpos", "0 0 0 0 1 0 0 0", {"1 2 3"}},
      {key, "qvel", "0 0 0 0 0 0 0", {"1 2 3"}},
      {pair, "friction", "1", {"-1", "1 1 1 1 1 1"}},
      {pair, "condim", "3", {"2"}},
      {pair, "margin", "0", {"1 2"}},
      {mesh, "scale", "1 1 1", {"0 1 1", "1 1"}},
      {mesh, "refquat", "1 0 0 0", {"0 0 0 0"}},
      {mesh, "face", "0 2 1 0 1 3 0 3 2 1 2 3", {"0 1 9", "0 1", "0 1 2.5"}},
      {field, "size", "1 1 1 1", {"0 1 1 1", "1 1 1"}},
      {restitution, "data", "0.5", {"-1", "2", "1 2"}},
      {option, "timestep", "0.1", {"-1", "0", "1 2", "1e300"}},
      {option, "gravity", "0 0 1", {"0 0", "0 0 1e300"}},
      {option, "density", "1", {"-1"}},
      {option, "viscosity", "1", {"-1"}},
      {compiler, "boundmass", "1", {"-1"}},
      {compiler, "boundinertia", "1", {"-1"}},
      {compiler, "settotalmass", "1", {"1 2"}},
      {compiler, "inertiagrouprange", "0 1", {"0", "0.5 1"}},
      {default_joint, "damping", "1", {"-1", "1 2 3 4"}},
      {default_joint, "armature", "1", {"-1"}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(error_of(with(row.where.text, row.attribute, row.good)), "") << row.attribute;
    std::vector<std::string> bad = {"nan", "inf", "-1e999", "abc", "0x10", "1,2"};
    const bool may_be_empty = row.attribute == "qpos" || row.attribute == "qvel";
    if (!may_be_empty) bad.push_back("");
    bad.insert(bad.end(), row.bad.begin(), row.bad.end());
    for (const std::string& value : bad) {
      const std::string error = error_of(with(row.where.text, row.attribute, value));
      const std::string place = "model.xml:6: " + row.where.label + ": " + row.attribute;
      EXPECT_TRUE(error.starts_with(place)) << row.attribute << "=" << value << ": " << error;
      EXPECT_NE(error.find("'" + value + "'"), std::string::npos) << error;
      EXPECT_TRUE(error.find(", expected ") != std::string::npos ||
                  error.find(" is not a number") != std::string::npos ||
                  error.find(" is not a finite number") != std::string::npos)
          << error;
    }
  }
}

/// The whole message, for what is not a matter of one number.
TEST(MjcfRefusals, NamesAndStructure) {
  const auto sensor = [](const std::string& text) {
    return kWorld + "<sensor>\n" + text + "</sensor>";
  };
  const auto body = [](const std::string& text) {
    return "<worldbody>\n<body name='b'>\n" + text + "</body></worldbody>";
  };
  const std::pair<std::string, std::string> cases[] = {
      {kWorld + "<actuator>\n<motor name='a' tendon='t'/></actuator>",
       "6: motor 'a': tendon 't' does not exist"},
      {kWorld + "<actuator>\n<motor name='a'/></actuator>",
       "6: motor 'a': acts on 0 things, expected one of joint, jointinparent, tendon, cranksite, "
       "site, body"},
      {kWorld + "<actuator>\n<position name='a' joint='j' kv='1' dampratio='2'/></actuator>",
       "6: position 'a': dampratio is '2', expected none beside kv"},
      {kWorld + "<actuator>\n<position name='a' joint='j' inheritrange='1'/></actuator>",
       "6: position 'a': inheritrange is '1', expected a range of what it acts on"},
      {kWorld + "<tendon>\n<fixed name='t'><joint joint='f' coef='1'/></fixed></tendon>",
       "6: fixed 't': joint 'f' is neither hinge nor slide, expected one of them"},
      {kWorld + "<equality>\n<weld name='e' body1='b' body2='b'/></equality>",
       "6: weld 'e': relates 1 to itself, expected two bodies"},
      {kWorld + "<equality>\n<joint name='e' joint1='f'/></equality>",
       "6: joint 'e': joint 'f' is neither hinge nor slide, expected one of them"},
      {kWorld + "<contact>\n<pair name='p' geom1='g' geom2='g'/></contact>",
       "6: pair 'p': geom2 is 'g', expected another geom than geom1"},
      {kWorld + "<contact>\n<exclude name='p' body1='b' body2='c'/>\n"
                "<exclude name='p' body1='b' body2='world'/></contact>",
       "7: exclude 'p': the name 'p' is used twice, expected one exclude of it"},
      {sensor("<jointpos name='x' joint='f'/>"),
       "6: jointpos 'x': joint 'f' is neither hinge nor slide, expected one of them for jointpos"},
      {sensor("<ballquat name='x' joint='j'/>"),
       "6: ballquat 'x': joint 'j' is no ball joint, expected one for ballquat"},
      {sensor("<jointlimitpos name='x' joint='j'/>"),
       "6: jointlimitpos 'x': joint 0 has no range, expected one for jointlimitpos"},
      {sensor("<framepos name='x' objtype='site' objname='s' refname='s'/>"),
       "6: framepos 'x': refname is 's', expected reftype beside it"},
      {sensor("<framelinacc name='x' objtype='site' objname='s' reftype='site' refname='s'/>"),
       "6: framelinacc 'x': reftype is 'site', expected none: accelerations are those in the "
       "world"},
      {sensor("<clock name='x'/>\n<clock name='x'/>"),
       "7: clock 'x': name is used twice, by 0 and 1, expected once"},
      {kWorld + "<keyframe>\n<key qpos='0 0 0 0 0 0 0 0'/></keyframe>",
       "6: key: qpos: the quaternion of joint 'f' is 0 0 0 0, expected a length > 0"},
      {kWorld + "<keyframe>\n<key act='1'/></keyframe>",
       "6: key: act is '1', expected 0 numbers, not 1"},
      {body("<joint/>"),
       "3: body 'b': moves, but its mass is 0 and its smallest inertia 0, expected both >= 1e-15"},
      {body("<joint/><inertial pos='0 0 0' mass='1e-16' diaginertia='1 1 1'/>"),
       "3: body 'b': moves, but its mass is 1e-16 and its smallest inertia 1, expected both >= "
       "1e-15"},
      {body("<inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/>"),
       "3: body 'b': principal inertias are 1, 1, 3, expected that no one exceeds the sum of the "
       "others; balanceinertia would mend it"},
      {body("<inertial pos='0 0 0' mass='1'/>\n<inertial pos='0 0 0' mass='1'/>"),
       "5: inertial of body 'b': is the second one, expected one"},
      {body("<body name='c'>\n<freejoint name='f'/><geom size='1'/></body>"),
       "5: freejoint 'f': is free, expected the only joint of a child of the world"},
      {body("<joint type='ball' name='x'/>\n<joint name='y'/><geom size='1'/>"),
       "5: joint 'y': moves its body as joint 'x' does, expected another axis or anchor, or "
       "armature"},
      {body("<joint name='x'/>\n<joint name='y'/><geom size='1'/>"),
       "5: joint 'y': moves its body as joint 'x' does, expected another axis or anchor, or "
       "armature"},
      {body("<joint name='x' limited='true'/><geom size='1'/>"),
       "4: joint 'x': range is missing, expected two numbers"},
      {body("<joint name='x' limited='true' range='2 1'/><geom size='1'/>"),
       "4: joint 'x': range is '2 1', expected a lower bound below the upper one"},
      {body("<geom type='box' name='x' size='1 1'/>"),
       "4: geom 'x': size is '1 1', expected 3 numbers > 0"},
      {body("<geom type='capsule' name='x'/>"),
       "4: geom 'x': attribute size is missing, expected 2 numbers > 0"},
      {body("<geom name='x' size='1' quat='1 0 0 0' euler='0 0 0'/>"),
       "4: geom 'x': has 2 orientations, expected one of quat, axisangle, euler, xyaxes, zaxis"},
      {"<worldbody>\n<light name='l'/>\n<light name='l'/></worldbody>",
       "4: light 'l': name is used twice, by 0 and 1, expected once"},
      {"<worldbody>\n<camera name='l'/>\n<camera name='l'/></worldbody>",
       "4: camera 'l': the name 'l' is used twice, expected one camera of it"},
      {"<worldbody>\n<light name='l' type='sun'/></worldbody>",
       "3: light 'l': type is 'sun', expected one of spot, directional, point, image"},
      {"<default><default class='a'/>\n<default class='a'/></default>",
       "3: default 'a': class is 'a', expected another name: it is taken"},
      {kWorld + "<default><default class='unused'>\n<joint damping='abc'/></default></default>",
       "6: joint of default 'unused': damping: 'abc' is not a number"},
      {"<asset>\n<mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0'/></asset>",
       "3: mesh 'm': convex hull: the mesh is flat"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(error_of(text), "model.xml:" + expected);
}

TEST(MjcfRefusals, OtherFilesAreNamedWhereTheyAreAskedFor) {
  const std::string model = error_of("<asset>\n<model name='x' file='nowhere.xml'/></asset>");
  EXPECT_TRUE(model.starts_with("model.xml:3: model 'x': model file '")) << model;
  const std::string include = error_of("\n<include file='nowhere.xml'/>");
  EXPECT_TRUE(include.starts_with("model.xml:3: include: file '")) << include;
}

}  // namespace
}  // namespace stiction
