// STL, binary and ASCII, and MuJoCo's MSH. Both binary formats are little endian.
#include <stiction/error.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "io/mesh_formats.h"

namespace stiction {
namespace {

template <typename T>
T read_at(const std::string& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

Eigen::Vector3d read_point(const std::string& bytes, std::size_t offset) {
  return {read_at<float>(bytes, offset), read_at<float>(bytes, offset + 4),
          read_at<float>(bytes, offset + 8)};
}

void add_triangle(TriangleMesh& mesh, const std::array<Eigen::Vector3d, 3>& corners) {
  const int first = static_cast<int>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), corners.begin(), corners.end());
  mesh.triangles.emplace_back(first, first + 1, first + 2);
}

// 80 bytes of title, the number of triangles, then 50 bytes each: normal, three corners, 2 spare.
constexpr std::size_t kStlHeader = 84;
constexpr std::size_t kStlTriangle = 50;

TriangleMesh parse_binary_stl(const std::string& bytes, std::size_t count) {
  TriangleMesh mesh;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = kStlHeader + i * kStlTriangle + 12;
    add_triangle(mesh,
                 {read_point(bytes, at), read_point(bytes, at + 12), read_point(bytes, at + 24)});
  }
  return mesh;
}

/// The next word of the text, empty at its end; `line` counts what was passed over.
std::string_view next_word(std::string_view text, std::size_t& at, int& line) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  while (at < text.size() && kSpace.find(text[at]) != std::string_view::npos) {
    if (text[at++] == '\n') ++line;
  }
  const std::size_t begin = at;
  at = std::min(text.find_first_of(kSpace, begin), text.size());
  return text.substr(begin, at - begin);
}

TriangleMesh parse_ascii_stl(const std::string& bytes) {
  TriangleMesh mesh;
  std::array<Eigen::Vector3d, 3> corners;
  std::size_t count = 0;
  std::size_t at = 0;
  int line = 1;
  const auto fail = [&line](const std::string& what) {
    throw InputError("line " + std::to_string(line) + ": " + what);
  };
  for (std::string_view word; !(word = next_word(bytes, at, line)).empty();) {
    if (word == "vertex") {
      if (count == 3) fail("a facet with more than three vertices");
      for (int k = 0; k < 3; ++k) {
        word = next_word(bytes, at, line);
        const char* begin = word.data() + (word.starts_with('+') ? 1 : 0);
        const char* end = word.data() + word.size();
        const auto [rest, error] = std::from_chars(begin, end, corners[count][k]);
        if (error != std::errc() || rest != end) {
          fail("vertex coordinate '" + std::string(word.substr(0, 40)) + "' is not a number");
        }
      }
      ++count;
    } else if (word == "endfacet") {
      if (count != 3) fail("a facet with " + std::to_string(count) + " vertices instead of 3");
      add_triangle(mesh, corners);
      count = 0;
    }
  }
  if (count != 0) fail("the file ends within a facet");
  if (mesh.triangles.empty()) fail("no facets");
  return mesh;
}

}  // namespace

TriangleMesh parse_stl(const std::string& bytes) {
  const bool has_header = bytes.size() >= kStlHeader;
  const std::size_t count = has_header ? read_at<std::uint32_t>(bytes, 80) : 0;
  const std::size_t expected = kStlHeader + count * kStlTriangle;
  // Some programs write "solid" into binary files too: the size decides.
  if (bytes.starts_with("solid") && bytes.size() != expected) return parse_ascii_stl(bytes);
  if (!has_header) throw InputError("truncated: an STL file has at least 84 bytes");
  if (bytes.size() < expected) {
    throw InputError("truncated: " + std::to_string(count) + " triangles need " +
                     std::to_string(expected) + " bytes, the file has " +
                     std::to_string(bytes.size()));
  }
  if (count == 0) throw InputError("no triangles");
  return parse_binary_stl(bytes, count);
}

TriangleMesh parse_msh(const std::string& bytes) {
  // Four counts (vertices, normals, texture coordinates, triangles), then the arrays themselves.
  constexpr std::size_t kHeader = 16;
  if (bytes.size() < kHeader) throw InputError("truncated: an MSH file has at least 16 bytes");
  std::array<std::size_t, 4> count;
  for (std::size_t k = 0; k < 4; ++k) {
    const auto value = read_at<std::int32_t>(bytes, 4 * k);
    if (value < 0) throw InputError("MSH: negative count " + std::to_string(value));
    count[k] = static_cast<std::size_t>(value);
  }
  const std::size_t expected =
      kHeader + 12 * count[0] + 12 * count[1] + 8 * count[2] + 12 * count[3];
  if (bytes.size() != expected) {
    throw InputError("MSH: its counts need " + std::to_string(expected) + " bytes, the file has " +
                     std::to_string(bytes.size()));
  }
  TriangleMesh mesh;
  for (std::size_t i = 0; i < count[0]; ++i) {
    mesh.vertices.push_back(read_point(bytes, kHeader + 12 * i));
  }
  const std::size_t faces = expected - 12 * count[3];
  for (std::size_t i = 0; i < count[3]; ++i) {
    const std::size_t at = faces + 12 * i;
    mesh.triangles.emplace_back(read_at<std::int32_t>(bytes, at),
                                read_at<std::int32_t>(bytes, at + 4),
                                read_at<std::int32_t>(bytes, at + 8));
  }
  return mesh;
}

}  // namespace stiction
