// Signed distance solids and meshes in MJCF files: what is refused, and what is noted.
#include <gtest/gtest.h>

#include <algorithm>

#include "io/mjcf_file.h"

namespace stiction {
namespace {

std::string complaint(const std::string& data) {
  return error_of("<custom><text name=\"stiction:sdf:a\" data=\"" + data +
                  "\"/></custom><worldbody><geom name=\"a\" size=\"1\"/></worldbody>");
}

// One line: where, which value, what was expected.
void expect_complaint(const std::string& data, const std::string& what) {
  const std::string message = complaint(data);
  EXPECT_NE(message.find("model.xml:2: text 'stiction:sdf:a': "), std::string::npos) << message;
  EXPECT_NE(message.find(what), std::string::npos) << data << ": " << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

TEST(MjcfSdf, SurfacesThatTakeAllMemoryAreRefused) {
  expect_complaint("bowl edge=1e-9", "edge 1e-09 m with 64 sectors would make 2.5e+10 triangles");
  expect_complaint("bowl edge=1e-300", "edge 1e-300 m");
  expect_complaint("pot radius=1e8 height=1e8", "edge 0.006 m");
  expect_complaint("plate sectors=100000", "100000 sectors, expected 8 to 4096");
  expect_complaint("bolt size=M48 length=4.9 sectors=1200", "1200 sectors on 980 turns");
  expect_complaint("nut size=M4 height=0.6 sectors=1200", "1200 sectors on 857 turns");
}

TEST(MjcfSdf, LengthsArePositive) {
  for (const char* data : {"bowl height=-1", "bowl edge=0", "plate rim_radius=-0.1", "pot radius=0",
                           "bottle neck_radius=-0.01", "bolt pitch=-0.001", "bolt length=-1",
                           "bolt head_height=0", "nut height=-0.01", "nut across_flats=-1"}) {
    expect_complaint(data, "expected a length > 0 m");
  }
}

TEST(MjcfSdf, KindsAndPrefixesAreSpelt) {
  expect_complaint("spoon", "neural or surface");
  const std::string surface = complaint("surface");
  expect_complaint("surface", "surface needs a mesh, and geom 'a' has none");
  EXPECT_EQ(surface.find("model.xml", 1), std::string::npos) << surface;  // the file, once
  const std::string typo = error_of(
      "<custom><text name=\"stiction:sdff:a\" data=\"bowl\"/></custom>"
      "<worldbody><geom name=\"a\" size=\"1\"/></worldbody>");
  EXPECT_NE(typo.find("name is 'stiction:sdff:a', expected 'stiction:sdf:'"), std::string::npos)
      << typo;
}

// A tetrahedron with its corners at the origin and along the axes, scaled.
std::string tetrahedron(const std::string& faces, const std::string& size = "1") {
  return "<asset><mesh name=\"m\" vertex=\"0 0 0  1 0 0  0 1 0  0 0 1\" scale=\"" + size + " " +
         size + " " + size + "\" face=\"" + faces + "\"/></asset>";
}
const char* const kClosed = "0 2 1  0 1 3  0 3 2  1 2 3";

std::string noted_in(const std::string& text) {
  std::string all;
  for (const Note& note : load_text(text).notes) all += note.element + ": " + note.message + "\n";
  return all;
}

TEST(MjcfMesh, WeighingWhatIsNoSolidIsNoted) {
  const std::string body =
      "<worldbody><body><freejoint/><geom name=\"g\" type=\"mesh\" mesh=\"m\"/></body></worldbody>";
  EXPECT_EQ(noted_in(tetrahedron(kClosed) + body), "");
  const std::string open = noted_in(tetrahedron("0 2 1  0 1 3  0 3 2") + body);
  EXPECT_NE(open.find("geom 'g': mesh 'm' is not closed, 3 edges"), std::string::npos) << open;
  const std::string mixed = noted_in(tetrahedron("0 1 2  0 1 3  0 3 2  1 2 3") + body);
  EXPECT_NE(mixed.find("mesh 'm' is not closed, 3 edges"), std::string::npos) << mixed;
  const std::string inside = noted_in(tetrahedron("0 1 2  0 3 1  0 2 3  1 3 2") + body);
  EXPECT_NE(inside.find("mesh 'm' is inside out, its volume is -0.166667 m^3"), std::string::npos)
      << inside;
  // Hulls do not mind, and nothing is weighed.
  EXPECT_EQ(noted_in(tetrahedron("0 1 2  0 3 1  0 2 3  1 3 2") +
                     "<worldbody><body><freejoint/><inertial pos=\"0 0 0\" mass=\"1\" "
                     "diaginertia=\"1 1 1\"/><geom type=\"mesh\" mesh=\"m\"/></body></worldbody>"),
            "");
}

TEST(MjcfMesh, ASurfaceInsideOutIsNoted) {
  const std::string scene =
      "<custom><text name=\"stiction:sdf:g\" data=\"surface\"/></custom>"
      "<worldbody><geom name=\"g\" type=\"mesh\" mesh=\"m\"/></worldbody>";
  EXPECT_EQ(noted_in(tetrahedron(kClosed) + scene), "");
  EXPECT_EQ(noted_in(tetrahedron("0 2 1  0 1 3  0 3 2") + scene), "");  // open ones are welcome
  const std::string inside = noted_in(tetrahedron("0 1 2  0 3 1  0 2 3  1 3 2") + scene);
  EXPECT_NE(inside.find("mesh 'm' is inside out"), std::string::npos) << inside;
}

TEST(MjcfMesh, HugeOnesAreRefusedWhateverTheyAreFor) {
  const std::string geom = "<geom name=\"g\" type=\"mesh\" mesh=\"m\"/>";
  for (const std::string& scene :
       {"<worldbody>" + geom + "</worldbody>",
        "<worldbody><body><freejoint/>" + geom + "</body></worldbody>",
        "<custom><text name=\"stiction:sdf:g\" data=\"surface\"/></custom><worldbody>" + geom +
            "</worldbody>",
        "<custom><text name=\"stiction:sdf:g\" data=\"grid\"/></custom><worldbody>" + geom +
            "</worldbody>"}) {
    const std::string message = error_of(tetrahedron(kClosed, "1e29") + scene);
    EXPECT_NE(message.find("mesh 'm'"), std::string::npos) << message;
    EXPECT_NE(message.find("1e+29 m wide, expected at most 1e9 m"), std::string::npos) << message;
  }
}

TEST(MjcfMesh, AMovingSurfaceIsRefusedAsSuch) {
  const std::string message = error_of(
      tetrahedron(kClosed) +
      "<custom><text name=\"stiction:sdf:g\" data=\"surface\"/></custom><worldbody><body>"
      "<freejoint/><geom name=\"g\" type=\"mesh\" mesh=\"m\" mass=\"1\"/></body></worldbody>");
  EXPECT_NE(message.find("geom 'g': is a surface of triangles, which is static"), std::string::npos)
      << message;
}

}  // namespace
}  // namespace stiction
