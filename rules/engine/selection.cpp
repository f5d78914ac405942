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
                           printable(word), did_you_mean(word, rule_words()))};
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
  const auto level = level_named(name);
  return level ? severity_of(*level) : std::nullopt;
}

std::vector<std::string_view> ids_named(std::string_view word) {
  std::vector<std::string_view> ids;
  for (const Listed& listed : all_rules()) {
    if (word == kAllRules || word == listed.group || word == listed.rule->id) {
      ids.push_back(listed.rule->id);
    }
  }
  return ids;
}

Result<Selection> Selection::from(const SelectionOptions& options) {
  const auto select = ids_of_all(options.select);
  if (!select) return select.error();
  const auto ignore = ids_of_all(options.ignore);
  if (!ignore) return ignore.error();
  const auto extend = ids_of_all(options.extend_select);
  if (!extend) return extend.error();

  Selection selection;
  if (!options.select.empty()) {
    for (const Listed& listed : all_rules()) selection.said_[listed.rule->id] = {false, Level::off};
  }
  for (const std::string_view id : *select) selection.said_[id] = {true, std::nullopt};
  for (const std::string_view id : *ignore) selection.said_[id] = {false, Level::off};
  for (const std::string_view id : *extend) selection.said_[id] = {true, std::nullopt};

  for (const std::string& setting : options.severity) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      return Error{fmt::format("'{0}' sets no level: write {0}=LEVEL (error, warning, info or off)",
                               printable(setting))};
    }
    const auto ids = ids_of(std::string_view(setting).substr(0, equals));
    if (!ids) return ids.error();
    const std::string word = setting.substr(equals + 1);
    const auto level = level_named(word);
    if (!level) {
      return Error{fmt::format("'{}' is no severity{} (error, warning, info or off)",
                               printable(word), did_you_mean(word, level_names()))};
    }
    for (const std::string_view id : *ids) {
      // It does not switch on what is not selected.
      if (selection.said_of(id).level != Level::off) selection.said_[id].level = level;
    }
  }
  return selection;
}

const Selection::Said& Selection::said_of(std::string_view id) const {
  static const Said nothing;
  const auto found = said_.find(id);
  return found == said_.end() ? nothing : found->second;
}

bool Selection::runs(std::string_view id) const {
  const Said& said = said_of(id);
  if (said.level) return said.level != Level::off;
  return said.selected || configs_ == nullptr || configs_->may_run(id);
}

RuleSettings Selection::settings_of(const std::string& file) const {
  return configs_ == nullptr ? RuleSettings() : configs_->rules_for(file);
}

std::optional<Level> Selection::level_of(std::string_view id, const RuleSettings& settings,
                                         const Subject& subject) const {
  const Said& said = said_of(id);
  if (said.level) return said.level;
  const Levels::Said* configured = settings.find(id, subject);
  if (configured == nullptr) return std::nullopt;
  if (configured->level == Level::off && said.selected) return std::nullopt;
  return configured->level;
}

}  // namespace cnsched::rules
