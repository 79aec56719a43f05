// stiction contacts: what it lists, what it draws, and what it refuses.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>

#include "program.h"

namespace stiction::test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr char kBox[] = "contacts models/box_on_slope.xml";  // 1 kg on 20 degrees, mu 0.5

class ContactsCommand : public testing::Test {
 protected:
  ContactsCommand() { fs::create_directories(folder_); }
  ~ContactsCommand() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  static std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }

  fs::path folder_ =
      fs::path(testing::TempDir()) / ("contacts_" + std::to_string(static_cast<long>(getpid())));
};

size_t count(const std::string& text, const std::string& what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

// The force along an axis of the contact's frame.
double in_frame(const json& contact, int axis) {
  double sum = 0;
  for (int d = 0; d < 3; ++d) {
    sum += contact["frame"][axis][d].get<double>() * contact["force"][d].get<double>();
  }
  return sum;
}

TEST_F(ContactsCommand, ABoxOnASlopeTouchesWithItsFourCorners) {
  const Outcome run = run_program(std::string(kBox) + " --json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json contacts = json::parse(run.out)["contacts"];
  ASSERT_EQ(contacts.size(), 4u);
  const double angle = std::numbers::pi / 9;
  double weight = 0;
  for (const json& contact : contacts) {
    EXPECT_NEAR(contact["normal"][0].get<double>(), std::sin(angle), 1e-12);
    EXPECT_NEAR(contact["normal"][2].get<double>(), std::cos(angle), 1e-12);
    EXPECT_NEAR(contact["gap"].get<double>(), 0, 1e-8);
    EXPECT_EQ(contact["mu"], 0.5);
    EXPECT_EQ(contact["body1"], "world");
    EXPECT_EQ(contact["geom2"], "box");
    EXPECT_NEAR(std::abs(contact["point"][1].get<double>()), 0.1, 1e-12);
    const double f_n = in_frame(contact, 2);
    const double f_t = std::hypot(in_frame(contact, 0), in_frame(contact, 1));
    EXPECT_GT(f_n, 0);
    EXPECT_LE(f_t, (0.5 + 1e-9) * f_n);
    EXPECT_EQ(contact["state"], "stick");
    EXPECT_EQ(contact["frame"][2], contact["normal"]);
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 3; ++k) {
        double product = 0;
        for (int d = 0; d < 3; ++d) {
          product += contact["frame"][i][d].get<double>() * contact["frame"][k][d].get<double>();
        }
        EXPECT_NEAR(product, i == k ? 1 : 0, 1e-12);
      }
    }
    weight += contact["force"][2].get<double>();
  }
  EXPECT_NEAR(weight, 9.81, 1e-3);  // it sticks
}

TEST_F(ContactsCommand, TableNamesTheContacts) {
  const Outcome run = run_program(kBox);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("4 contacts"), std::string::npos);
  EXPECT_EQ(count(run.out, "slope"), 1 + 4u);  // the file's name and every contact
}

TEST_F(ContactsCommand, AtAStateFromAFile) {
  const std::string state = R"({"qpos": [0, 0, 5, 1, 0, 0, 0]})";
  for (const std::string& text : {state, "[" + state + "]", R"({"states": [)" + state + "]}"}) {
    std::ofstream(path("state.json")) << text;
    const Outcome run = run_program(std::string(kBox) + " --json --state " + path("state.json"));
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_TRUE(json::parse(run.out)["contacts"].empty());
  }
}

TEST_F(ContactsCommand, RefusesStatesWithUnknownKeys) {
  for (const std::string text : {R"({"qposs": [0, 0, 5, 1, 0, 0, 0]})", R"([{"qposs": 1}])"}) {
    std::ofstream(path("state.json")) << text;
    const Outcome run = run_program(std::string(kBox) + " --state " + path("state.json"));
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_NE(run.err.find("'qposs' is unknown, expected some of name, qpos, qvel, ctrl, act"),
              std::string::npos)
        << run.err;
  }
}

// A ball of 1 kg as a URDF, its centre at the origin: fixed there, or in the air.
TEST_F(ContactsCommand, AFloatingUrdf) {
  std::ofstream(path("ball.urdf")) << R"(<robot name="ball"><link name="base"><inertial>
    <mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>)";
  const Outcome run =
      run_program("run " + path("ball.urdf") + " --floating --duration 1 --dt 0.001 --json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const json end = json::parse(run.out)["bodies"].back()["end"];
  EXPECT_NEAR(end["pos"][2].get<double>(), -9.81 / 2, 0.01);  // h g t / 2 of implicit Euler
  const Outcome contacts = run_program("contacts " + path("ball.urdf") + " --floating --json");
  EXPECT_EQ(contacts.exit_code, 0) << contacts.err;
}

TEST_F(ContactsCommand, AScene) {
  const Outcome run = run_program("contacts tower --max-points 3 --json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out)["contacts"].size(), 30u);
}

TEST_F(ContactsCommand, DrawsEveryContactInBothViews) {
  const Outcome run =
      run_program(std::string(kBox) + " --svg " + path("a.svg") + " --png " + path("a.png"));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(count(read(path("a.svg")), "<circle"), 2 * 4 + 2u);  // and two in the legend
  EXPECT_EQ(read(path("a.png")).substr(1, 3), "PNG");
  EXPECT_FALSE(fs::exists(path("a.png.part")));
}

TEST_F(ContactsCommand, RefusesBadInput) {
  for (const std::string arguments :
       {"contacts no_such_file.xml", "contacts tower --key nowhere",
        "contacts tower --max-points 0", "contacts tower --svg no/such/folder/a.svg",
        "contacts tower --png no/such/folder/a.png", "contacts tower --state no_such_file.json",
        "contacts"}) {
    const Outcome run = run_program(arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments;
    EXPECT_FALSE(run.err.empty()) << arguments;
  }
}

}  // namespace
}  // namespace stiction::test
