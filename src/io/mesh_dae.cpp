// COLLADA: the triangles of the scene, each geometry placed by the nodes that instance it.
#include <stiction/error.h>

#include <Eigen/Geometry>
#include <cmath>
#include <map>
#include <numbers>

#include "io/mesh_formats.h"
#include "io/xml.h"

namespace stiction {
namespace {

using Eigen::Vector3d;

// Nodes may instance one another; a few lines can ask for billions of copies.
constexpr std::size_t kMostNodes = 100000;
constexpr std::size_t kMostVertices = 30000000;

std::vector<double> content_numbers(const XmlElement& element) {
  try {
    return parse_numbers(element.content());
  } catch (const InputError& error) {
    element.fail(error.what());
  }
}

std::vector<double> content_numbers(const XmlElement& element, std::size_t count) {
  std::vector<double> values = content_numbers(element);
  if (values.size() != count) {
    element.fail("has " + std::to_string(values.size()) + " numbers, expected " +
                 std::to_string(count));
  }
  return values;
}

/// A list of indices below `limit`.
std::vector<int> content_indices(const XmlElement& element, double limit) {
  std::vector<int> indices;
  for (double value : content_numbers(element)) {
    if (!(value >= 0 && value < limit) || value != std::floor(value)) {
      element.fail(std::to_string(value) + " is not an index below " +
                   std::to_string(static_cast<long long>(limit)));
    }
    indices.push_back(static_cast<int>(value));
  }
  return indices;
}

Eigen::Affine3d transform_of(const XmlElement& element) {
  const std::string tag = element.tag();
  Eigen::Affine3d X = Eigen::Affine3d::Identity();
  if (tag == "matrix") {
    const std::vector<double> m = content_numbers(element, 16);
    X.matrix() = Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(m.data());
  } else if (tag == "translate") {
    const std::vector<double> t = content_numbers(element, 3);
    X.translate(Vector3d(t[0], t[1], t[2]));
  } else if (tag == "rotate") {
    const std::vector<double> r = content_numbers(element, 4);
    const Vector3d axis(r[0], r[1], r[2]);
    if (!(axis.norm() > 0)) element.fail("the axis is zero");
    X.rotate(Eigen::AngleAxisd(r[3] * std::numbers::pi / 180, axis.normalized()));
  } else if (tag == "scale") {
    const std::vector<double> s = content_numbers(element, 3);
    X.scale(Vector3d(s[0], s[1], s[2]));
  } else if (tag == "lookat" || tag == "skew") {
    element.fail("this transform is not supported");
  }
  return X;
}

class DaeReader {
 public:
  explicit DaeReader(const XmlElement& root) { index_ids(root); }

  TriangleMesh read(const XmlElement& root) {
    double meter = 1;
    if (const auto asset = root.child("asset")) {
      if (const auto unit = asset->child("unit")) meter = unit->number("meter").value_or(1);
    }
    const Eigen::Affine3d X(Eigen::Scaling(meter));
    if (const std::optional<XmlElement> scene = visual_scene(root)) {
      add_children(*scene, X, 0);
    } else {
      root.fail("no <visual_scene>");
    }
    return result_;
  }

 private:
  void index_ids(const XmlElement& element) {
    if (const auto id = element.text("id")) elements_.emplace(*id, element);
    for (const XmlElement& child : element.children()) index_ids(child);
  }

  /// What the attribute refers to as "#id".
  XmlElement target(const XmlElement& element, const char* attribute) const {
    const std::string url = element.required_text(attribute);
    const auto it = elements_.find(url.starts_with('#') ? url.substr(1) : url);
    if (it == elements_.end()) element.fail(std::string(attribute) + " '" + url + "' not found");
    return it->second;
  }

  std::optional<XmlElement> visual_scene(const XmlElement& root) const {
    if (const auto scene = root.child("scene")) {
      if (const auto instance = scene->child("instance_visual_scene")) {
        return target(*instance, "url");
      }
    }
    const auto library = root.child("library_visual_scenes");
    return library ? library->child("visual_scene") : std::nullopt;
  }

  void add_node(const XmlElement& node, Eigen::Affine3d X, int depth) {
    if (depth > kMaxXmlDepth) node.fail("nodes are nested too deeply, or contain themselves");
    if (++node_count_ > kMostNodes) node.fail("too many nodes");
    for (const XmlElement& child : node.children()) X = X * transform_of(child);
    add_children(node, X, depth);
  }

  void add_children(const XmlElement& parent, const Eigen::Affine3d& X, int depth) {
    for (const XmlElement& child : parent.children()) {
      const std::string tag = child.tag();
      if (tag == "node") {
        add_node(child, X, depth + 1);
      } else if (tag == "instance_node") {
        add_node(target(child, "url"), X, depth + 1);
      } else if (tag == "instance_geometry") {
        append(geometry(target(child, "url")), X);
      } else if (tag == "instance_controller") {
        const XmlElement controller = target(child, "url");
        const auto skin = controller.child("skin");
        if (skin) append(geometry(target(*skin, "source")), X);
      }
    }
  }

