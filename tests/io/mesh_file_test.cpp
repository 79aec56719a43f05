#include "io/mesh_file.h"

#include <gtest/gtest.h>
#include <stiction/error.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "geometry/mesh.h"
#include "geometry/mesh_samples.h"
#include "message_of.h"

namespace stiction {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

std::string write_mesh(const std::string& name, const std::string& bytes) {
  // Tests run side by side, each in a process of its own.
  const std::string folder = testing::TempDir() + "stiction_mesh_" + std::to_string(getpid()) + "/";
  std::filesystem::create_directories(folder);
  const std::string path = folder + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

template <typename T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

void put_point(std::string& bytes, const Vector3d& p) {
  for (int k = 0; k < 3; ++k) put(bytes, static_cast<float>(p[k]));
}

std::string binary_stl(const TriangleMesh& mesh, const std::string& title) {
  std::string bytes = title;
  bytes.resize(80, ' ');
  put(bytes, static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const Eigen::Vector3i& t : mesh.triangles) {
    put_point(bytes, Vector3d::Zero());
    for (int k = 0; k < 3; ++k) put_point(bytes, mesh.vertices[t[k]]);
    put(bytes, std::uint16_t{0});
  }
  return bytes;
}

std::string ascii_stl(const TriangleMesh& mesh) {
  std::ostringstream text;
  text << "solid box\n";
  for (const Eigen::Vector3i& t : mesh.triangles) {
    text << "facet normal 0 0 0\n outer loop\n";
    for (int k = 0; k < 3; ++k) text << "  vertex " << mesh.vertices[t[k]].transpose() << "\n";
    text << " endloop\nendfacet\n";
  }
  text << "endsolid box\n";
  return text.str();
}

std::string msh(const TriangleMesh& mesh) {
  std::string bytes;
  for (std::size_t n :
       {mesh.vertices.size(), std::size_t{1}, std::size_t{2}, mesh.triangles.size()})
    put(bytes, static_cast<std::int32_t>(n));
  for (const Vector3d& p : mesh.vertices) put_point(bytes, p);
  bytes.append(12 + 16, '\0');  // one normal, two texture coordinates
  for (const Eigen::Vector3i& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) put(bytes, static_cast<std::int32_t>(t[k]));
  }
  return bytes;
}

/// The box of `box_mesh` as quads, in two objects, with normals and a missing material file.
constexpr const char* kObjQuads = R"(mtllib none.mtl
v -1 -2 -3
v -1 -2 3
v -1 2 -3
v -1 2 3
v 1 -2 -3
v 1 -2 3
v 1 2 -3
v 1 2 3
vn 0 0 1
o sides
f 1//1 2//1 4//1 3//1
f 5//1 7//1 8//1 6//1
f 1 5 6 2
o rest
usemtl red
f 3 4 8 7
f 1 3 7 5
f -7 -3 -1 -5
)";

/// One triangle pair as a polygon of `up_axis`, `meter`, moved by a node's matrix.
std::string dae(const std::string& asset, const std::string& nodes) {
  return R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
 <asset>)" +
         asset + R"(</asset>
 <library_geometries><geometry id="g"><mesh>
  <source id="p"><float_array id="pa" count="12">0 0 0  2 0 0  0 2 0  0 0 2</float_array>
   <technique_common><accessor source="#pa" count="4" stride="3"><param name="X" type="float"/>
   <param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common>
  </source>
  <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
  <triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/>
   <p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>
 </mesh></geometry></library_geometries>
 <library_visual_scenes><visual_scene id="s">)" +
         nodes + R"(</visual_scene></library_visual_scenes>
 <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>)";
}

std::string mesh_error(const std::string& path) {
  return message_of([&] { load_mesh_file(path); });
}

void expect_same_solid(const TriangleMesh& mesh, const TriangleMesh& expected) {
  const VolumeProperties a = mesh_volume_properties(mesh, MeshInertia::kExact);
  const VolumeProperties b = mesh_volume_properties(expected, MeshInertia::kExact);
  EXPECT_NEAR(a.volume, b.volume, 1e-6 * b.volume);
  EXPECT_TRUE((a.center - b.center).norm() < 1e-6);
  EXPECT_TRUE(a.inertia.isApprox(b.inertia, 1e-6));
}

const TriangleMesh kBox = box_mesh({1, 2, 3}, {0, 0, 0});

TEST(MeshFile, EveryFormatGivesTheSameBoxWithJoinedVertices) {
  for (const std::string& path :
       {write_mesh("binary.stl", binary_stl(kBox, "made by a test")),
        write_mesh("solid.STL", binary_stl(kBox, "solid, yet binary")),
        write_mesh("ascii.stl", ascii_stl(kBox)), write_mesh("box.msh", msh(kBox)),
        write_mesh("quads.obj", kObjQuads)}) {
    const TriangleMesh mesh = load_mesh_file(path);
    EXPECT_EQ(mesh.vertices.size(), 8u) << path;
    EXPECT_EQ(mesh.triangles.size(), 12u) << path;
    EXPECT_EQ(mesh.name, std::filesystem::path(path).stem());
    expect_same_solid(mesh, kBox);
  }
}

