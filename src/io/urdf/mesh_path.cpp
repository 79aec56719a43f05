#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "io/urdf/geometry.h"

namespace stiction {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// FOLDER/NAME/REST, or FOLDER/REST if the folder is the package itself; empty if neither exists.
fs::path find_in_folder(const fs::path& folder, const std::string& package,
                        const std::string& rest) {
  if (is_file(folder / package / rest)) return folder / package / rest;
  if (folder.filename() == package && is_file(folder / rest)) return folder / rest;
  return {};
}

std::vector<fs::path> search_folders(const UrdfContext& context, const fs::path& urdf_folder) {
  std::vector<fs::path> folders(context.options.package_paths.begin(),
                                context.options.package_paths.end());
  if (const char* variable = std::getenv("ROS_PACKAGE_PATH")) {
    std::istringstream list(variable);
    for (std::string folder; std::getline(list, folder, ':');) folders.emplace_back(folder);
  }
  for (fs::path folder = urdf_folder;; folder = folder.parent_path()) {
    folders.push_back(folder);
    if (folder == folder.parent_path()) return folders;
  }
}

fs::path find_in_packages(const UrdfContext& context, const fs::path& urdf_folder,
                          const std::string& name_and_rest) {
  const std::size_t slash = name_and_rest.find('/');
  if (slash == std::string::npos) return {};
  const std::string package = name_and_rest.substr(0, slash);
  const std::string rest = name_and_rest.substr(slash + 1);
  for (const fs::path& folder : search_folders(context, urdf_folder)) {
    const fs::path found = find_in_folder(folder, package, rest);
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace

std::string find_mesh(const UrdfContext& context, const XmlElement& element,
                      const std::string& filename) {
  if (filename.size() > 4096 || filename.find('\0') != std::string::npos) return "";
  std::error_code error;
  const fs::path urdf_folder = fs::absolute(element.file(), error).parent_path();
  for (const std::string scheme : {"package://", "model://"}) {
    if (filename.starts_with(scheme)) {
      const std::string rest = filename.substr(scheme.size());
      return find_in_packages(context, urdf_folder, rest).lexically_normal().string();
    }
  }
  const fs::path plain = filename.starts_with("file://") ? filename.substr(7) : filename;
  const UrdfCompiler& compiler = context.compiler;
  if (compiler.has_meshdir) {
    const fs::path name = compiler.strippath ? plain.filename() : plain;
    const fs::path path = urdf_folder / compiler.meshdir / name;
    if (is_file(path)) return path.lexically_normal().string();
  }
  const fs::path path = urdf_folder / plain;  // an absolute path stays as it is
  return is_file(path) ? path.lexically_normal().string() : "";
}

}  // namespace stiction
