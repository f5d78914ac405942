#include "cli/output/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "rules/engine/fix.h"

namespace cnsched::cli {

namespace {

struct Row {
  std::string_view rule;
  Severity severity = Severity::info;
  std::size_t count = 0;
  std::size_t safe = 0;    ///< fixable with --fix
  std::size_t unsafe = 0;  ///< fixable with --unsafe-fixes in addition
};

std::vector<Row> rows_of(const std::vector<Diagnostic>& findings) {
  std::map<std::pair<std::string_view, Severity>, Row> rows;
  for (const Diagnostic& finding : findings) {
    if (finding.suppression) continue;
    Row& row = rows[{finding.rule, finding.severity}];
    row.rule = finding.rule;
    row.severity = finding.severity;
    ++row.count;
    if (rules::is_wanted(finding, Safety::unsafe)) {
      ++(finding.fix->safety == Safety::safe ? row.safe : row.unsafe);
    }
  }
  std::vector<Row> sorted;
  for (const auto& [key, row] : rows) sorted.push_back(row);
  std::ranges::stable_sort(sorted, std::ranges::greater(), &Row::count);
  return sorted;
}

std::string number(std::size_t count) { return count == 0 ? "" : std::to_string(count); }

}  // namespace

void write_statistics(const std::vector<Diagnostic>& findings, std::ostream& out) {
  const std::vector<Row> rows = rows_of(findings);
  if (rows.empty()) return;
  std::size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.rule.size());
  const auto write = [&](std::string_view count, std::string_view severity, std::string_view rule,
                         std::string_view safe, std::string_view unsafe) {
    std::string line = fmt::format("{:>7}  {:8}  {:{}}  {:>5}  {:>14}", count, severity, rule,
                                   width, safe, unsafe);
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  };
  write("count", "severity", "rule", "--fix", "--unsafe-fixes");
  for (const Row& row : rows) {
    write(number(row.count), name_of(row.severity), row.rule, number(row.safe), number(row.unsafe));
  }
}

}  // namespace cnsched::cli
