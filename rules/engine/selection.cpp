#include "rules/engine/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "rules/config/config.h"
#include "rules/registry.h"

namespace cnsched::rules {

namespace {

/// The ids that the word selects, or an error.
Result<std::vector<std::string_view>> ids_of(const RuleSet& rules, std::string_view word,
                                             const RuleSet* elsewhere) {
  std::vector<std::string_view> ids = rules.ids_named(word);
  if (!ids.empty() || word == kPolicyGroup) return ids;
  if (elsewhere != nullptr && !elsewhere->ids_named(word).empty()) return ids;
  return Error{fmt::format("unknown rule or group '{}'{} ('cnsched rules' lists them)",
                           printable(word), did_you_mean(word, rules.words()))};
}

/// The ids that comma-separated lists of words select.
Result<std::vector<std::string_view>> ids_of_all(const RuleSet& rules,
                                                 const std::vector<std::string>& words,
                                                 const RuleSet* elsewhere) {
  std::vector<std::string_view> all;
  for (const std::string& list : words) {
    for (const std::string_view word : split(list, ',')) {
      const auto ids = ids_of(rules, trim(word), elsewhere);
      if (!ids) return ids.error();
      all.insert(all.end(), ids->begin(), ids->end());
    }
  }
  return all;
}

std::string text_of_first(const std::vector<PolicyExample>& examples) {
  return examples.empty() ? std::string() : examples.front().text;
}

}  // namespace

Result<Selection> Selection::from(const SelectionOptions& options, const RuleSet& rules) {
  const auto select = ids_of_all(rules, options.select, options.elsewhere);
  if (!select) return select.error();
  const auto ignore = ids_of_all(rules, options.ignore, options.elsewhere);
  if (!ignore) return ignore.error();
  const auto extend = ids_of_all(rules, options.extend_select, options.elsewhere);
  if (!extend) return extend.error();

  Selection selection;
  selection.rules_ = &rules;
  if (!options.select.empty()) {
    for (const Listed& listed : rules.all())
      selection.settings_[listed.rule->id] = {false, Level::off};
  }
  for (const std::string_view id : *select) selection.settings_[id] = {true, std::nullopt};
  for (const std::string_view id : *ignore) selection.settings_[id] = {false, Level::off};
  for (const std::string_view id : *extend) selection.settings_[id] = {true, std::nullopt};

  for (const std::string& setting : options.severity) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      return Error{fmt::format("'{0}' has no level: write {0}=LEVEL (error, warning, info or off)",
                               printable(setting))};
    }
    const auto ids = ids_of(rules, std::string_view(setting).substr(0, equals), options.elsewhere);
    if (!ids) return ids.error();
    const std::string word = setting.substr(equals + 1);
    const auto level = level_named(word);
    if (!level) {
      return Error{fmt::format("unknown severity '{}'{} (error, warning, info or off)",
                               printable(word), did_you_mean(word, level_names()))};
    }
    for (const std::string_view id : *ids) {
      // --severity does not enable a rule that is not selected.
      if (selection.setting_of(id).level != Level::off) selection.settings_[id].level = level;
    }
  }
  return selection;
}

const Selection::Setting& Selection::setting_of(std::string_view id) const {
  static const Setting nothing;
  const auto found = settings_.find(id);
  return found == settings_.end() ? nothing : found->second;
}

bool Selection::runs(std::string_view id) const {
  const Setting& setting = setting_of(id);
  if (setting.level) return setting.level != Level::off;
  return setting.selected || configs_ == nullptr || configs_->may_run(id);
}

RuleSettings Selection::settings_of(const std::string& file) const {
  return configs_ == nullptr ? RuleSettings() : configs_->rules_for(file);
}

std::optional<Level> Selection::level_of(std::string_view id, const RuleSettings& settings,
                                         const Subject& subject) const {
  const Setting& setting = setting_of(id);
  if (setting.level) return setting.level;
  const Levels::Setting* configured = settings.find(id, subject);
  if (configured == nullptr) return std::nullopt;
  if (configured->level == Level::off && setting.selected) return std::nullopt;
  return configured->level;
}

const RuleSet& RuleSet::built_in() {
  static const RuleSet rules;
  return rules;
}

RuleSet::RuleSet() : listed_(all_rules().begin(), all_rules().end()) {}

RuleSet::RuleSet(const Configs& configs) : RuleSet() {
  for (const auto& [config, policy] : configs.policies()) add(config, policy);
  list_policies();
}

RuleSet::RuleSet(const std::vector<std::shared_ptr<const Policy>>& policies) : RuleSet() {
  for (const auto& policy : policies) add(nullptr, policy);
  list_policies();
}

void RuleSet::add(const facts::ClusterConfig* config, std::shared_ptr<const Policy> policy) {
  const auto known = own_by_id_.find(policy->id);
  if (known != own_by_id_.end()) return known->second->policy.add(config, std::move(policy));
  Own& own = own_.emplace_back();
  own.policy.add(config, std::move(policy));
  own_by_id_[own.policy.first().id] = &own;
}

void RuleSet::list_policies() {
  for (Own& own : own_) {
    const Policy& policy = own.policy.first();
    own.page = {.summary = policy.summary,
                .details = fmt::format("Defined in {}.", policy.place),
                .why = policy.why.empty() ? "The policy does not say why." : policy.why,
                .bad = text_of_first(policy.bad),
                .good = text_of_first(policy.good),
                .not_exported = "policies of a configuration are not exported",
                .source = policy.source};
    own.rule = {.id = policy.id,
                .severity = policy.severity,
                .depends_on_workspace = true,
                .check = &own.policy,
                .page = &own.page};
    listed_.push_back({kPolicyGroup, &own.rule});
  }
}

std::span<const Listed> RuleSet::policies() const {
  return std::span(listed_).subspan(all_rules().size());
}

const Listed* RuleSet::find(std::string_view id) const {
  const auto own = own_by_id_.find(id);
  if (own == own_by_id_.end()) return find_rule(id);
  const auto found = std::ranges::find(listed_, &own->second->rule, &Listed::rule);
  return &*found;
}

std::vector<std::string_view> RuleSet::ids_named(std::string_view word) const {
  std::vector<std::string_view> ids;
  for (const Listed& listed : listed_) {
    const Rule& rule = *listed.rule;
    const bool leads = !rule.follows.empty() && word == rule.follows;
    if (word == kAllRules || word == listed.group || word == rule.id || leads) {
      ids.push_back(rule.id);
    }
  }
  return ids;
}

std::vector<std::string_view> RuleSet::words() const {
  std::vector<std::string_view> words = rule_words();
  words.push_back(kPolicyGroup);
  for (const Listed& listed : policies()) words.push_back(listed.rule->id);
  return words;
}

const Policy* policy_of(const Rule& rule) {
  const auto* policy = std::get_if<const PolicyRule*>(&rule.check);
  return policy == nullptr ? nullptr : &(*policy)->first();
}

bool is_policy(const Rule& rule) { return policy_of(rule) != nullptr; }

}  // namespace cnsched::rules
