#include "contact_picture.h"

#include <stiction/error.h>
#include <stiction/files.h>
#include <stiction/sdf.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <optional>
#include <sstream>

namespace stiction::cli {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kPanel = 520;      // widest, pixels
constexpr double kMargin = 62;      // around a panel, for the axes
constexpr double kHeader = 64;      // for the title and the legend
constexpr double kNormal = 34;      // length of a normal in the plane of the picture
constexpr double kSmallest = 200;   // of a panel, pixels
constexpr double kTouching = 1e-7;  // m, a gap that is as good as none
constexpr int kOutline = 72;        // points
const char* const kBodyColors[] = {"#4c78a8", "#f58518", "#54a24b", "#b279a2",
                                   "#9d755d", "#72b7b2", "#eeca3b", "#ff9da6"};

struct View {
  const char* name;
  std::array<int, 2> axes;
};
constexpr View kViews[] = {{"from above", {0, 1}}, {"from the side", {0, 2}}};

struct Range {
  Vector3d lower = Vector3d::Constant(std::numeric_limits<double>::infinity());
  Vector3d upper = -lower;
  void add(const Vector3d& p) {
    lower = lower.cwiseMin(p);
    upper = upper.cwiseMax(p);
  }
};

// The point of a shape furthest along d; none for planes and shapes without a simple outline.
struct Furthest {
  Vector3d d;
  using Point = std::optional<Vector3d>;

  Point operator()(const Sphere& s) const { return s.radius * d; }
  Point operator()(const Capsule& c) const {
    return Vector3d(0, 0, std::copysign(c.half_length, d[2])) + c.radius * d;
  }
  Point operator()(const Cylinder& c) const {
    const double rho = std::max(std::hypot(d[0], d[1]), 1e-12);
    return Vector3d(c.radius * d[0] / rho, c.radius * d[1] / rho,
                    std::copysign(c.half_length, d[2]));
  }
  Point operator()(const Box& b) const {
    return b.half_size.cwiseProduct(d.unaryExpr([](double x) { return std::copysign(1.0, x); }));
  }
  Point operator()(const Ellipsoid& e) const {
    const Vector3d scaled = e.radii.cwiseProduct(d);
    return e.radii.cwiseProduct(scaled) / std::max(scaled.norm(), 1e-12);
  }
  Point operator()(const HeightField& field) const {
    const HeightGrid& grid = *field.grid;
    const double top = *std::max_element(grid.heights.begin(), grid.heights.end());
    return Vector3d(std::copysign(grid.half_extent[0], d[0]),
                    std::copysign(grid.half_extent[1], d[1]), d[2] > 0 ? top : -grid.base);
  }
  Point operator()(const ConvexMesh& convex) const { return of_vertices(*convex.mesh); }
  Point operator()(const MeshSurface& surface) const { return of_vertices(*surface.mesh); }
  Point operator()(const SdfSolid& solid) const { return of_vertices(solid.sdf->surface); }
  Point of_vertices(const TriangleMesh& mesh) const {
    const auto& vertices = mesh.vertices;
    return *std::max_element(vertices.begin(), vertices.end(),
                             [&](const auto& a, const auto& b) { return d.dot(a) < d.dot(b); });
  }
  template <class Other>
  Point operator()(const Other&) const {
    return std::nullopt;
  }
};

std::vector<Vector3d> outline(const Shape& shape, const Pose& X_WG, const View& view) {
  std::vector<Vector3d> points;
  for (int k = 0; k < kOutline; ++k) {
    const double angle = 2 * std::numbers::pi * (k + 0.5) / kOutline;
    Vector3d d = Vector3d::Zero();
    d[view.axes[0]] = std::cos(angle);
    d[view.axes[1]] = std::sin(angle);
    const auto furthest = std::visit(Furthest{X_WG.q.conjugate() * d}, shape);
    if (furthest) points.push_back(X_WG.p + X_WG.q * *furthest);
  }
  return points;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else
      result += c;
  }
  return result;
}

