#include "io/xml.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <pugixml.hpp>
#include <set>
#include <sstream>

namespace stiction {
namespace {

// As a fragment: otherwise text beside the root element would be dropped in silence.
constexpr unsigned kParsing = pugi::parse_default | pugi::parse_fragment;

pugi::xml_node as_node(const void* node) {
  return pugi::xml_node(static_cast<pugi::xml_node_struct*>(const_cast<void*>(node)));
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string in_quotes(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return "'" + text + "'";
}

// The first line that is not blank, without blanks around it.
std::string first_line(const std::string& text) {
  const auto begin = std::find_if_not(text.begin(), text.end(), is_space);
  const std::string line(begin, std::find(begin, text.end(), '\n'));
  return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

double parse_number(const char* first, const char* last) {
  const std::string token(first, last);
  const char* begin = *first == '+' ? first + 1 : first;
  double value = 0;
  const auto [end, error] = std::from_chars(begin, last, value);
  if (end != last || error == std::errc::invalid_argument) {
    throw InputError(in_quotes(token) + " is not a number");
  }
  // Too small to be told from zero is zero; too large is no number at all.
  if (error == std::errc::result_out_of_range) value = std::strtod(token.c_str(), nullptr);
  if (!std::isfinite(value)) throw InputError(in_quotes(token) + " is not a finite number");
  return value;
}

std::string read_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw InputError(path + ": no such file");
  if (!std::filesystem::is_regular_file(path, error)) throw InputError(path + ": is not a file");
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  if (!stream) throw InputError(path + ": cannot be read");
  return bytes.str();
}

}  // namespace

std::vector<double> parse_numbers(const std::string& text) {
  std::vector<double> values;
  const char* last = text.data() + text.size();
  for (const char* first = text.data(); first != last;) {
    if (is_space(*first)) {
      ++first;
      continue;
    }
    const char* end = std::find_if(first, last, is_space);
    values.push_back(parse_number(first, end));
    first = end;
  }
  return values;
}

struct XmlDocument::Tree {
  pugi::xml_document document;
};

XmlDocument::XmlDocument(const std::string& path) : XmlDocument(path, read_file(path)) {}

XmlDocument::XmlDocument(std::string path, std::string bytes)
    : path_(std::move(path)), tree_(std::make_unique<Tree>()) {
  parse(bytes);
}

XmlDocument::~XmlDocument() = default;

void XmlDocument::parse(const std::string& bytes) {
  line_begin_.push_back(0);
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '\n') line_begin_.push_back(i + 1);
  }
  pugi::xml_document& document = tree_->document;
  const pugi::xml_parse_result result =
      document.load_buffer(bytes.data(), bytes.size(), kParsing, pugi::encoding_utf8);
  const auto refuse = [this](std::ptrdiff_t offset, const std::string& what) {
    throw InputError(path_ + ":" + std::to_string(line_at(static_cast<size_t>(offset))) + ": " +
                     what);
  };
  if (!result) refuse(result.offset, "malformed XML: " + std::string(result.description()));
  if (!document.document_element()) refuse(0, "malformed XML: No document element found");
  for (const pugi::xml_node& node : document) {
    if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata) {
      const auto begin =
          std::find_if_not(bytes.begin() + node.offset_debug(), bytes.end(), is_space);
      refuse(begin - bytes.begin(), "text " + in_quotes(first_line(node.value())) +
                                        " outside the root element, expected none");
    }
    if (node.type() != pugi::node_element || node == document.document_element()) continue;
    XmlElement(*this, node.internal_object()).fail("is a second root element, expected one");
  }
  // Walks without recursing; looks at nesting and at what pugixml lets pass.
  int depth = 1;
  for (pugi::xml_node node = document.document_element(); node;) {
    std::set<std::string> names;
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      if (!names.insert(attribute.name()).second) {
        XmlElement(*this, node.internal_object())
            .fail("attribute " + std::string(attribute.name()) + " appears twice, expected once");
      }
    }
    if (depth > kMaxXmlDepth) {
      XmlElement(*this, node.internal_object())
          .fail("nested deeper than " + std::to_string(kMaxXmlDepth) + " elements");
    }
    if (node.first_child()) {
      node = node.first_child();
      ++depth;
      continue;
    }
    while (depth > 1 && !node.next_sibling()) {
      node = node.parent();
      --depth;
    }
    node = depth > 1 ? node.next_sibling() : pugi::xml_node();
  }
}

int XmlDocument::line_at(size_t offset) const {
  const auto after = std::upper_bound(line_begin_.begin(), line_begin_.end(), offset);
  return static_cast<int>(after - line_begin_.begin());
}

XmlElement XmlDocument::root() const {
  return XmlElement(*this, tree_->document.document_element().internal_object());
}

std::string XmlElement::tag() const { return as_node(node_).name(); }

const std::string& XmlElement::file() const { return document_->path_; }

int XmlElement::line() const {
  return document_->line_at(static_cast<size_t>(as_node(node_).offset_debug()));
}

