// XML files, read so that every complaint names the file, the line and the element:
//
//   robot.xml:41: joint 'hip': range is '1 2 3', expected 2 numbers, not 3
//
// Numbers are plain decimal ones; NaN and infinity are refused.
#pragma once

#include <stiction/error.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stiction {

class XmlDocument;

/// A place in an XmlDocument, which must outlive it. Cheap to copy.
class XmlElement {
 public:
  std::string tag() const;
  const std::string& file() const;
  int line() const;
  /// "joint 'hip'"; without a name, "inertial of body 'leg'" after what is around it.
  std::string label() const;
  [[noreturn]] void fail(const std::string& message) const;
  /// "damping is '-1', expected >= 0"
  [[noreturn]] void refuse(const char* name, const std::string& expected) const;

  bool has(const char* name) const;
  /// Nothing if the attribute is absent; throws if it cannot be read as asked.
  std::optional<std::string> text(const char* name) const;
  std::optional<double> number(const char* name) const;
  std::optional<int> integer(const char* name) const;
  std::optional<std::vector<double>> numbers(const char* name, size_t min_count,
                                             size_t max_count) const;
  std::optional<std::vector<int>> integers(const char* name) const;
  std::string required_text(const char* name) const;
  double required_number(const char* name) const;

  /// The text between the element's tags, up to its first child.
  std::string content() const;
  /// (name, value) in the order of the file.
  std::vector<std::pair<std::string, std::string>> attributes() const;
  std::vector<XmlElement> children() const;
  std::vector<XmlElement> children(const char* tag) const;
  std::optional<XmlElement> child(const char* tag) const;  ///< the first
  /// Refuses a second one.
  std::optional<XmlElement> only_child(const char* tag) const;

  /// Identifies the element within the program, for use as a key.
  const void* id() const { return node_; }

 private:
  friend class XmlDocument;
  XmlElement(const XmlDocument& document, const void* node) : document_(&document), node_(node) {}

  const XmlDocument* document_;
  const void* node_;  // pugi::xml_node_struct, kept out of this header
};

/// Nesting deeper than this is refused, so that readers may recurse.
constexpr int kMaxXmlDepth = 500;

class XmlDocument {
 public:
  /// Throws InputError if the file is missing, malformed or nested too deeply.
  explicit XmlDocument(const std::string& path);
  /// The same from memory; `path` is only used in messages.
  XmlDocument(std::string path, std::string bytes);
  ~XmlDocument();
  XmlDocument(const XmlDocument&) = delete;
  XmlDocument& operator=(const XmlDocument&) = delete;

  const std::string& path() const { return path_; }
  XmlElement root() const;

 private:
  friend class XmlElement;
  struct Tree;

  void parse(const std::string& bytes);
  int line_at(size_t offset) const;

  std::string path_;
  std::vector<size_t> line_begin_;  // offset of each line's first byte
  std::unique_ptr<Tree> tree_;
};

/// The numbers of a whitespace-separated list; the message does not name the place.
std::vector<double> parse_numbers(const std::string& text);

}  // namespace stiction