double tick_step(double length) {
  const double rough = length / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

// One view: its place on the page and its scale.
class Panel {
 public:
  Panel(const View& view, const Range& range, double scale, double left, int index)
      : view_(view), scale_(scale), left_(left), index_(index) {
    const Vector3d size = range.upper - range.lower;
    const auto [u, w] = view.axes;
    width_ = std::max(size[u] * scale, kSmallest);
    height_ = std::max(size[w] * scale, kSmallest);
    const Vector3d middle = 0.5 * (range.lower + range.upper);
    low_ = {middle[u] - 0.5 * width_ / scale, middle[w] - 0.5 * height_ / scale};
  }

  double width() const { return width_; }
  double height() const { return height_; }
  const View& view() const { return view_; }

  Vector2d at(const Vector3d& p) const {
    return {left_ + (p[view_.axes[0]] - low_[0]) * scale_,
            kHeader + height_ - (p[view_.axes[1]] - low_[1]) * scale_};
  }

  void open(std::ostream& svg) const {
    svg << "<clipPath id=\"view" << index_ << "\"><rect x=\"" << left_ << "\" y=\"" << kHeader
        << "\" width=\"" << width_ << "\" height=\"" << height_ << "\"/></clipPath>\n"
        << "<rect x=\"" << left_ << "\" y=\"" << kHeader << "\" width=\"" << width_
        << "\" height=\"" << height_
        << "\" fill=\"#fbfbfb\" stroke=\"#bbb\"/>\n<g clip-path=\"url(#view" << index_ << ")\">\n";
  }

  void close(std::ostream& svg) const {
    static const char* const kNames = "xyz";
    svg << "</g>\n";
    axis(svg, 0, width_);
    axis(svg, 1, height_);
    svg << "<text x=\"" << left_ + width_ / 2 << "\" y=\"" << kHeader + height_ + 42
        << "\" text-anchor=\"middle\">" << kNames[view_.axes[0]] << " (m), " << view_.name
        << "</text>\n<text x=\"" << left_ - 44 << "\" y=\"" << kHeader + height_ / 2
        << "\" text-anchor=\"middle\" transform=\"rotate(-90 " << left_ - 44 << " "
        << kHeader + height_ / 2 << ")\">" << kNames[view_.axes[1]] << " (m)</text>\n";
  }

 private:
  void axis(std::ostream& svg, int which, double pixels) const {
    const double step = tick_step(pixels / scale_);
    const double end = low_[which] + pixels / scale_;
    for (double k = std::ceil(low_[which] / step); k * step <= end; ++k) {
      const double along = (k * step - low_[which]) * scale_;
      char label[32];
      std::snprintf(label, sizeof label, "%.6g", k * step + 0.0);  // no minus before zero
      if (which == 0) {
        const double bottom = kHeader + height_;
        svg << "<path d=\"M" << left_ + along << " " << bottom << "v5\" stroke=\"#888\"/><text x=\""
            << left_ + along << "\" y=\"" << bottom + 19 << "\" text-anchor=\"middle\">" << label
            << "</text>\n";
      } else {
        const double y = kHeader + height_ - along;
        svg << "<path d=\"M" << left_ << " " << y << "h-5\" stroke=\"#888\"/><text x=\""
            << left_ - 9 << "\" y=\"" << y + 4 << "\" text-anchor=\"end\">" << label << "</text>\n";
      }
    }
  }

  View view_;
  double scale_;  // pixels per metre
  double left_;
  int index_;
  double width_ = 0;
  double height_ = 0;
  Vector2d low_ = Vector2d::Zero();
};

void draw_polygon(std::ostream& svg, const Panel& panel, const std::vector<Vector3d>& points,
                  const std::string& style) {
  svg << "<polygon points=\"";
  for (const Vector3d& p : points) {
    const Vector2d at = panel.at(p);
    svg << at[0] << "," << at[1] << " ";
  }
  svg << "\" " << style << "/>\n";
}

// A plane that is seen edge on: the solid below its line. Seen from above there is nothing to draw.
void draw_plane(std::ostream& svg, const Panel& panel, const Pose& X_WG, const Range& range) {
  const auto [u, w] = panel.view().axes;
  const Vector3d n = X_WG.q * Vector3d::UnitZ();
  if (std::hypot(n[u], n[w]) < 0.5) return;
  const double far = 4 * (range.upper - range.lower).norm();
  Vector3d line = Vector3d::Zero();
  line[u] = -n[w];
  line[w] = n[u];
  Vector3d p = X_WG.p;  // on the plane, near the middle of the picture
  const Vector3d middle = 0.5 * (range.lower + range.upper);
  p += line * line.dot(middle - p) / line.squaredNorm();
  draw_polygon(svg, panel,
               {p - far * line, p + far * line, p + far * line - far * n, p - far * line - far * n},
               "fill=\"#d9d4cc\" stroke=\"#8a8378\"");
}

void draw_geom(std::ostream& svg, const Panel& panel, const Geom& geom, const Pose& X_WG,
               const Range& range) {
  if (std::holds_alternative<Plane>(geom.shape)) return draw_plane(svg, panel, X_WG, range);
  const std::vector<Vector3d> points = outline(geom.shape, X_WG, panel.view());
  if (points.empty()) return;
  const std::string color = geom.body == 0 ? "#8a8378" : kBodyColors[geom.body % 8];
  draw_polygon(svg, panel, points,
               "fill=\"" + color + "\" fill-opacity=\"0.16\" stroke=\"" + color +
                   "\" stroke-opacity=\"0.8\"");
}

const char* contact_style(const ContactForce& contact) {
  return contact.gap > kTouching ? "fill=\"#ffffff\" stroke=\"#1f5fbf\""
                                 : "fill=\"#d62728\" stroke=\"#7f1414\"";
}

void draw_contact(std::ostream& svg, const Panel& panel, const ContactForce& contact) {
  const Vector2d from = panel.at(contact.p_W);
  const Vector3d n = contact.R_CW.row(2);
  const auto [u, w] = panel.view().axes;
  const Vector2d to = from + kNormal * Vector2d(n[u], -n[w]);
  if ((to - from).norm() > 3) {
    svg << "<path d=\"M" << from[0] << " " << from[1] << "L" << to[0] << " " << to[1]
        << "\" stroke=\"#222\" stroke-width=\"1.3\" marker-end=\"url(#tip)\"/>\n";
  }
  svg << "<circle cx=\"" << from[0] << "\" cy=\"" << from[1] << "\" r=\"3.6\" stroke-width=\"1.3\" "
      << contact_style(contact) << "/>\n";
}

void draw_header(std::ostream& svg, const std::string& title, double left) {
  svg << "<text x=\"" << left << "\" y=\"26\" font-size=\"17\" font-weight=\"bold\">"
      << escaped(title) << "</text>\n<g transform=\"translate(" << left << " 48)\">"
      << "<circle cx=\"4\" cy=\"-4\" r=\"3.6\" fill=\"#d62728\" stroke=\"#7f1414\"/>"
      << "<text x=\"13\">touching or overlapping</text>"
      << "<circle cx=\"184\" cy=\"-4\" r=\"3.6\" fill=\"#ffffff\" stroke=\"#1f5fbf\"/>"
      << "<text x=\"193\">about to touch</text>"
      << "<path d=\"M305 -4h24\" stroke=\"#222\" stroke-width=\"1.3\" marker-end=\"url(#tip)\"/>"
      << "<text x=\"342\">normal, from geom 1 to geom 2</text></g>\n";
}

// All that moves and all contacts, with some space around.
Range range_of(const Model& model, const std::vector<Pose>& X_WG,
               const std::vector<ContactForce>& contacts) {
  Range range;
  for (const ContactForce& contact : contacts) range.add(contact.p_W);
  for (const bool fixed : {false, true}) {
    for (size_t g = 0; g < model.geoms.size(); ++g) {
      if ((model.geoms[g].body == 0) != fixed) continue;
      for (const View& view : kViews) {
        for (const Vector3d& p : outline(model.geoms[g].shape, X_WG[g], view)) range.add(p);
      }
    }
    if (!(range.lower.array() > range.upper.array()).any()) break;
  }
  if ((range.lower.array() > range.upper.array()).any()) {
    range.add(Vector3d::Constant(-1));
    range.add(Vector3d::Constant(1));
  }
  const double pad = std::max(0.08 * (range.upper - range.lower).maxCoeff(), 1e-6);
  range.lower.array() -= pad;
  range.upper.array() += pad;
  return range;
}

}  // namespace

