// Where in a file the parts of a model stand: what validation refuses gets its line.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "io/xml.h"
#include "model/part_error.h"

namespace stiction {

class Sources {
 public:
  /// `kind` as validation calls it: body, joint, geom, ...
  void add(const char* kind, int index, const XmlElement& element) {
    elements_.emplace(std::pair(std::string(kind), index), element);
  }

  /// Throws the refusal again, at the element of its part, or with the file alone.
  [[noreturn]] void refuse(const PartError& error, const std::string& path) const {
    const auto found = elements_.find({error.part.kind, error.part.index});
    if (found != elements_.end()) found->second.fail(error.what_is_wrong);
    throw InputError(path + ": " + error.what());
  }

 private:
  std::map<std::pair<std::string, int>, XmlElement> elements_;
};

}  // namespace stiction
