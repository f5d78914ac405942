#include <algorithm>
#include <array>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/kserve/knative_flags.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const k8s::Object& object, Report& report);

extern constinit const Rule knative_knative_feature_value = {
    .id = "knative-feature-value",
    .severity = Severity::error,
    .summary = "a value that does not switch a Knative feature flag",
    .why =
        "The ConfigMap looks as if the flag were on, but services that need it are refused. "
        "Knative reads enabled, allowed and disabled, in any case but without blanks around "
        "them. Any other value, \"true\" and \"on\" included, is silently ignored, and the flag "
        "keeps its default. An unquoted true is a boolean, and the API server refuses the "
        "object.\n\n"
        "For init containers, volumes, capabilities and second containers 'allowed' is not "
        "enough: Knative treats it as off. secure-pod-defaults takes disabled, AllowRootBounded "
        "and enabled. A warning where the ignored value says what the default is anyway.",
    .bad = R"(
apiVersion: v1
kind: ConfigMap
metadata:
  name: config-features
  namespace: knative-serving
data:
  kubernetes.podspec-nodeselector: "true"
  kubernetes.podspec-init-containers: allowed
)",
    .good = R"(
apiVersion: v1
kind: ConfigMap
metadata:
  name: config-features
  namespace: knative-serving
data:
  kubernetes.podspec-nodeselector: enabled
  kubernetes.podspec-init-containers: enabled
)",
    .source = "https://knative.dev/docs/serving/configuration/feature-flags/",
    .check = check,
    .fix = Safety::safe,
};

using kserve::FlagState;
using kserve::KnativeFlag;
using yaml::Node;

/// What the flag is if nothing is said. That of flags with values of their own changes by release.
static std::string what_stays(const KnativeFlag& flag) {
  if (!flag.tri_state) return fmt::format("'{}' keeps its default", flag.key);
  const bool off = kserve::default_state(flag) == FlagState::disabled;
  return fmt::format("'{}' stays {}, its default", flag.key, off ? "off" : "on");
}

/// Which of the words the author had in mind; empty if there is no telling.
static std::string_view meant_value(const KnativeFlag& flag, std::string_view value) {
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

static std::string_view values_of(const KnativeFlag& flag) {
  return flag.tri_state ? "enabled, allowed or disabled" : "enabled, AllowRootBounded or disabled";
}

static void add_help(const KnativeFlag& flag, const Node& value, Report& report,
                     Report::Finding& finding) {
  const std::string_view meant = meant_value(flag, value.text());
  if (meant.empty()) {
    finding.help("write {}", values_of(flag));
  } else {
    finding.help("write '{}'", meant)
        .fix(Safety::safe, fmt::format("write '{}'", meant),
             {yaml::to_set(value, report.make_string(meant))});
  }
}

static void report_ignored(const KnativeFlag& flag, const Node& value, Report& report) {
  const bool is_on = kserve::default_state(flag) == FlagState::enabled;
  auto finding = report.add(value, "Knative silently ignores the value '{}': {}", value.text(),
                            what_stays(flag));
  // No value at all may be a template's way to leave the flag alone.
  const std::string_view meant =
      value.text().empty() ? "disabled" : meant_value(flag, value.text());
  const bool as_meant = meant == (is_on ? "enabled" : "disabled");
  if (as_meant) finding.severity(Severity::warning);
  add_help(flag, value, report, finding);
}

static void check_value(const KnativeFlag& flag, const Node& value, Report& report) {
  // By null a kustomize patch removes a flag.
  if (flag.is_removed || value.is_null() || k8s::is_placeholder(value.text())) return;
  if (!value.is_string()) return;  // wrong-type says so
  if (!kserve::reads_value(flag, value.text())) return report_ignored(flag, value, report);
  if (!kserve::is_too_weak(flag, value.text())) return;
  report
      .add(value,
           "'{}' is not enough for '{}': Knative treats it as off, only 'enabled' switches it on",
           value.text(), flag.key)
      .help("write 'enabled'")
      .fix(Safety::safe, "write 'enabled'", {yaml::to_set(value, report.make_string("enabled"))});
}

static void check(const k8s::Object& object, Report& report) {
  for (const kserve::FeatureMap& map : kserve::feature_maps_in(object)) {
    if (map.flags == nullptr) continue;
    for (const yaml::Entry& entry : yaml::entries_of(*map.flags)) {
      const KnativeFlag* flag = kserve::find_knative_flag(entry.key->text());
      if (flag != nullptr) check_value(*flag, *entry.value, report);
    }
  }
}

}  // namespace cnsched::rules