std::string draw_contacts(const std::string& title, const Model& model,
                          const std::vector<Pose>& poses,
                          const std::vector<ContactForce>& contacts) {
  std::vector<Pose> X_WG;
  for (const Geom& geom : model.geoms) X_WG.push_back(poses[geom.body] * geom.X_BG);
  const Range range = range_of(model, X_WG, contacts);
  const Vector3d size = range.upper - range.lower;
  const double scale = kPanel / size.maxCoeff();
  const Panel above(kViews[0], range, scale, kMargin, 0);
  const Panel side(kViews[1], range, scale, 2 * kMargin + above.width(), 1);

  std::ostringstream svg;
  svg.precision(6);
  const double width = std::max(3 * kMargin + 2 * above.width() - 20, 640.0);
  const double height = kHeader + std::max(above.height(), side.height()) + kMargin;
  svg << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"" << height
      << "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n"
      << "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"6\" refY=\"4\" markerWidth=\"6\" "
      << "markerHeight=\"6\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" "
         "fill=\"#222\"/></marker></defs>\n"
      << "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  draw_header(svg, title, kMargin);
  for (const Panel* panel : {&above, &side}) {
    panel->open(svg);
    for (size_t g = 0; g < model.geoms.size(); ++g) {
      draw_geom(svg, *panel, model.geoms[g], X_WG[g], range);
    }
    for (const ContactForce& contact : contacts) draw_contact(svg, *panel, contact);
    panel->close(svg);
  }
  svg << "</svg>\n";
  return svg.str();
}

void write_png(const std::string& path, const std::string& svg) {
  if (std::system("command -v rsvg-convert >/dev/null 2>&1") != 0) {
    throw InputError(path +
                     ": rsvg-convert is missing; install it (Debian: librsvg2-bin) to draw PNG");
  }
  PartFile file(path);
  std::string quoted = "'";
  for (const char c : file.part()) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  quoted += "'";
  std::FILE* pipe = popen(("rsvg-convert --zoom 1.5 -o " + quoted + " 2>/dev/null").c_str(), "w");
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  const bool written =
      pipe != nullptr && std::fwrite(svg.data(), 1, svg.size(), pipe) == svg.size();
  const bool ended = pipe != nullptr && pclose(pipe) == 0;
  std::signal(SIGPIPE, before);
  if (!written || !ended) throw InputError(path + ": rsvg-convert could not write the picture");
  file.commit();
}

}  // namespace stiction::cli
