// What is refused, what is reported.
#include <algorithm>

#include "mjcf_file.h"

namespace stiction {
namespace {

TEST(MjcfErrors, NameFileLineAndElement) {
  EXPECT_EQ(error_of("<worldbody>\n<geom name='g' size='1 2 3 4'/></worldbody>"),
            "model.xml:3: geom 'g': size is '1 2 3 4', expected 1 to 3 numbers, not 4");
  EXPECT_EQ(error_of("<worldbody>\n\n<geom type='box' size='1 nan 1'/></worldbody>"),
            "model.xml:4: geom: size: 'nan' is not a finite number");
  EXPECT_EQ(error_of("<actuator><motor name='m' joint='nope'/></actuator>"),
            "model.xml:2: motor 'm': joint 'nope' does not exist");
  EXPECT_EQ(error_of("<worldbody><geom size='1' class='c'/></worldbody>"),
            "model.xml:2: geom: default class 'c' does not exist");
  EXPECT_EQ(error_of("<worldbody><geom type='cube' size='1'/></worldbody>"),
            "model.xml:2: geom: type is 'cube', expected one of plane, hfield, sphere, capsule, "
            "ellipsoid, cylinder, box, mesh, sdf");
}

TEST(MjcfErrors, RefusesWhatCannotBe) {
  const std::string body = "<body name='b'><joint name='j'/><geom size='0.1'/></body>";
  const std::vector<std::string> texts = {
      "<worldbody><geom type='sphere'/></worldbody>",
      "<worldbody><geom size='-1'/></worldbody>",
      "<worldbody><joint/></worldbody>",
      "<worldbody><body><joint/></body></worldbody>",
      "<worldbody><geom size='1' quat='0 0 0 0'/></worldbody>",
      "<worldbody><geom size='1' euler='0 0 0' quat='1 0 0 0'/></worldbody>",
      "<worldbody><geom type='mesh' mesh='m'/></worldbody>",
      "<worldbody><geom size='1' condim='2'/></worldbody>",
      std::string("<worldbody><geom type='capsule' size='1' fromto='0 0 0 0 0 0'/></worldbody>"),
      "<asset><mesh name='m' file='nowhere.stl'/></asset>",
      "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0'/></asset>",
      "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0'/></asset>",
      std::string("<asset><hfield name='h' nrow='99999' ncol='99999' size='1 1 1 1'/></asset>"),
      "<compiler coordinate='global'/>",
      "<compiler eulerseq='abc'/>",
      "<option timestep='0'/>",
      "<worldbody>" + body + body + "</worldbody>",
      "<worldbody>" + body + "</worldbody><keyframe><key qpos='1 2'/></keyframe>",
      "<compiler autolimits='false'/><worldbody><body><geom size='1'/><joint range='0 1'/>"
      "</body></worldbody>",
      "<worldbody>" + body + "</worldbody><equality><weld body1='x'/></equality>",
      "<worldbody>" + body + "</worldbody><equality><weld body1='b' body2='b'/></equality>",
      "<worldbody>" + body + "</worldbody><equality><joint joint1='j' joint2='j'/></equality>",
      "<worldbody>" + body + "</worldbody><actuator><motor/></actuator>",
      "<worldbody>" + body + "</worldbody><tendon><fixed name='t'/></tendon>",
  };
  for (const std::string& text : texts) {
    EXPECT_NE(error_of(text), "") << text;
  }
}

/// The notes as "severity element: message".
std::vector<std::string> notes_of(const std::string& text) {
  std::vector<std::string> result;
  for (const Note& note : load_text(text).notes) {
    result.push_back((note.severity == Severity::kPhysics ? "physics " : "cosmetic ") +
                     std::to_string(note.line) + " " + note.element + ": " + note.message);
  }
  return result;
}

TEST(MjcfNotes, EverythingNotHonouredIsReported) {
  const std::vector<std::string> notes = notes_of(R"(<option integrator="RK4" cone="elliptic"/>
<visual><map znear="0.1"/></visual>
<default><geom solref="0.02 1"/><default class="unused"><pair solref="1 1"/></default></default>
<worldbody>
  <geom size="1" name="g" wobble="3"/>
  <light diffuse="1 0 0"/>
  <gizmo/>
</worldbody>)");
  const std::vector<std::string> expected = {
      "physics 2 option: integrator: ours is used instead",
      "physics 2 option: cone: soft-contact parameter; constraints are exact here",
      "cosmetic 3 visual: not used for drawing",
      "physics 4 geom: solref: soft-contact parameter; constraints are exact here",
      "physics 6 geom 'g': wobble: unknown attribute, ignored",
      "cosmetic 7 light: diffuse: lights are fixed to their body and white",
      "physics 8 gizmo: unknown element, ignored",
  };
  EXPECT_EQ(notes, expected);
}

TEST(MjcfNotes, MocapBodiesAreStatic) {
  const std::vector<std::string> notes =
      notes_of("<worldbody><body name='hand' mocap='true'/><body mocap='false'/></worldbody>");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].substr(0, 49), "physics 2 body 'hand': mocap: the body is static,");
}

