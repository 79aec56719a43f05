#include "io/formats.h"
#include "io/mjcf/compile.h"
#include "io/mjcf/reader.h"

namespace stiction {

Loaded load_mjcf(const std::string& path, const LoadOptions&) {
  mjcf::Coverage coverage;
  mjcf::Reader reader(path, coverage);
  mjcf::Compiler compiler(reader.read(), path, coverage);
  Loaded loaded;
  loaded.model = compiler.compile();
  reader.report_unread();
  loaded.notes = coverage.take_notes();
  return loaded;
}

}  // namespace stiction
