// Solids given by their signed distance: negative inside, metres, in the solid's own frame.
//
//   Dish plate = plate_shape();
//   Geom geom{.name = "plate", .shape = SdfSolid{make_dish("plate", plate)}};
//
// Every maker returns the distance with its gradient, and a triangulated surface of it, which is
// what is drawn, weighed, and run into other solids. Makers throw InputError with the solid's name.
#pragma once

#include <stiction/shapes.h>

#include <Eigen/Core>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stiction {

/// Signed distance at p; writes its gradient. Safe to call from several threads.
using DistanceFunction = std::function<double(const Eigen::Vector3d& p, Eigen::Vector3d& gradient)>;

/// The same at several points at once, in a layout for vector instructions.
struct DistanceBlock {
  static constexpr int kSize = 8;
  using Row = std::array<double, kSize>;
  Row x, y, z;                 ///< points
  Row distance;                ///< result
  Row grad_x, grad_y, grad_z;  ///< result: gradients
};
using BlockFunction = std::function<void(DistanceBlock& block)>;

/// Immutable once made, shared between the geoms that use it.
struct Sdf {
  std::string name{};
  DistanceFunction distance{};
  BlockFunction distances{};  ///< may be left empty: only faster, where many points are asked about
  /// The same outside of the solid, to rounding; may be left empty if `distance` is as exact as it
  /// gets. Slower: asked only where a gap is wanted to the last digit.
  DistanceFunction outside{};
  TriangleMesh surface{};  ///< closed; its vertices lie on the zero of `distance`
  /// Solids whose union it is, if there are several: a ball may rest on each of them at once.
  std::vector<DistanceFunction> parts{};
  double detail = 0;  ///< size of its finest feature, m: contacts at rest are kept within 2 % of it
  double lipschitz = 1;  ///< |distance(p) - distance(q)| <= lipschitz |p - q|
  double pitch = 0;      ///< of a thread about z, which the training of networks makes use of, m
};

using SdfPointer = std::shared_ptr<const Sdf>;

/// The primitives of <stiction/shapes.h>: spheres, capsules, cylinders and boxes. Faces of the
/// surface are at most `edge` long; 0 means a twelfth of the size.
SdfPointer make_primitive(const std::string& name, const Shape& shape, double edge = 0);

/// The lower bound min(a, b) of the distance to the union, exact outside. The surface is found on a
/// grid of cells of size `edge`.
SdfPointer make_union(const std::string& name, const SdfPointer& a, const SdfPointer& b,
                      double edge);
/// The solid grown by a distance; shrunk if it is negative.
SdfPointer make_offset(const std::string& name, const SdfPointer& a, double distance);
/// The solid moved: `X_AB` is the pose of the old frame in the new one.
SdfPointer make_moved(const std::string& name, const SdfPointer& a, const Pose& X_AB);

/// A polyline in the half plane (radius, height), thickened by a ball and revolved about z: bowls,
/// plates, pots, bottles ([TRO25] Appendix B, which has two segments). The first point is on the
/// axis; heights are free.
struct Dish {
  std::vector<Eigen::Vector2d> outline{};  ///< radius and height of the points, m
  double half_thickness = 0.002;           ///< d of [TRO25] (46)
  int sectors = 64;                        ///< columns of the triangulated surface
  double edge = 0.006;                     ///< longest edge of it along the outline, m
};

SdfPointer make_dish(const std::string& name, const Dish& dish);

/// Outlines by their outer measures; the underside of the base is at height 0.
Dish bowl_shape(double base_radius = 0.03, double rim_radius = 0.07, double height = 0.06,
                double thickness = 0.004);
Dish plate_shape(double base_radius = 0.06, double rim_radius = 0.1, double height = 0.018,
                 double thickness = 0.004);
Dish pot_shape(double radius = 0.09, double height = 0.1, double thickness = 0.006);
Dish bottle_shape(double radius = 0.035, double neck_radius = 0.014, double height = 0.2,
                  double thickness = 0.004);

/// An ISO metric thread, single start, right-handed: profile of ISO 68-1 with a rounded root,
/// tolerance classes 6g (bolt) and 6H (nut) of ISO 965-1 by its formulas, which the standard's
/// tables round to preferred numbers.
struct MetricThread {
  double diameter = 0.048;  ///< nominal, m
  double pitch = 0.005;     ///< m
  double fit = 0.5;         ///< within the tolerance fields: 0 tightest, 1 loosest
};

