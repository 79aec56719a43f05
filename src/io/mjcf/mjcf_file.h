// One MJCF file with the files that it includes, seen as one tree.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "io/xml.h"

namespace stiction::mjcf {

class MjcfFile {
 public:
  explicit MjcfFile(const std::string& path);

  /// Children of an element, each <include> replaced by the children of the included file's root.
  /// As in MuJoCo a file is found relative to the main file, and may be included once; failing
  /// that, relative to the file that includes it.
  std::vector<XmlElement> children(const XmlElement& element);
  /// Children of the root with this tag: sections may be repeated, and add up.
  std::vector<XmlElement> sections(const char* tag);

  XmlElement root() const { return documents_.front()->root(); }
  const std::string& path() const { return documents_.front()->path(); }
  /// Of the main file.
  std::string directory() const;

 private:
  const XmlDocument& included(const XmlElement& include);
  void append_children(const XmlElement& element, std::vector<XmlElement>& result, int depth);

  std::vector<std::unique_ptr<XmlDocument>> documents_;
  std::map<const void*, const XmlDocument*> included_by_;
  std::set<std::string> included_paths_;
};

}  // namespace stiction::mjcf