std::string XmlElement::label() const {
  const auto named = [](const pugi::xml_node& node) {
    const pugi::xml_attribute name = node.attribute("name");
    const pugi::xml_attribute id = name ? name : node.attribute("class");
    const bool is_named = name || (id && std::string(node.name()) == "default");
    return is_named ? std::string(node.name()) + " " + in_quotes(id.value()) : std::string();
  };
  const pugi::xml_node own = as_node(node_);
  const std::string label = named(own);
  if (!label.empty()) return label;
  // The root's name is that of the model, which the file stands for.
  for (pugi::xml_node node = own.parent(); node.parent().parent(); node = node.parent()) {
    const std::string around = named(node);
    if (!around.empty()) return tag() + " of " + around;
  }
  return tag();
}

void XmlElement::fail(const std::string& message) const {
  throw InputError(file() + ":" + std::to_string(line()) + ": " + label() + ": " + message);
}

void XmlElement::refuse(const char* name, const std::string& expected) const {
  fail(std::string(name) + " is " + in_quotes(text(name).value_or("")) + ", expected " + expected);
}

bool XmlElement::has(const char* name) const { return !as_node(node_).attribute(name).empty(); }

std::optional<std::string> XmlElement::text(const char* name) const {
  const pugi::xml_attribute attribute = as_node(node_).attribute(name);
  if (!attribute) return std::nullopt;
  return attribute.value();
}

std::optional<std::vector<double>> XmlElement::numbers(const char* name, size_t min_count,
                                                       size_t max_count) const {
  const std::optional<std::string> value = text(name);
  if (!value) return std::nullopt;
  std::vector<double> values;
  try {
    values = parse_numbers(*value);
  } catch (const InputError& error) {
    fail(std::string(name) + ": " + error.what());
  }
  if (values.size() < min_count || values.size() > max_count) {
    std::string expected = std::to_string(min_count);
    if (max_count > min_count) {
      expected += max_count == SIZE_MAX ? " or more" : " to " + std::to_string(max_count);
    }
    const bool one = expected == "1";
    refuse(name,
           expected + (one ? " number, not " : " numbers, not ") + std::to_string(values.size()));
  }
  return values;
}

std::optional<double> XmlElement::number(const char* name) const {
  const std::optional<std::vector<double>> values = numbers(name, 1, 1);
  if (!values) return std::nullopt;
  return values->front();
}

std::optional<std::vector<int>> XmlElement::integers(const char* name) const {
  const std::optional<std::vector<double>> values = numbers(name, 0, SIZE_MAX);
  if (!values) return std::nullopt;
  std::vector<int> integers;
  for (const double value : *values) {
    if (value != std::floor(value) || std::abs(value) > 2147483647.0) {
      refuse(name, "integers");
    }
    integers.push_back(static_cast<int>(value));
  }
  return integers;
}

std::optional<int> XmlElement::integer(const char* name) const {
  const std::optional<std::vector<int>> values = integers(name);
  if (!values) return std::nullopt;
  if (values->size() != 1) refuse(name, "one integer");
  return values->front();
}

std::string XmlElement::required_text(const char* name) const {
  std::optional<std::string> value = text(name);
  if (!value) fail(std::string("attribute ") + name + " is missing");
  return *std::move(value);
}

double XmlElement::required_number(const char* name) const {
  const std::optional<double> value = number(name);
  if (!value) fail(std::string("attribute ") + name + " is missing");
  return *value;
}

std::string XmlElement::content() const { return as_node(node_).text().get(); }

std::vector<std::pair<std::string, std::string>> XmlElement::attributes() const {
  std::vector<std::pair<std::string, std::string>> result;
  for (const pugi::xml_attribute& attribute : as_node(node_).attributes()) {
    result.emplace_back(attribute.name(), attribute.value());
  }
  return result;
}

std::vector<XmlElement> XmlElement::children() const {
  std::vector<XmlElement> result;
  for (const pugi::xml_node& child : as_node(node_).children()) {
    if (child.type() == pugi::node_element) {
      result.push_back(XmlElement(*document_, child.internal_object()));
    }
  }
  return result;
}

std::vector<XmlElement> XmlElement::children(const char* tag) const {
  std::vector<XmlElement> result;
  for (const pugi::xml_node& child : as_node(node_).children(tag)) {
    result.push_back(XmlElement(*document_, child.internal_object()));
  }
  return result;
}

std::optional<XmlElement> XmlElement::child(const char* tag) const {
  const pugi::xml_node child = as_node(node_).child(tag);
  if (!child) return std::nullopt;
  return XmlElement(*document_, child.internal_object());
}

std::optional<XmlElement> XmlElement::only_child(const char* tag) const {
  const std::vector<XmlElement> found = children(tag);
  if (found.size() > 1) found[1].fail("is the second one here, expected one");
  return found.empty() ? std::nullopt : std::optional(found[0]);
}

}  // namespace stiction