/// A hexagon screw, threaded up to its head. Its frame: z along the shank, 0 at the head's face.
struct Bolt {
  MetricThread thread{};
  double length = 0.1;          ///< of the shank, m
  double across_flats = 0.075;  ///< of the head
  double head_height = 0.03;
  int sectors = 48;  ///< columns of the surface, a multiple of 12
};

/// A hexagon nut, countersunk on both sides. Its frame is at its centre. A nut whose frame is
/// that of the bolt, raised by any height and turned by 2 pi height / pitch, sits on the thread
/// with equal play on both flanks.
struct Nut {
  MetricThread thread{};
  double height = 0.038;
  double across_flats = 0.075;
  int sectors = 24;
};

SdfPointer make_bolt(const std::string& name, const Bolt& bolt);
SdfPointer make_nut(const std::string& name, const Nut& nut);

/// Coarse thread, hexagon, head and nut of ISO 4017 and 4032 for "M4" to "M64"; a bolt of twice
/// the nut's height. Throws InputError for other names.
void metric_size(const std::string& size, Bolt& bolt, Nut& nut);

/// Diameters at the middle of the thread, m.
struct ThreadDiameters {
  double bolt_major, bolt_pitch, bolt_minor;
  double nut_major, nut_pitch, nut_minor;
};
ThreadDiameters thread_diameters(const MetricThread& thread);

/// A closed mesh of any shape, baked into a grid of distances with `resolution` cells along its
/// longest side, between which cubic splines run. Grids are kept in the user's cache folder, found
/// again by the mesh's content. Throws InputError with the mesh's name if it is open, inside out,
/// flat or not finite; triangles without area are left out.
SdfPointer make_grid(const std::string& name, const TriangleMesh& mesh, int resolution = 64);

/// Small networks that give the distance: layers of sines on the position, and on the phase of a
/// thread if they know of one. docs/sdf.md has the file that they are kept in.
struct NeuralNetwork;
using NeuralPointer = std::shared_ptr<const NeuralNetwork>;

/// Of a network against the solid that it was fitted to, m; the gradient's has no unit. Near means
/// off the surface by a twentieth of the detail.
struct NeuralError {
  double near_rms = 0, near_max = 0;
  double volume_rms = 0, volume_max = 0;  ///< in the box around it
  double gradient_rms = 0;                ///< near the surface, of the vectors' difference
  struct Part {
    double near_rms = 0, near_max = 0;
  };
  std::vector<Part> parts{};  ///< near the surface of each of `Sdf::parts`; one if there are none
};

struct Training {
  int steps = 6000;       ///< for each part of the solid
  int branches = 8;       ///< of each part, the largest of which is its distance
  int width = 12;         ///< of a branch's three hidden layers, 8 to 128
  int thread_width = 32;  ///< the same of the branch that gets the thread's phase
  int batch = 256;        ///< points per step, a multiple of 64
  unsigned seed = 1;      ///< the same network for the same seed, on any number of threads
  bool use_pitch = true;  ///< have a branch for the thread, if the solid has one
  /// Called after each step with the share of steps done and the step's loss.
  std::function<void(double share, double loss)> progress{};
};

/// Fits networks to the distances and gradients of the solid's parts on random points, most of them
/// near the surface. Takes seconds to minutes. Throws InputError with the solid's name.
NeuralPointer train_network(const Sdf& solid, const Training& training = {});

/// As measured at the end of its training, on other points.
const NeuralError& network_error(const NeuralNetwork& network);

/// The text of its file.
std::string network_text(const NeuralNetwork& network);
/// Throws InputError with the file, the line, and what was expected.
NeuralPointer read_network(const std::string& path);

/// The surface is the one that the network was trained with, moved to its own zero.
SdfPointer make_neural(const std::string& name, const NeuralPointer& network);

/// From one line of text, as model files have it (docs/sdf.md): "bowl rim_radius=0.08", "bolt
/// size=M12 length=0.05"; "grid resolution=96" is the mesh, "neural file=bolt.nsdf" a network whose
/// file is looked for in `folder`.
SdfPointer describe_sdf(const std::string& name, const std::string& description,
                        const TriangleMesh* mesh = nullptr, const std::string& folder = {});

}  // namespace stiction
