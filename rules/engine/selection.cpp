#include "rules/engine/selection.h"

#include <fmt/format.h>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "rules/registry.h"

namespace cnsched::rules {

namespace {

/// The ids that a word stands for, or why it stands for none.
Result<std::vector<std::string_view>> ids_of(std::string_view word) {
  std::vector<std::string_view> ids = ids_named(word);
  if (!ids.empty()) return ids;
  return Error{fmt::format("no rule or group is called '{}'{} ('cnsched rules' lists them)",
                           printable(word), did_you_mean(word, all_names()))};
}

/// The ids behind lists of words that may be separated by commas.
Result<std::vector<std::string_view>> ids_of_all(const std::vector<std::string>& words) {
  std::vector<std::string_view> all;
  for (const std::string& list : words) {
    for (const std::string_view word : split(list, ',')) {
      const auto ids = ids_of(trim(word));
      if (!ids) return ids.error();
      all.insert(all.end(), ids->begin(), ids->end());
    }
  }
  return all;
}

}  // namespace

std::optional<Severity> severity_named(std::string_view name) {
  for (const Severity severity : {Severity::error, Severity::warning, Severity::info}) {
    if (name == name_of(severity)) return severity;
  }
  return std::nullopt;
}

std::vector<std::string_view> all_names() {
  std::vector<std::string_view> names = all_groups();
  names.push_back("all");
  for (const Listed& listed : all_rules()) names.push_back(listed.rule->id);
  return names;
}

std::vector<std::string_view> ids_named(std::string_view word) {
  std::vector<std::string_view> ids;
  for (const Listed& listed : all_rules()) {
    if (word == "all" || word == listed.group || word == listed.rule->id) {
      ids.push_back(listed.rule->id);
    }
  }
  return ids;
}

Selection Selection::everything() {
  Selection selection;
  for (const Listed& listed : all_rules()) selection.selected_[listed.rule->id] = std::nullopt;
  return selection;
}

Result<Selection> Selection::from(const SelectionOptions& options) {
  const auto select = ids_of_all(options.select);
  if (!select) return select.error();
  const auto ignore = ids_of_all(options.ignore);
  if (!ignore) return ignore.error();
  const auto extend = ids_of_all(options.extend_select);
  if (!extend) return extend.error();

  Selection selection;
  if (options.select.empty()) selection = everything();
  for (const std::string_view id : *select) selection.selected_[id] = std::nullopt;
  for (const std::string_view id : *ignore) selection.selected_.erase(id);
  for (const std::string_view id : *extend) selection.selected_[id] = std::nullopt;

  for (const std::string& setting : options.severity) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      return Error{fmt::format("'{}' is not of the form RULE=LEVEL", printable(setting))};
    }
    const auto ids = ids_of(std::string_view(setting).substr(0, equals));
    if (!ids) return ids.error();
    const std::string level = setting.substr(equals + 1);
    const auto severity = severity_named(level);
    if (!severity && level != "off") {
      return Error{
          fmt::format("'{}' is no severity: use error, warning, info or off", printable(level))};
    }
    for (const std::string_view id : *ids) {
      if (!severity) {
        selection.selected_.erase(id);
      } else if (selection.runs(id)) {
        selection.selected_[id] = severity;
      }
    }
  }
  return selection;
}

std::optional<Severity> Selection::severity_of(std::string_view id) const {
  const auto found = selected_.find(id);
  return found == selected_.end() ? std::nullopt : found->second;
}

}  // namespace cnsched::rules