TEST(MeshFile, VerticesAreJoinedInOrderOfAppearance) {
  const TriangleMesh mesh = load_mesh_file(write_mesh("order.stl", binary_stl(kBox, "")));
  EXPECT_EQ(mesh.triangles[0], Eigen::Vector3i(0, 1, 2));
  EXPECT_EQ(mesh.vertices[2], kBox.vertices[3]);
}

TEST(MeshFile, PointsWithoutFacesBecomeTheirHull) {
  TriangleMesh points = kBox;
  points.triangles.clear();
  points.vertices.emplace_back(0, 0, 0);
  const TriangleMesh mesh = load_mesh_file(write_mesh("points.msh", msh(points)));
  EXPECT_EQ(mesh.vertices.size(), 8u);
  expect_same_solid(mesh, kBox);
}

TEST(MeshFile, DaeUnitIsAppliedUpAxisIsNot) {
  const std::string node = R"(<node id="a"><matrix>1 0 0 10  0 1 0 20  0 0 1 30  0 0 0 1</matrix>
    <instance_geometry url="#g"/></node>)";
  for (const std::string up : {"X_UP", "Y_UP", "Z_UP"}) {
    const std::string asset = "<unit name=\"cm\" meter=\"0.01\"/><up_axis>" + up + "</up_axis>";
    const TriangleMesh mesh = load_mesh_file(write_mesh("unit.dae", dae(asset, node)));
    const VolumeProperties p = mesh_volume_properties(mesh, MeshInertia::kExact);
    EXPECT_NEAR(p.volume, 8.0 / 6 * 1e-6, 1e-11);
    EXPECT_TRUE(p.center.isApprox(Vector3d(0.105, 0.205, 0.305), 1e-6)) << p.center.transpose();
  }
}

TEST(MeshFile, DaeMirroredNodesStayOutward) {
  const std::string nodes = R"(
    <node id="a"><translate>5 0 0</translate><instance_geometry url="#g"/></node>
    <node id="b"><scale>-1 1 1</scale><instance_geometry url="#g"/></node>)";
  const TriangleMesh mesh = load_mesh_file(write_mesh("mirror.dae", dae("", nodes)));
  const VolumeProperties p = mesh_volume_properties(mesh, MeshInertia::kExact);
  EXPECT_NEAR(p.volume, 2 * 8.0 / 6, 1e-6);
  EXPECT_NEAR(p.center.x(), 2.5, 1e-6);
}

TEST(MeshFile, BadFilesAreRefusedWithTheirName) {
  const std::string stl = binary_stl(kBox, "");
  std::string nan = stl;
  put(nan, 0.0f);
  const float not_a_number = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(nan.data() + 84 + 12, &not_a_number, 4);
  std::string many = stl;
  std::memset(many.data() + 80, 0xff, 4);
  TriangleMesh one_point = kBox;
  for (Vector3d& p : one_point.vertices) p.setZero();
  std::string garbage;
  for (int i = 0; i < 1000; ++i) garbage += static_cast<char>(i * 7919 % 251);
  const std::string cycle = R"(<node id="a"><instance_geometry url="#g"/>
    <node id="b"><instance_node url="#a"/></node></node>)";
  std::string deep = "<COLLADA>";
  for (int i = 0; i < 100000; ++i) deep += "<node>";

  const std::vector<std::pair<std::string, std::string>> files = {
      {"empty.stl", ""},
      {"cut.stl", stl.substr(0, stl.size() - 60)},
      {"short.stl", stl.substr(0, 50)},
      {"nan.stl", nan},
      {"many.stl", many},
      {"point.stl", binary_stl(one_point, "")},
      {"cut_text.stl", ascii_stl(kBox).substr(0, 400)},
      {"words.stl", "solid x\nfacet\nvertex 1 2 three\nendfacet"},
      {"none.stl", "solid x\nendsolid x\n"},
      {"cut.msh", msh(kBox).substr(0, 100)},
      {"short.msh", "abc"},
      {"negative.msh", std::string(16, '\xff')},
      {"empty.obj", ""},
      {"points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n"},
      {"index.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99\n"},
      {"nan.obj", "v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"},
      {"cycle.dae", dae("", cycle)},
      {"deep.dae", deep},
      {"other.dae", "<robot/>"},
      {"cut.dae", dae("", "").substr(0, 500)},
      {"box.ply", "ply"}};
  for (const auto& [name, bytes] : files) {
    const std::string path = write_mesh(name, bytes);
    EXPECT_TRUE(mesh_error(path).starts_with(path + ":")) << name << ": " << mesh_error(path);
    EXPECT_EQ(mesh_error(path).find('\n'), std::string::npos) << mesh_error(path);
  }
  for (const std::string extension : {".stl", ".obj", ".dae", ".msh"}) {
    const std::string path = write_mesh("garbage" + extension, garbage);
    EXPECT_TRUE(mesh_error(path).starts_with(path + ":")) << mesh_error(path);
  }
  EXPECT_NE(mesh_error("/nowhere/mesh.stl"), "");
  EXPECT_NE(mesh_error(testing::TempDir()), "");
}