// Which stiff actuators cannot be taken implicitly: see src/sim/README.md.
TEST(MjcfNotes, ServosThatShareALimitWithOthers) {
  const auto count = [](const std::string& actuators) {
    const std::string text =
        "<worldbody><body><joint name='j' actuatorfrcrange='-1 1'/><geom size='.1'/>"
        "<site name='s' pos='1 0 0'/><body><joint name='k'/><geom size='.1'/>"
        "<site name='r'/></body></body><site name='w'/></worldbody>"
        "<tendon><fixed name='t'><joint joint='j' coef='1'/></fixed>"
        "<fixed name='u' actuatorfrcrange='-1 1'><joint joint='k' coef='1'/></fixed></tendon>"
        "<actuator>" +
        actuators + "</actuator>";
    int notes = 0;
    for (const std::string& note : notes_of(text)) {
      notes += note.find("shares an actuatorfrcrange") != std::string::npos;
    }
    return notes;
  };
  EXPECT_EQ(count("<position joint='j' forcerange='-1 2'/>"), 0);
  EXPECT_EQ(count("<position joint='j'/><velocity joint='j'/><motor joint='j'/>"), 0);
  EXPECT_EQ(count("<position joint='j' forcerange='-1 2'/><velocity joint='j'/>"), 0);
  EXPECT_EQ(count("<motor joint='j' forcerange='-1 2'/><velocity joint='j'/>"), 0);
  EXPECT_EQ(count("<position joint='k' forcerange='-1 2'/><velocity joint='k'/>"), 0);
  EXPECT_EQ(count("<position joint='j'/><position tendon='t'/>"), 2);
  EXPECT_EQ(count("<position joint='k'/><position tendon='u'/>"), 0);
  EXPECT_EQ(count("<position tendon='u'/><velocity tendon='u'/>"), 0);
  EXPECT_EQ(count("<position tendon='u' gear='2'/><velocity tendon='u'/>"), 2);
  EXPECT_EQ(count("<position site='s' refsite='w'/>"), 1);
  EXPECT_EQ(count("<position site='r' refsite='s'/>"), 0);  // j moves both
}

// As on geoms: a pair's torsion, rolling and friction by direction would else be lost in silence.
TEST(MjcfNotes, FrictionAndMarginOfPairs) {
  const std::string geoms =
      "<worldbody><geom name='a' size='1'/><geom name='b' size='1'/></worldbody>";
  const auto pair = [&](const std::string& attributes) {
    return geoms + "\n<contact><pair geom1='a' geom2='b' " + attributes + "/></contact>";
  };
  const std::vector<std::string> torsion = {
      "physics 3 pair: condim 4: torsional and rolling friction are not simulated, sliding "
      "friction "
      "is"};
  const std::vector<std::string> direction = {
      "physics 3 pair: friction: it differs by direction, the first value counts for both"};
  EXPECT_EQ(notes_of(pair("condim='4'")), torsion);
  EXPECT_EQ(notes_of(pair("friction='1 0.2'")), direction);
  EXPECT_EQ(notes_of(pair("friction='0.2 0.2'")), std::vector<std::string>{});
  const std::vector<std::string> margin = {
      "physics 3 pair: margin: bodies rest where they touch, not margin apart (nor margin - gap, "
      "as "
      "in older versions of MuJoCo)"};
  EXPECT_EQ(notes_of(pair("margin='0.02' gap='0.01'")), margin);
  EXPECT_EQ(notes_of(pair("gap='0.02'")), std::vector<std::string>{});
  EXPECT_NE(error_of(pair("condim='2'")), "");
  EXPECT_NE(error_of(pair("friction='-1'")), "");
}