  void append(const TriangleMesh& mesh, const Eigen::Affine3d& X) {
    const int base = static_cast<int>(result_.vertices.size());
    if (result_.vertices.size() + mesh.vertices.size() > kMostVertices ||
        result_.triangles.size() + mesh.triangles.size() > kMostVertices) {
      throw InputError("more than " + std::to_string(kMostVertices) + " vertices or triangles");
    }
    const bool mirrored = X.linear().determinant() < 0;  // turns triangles inside out
    for (const Vector3d& p : mesh.vertices) result_.vertices.push_back(X * p);
    for (Eigen::Vector3i t : mesh.triangles) {
      if (mirrored) std::swap(t[1], t[2]);
      result_.triangles.push_back(t.array() + base);
    }
  }

  const TriangleMesh& geometry(const XmlElement& element) {
    const auto [it, is_new] = geometries_.try_emplace(element.id());
    if (!is_new) return it->second;
    if (const auto mesh = element.child("mesh")) {
      for (const XmlElement& primitive : mesh->children()) {
        const std::string tag = primitive.tag();
        if (tag == "tristrips" || tag == "trifans") primitive.fail("is not supported");
        if (tag == "triangles" || tag == "polylist" || tag == "polygons") {
          add_primitive(primitive, it->second);
        }
      }
    }
    return it->second;
  }

  std::vector<Vector3d> positions(const XmlElement& vertices) const {
    for (const XmlElement& input : vertices.children("input")) {
      if (input.required_text("semantic") != "POSITION") continue;
      const XmlElement source = target(input, "source");
      const auto array = source.child("float_array");
      if (!array) source.fail("no <float_array>");
      const auto technique = source.child("technique_common");
      const auto accessor = technique ? technique->child("accessor") : std::nullopt;
      const int stride = accessor ? accessor->integer("stride").value_or(1) : 3;
      const int offset = accessor ? accessor->integer("offset").value_or(0) : 0;
      if (stride < 3 || offset < 0) source.fail("positions need a stride of 3 or more");
      const std::vector<double> values = content_numbers(*array);
      std::vector<Vector3d> points;
      for (std::size_t i = offset; i + 3 <= values.size(); i += stride) {
        points.emplace_back(values[i], values[i + 1], values[i + 2]);
      }
      return points;
    }
    vertices.fail("no input of semantic POSITION");
  }

  void add_primitive(const XmlElement& primitive, TriangleMesh& mesh) const {
    std::size_t stride = 1, offset = 0;
    std::optional<XmlElement> vertices;
    for (const XmlElement& input : primitive.children("input")) {
      const int at = input.integer("offset").value_or(0);
      if (at < 0 || at > 100) input.fail("offset is out of range");
      stride = std::max(stride, static_cast<std::size_t>(at) + 1);
      if (input.required_text("semantic") != "VERTEX") continue;
      vertices = target(input, "source");
      offset = static_cast<std::size_t>(at);
    }
    if (!vertices) primitive.fail("no input of semantic VERTEX");
    const std::vector<Vector3d> points = positions(*vertices);
    const int base = static_cast<int>(mesh.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), points.begin(), points.end());

    for (const XmlElement& list : primitive.children("p")) {
      std::vector<int> corners;
      const std::vector<int> indices = content_indices(list, 2e9);
      for (std::size_t i = offset; i < indices.size(); i += stride) {
        if (indices[i] >= static_cast<int>(points.size())) {
          list.fail("refers to vertex " + std::to_string(indices[i]) + " of " +
                    std::to_string(points.size()));
        }
        corners.push_back(base + indices[i]);
      }
      add_polygons(primitive, corners, mesh);
    }
  }

  /// Cuts one <p> into its polygons: of three corners, of <vcount> each, or a single one.
  static void add_polygons(const XmlElement& primitive, const std::vector<int>& corners,
                           TriangleMesh& mesh) {
    std::vector<int> counts;
    if (primitive.tag() == "triangles") {
      counts.assign(corners.size() / 3, 3);
    } else if (primitive.tag() == "polygons") {
      counts.assign(1, static_cast<int>(corners.size()));
    } else if (const auto vcount = primitive.child("vcount")) {
      counts = content_indices(*vcount, static_cast<double>(corners.size()) + 1);
    }
    std::size_t at = 0;
    for (int count : counts) {
      if (at + count > corners.size()) primitive.fail("has fewer corners than its count says");
      const auto begin = corners.begin() + static_cast<std::ptrdiff_t>(at);
      const auto filled = triangulate(mesh.vertices, {begin, begin + count});
      mesh.triangles.insert(mesh.triangles.end(), filled.begin(), filled.end());
      at += count;
    }
  }

  std::map<std::string, XmlElement> elements_;
  std::map<const void*, TriangleMesh> geometries_;
  std::size_t node_count_ = 0;
  TriangleMesh result_;
};

}  // namespace

TriangleMesh parse_dae(const std::string& path, const std::string& bytes) {
  const XmlDocument document(path, bytes);
  const XmlElement root = document.root();
  if (root.tag() != "COLLADA") root.fail("expected <COLLADA>");
  TriangleMesh mesh = DaeReader(root).read(root);
  if (mesh.triangles.empty()) root.fail("no triangles in the scene");
  return mesh;
}

}  // namespace stiction
