#include "io/mjcf/assets.h"

#include <algorithm>
#include <filesystem>

#include "io/mesh_file.h"

namespace stiction::mjcf {
namespace fs = std::filesystem;
namespace {

/// Far above any file we know, and small enough to fail before memory does.
constexpr int kMaxGridSide = 3000;

/// The problem of a mesh, which names it as the element does.
[[noreturn]] void fail_as(const XmlElement& element, const std::string& name,
                          const InputError& problem) {
  element.fail(std::string(problem.what()).substr(("mesh '" + name + "': ").size()));
}

/// Vertices and faces written in the file itself; without faces the mesh is their convex hull.
TriangleMesh inline_mesh(const Attributes& attributes) {
  const XmlElement& element = attributes.element();
  attributes.given("vertex");
  const std::vector<double> numbers = *element.numbers("vertex", 12, SIZE_MAX);
  if (numbers.size() % 3 != 0) element.refuse("vertex", "three numbers per vertex");
  TriangleMesh mesh;
  mesh.name = element.text("name").value_or("");
  for (size_t i = 0; i < numbers.size(); i += 3) {
    mesh.vertices.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
  }
  if (!attributes.given("face")) {
    try {
      return convex_hull(mesh);
    } catch (const InputError& problem) {
      fail_as(element, mesh.name, problem);
    }
  }

  const std::vector<int> faces = *element.integers("face");
  if (faces.empty() || faces.size() % 3 != 0) element.refuse("face", "three integers per triangle");
  for (const int index : faces) {
    if (index < 0 || index >= static_cast<int>(mesh.vertices.size())) {
      element.refuse("face",
                     "numbers of vertices, 0 to " + std::to_string(mesh.vertices.size() - 1));
    }
  }
  for (size_t i = 0; i < faces.size(); i += 3) {
    mesh.triangles.emplace_back(faces[i], faces[i + 1], faces[i + 2]);
  }
  return mesh;
}

/// refpos is subtracted, refquat taken back, then each axis scaled; a mirroring scale turns the
/// triangles inside out, so they are turned back.
void transform(const Attributes& attributes, TriangleMesh& mesh) {
  Eigen::Vector3d scale = Eigen::Vector3d::Ones(), refpos = Eigen::Vector3d::Zero();
  Eigen::Vector4d refquat(1, 0, 0, 0);
  attributes.read("scale", scale);
  attributes.read("refpos", refpos);
  attributes.read("refquat", refquat);
  if (!is_direction(refquat.norm())) attributes.refuse("refquat", "a length > 0 and < 1e100");
  if (scale.prod() == 0) attributes.refuse("scale", "no zeros");
  const Eigen::Quaterniond q_inverse =
      Eigen::Quaterniond(refquat[0], refquat[1], refquat[2], refquat[3]).normalized().conjugate();
  for (Eigen::Vector3d& v : mesh.vertices) v = scale.cwiseProduct(q_inverse * (v - refpos));
  if (scale.prod() < 0) {
    for (Eigen::Vector3i& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
  }
}

}  // namespace

const VolumeProperties& MeshAsset::volume_properties(const XmlElement& by) const {
  try {
    if (!volume) volume = mesh_volume_properties(*mesh, inertia);
  } catch (const InputError& problem) {
    by.fail(problem.what());
  }
  return *volume;
}

const std::string& MeshAsset::fault_of_mesh() const {
  if (!fault) fault = mesh_fault(*mesh);
  return *fault;
}

Assets AssetReader::read() {
  for (const XmlElement& section : file_.sections("asset")) {
    coverage_.visit(section, "asset");
    for (const XmlElement& element : file_.children(section)) {
      const std::string tag = element.tag();
      if (tag == "mesh") read_mesh(element);
      if (tag == "hfield") read_height_field(element);
      if (tag == "material") read_material(element);
    }
  }
  return std::move(assets_);
}

std::string AssetReader::mesh_path(const std::string& file) const {
  fs::path path(file);
  if (compiler_.strippath) path = path.filename();
  return (fs::path(file_.directory()) / compiler_.meshdir / path).string();
}

void AssetReader::read_mesh(const XmlElement& element) {
  const Attributes attributes =
      defaults_.attributes(element, "mesh", "mesh", defaults_.main(), coverage_);
  std::string name, file;
  attributes.read("name", name);
  attributes.read("file", file);
  if (attributes.given("builtin"))
    attributes.refuse("builtin", "file or vertex: there are no builtin meshes");
  TriangleMesh mesh;
  if (!file.empty()) {
    if (name.empty()) name = fs::path(file).stem().string();
    std::error_code error;
    const std::string path = mesh_path(file);
    if (!fs::is_regular_file(path, error)) element.fail("mesh file '" + path + "' not found");
    try {
      mesh = load_mesh_file(path);
    } catch (const InputError& problem) {
      element.fail(problem.what());
    }
  } else if (attributes.given("vertex")) {
    mesh = inline_mesh(attributes);
  } else {
    if (element.child("plugin")) element.fail("is made by a plugin, expected file or vertex");
    element.fail("has neither file nor vertex, expected one of them");
  }
  if (name.empty()) element.fail("attribute name is missing");
  mesh.name = name;
  transform(attributes, mesh);
  try {
    check_mesh(mesh);
  } catch (const InputError& problem) {
    fail_as(element, name, problem);
  }

  auto asset = std::make_shared<MeshAsset>();
  attributes.read_keyword<MeshInertia>("inertia", asset->inertia,
                                       {{"legacy", MeshInertia::kLegacy},
                                        {"exact", MeshInertia::kExact},
                                        {"convex", MeshInertia::kConvex},
                                        {"shell", MeshInertia::kShell}});
  asset->mesh = std::make_shared<const TriangleMesh>(std::move(mesh));
  if (!assets_.meshes.emplace(name, std::move(asset)).second) {
    element.fail("the name '" + name + "' is used twice, expected one mesh of it");
  }
}

void AssetReader::read_height_field(const XmlElement& element) {
  const Attributes attributes({{element, &coverage_.visit(element, "hfield")}});
  const std::string name = attributes.required_text("name");
  if (attributes.given("file")) {
    element.fail("height fields from files are not supported; write the elevation in the model");
  }
  int rows = 0, cols = 0;
  attributes.read("nrow", rows);
  attributes.read("ncol", cols);
  if (rows < 2 || cols < 2 || rows > kMaxGridSide || cols > kMaxGridSide) {
    element.fail("nrow and ncol are " + std::to_string(rows) + " and " + std::to_string(cols) +
                 ", expected 2 to " + std::to_string(kMaxGridSide));
  }
  Eigen::Vector4d size = Eigen::Vector4d::Zero();
  if (!attributes.read("size", size)) element.fail("attribute size is missing");
  if (size.minCoeff() <= 0) attributes.refuse("size", "four numbers > 0");

  auto grid = std::make_shared<HeightGrid>();
  grid->name = name;
  grid->rows = rows;
  grid->cols = cols;
  grid->half_extent = size.head<2>();
  grid->base = size[3];
  const size_t count = static_cast<size_t>(rows) * static_cast<size_t>(cols);
  grid->heights.assign(count, 0);
  if (attributes.given("elevation")) {
    // The file writes the row of largest y first. Heights are stretched to [0, 1] times size[2].
    const std::vector<double> z = *element.numbers("elevation", count, count);
    const auto [low, high] = std::minmax_element(z.begin(), z.end());
    const double stretch = *high > *low ? size[2] / (*high - *low) : 0;
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < cols; ++c) {
        grid->heights[r * cols + c] = stretch * (z[(rows - 1 - r) * cols + c] - *low);
      }
    }
  }
  if (!assets_.height_fields.emplace(name, HeightAsset{std::move(grid), size[2]}).second) {
    element.fail("the name '" + name + "' is used twice, expected one hfield of it");
  }
}

void AssetReader::read_material(const XmlElement& element) {
  const Attributes attributes =
      defaults_.attributes(element, "material", "material", defaults_.main(), coverage_);
  Material material;
  material.name = attributes.required_text("name");
  attributes.read("rgba", material.rgba);
  attributes.read("specular", material.specular);
  attributes.read("shininess", material.shininess);
  attributes.read("reflectance", material.reflectance);
  attributes.read("emission", material.emission);
  if (!assets_.materials.emplace(material.name, material).second) {
    element.fail("the name '" + material.name + "' is used twice, expected one material of it");
  }
}

}  // namespace stiction::mjcf