struct MeshBody {
  const char* folder;
  const char* oracle;
  const char* mesh;
  const char* body;  ///< its mass comes from `count` geoms of that mesh, in the body's frame
  double scale;
  double density;
  int count;
};

class MeshOracle : public testing::TestWithParam<MeshBody> {};

TEST_P(MeshOracle, MassCentreAndInertiaAgree) {
  const MeshBody& c = GetParam();
  const std::string folder = std::string(STICTION_SHARED_DIR) + "/models/" + c.folder;
  std::ifstream in(folder + "/oracle/" + c.oracle);
  if (!in) GTEST_SKIP() << "../shared is missing";
  const nlohmann::json oracle = nlohmann::json::parse(in);
  TriangleMesh mesh = load_mesh_file(folder + "/assets/" + c.mesh);
  for (Vector3d& p : mesh.vertices) p *= c.scale;
  const VolumeProperties p = mesh_volume_properties(mesh, MeshInertia::kLegacy);
  bool found = false;
  for (const auto& body : oracle["bodies"]) {
    if (body["name"] != c.body) continue;
    found = true;
    const std::vector<double> ipos = body["ipos"], q = body["iquat"], principal = body["inertia"];
    const Matrix3d R = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
    const Matrix3d inertia =
        R * Vector3d(principal[0], principal[1], principal[2]).asDiagonal() * R.transpose();
    const double mass = body["mass"];
    EXPECT_NEAR(c.count * c.density * p.volume / mass, 1, 1e-9);
    EXPECT_LT((p.center - Vector3d(ipos[0], ipos[1], ipos[2])).norm(), 1e-10);
    EXPECT_NEAR(c.count * c.density * p.inertia.trace() / inertia.trace(), 1, 1e-9);
    // Looser: MuJoCo's principal axes leave products of inertia of a few 1e-7 behind.
    EXPECT_LT((c.count * c.density * p.inertia - inertia).norm(), 1e-6 * inertia.norm());
  }
  EXPECT_TRUE(found);
}

INSTANTIATE_TEST_SUITE_P(
    Models, MeshOracle,
    testing::Values(
        MeshBody{"wonik_allegro", "right_hand.xml.json", "base_link.stl", "palm", 1, 800, 1},
        MeshBody{"wonik_allegro", "right_hand.xml.json", "link_0.0.stl", "ff_base", 1, 800, 1},
        MeshBody{"wonik_allegro", "right_hand.xml.json", "link_1.0.stl", "ff_proximal", 1, 800, 1},
        MeshBody{"robotiq_2f85", "2f85.xml.json", "base_mount.stl", "base_mount", 1e-3, 1000, 2}));

TEST(MeshFile, ObjFilesOfARobotAgreeWithTheOracle) {
  const std::string folder = std::string(STICTION_SHARED_DIR) + "/models/franka_emika_panda";
  std::ifstream in(folder + "/oracle/panda.xml.json");
  if (!in) GTEST_SKIP() << "../shared is missing";
  const nlohmann::json oracle = nlohmann::json::parse(in);
  int count = 0;
  for (const auto& expected : oracle["meshes"]) {
    const std::string file = expected["file"];
    const TriangleMesh mesh = load_mesh_file(folder + "/assets/" + file);
    EXPECT_LE(mesh.vertices.size(), expected["nvert"].get<std::size_t>()) << file;
    // Faces of zero area go here, stay there.
    EXPECT_LE(mesh.triangles.size(), expected["nface"].get<std::size_t>()) << file;
    EXPECT_GE(static_cast<double>(mesh.triangles.size()), 0.97 * expected["nface"].get<double>());
    const std::vector<double> center = expected["pos"];
    const VolumeProperties p = mesh_volume_properties(mesh, MeshInertia::kLegacy);
    EXPECT_LT((p.center - Vector3d(center[0], center[1], center[2])).norm(), 1e-6) << file;
    ++count;
  }
  EXPECT_GT(count, 30);
}

TEST(MeshFile, ConcavePolygonsAreFilledOnce) {
  // An L of area 3, prism of height 1: a fan from its first corner would leave the L.
  const TriangleMesh mesh = load_mesh_file(write_mesh("L.obj", R"(
v 2 1 0
v 1 1 0
v 1 2 0
v 0 2 0
v 0 0 0
v 2 0 0
v 2 1 1
v 1 1 1
v 1 2 1
v 0 2 1
v 0 0 1
v 2 0 1
f 6 5 4 3 2 1
f 7 8 9 10 11 12
f 1 2 8 7
f 2 3 9 8
f 3 4 10 9
f 4 5 11 10
f 5 6 12 11
f 6 1 7 12
)"));
  EXPECT_NEAR(mesh_volume_properties(mesh, MeshInertia::kExact).volume, 3, 1e-12);
  // Two L faces of 3 each and the outline of 8: overlapping triangles would add to the surface.
  EXPECT_NEAR(mesh_volume_properties(mesh, MeshInertia::kShell).volume, 14, 1e-12);
}

}  // namespace
}  // namespace stiction
