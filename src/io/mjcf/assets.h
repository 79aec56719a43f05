// <asset>: meshes, height fields and materials, by name.
#pragma once

#include <stiction/model.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "geometry/mesh.h"
#include "io/mjcf/defaults.h"
#include "io/mjcf/settings.h"

namespace stiction::mjcf {

/// Vertices are where the file, its scale and its reference pose put them: unlike MuJoCo we do not
/// move a mesh to its inertial frame.
struct MeshAsset {
  std::shared_ptr<const TriangleMesh> mesh;
  MeshInertia inertia = MeshInertia::kLegacy;
  mutable std::optional<VolumeProperties> volume;  ///< computed when first asked for
  mutable std::optional<std::string> fault;        ///< mesh_fault, the same

  /// `by` is the element that asks, for the message if the mesh has no volume.
  const VolumeProperties& volume_properties(const XmlElement& by) const;

  /// Empty if it is the surface of a solid.
  const std::string& fault_of_mesh() const;
};

struct HeightAsset {
  std::shared_ptr<const HeightGrid> grid;
  double elevation = 0;  ///< range of heights, m
};

struct Assets {
  std::map<std::string, std::shared_ptr<const MeshAsset>> meshes;
  std::map<std::string, HeightAsset> height_fields;
  std::map<std::string, Material> materials;
};

class AssetReader {
 public:
  AssetReader(MjcfFile& file, Coverage& coverage, const Defaults& defaults,
              const CompilerSettings& compiler)
      : file_(file), coverage_(coverage), defaults_(defaults), compiler_(compiler) {}

  Assets read();

 private:
  void read_mesh(const XmlElement& element);
  void read_height_field(const XmlElement& element);
  void read_material(const XmlElement& element);
  std::string mesh_path(const std::string& file) const;

  MjcfFile& file_;
  Coverage& coverage_;
  const Defaults& defaults_;
  const CompilerSettings& compiler_;
  Assets assets_;
};

}  // namespace stiction::mjcf
