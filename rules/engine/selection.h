#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/diag/diagnostic.h"
#include "core/facts/cluster_config.h"
#include "rules/config/config.h"
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

/// The options --select, --ignore, --extend-select and --severity. Each word is the id of a rule, a
/// group, or `all`.
struct SelectionOptions {
  std::vector<std::string> select;         ///< replaces the default, which is all
  std::vector<std::string> ignore;         ///< removed from these
  std::vector<std::string> extend_select;  ///< added last
  std::vector<std::string> severity;       ///< RULE=error|warning|info|off
  /// Rules that the words may name although they are not of this run; may be null.
  const RuleSet* elsewhere = nullptr;
};

/// The rules that run and their severities, from the command line first, then from the
/// configuration of the file. Evaluated per finding, because a configuration may apply to single
/// files and objects.
class Selection {
 public:
  /// Every rule, with its own severity.
  static Selection everything() { return {}; }
  /// Selects from `rules`, which must outlive it. Fails for an unknown rule or group and for an
  /// unknown severity.
  static Result<Selection> from(const SelectionOptions& options,
                                const RuleSet& rules = RuleSet::built_in());

  /// The rules that it selects from.
  const RuleSet& rules() const { return *rules_; }

  /// Uses `configs`, which must outlive it, for rules that the command line does not mention.
  void follow(const Configs& configs) { configs_ = &configs; }

  /// Whether the rule can report anything in any file.
  bool runs(std::string_view id) const;
  /// The configured level of a finding of the rule about `subject`, in a file with these settings;
  /// nothing if the finding keeps its severity.
  std::optional<Level> level_of(std::string_view id, const RuleSettings& settings,
                                const Subject& subject) const;
  RuleSettings settings_of(const std::string& file) const;

 private:
  /// The options for one rule.
  struct Setting {
    bool selected = false;  ///< overrides the configuration
    std::optional<Level> level{};
  };

  const Setting& setting_of(std::string_view id) const;

  const RuleSet* rules_ = &RuleSet::built_in();
  std::map<std::string_view, Setting> settings_;
  const Configs* configs_ = nullptr;
};

}  // namespace cnsched::rules
