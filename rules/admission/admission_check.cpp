#include "rules/admission/admission_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <stdexcept>
#include <utility>

#include "core/base/text.h"

namespace cnsched::embedded {
std::span<const EmbeddedFile> admission_checks();
}

namespace cnsched::rules {

namespace {

using Member = std::pair<std::string_view, std::string_view AdmissionCheck::*>;
constexpr auto kMembers = std::to_array<Member>({{"kinds", &AdmissionCheck::kinds},
                                                 {"errors", &AdmissionCheck::errors},
                                                 {"warnings", &AdmissionCheck::warnings},
                                                 {"infos", &AdmissionCheck::infos},
                                                 {"without", &AdmissionCheck::without}});

std::map<std::string_view, AdmissionCheck> all_checks() {
  std::map<std::string_view, AdmissionCheck> checks;
  for (const EmbeddedFile& file : embedded::admission_checks()) {
    checks.emplace(file.stem(), read_admission_check(file));
  }
  return checks;
}

}  // namespace

const AdmissionCheck* admission_of(const Rule& rule) {
  static const std::map<std::string_view, AdmissionCheck> checks = all_checks();
  const auto found = checks.find(rule.id);
  return found == checks.end() ? nullptr : &found->second;
}

std::vector<CelSection> cel_sections(const EmbeddedFile& file) {
  constexpr std::string_view kMark = "// ";
  std::vector<CelSection> sections;
  const char* begin = nullptr;  // of the text
  for (const std::string_view line : split(file.text, '\n')) {
    if (line.starts_with("///")) {
      begin = nullptr;
    } else if (line.starts_with(kMark)) {
      const std::size_t colon = std::min(line.find(':'), line.size());
      sections.push_back({line.substr(kMark.size(), colon - kMark.size()), {}});
      begin = line.data() + std::min(colon + 1, line.size());
    } else if (begin == nullptr && !line.empty()) {
      throw std::logic_error(fmt::format("{}: unknown '{}'", file.path, line));
    }
    if (begin != nullptr) sections.back().text = trim({begin, line.data() + line.size()});
  }
  return sections;
}

AdmissionCheck read_admission_check(const EmbeddedFile& file) {
  AdmissionCheck check;
  for (const auto& [name, text] : cel_sections(file)) {
    const auto member = std::ranges::find(kMembers, name, &Member::first);
    if (member != kMembers.end()) {
      check.*member->second = text;
    } else if (name == "of" && text == "object") {
      check.of = AdmissionCheck::Of::object;
    } else {
      const std::string_view line = text.substr(0, text.find('\n'));
      throw std::logic_error(fmt::format("{}: unknown '// {}: {}'", file.path, name, line));
    }
  }
  return check;
}

}  // namespace cnsched::rules
