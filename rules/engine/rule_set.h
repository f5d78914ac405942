#pragma once

#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/facts/cluster_config.h"
#include "rules/page.h"
#include "rules/policy/policy_rule.h"
#include "rules/registry.h"

namespace cnsched::rules {

class Configs;

/// The rules of a run: the built-in ones, and those that the policies of its configurations define.
class RuleSet {
 public:
  /// Without policies.
  static const RuleSet& built_in();
  /// With the policies of the configurations, each for their files.
  explicit RuleSet(const Configs& configs);
  /// With policies for all files, which have no configuration.
  explicit RuleSet(const std::vector<std::shared_ptr<const Policy>>& policies);
  RuleSet(const RuleSet&) = delete;
  RuleSet& operator=(const RuleSet&) = delete;

  /// In the order of rules.def, then the policies.
  std::span<const Listed> all() const { return listed_; }
  /// The rules that policies define.
  std::span<const Listed> policies() const;
  /// The rule with that id, or null.
  const Listed* find(std::string_view id) const;
  /// The ids of the rules that the word selects, with those that follow them (Rule::follows); empty
  /// if it is unknown.
  std::vector<std::string_view> ids_named(std::string_view word) const;
  /// Every word that selects rules: the groups, `all` and the ids.
  std::vector<std::string_view> words() const;

 private:
  RuleSet();
  void add(const facts::ClusterConfig* config, std::shared_ptr<const Policy> policy);
  void list_policies();

  /// A rule of policies with one id.
  struct Own {
    PolicyRule policy{};
    Page page{};
    Rule rule{};
  };
  std::deque<Own> own_;
  std::map<std::string_view, Own*> own_by_id_;
  std::vector<Listed> listed_;
};

/// The policy that defines the rule, the first one if several configurations have one with its id;
/// null for a built-in rule.
const Policy* policy_of(const Rule& rule);
/// Whether the rule is a policy.
bool is_policy(const Rule& rule);

}  // namespace cnsched::rules
