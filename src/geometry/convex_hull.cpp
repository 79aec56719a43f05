#include <libqhull_r/libqhull_r.h>
#include <stiction/error.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "geometry/mesh.h"

namespace stiction {
namespace {

/// The points within [-1, 1]^3: Qhull's tolerances suit that size, whatever the file's unit.
std::vector<double> normalized_points(const TriangleMesh& mesh) {
  Eigen::Vector3d low = mesh.vertices.front();
  Eigen::Vector3d high = low;
  for (const Eigen::Vector3d& p : mesh.vertices) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const Eigen::Vector3d center = 0.5 * low + 0.5 * high;
  const double scale = (0.5 * high - 0.5 * low).maxCoeff();
  if (!(scale > 0) || !std::isfinite(1 / scale)) {
    throw InputError("mesh '" + mesh.name + "': convex hull: all vertices are the same point");
  }
  std::vector<double> points;
  points.reserve(3 * mesh.vertices.size());
  for (const Eigen::Vector3d& p : mesh.vertices) {
    for (int k = 0; k < 3; ++k) points.push_back((p[k] - center[k]) / scale);
  }
  return points;
}

/// Qhull's state with the text it prints on failure, freed in one place.
class QhullRun {
 public:
  QhullRun() : errors_(open_memstream(&text_, &size_)) { qh_zero(&qh, errors_); }
  ~QhullRun() {
    qh_freeqhull(&qh, !qh_ALL);
    int unused_bytes, unused_blocks;
    qh_memfreeshort(&qh, &unused_bytes, &unused_blocks);
    std::fclose(errors_);
    std::free(text_);
  }
  QhullRun(const QhullRun&) = delete;
  QhullRun& operator=(const QhullRun&) = delete;

  /// Qhull's exit code, 0 when all is well.
  int run(std::vector<double>& points) {
    char command[] = "qhull Qt";  // Qt: triangles only
    const int count = static_cast<int>(points.size() / 3);
    return qh_new_qhull(&qh, 3, count, points.data(), False, command, nullptr, errors_);
  }
  std::string first_error_line() {
    std::fflush(errors_);
    const std::string text(text_, size_);
    return text.substr(0, text.find('\n'));
  }

  qhT qh;

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  FILE* errors_;
};

std::vector<Eigen::Vector3i> hull_triangles(const TriangleMesh& mesh) {
  std::vector<double> points = normalized_points(mesh);
  QhullRun hull;
  const int code = hull.run(points);
  if (code == qh_ERRsingular) {
    throw InputError("mesh '" + mesh.name + "': convex hull: the mesh is flat");
  }
  if (code != 0) {
    throw InputError("mesh '" + mesh.name + "': convex hull: " + hull.first_error_line());
  }
  std::vector<Eigen::Vector3i> triangles;
  for (facetT* facet = hull.qh.facet_list; facet && facet->next; facet = facet->next) {
    Eigen::Vector3i t;
    for (int k = 0; k < 3; ++k) {
      const auto* vertex = static_cast<const vertexT*>(facet->vertices->e[k].p);
      t[k] = qh_pointid(&hull.qh, vertex->point);
    }
    // The flag says that Qhull's order of the vertices is clockwise seen from outside.
    if (facet->toporient) std::swap(t[1], t[2]);
    triangles.push_back(t);
  }
  return triangles;
}

}  // namespace

TriangleMesh convex_hull(const TriangleMesh& mesh) {
  check_mesh(mesh);
  if (mesh.vertices.size() < 4) {
    throw InputError("mesh '" + mesh.name + "': convex hull needs at least 4 vertices, got " +
                     std::to_string(mesh.vertices.size()));
  }
  TriangleMesh hull;
  hull.name = mesh.name;
  hull.triangles = hull_triangles(mesh);

  std::vector<int> new_index(mesh.vertices.size(), -1);
  for (const Eigen::Vector3i& t : hull.triangles) {
    for (int k = 0; k < 3; ++k) new_index[t[k]] = 0;
  }
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    if (new_index[i] < 0) continue;
    new_index[i] = static_cast<int>(hull.vertices.size());
    hull.vertices.push_back(mesh.vertices[i]);
  }
  for (Eigen::Vector3i& t : hull.triangles) {
    for (int k = 0; k < 3; ++k) t[k] = new_index[t[k]];
  }
  return hull;
}

}  // namespace stiction