// With 0 MuJoCo's weld is a connect, and every other value makes its angles softer or stiffer.
TEST(MjcfNotes, WeldsHoldAnglesWhateverTheirTorqueScale) {
  const auto weld = [](const std::string& attributes) {
    return "<worldbody><body name='b'/></worldbody>\n<equality><weld body1='b' " + attributes +
           "/></equality>";
  };
  const std::vector<std::string> note = {
      "physics 3 weld: torquescale: the weld holds angles exactly, whatever it is"};
  EXPECT_EQ(notes_of(weld("torquescale='0'")), note);
  EXPECT_EQ(notes_of(weld("torquescale='1'")), std::vector<std::string>{});
}

TEST(MjcfNotes, HonouredFilesHaveNone) {
  EXPECT_EQ(notes_of(R"(<compiler angle="radian" autolimits="true" meshdir="m"/>
    <option timestep="0.001" gravity="0 0 -9.81"/>
    <default><joint damping="1"/><geom friction="0.5"/><motor gear="2"/></default>
    <worldbody><body name="b" pos="0 0 1" quat="1 0 0 0" childclass="main">
      <joint name="j" range="-1 1" axis="0 1 0" stiffness="1" springref="0.1" armature="0.1"/>
      <geom type="capsule" size="0.1" fromto="0 0 0 0 0 1" rgba="1 0 0 1" density="10"/>
      <site name="s" pos="0 0 1" size="0.1"/></body></worldbody>
    <actuator><motor name="m" joint="j" ctrlrange="-1 1" forcerange="-2 2"/></actuator>
    <sensor><gyro site="s" cutoff="3"/></sensor>
    <keyframe><key name="k" qpos="0.5"/></keyframe>)"),
            std::vector<std::string>{});
}

TEST(MjcfNotes, EqualitiesAndSensorsOfOneNameAreToldApart) {
  const Loaded loaded = load_text(R"(
    <worldbody><geom name="a" size="0.1"/>
      <body><joint name="j"/><geom name="b" size="0.1"/></body></worldbody>
    <equality><distance geom1="a" geom2="b"/></equality>
    <sensor><distance geom1="a" geom2="b" cutoff="1"/></sensor>)");
  ASSERT_EQ(loaded.notes.size(), 2u);
  EXPECT_NE(loaded.notes[0].message.find("this equality is not supported"), std::string::npos);
  EXPECT_NE(loaded.notes[1].message.find("this sensor is not supported"), std::string::npos);
}

TEST(MjcfNotes, SpatialTendonsAndMusclesKeepTheirPlace) {
  const Loaded loaded = load_text(R"(
    <worldbody><site name="a"/><body><joint name="j"/><geom size="0.1"/><site name="b"/></body>
    </worldbody>
    <tendon><spatial name="t" stiffness="3"><site site="a"/><site site="b"/></spatial></tendon>
    <actuator><muscle tendon="t"/><motor joint="j"/></actuator>)");
  EXPECT_EQ(loaded.model.nu(), 2);
  EXPECT_EQ(loaded.model.actuators[0].transmission, Transmission::kNone);
  EXPECT_EQ(loaded.model.actuators[1].target, 0);
  const auto mentions = [&](const char* text) {
    return std::any_of(loaded.notes.begin(), loaded.notes.end(), [&](const Note& note) {
      return note.message.find(text) != std::string::npos;
    });
  };
  EXPECT_TRUE(mentions("spatial tendons are not supported"));
  EXPECT_TRUE(mentions("kind of actuator is not supported"));
}

}  // namespace
}  // namespace stiction
