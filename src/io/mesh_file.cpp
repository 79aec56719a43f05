#include "io/mesh_file.h"

#include <stiction/error.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <unordered_map>

#include "geometry/mesh.h"
#include "io/mesh_formats.h"

namespace stiction {
namespace {

constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 30;

std::string read_bytes(const std::string& path) {
  std::error_code error;
  const std::filesystem::path file(path);
  if (!std::filesystem::is_regular_file(file, error)) {
    throw InputError(path + ": no such mesh file");
  }
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error || size > kLargestFile) throw InputError(path + ": mesh file is larger than 1 GiB");
  std::string bytes(size, '\0');
  std::ifstream in(file, std::ios::binary);
  if (!in.read(bytes.data(), static_cast<std::streamsize>(size))) {
    throw InputError(path + ": mesh file can't be read");
  }
  return bytes;
}

struct PositionHash {
  std::size_t operator()(const std::array<double, 3>& p) const {
    std::uint64_t hash = 0;
    for (double x : p) {
      hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

/// Equal positions become one vertex; triangles that lose a corner by that, and vertices without
/// triangles, go.
TriangleMesh join_vertices(const TriangleMesh& mesh) {
  TriangleMesh joined;
  joined.name = mesh.name;
  std::unordered_map<std::array<double, 3>, int, PositionHash> index;
  index.reserve(mesh.vertices.size());
  for (const Eigen::Vector3i& t : mesh.triangles) {
    Eigen::Vector3i corner;
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d p = mesh.vertices[t[k]].array() + 0.0;  // -0 becomes 0
      const int next = static_cast<int>(joined.vertices.size());
      const auto [entry, is_new] = index.try_emplace({p.x(), p.y(), p.z()}, next);
      if (is_new) joined.vertices.push_back(p);
      corner[k] = entry->second;
    }
    if (corner[0] != corner[1] && corner[1] != corner[2] && corner[2] != corner[0]) {
      joined.triangles.push_back(corner);
    }
  }
  return joined;
}

TriangleMesh parse(const std::string& path, const std::string& bytes,
                   const std::string& extension) {
  if (bytes.empty()) throw InputError("the mesh file is empty");
  if (extension == ".stl") return parse_stl(bytes);
  if (extension == ".msh") return parse_msh(bytes);
  if (extension == ".obj") return parse_obj(bytes);
  if (extension == ".dae") return parse_dae(path, bytes);
  throw InputError("unknown mesh format '" + extension + "', expected .stl, .obj, .dae or .msh");
}

}  // namespace

TriangleMesh load_mesh_file(const std::string& path) {
  const std::string bytes = read_bytes(path);
  const std::filesystem::path file(path);
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  try {
    TriangleMesh mesh = parse(path, bytes, extension);
    mesh.name = file.stem().string();
    check_mesh(mesh);
    if (mesh.triangles.empty()) mesh = convex_hull(mesh);
    mesh = join_vertices(mesh);
    if (mesh.triangles.empty()) throw InputError("no triangle has three different corners");
    return mesh;
  } catch (const InputError& error) {
    const std::string message = error.what();
    throw InputError(message.starts_with(path) ? message : path + ": " + message);
  }
}

}  // namespace stiction
