#include <algorithm>
#include <array>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/kserve/knative_features.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"
#include "rules/rule.h"

namespace cnsched::rules::knative_feature_value {

using kserve::FlagState;
using kserve::KnativeFlag;
using yaml::Node;

/// The state of the flag without a value. For flags with values of their own it depends on the
/// release.
static std::string default_text(const KnativeFlag& flag) {
  if (!flag.tri_state) return fmt::format("'{}' keeps its default", flag.key);
  const bool off = flag.by_default == FlagState::disabled;
  return fmt::format("'{}' stays {}, its default", flag.key, off ? "off" : "on");
}

/// The value that the author most likely intended; empty if that is not clear.
static std::string_view intended_value(const KnativeFlag& flag, std::string_view value) {
  const std::string word = lower(trim(value));
  const auto is_one_of = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
  };
  if (is_one_of({"true", "on", "yes", "y", "1", "enable", "active"})) return "enabled";
  if (is_one_of({"false", "off", "no", "n", "0", "disable", "inactive"})) return "disabled";
  if (flag.tri_state) return nearest(word, {"enabled", "disabled", "allowed"}).value_or("");
  if (word.find("root") != std::string::npos) return "AllowRootBounded";
  return nearest(word, {"enabled", "disabled"}).value_or("");
}

static std::string values_text(const KnativeFlag& flag) {
  const auto values = kserve::values_of(flag);
  return join_words({values.begin(), values.end()}, "or");
}

static void add_help(const KnativeFlag& flag, const Node& value, Findings& findings,
                     Findings::Finding& finding) {
  const std::string_view intended = intended_value(flag, value.text());
  if (intended.empty()) {
    finding.help("write {}", values_text(flag));
  } else {
    finding.help("write '{}'", intended)
        .fix(Safety::safe, fmt::format("write '{}'", intended),
             {yaml::to_set(value, findings.make_string(intended))});
  }
}

static void report_ignored(const KnativeFlag& flag, const Node& value, Findings& findings) {
  const bool is_on = flag.by_default == FlagState::enabled;
  auto finding = findings.add(value, "Knative silently ignores the value '{}': {}", value.text(),
                              default_text(flag));
  // A template may write an empty value to leave the flag unchanged.
  const std::string_view intended =
      value.text().empty() ? "disabled" : intended_value(flag, value.text());
  const bool same_as_default = intended == (is_on ? "enabled" : "disabled");
  if (same_as_default) finding.severity(Severity::warning);
  add_help(flag, value, findings, finding);
}

static void check_value(const KnativeFlag& flag, const Node& value, Findings& findings) {
  // A kustomize patch removes a flag with null.
  if (flag.is_removed || value.is_null() || k8s::is_placeholder(value.text())) return;
  if (!value.is_string()) return;  // wrong-type reports that
  if (!kserve::reads_value(flag, value.text())) return report_ignored(flag, value, findings);
  if (!kserve::is_too_weak(flag, value.text())) return;
  findings
      .add(value,
           "value '{}' does not turn on '{}': Knative treats it as off, only 'enabled' turns it on",
           value.text(), flag.key)
      .help("write 'enabled'")
      .fix(Safety::safe, "write 'enabled'", {yaml::to_set(value, findings.make_string("enabled"))});
}

static void check(const k8s::Object& object, Findings& findings) {
  for (const kserve::FeatureMap& map : kserve::feature_maps_in(object)) {
    if (map.flags == nullptr) continue;
    for (const yaml::Entry& entry : yaml::entries_of(*map.flags)) {
      const KnativeFlag* flag = kserve::find_knative_flag(entry.key->text());
      if (flag != nullptr) check_value(*flag, *entry.value, findings);
    }
  }
}

extern constinit const Rule rule = {
    .id = "knative-feature-value",
    .severity = Severity::error,
    .fix = Safety::safe,
    .check = check,
};

}  // namespace cnsched::rules::knative_feature_value
