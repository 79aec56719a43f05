#include "io/mjcf/mjcf_file.h"

#include <filesystem>

namespace stiction::mjcf {
namespace fs = std::filesystem;

MjcfFile::MjcfFile(const std::string& path) {
  documents_.push_back(std::make_unique<XmlDocument>(path));
  included_paths_.insert(fs::path(path).lexically_normal().string());
}

std::string MjcfFile::directory() const { return fs::path(path()).parent_path().string(); }

const XmlDocument& MjcfFile::included(const XmlElement& include) {
  const auto known = included_by_.find(include.id());
  if (known != included_by_.end()) return *known->second;

  const std::string file = include.required_text("file");
  fs::path path = (fs::path(directory()) / file).lexically_normal();
  std::error_code error;
  if (!fs::exists(path, error)) {
    const fs::path nearby = (fs::path(include.file()).parent_path() / file).lexically_normal();
    if (fs::exists(nearby, error)) path = nearby;
  }
  if (!fs::is_regular_file(path, error)) include.fail("file '" + path.string() + "' not found");
  if (!included_paths_.insert(path.string()).second) {
    include.fail("file '" + path.string() + "' is included already");
  }
  documents_.push_back(std::make_unique<XmlDocument>(path.string()));
  included_by_[include.id()] = documents_.back().get();
  return *documents_.back();
}

void MjcfFile::append_children(const XmlElement& element, std::vector<XmlElement>& result,
                               int depth) {
  if (depth > kMaxXmlDepth) element.fail("files are included too deeply");
  for (const XmlElement& child : element.children()) {
    if (child.tag() == "include") {
      append_children(included(child).root(), result, depth + 1);
    } else {
      result.push_back(child);
    }
  }
}

std::vector<XmlElement> MjcfFile::children(const XmlElement& element) {
  std::vector<XmlElement> result;
  append_children(element, result, 0);
  return result;
}

std::vector<XmlElement> MjcfFile::sections(const char* tag) {
  std::vector<XmlElement> result;
  for (const XmlElement& child : children(root())) {
    if (child.tag() == tag) result.push_back(child);
  }
  return result;
}

}  // namespace stiction::mjcf
