#include "studies/write_result.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace stiction::studies {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "an unknown processor";
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += " " + cell + " |";
  return row + "\n";
}

std::string markdown_table(const Table& table) {
  std::string result = markdown_row(table.columns);
  result += markdown_row(std::vector<std::string>(table.columns.size(), "---"));
  for (const auto& row : table.rows) result += markdown_row(row);
  return result;
}

std::string csv_text(const Table& table) {
  std::ostringstream csv;
  const auto add = [&csv](const std::vector<std::string>& cells) {
    for (size_t k = 0; k < cells.size(); ++k) csv << (k > 0 ? "," : "") << cells[k];
    csv << '\n';
  };
  add(table.columns);
  for (const auto& row : table.rows) add(row);
  return csv.str();
}

Table claims_table(const std::vector<Claim>& claims) {
  Table table{"", {"claim", "paper", "here", "verdict"}, {}};
  for (const Claim& claim : claims) {
    table.rows.push_back({claim.name, claim.paper, claim.ours, claim.verdict});
  }
  return table;
}

std::string picture_name(const std::string& study, size_t index) {
  return study + (index == 0 ? "" : "-" + std::to_string(index + 1)) + ".png";
}

std::string markdown(const Study& study, const Result& result, bool quick) {
  std::ostringstream page;
  page << "# " << study.name << "\n\n"
       << study.sentence << " (" << study.paper << ").\n\n"
       << "`stiction study " << study.name << (quick ? " --quick" : "") << "`, "
       << machine_sentence() << "\n\n## Claims\n\n"
       << markdown_table(claims_table(result.claims));
  for (size_t k = 0; k < result.pictures.size(); ++k) {
    page << "\n![" << result.pictures[k].title << "](" << picture_name(study.name, k) << ")\n";
  }
  for (const Table& table : result.tables) {
    page << "\n## " << table.title << "\n\n" << markdown_table(table);
  }
  page << "\n## How it was measured\n\n"
       << result.method << "\n\nData: [" << study.name << ".csv](" << study.name << ".csv). The "
       << "papers' short names are in [notation.md](../notation.md#references).\n";
  return page.str();
}

}  // namespace

std::string machine_sentence() {
  double load = 0;
  getloadavg(&load, 1);
  char text[64];
  std::snprintf(text, sizeof text, "%.1f", load);
  return "one thread of " + processor_name() + ", " +
         std::to_string(std::thread::hardware_concurrency()) + " cores, load average " + text +
         " (other programs were running if it is above 1).";
}

std::vector<std::string> write_result(const Study& study, const Result& result, bool quick,
                                      const std::string& folder) {
  std::vector<std::string> names = {study.name + ".md", study.name + ".csv"};
  write_file(folder + "/" + names[0], markdown(study, result, quick));
  write_file(folder + "/" + names[1], csv_text(result.data));
  for (size_t k = 0; k < result.pictures.size(); ++k) {
    const Picture& picture = result.pictures[k];
    names.push_back(picture_name(study.name, k));
    plot_png(folder + "/" + names.back(), picture.title, picture.panels, picture.caption);
  }
  return names;
}

std::string index_text(const std::vector<std::pair<const Study*, Result>>& results) {
  Table table{"", {"study", "what", "paper", "claims that hold"}, {}};
  for (const auto& [study, result] : results) {
    int good = 0;
    for (const Claim& claim : result.claims) good += holds(claim);
    table.rows.push_back({"[" + study->name + "](" + study->name + ".md)", study->sentence,
                          study->paper,
                          std::to_string(good) + " of " + std::to_string(result.claims.size())});
  }
  return "# Studies\n\nThe papers' measurements, repeated by `stiction study --all`: " +
         machine_sentence() +
         "\nTimes are ratios within one run wherever a claim rests on them.\n\n" +
         markdown_table(table);
}

}  // namespace stiction::studies
