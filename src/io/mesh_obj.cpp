// Wavefront OBJ: the vertices (v) and faces (f) of all objects and groups. Texture coordinates,
// normals, materials, lines and curves play no part here.
#include <stiction/error.h>

#include <charconv>
#include <string_view>

#include "io/mesh_formats.h"
#include "io/xml.h"

namespace stiction {
namespace {

constexpr std::string_view kSpace = " \t\r\v\f";

/// The next line, with those that a backslash continues; `number` counts what was consumed.
bool next_line(std::string_view text, std::size_t& at, int& number, std::string& line) {
  if (at >= text.size()) return false;
  line.clear();
  for (bool continued = true; continued && at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    line += text.substr(at, end - at);
    at = end + 1;
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    continued = line.ends_with('\\');
    if (continued) line.back() = ' ';
  }
  line.resize(std::min(line.find('#'), line.size()));
  return true;
}

/// Counted from 1, or from the last vertex backwards when negative.
int vertex_index(std::string_view word, std::size_t vertex_count) {
  long long index = 0;
  const std::string_view digits = word.substr(0, word.find('/'));
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    throw InputError("face corner '" + std::string(word.substr(0, 40)) + "' is not an index");
  }
  const auto count = static_cast<long long>(vertex_count);
  const long long from_zero = index > 0 ? index - 1 : count + index;
  if (index == 0 || from_zero < 0 || from_zero >= count) {
    throw InputError("face refers to vertex " + std::to_string(index) + " of " +
                     std::to_string(count));
  }
  return static_cast<int>(from_zero);
}

std::vector<int> parse_corners(std::string_view text, std::size_t vertex_count) {
  std::vector<int> corners;
  for (std::size_t at = 0; (at = text.find_first_not_of(kSpace, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kSpace, at), text.size());
    corners.push_back(vertex_index(text.substr(at, end - at), vertex_count));
    at = end;
  }
  if (corners.size() < 3) {
    throw InputError("face has " + std::to_string(corners.size()) + " corners, expected 3 or more");
  }
  return corners;
}

void parse_line(const std::string& line, TriangleMesh& mesh) {
  const std::size_t begin = std::min(line.find_first_not_of(kSpace), line.size());
  const std::size_t end = std::min(line.find_first_of(kSpace, begin), line.size());
  const std::string_view keyword = std::string_view(line).substr(begin, end - begin);
  if (keyword == "v") {
    // After x y z may come a weight or a colour.
    const std::vector<double> p = parse_numbers(line.substr(end));
    if (p.size() < 3) {
      throw InputError("vertex has " + std::to_string(p.size()) + " numbers, expected 3 or more");
    }
    mesh.vertices.emplace_back(p[0], p[1], p[2]);
  } else if (keyword == "f") {
    const std::vector<int> corners =
        parse_corners(std::string_view(line).substr(end), mesh.vertices.size());
    const std::vector<Eigen::Vector3i> filled = triangulate(mesh.vertices, corners);
    mesh.triangles.insert(mesh.triangles.end(), filled.begin(), filled.end());
  }
}

}  // namespace

TriangleMesh parse_obj(const std::string& bytes) {
  TriangleMesh mesh;
  std::string line;
  std::size_t at = 0;
  int line_number = 0;
  while (next_line(bytes, at, line_number, line)) {
    try {
      parse_line(line, mesh);
    } catch (const InputError& error) {
      throw InputError("line " + std::to_string(line_number) + ": " + error.what());
    }
  }
  if (mesh.triangles.empty()) throw InputError("no faces");
  return mesh;
}

}  // namespace stiction
