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

AdmissionCheck read_admission_check(const EmbeddedFile& file) {
  constexpr std::string_view kMark = "// ";
  AdmissionCheck check;
  for (std::string_view rest = file.text; !rest.empty();) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::size_t end = std::min(rest.find("\n// "), rest.size() - 1) + 1;
    const std::string_view name = rest.substr(0, colon);
    const std::string_view text = trim(rest.substr(0, end).substr(std::min(colon + 1, end)));
    const auto member = std::ranges::find_if(kMembers, [&](const Member& each) {
      return name == fmt::format("{}{}", kMark, each.first);
    });
    if (member != kMembers.end()) {
      check.*member->second = text;
    } else if (name == "// of" && text == "object") {
      check.of = AdmissionCheck::Of::object;
    } else {
      throw std::logic_error(
          fmt::format("{}: unknown '{}'", file.path, rest.substr(0, rest.find('\n'))));
    }
    rest.remove_prefix(end);
  }
  return check;
}

}  // namespace cnsched::rules
