// What has been read of a file, so that the rest can be reported. An element counts as honoured
// once a reader visits it, an attribute once a reader asks for its name in any element of the same
// kind. What nobody asked for becomes a Note; coverage_table.cpp says which of it is cosmetic.
#pragma once

#include <stiction/files.h>

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/mjcf/mjcf_file.h"
#include "io/xml.h"

namespace stiction::mjcf {

/// Elements read by the same code: usually the tag.
struct Kind {
  std::string name;
  std::set<std::string, std::less<>> asked;    ///< attributes
  std::set<std::string, std::less<>> numbers;  ///< those of them that were read as numbers
};

class Coverage {
 public:
  Kind& visit(const XmlElement& element, const std::string& kind);
  /// An element of a default class: of no consequence if nothing of its kind exists.
  Kind& visit_default(const XmlElement& element, const std::string& kind);
  void note(Severity severity, const XmlElement& element, const std::string& message);
  /// Adds a note for everything in the file that was not read; fails on numbers that are none.
  void report_unread(MjcfFile& file);

  std::vector<Note> take_notes() { return std::move(notes_); }

 private:
  struct Visit {
    Kind* kind = nullptr;
    bool is_default = false;
  };
  void report_unread(MjcfFile& file, const XmlElement& element, const std::string& inside);

  std::map<std::string, Kind> kinds_;
  std::unordered_map<const void*, Visit> visits_;
  std::vector<Note> notes_;
};

/// Why something is not honoured.
struct Reason {
  Severity severity = Severity::kPhysics;
  std::string text;
};
Reason reason_for_element(const std::string& tag, const std::string& inside);
Reason reason_for_attribute(const std::string& kind, const std::string& name);

}  // namespace stiction::mjcf
