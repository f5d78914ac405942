#include "rules/engine/rule_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "rules/engine/config.h"

namespace cnsched::rules {

namespace {

std::string_view text_of_first(const std::vector<PolicyExample>& examples) {
  return examples.empty() ? std::string_view() : std::string_view(examples.front().text);
}

}  // namespace

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

void RuleSet::add(const ClusterConfig* config, std::shared_ptr<const Policy> policy) {
  const auto known = own_by_id_.find(policy->id);
  if (known != own_by_id_.end()) return known->second->policy.add(config, std::move(policy));
  Own& own = own_.emplace_back();
  own.policy.add(config, std::move(policy));
  own_by_id_[own.policy.first().id] = &own;
}

void RuleSet::list_policies() {
  for (Own& own : own_) {
    const Policy& policy = own.policy.first();
    own.details = fmt::format("Defined in {}.", policy.place);
    own.why = policy.why.empty() ? "The policy does not say why." : policy.why;
    own.rule = {.id = policy.id,
                .severity = policy.severity,
                .depends_on_workspace = true,
                .summary = policy.summary,
                .details = own.details,
                .why = own.why,
                .bad = text_of_first(policy.bad),
                .good = text_of_first(policy.good),
                .source = policy.source,
                .check = &own.policy,
                .not_exported = "policies of a configuration are not exported"};
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
