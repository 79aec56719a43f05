// A study's result as files: NAME.md, NAME.csv, NAME.png.
#pragma once

#include <string>

#include "studies/study.h"

namespace stiction::studies {

/// The processor's name and how busy the machine is, in one sentence.
std::string machine_sentence();

/// Writes all files of the result into `folder`; returns their names.
std::vector<std::string> write_result(const Study& study, const Result& result, bool quick,
                                      const std::string& folder);

/// The list of studies with their verdicts.
std::string index_text(const std::vector<std::pair<const Study*, Result>>& results);

}  // namespace stiction::studies
