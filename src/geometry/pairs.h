// The pair functions behind the table of collide.cpp. Each takes its shapes in the order of its
// name and reports normals from the first to the second.
#pragma once

#include <Eigen/Geometry>

#include "geometry/collide.h"

namespace stiction {

using Contacts = std::vector<ContactPoint>;

void plane_sphere(const Plane&, const Frame&, const Sphere&, const Frame&, double, Contacts&);
void plane_capsule(const Plane&, const Frame&, const Capsule&, const Frame&, double, Contacts&);
void plane_cylinder(const Plane&, const Frame&, const Cylinder&, const Frame&, double, Contacts&);
void plane_box(const Plane&, const Frame&, const Box&, const Frame&, double, Contacts&);
void plane_ellipsoid(const Plane&, const Frame&, const Ellipsoid&, const Frame&, double, Contacts&);
void sphere_sphere(const Sphere&, const Frame&, const Sphere&, const Frame&, double, Contacts&);
void sphere_capsule(const Sphere&, const Frame&, const Capsule&, const Frame&, double, Contacts&);
void sphere_cylinder(const Sphere&, const Frame&, const Cylinder&, const Frame&, double, Contacts&);
void sphere_box(const Sphere&, const Frame&, const Box&, const Frame&, double, Contacts&);
void capsule_capsule(const Capsule&, const Frame&, const Capsule&, const Frame&, double, Contacts&);
void box_box(const Box&, const Frame&, const Box&, const Frame&, double, Contacts&);
void plane_convex_mesh(const Plane&, const Frame&, const ConvexMesh&, const Frame&, double,
                       Contacts&);
void plane_sdf(const Plane&, const Frame&, const SdfSolid&, const Frame&, double, Contacts&);
void sphere_sdf(const Sphere&, const Frame&, const SdfSolid&, const Frame&, double, Contacts&);
void capsule_sdf(const Capsule&, const Frame&, const SdfSolid&, const Frame&, double, Contacts&);
void cylinder_sdf(const Cylinder&, const Frame&, const SdfSolid&, const Frame&, double, Contacts&);
void box_sdf(const Box&, const Frame&, const SdfSolid&, const Frame&, double, Contacts&);
void ellipsoid_sdf(const Ellipsoid&, const Frame&, const SdfSolid&, const Frame&, double,
                   Contacts&);
void convex_mesh_sdf(const ConvexMesh&, const Frame&, const SdfSolid&, const Frame&, double,
                     Contacts&);
void mesh_surface_sdf(const MeshSurface&, const Frame&, const SdfSolid&, const Frame&, double,
                      Contacts&);
void height_field_sdf(const HeightField&, const Frame&, const SdfSolid&, const Frame&, double,
                      Contacts&);
void sdf_sdf(const SdfSolid&, const Frame&, const SdfSolid&, const Frame&, double, Contacts&);
/// Any convex shape and a MeshSurface.
void convex_mesh_surface(const Shape&, const Frame&, const Shape&, const Frame&, double, Contacts&);
/// Any two convex shapes; convex meshes are prepared.
void convex_convex(const Shape&, const Frame&, const Shape&, const Frame&, double, Contacts&);
void convex_convex_again(const Shape&, const Frame&, const Shape&, const Frame&, double, Contacts&,
                         PairMemory&);
/// A height field and any shape but planes and height fields.
void height_field_convex(const Shape&, const Frame&, const Shape&, const Frame&, double, Contacts&);

/// Appends what was found on a surface of many faces: contacts of the same normal are one manifold,
/// whichever faces they are from. Of more than 32 in all the nearest stay.
void merge_by_normal(const Contacts& found, double margin, Contacts& contacts);

}  // namespace stiction
