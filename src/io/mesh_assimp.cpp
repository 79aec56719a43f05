#include <assimp/BaseImporter.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <stiction/error.h>
#include <tinyxml2.h>

#include <assimp/Importer.hpp>
#include <map>
#include <memory>
#include <set>

#include "io/mesh_formats.h"

namespace stiction {
namespace {

/// Leaves only the importer of this extension: assimp else guesses the format from the content,
/// and a damaged file would reach any of its fifty readers.
void keep_importer(Assimp::Importer& importer, const std::string& extension) {
  for (std::size_t i = importer.GetImporterCount(); i-- > 0;) {
    Assimp::BaseImporter* reader = importer.GetImporter(i);
    std::set<std::string> extensions;
    reader->GetExtensionList(extensions);
    if (extensions.contains(extension)) continue;
    importer.UnregisterLoader(reader);
    delete reader;  // unregistering hands it over
  }
}

void append_node(const aiScene& scene, const aiNode& node, const aiMatrix4x4& X_parent,
                 TriangleMesh& result) {
  const aiMatrix4x4 X = X_parent * node.mTransformation;
  // A mirroring transform turns triangles inside out.
  const bool mirrored = aiMatrix3x3(X).Determinant() < 0;
  for (unsigned i = 0; i < node.mNumMeshes; ++i) {
    const aiMesh& mesh = *scene.mMeshes[node.mMeshes[i]];
    const int base = static_cast<int>(result.vertices.size());
    for (unsigned k = 0; k < mesh.mNumVertices; ++k) {
      const aiVector3D p = X * mesh.mVertices[k];
      result.vertices.emplace_back(p.x, p.y, p.z);
    }
    for (unsigned k = 0; k < mesh.mNumFaces; ++k) {
      const aiFace& face = mesh.mFaces[k];
      if (face.mNumIndices != 3) continue;  // points and lines
      Eigen::Vector3i t(face.mIndices[0], face.mIndices[1], face.mIndices[2]);
      if (mirrored) std::swap(t[1], t[2]);
      result.triangles.push_back(t.array() + base);
    }
  }
  for (unsigned i = 0; i < node.mNumChildren; ++i) {
    append_node(scene, *node.mChildren[i], X, result);
  }
}

TriangleMesh parse_with_assimp(const std::string& bytes, const std::string& extension) {
  Assimp::Importer importer;
  keep_importer(importer, extension);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  const aiScene* scene = importer.ReadFileFromMemory(bytes.data(), bytes.size(),
                                                     aiProcess_Triangulate, extension.c_str());
  if (!scene || !scene->mRootNode) throw InputError(importer.GetErrorString());
  TriangleMesh mesh;
  append_node(*scene, *scene->mRootNode, aiMatrix4x4(), mesh);
  if (mesh.triangles.empty()) throw InputError("no triangles");
  return mesh;
}

using NodeGraph = std::map<std::string, std::set<std::string>>;

/// Edges from a <node> to the nodes within it and to those it instances, by id.
void collect_nodes(const tinyxml2::XMLElement& element, const std::string& enclosing,
                   NodeGraph& graph) {
  std::string id = enclosing;
  const std::string tag = element.Name();
  if (tag == "node" && element.Attribute("id")) {
    id = element.Attribute("id");
    graph[enclosing].insert(id);
  } else if (tag == "instance_node" && element.Attribute("url")) {
    const std::string url = element.Attribute("url");
    graph[enclosing].insert(url.substr(url.starts_with('#') ? 1 : 0));
  }
  for (auto* child = element.FirstChildElement(); child; child = child->NextSiblingElement()) {
    collect_nodes(*child, id, graph);
  }
}

void require_acyclic(const NodeGraph& graph, const std::string& id, std::set<std::string>& open,
                     std::set<std::string>& done) {
  if (done.contains(id)) return;
  if (!open.insert(id).second) throw InputError("DAE: node '" + id + "' contains itself");
  if (const auto it = graph.find(id); it != graph.end()) {
    for (const std::string& child : it->second) require_acyclic(graph, child, open, done);
  }
  open.erase(id);
  done.insert(id);
}

}  // namespace

TriangleMesh parse_obj(const std::string& bytes) { return parse_with_assimp(bytes, "obj"); }

TriangleMesh parse_dae(const std::string& bytes) {
  // Assimp follows nested and instanced nodes without a bound, so malformed XML, deep nesting
  // (tinyxml2 stops at 500) and cycles are caught before it sees them.
  tinyxml2::XMLDocument document;
  if (document.Parse(bytes.data(), bytes.size()) != tinyxml2::XML_SUCCESS) {
    throw InputError("line " + std::to_string(document.ErrorLineNum()) + ": malformed XML");
  }
  const tinyxml2::XMLElement* root = document.RootElement();
  if (!root || std::string(root->Name()) != "COLLADA") throw InputError("no <COLLADA> element");
  NodeGraph graph;
  collect_nodes(*root, "", graph);
  std::set<std::string> open, done;
  require_acyclic(graph, "", open, done);
  return parse_with_assimp(bytes, "dae");
}

}  // namespace stiction
