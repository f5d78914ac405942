// A key that is unknown to us may be a newer Knative's, so only slips of known ones are reported.
#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/kserve/knative_flags.h"
#include "core/yaml/tree.h"
#include "rules/engine/changes.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const k8s::Object& object, Report& report);

extern constinit const Rule knative_knative_feature_key = {
    .id = "knative-feature-key",
    .severity = Severity::error,
    .summary = "a Knative feature flag that is misspelt, or set where nothing reads it",
    .why =
        "The flag stays off, and Knative goes on refusing the field. Knative looks up its flags "
        "by their exact, lower-case names and silently ignores every other key: "
        "kubernetes.podspec-nodeSelector switches nothing. The text under _example is "
        "documentation: a flag that is changed there is not set. With the annotation "
        "knative.dev/example-checksum the webhook refuses the edit ('the update modifies a key "
        "in \"_example\" which is probably not what you want'); without it the edit is silently "
        "useless.\n\n"
        "The operator copies spec.config.config-features of a KnativeServing, or "
        "spec.config.features if there is no such key; if both are present, only "
        "config-features. And only the ConfigMap config-features in Knative's own namespace is "
        "read: a warning where its name or namespace is another. A flag that is newer than the "
        "Knative that .cnsched.yaml or spec.version names is ignored as well.",
    .bad = R"(
apiVersion: operator.knative.dev/v1beta1
kind: KnativeServing
metadata:
  name: knative-serving
  namespace: knative-serving
spec:
  config:
    features:
      kubernetes.podspec-nodeSelector: enabled
      kubernetes.podspec-toleration: enabled
)",
    .good = R"(
apiVersion: operator.knative.dev/v1beta1
kind: KnativeServing
metadata:
  name: knative-serving
  namespace: knative-serving
spec:
  config:
    features:
      kubernetes.podspec-nodeselector: enabled
      kubernetes.podspec-tolerations: enabled
)",
    .source = "https://knative.dev/docs/serving/configuration/feature-flags/",
    .check = check,
    .fix = Safety::unsafe,
};

using kserve::KnativeFlag;
using yaml::Node;

/// Most of the keys that a map of flags may have; no more than that many are compared with ours.
constexpr std::size_t kMostKeys = 1000;

static bool is_off(const Node& value) { return equals_ignoring_case(value.text(), "disabled"); }

static void check_version(const yaml::Entry& entry, const std::optional<Version>& knative,
                          Report& report) {
  const KnativeFlag* flag = kserve::find_knative_flag(entry.key->text());
  if (flag == nullptr || !knative || *knative >= flag->since || is_off(*entry.value)) return;
  report
      .add(*entry.key, "Knative {} does not know '{}' yet and ignores it: the flag came with {}",
           to_string(*knative), flag->key, to_string(flag->since))
      .help("upgrade Knative, or run what needs the flag in raw (RawDeployment, Standard) mode");
}

static void check_slip(const yaml::Entry& entry, const Node& flags, Report& report) {
  const KnativeFlag* meant = kserve::meant_knative_flag(entry.key->text());
  if (meant == nullptr) return;
  auto finding = report.add(*entry.key, "Knative knows no flag '{}' and silently ignores it",
                            entry.key->text());
  finding.help("write '{}': names of flags are compared exactly", meant->key);
  const Node& other = flags[meant->key];
  if (!other) {
    finding.fix(Safety::unsafe, fmt::format("write '{}'", meant->key),
                {yaml::to_rename(*entry.value, meant->key)});
    return;
  }
  finding.severity(Severity::warning).note(*other.key(), "this one is read");
  if (other.text() != entry.value->text()) return;
  finding.fix(Safety::unsafe, fmt::format("remove it: '{}' is set already", meant->key),
              {yaml::to_erase(*entry.value)});
}

static void check_keys(const Node& flags, const std::optional<Version>& knative, Report& report) {
  const auto entries = yaml::entries_of(flags);
  for (const yaml::Entry& entry : std::span(entries).first(std::min(entries.size(), kMostKeys))) {
    check_slip(entry, flags, report);
    check_version(entry, knative, report);
  }
}

/// Whether any key is a flag of Knative Serving.
static bool holds_flags(const Node& mapping) {
  return std::ranges::any_of(mapping.entries(), [](const yaml::Entry& entry) {
    return kserve::find_knative_flag(entry.key->text()) != nullptr;
  });
}

// The ConfigMap.

/// Where a line of the text stands in its file; the key, if quotes and escapes hide it.
static Span place_of_line(const Node& text, std::string_view line, const Report& report) {
  const std::string_view written = report.run().file_of(text.span).text(text.span);
  std::size_t at = written.find(line);
  // The same words may stand in a comment above.
  while (at != std::string_view::npos &&
         !trim(written.substr(0, at).substr(written.substr(0, at).rfind('\n') + 1)).empty()) {
    at = written.find(line, at + 1);
  }
  if (at == std::string_view::npos) return text.key()->span;
  Span place = text.span;
  place.begin += static_cast<std::uint32_t>(at);
  place.end = place.begin + static_cast<std::uint32_t>(line.size());
  return place;
}

/// The webhook refuses the object with the checksum for its changed text, whatever else it says.
static bool has_checksum(const k8s::Object& object) {
  return bool(object.annotations()["knative.dev/example-checksum"]);
}

static void check_example(const k8s::Object& object, Report& report) {
  const Node& data = object["data"];
  const Node& example = data["_example"];
  for (const kserve::EditedExample& edited : kserve::edited_examples(example.text())) {
    if (data[edited.flag->key]) continue;
    auto finding =
        report.add_at(place_of_line(example, edited.line, report),
                      "'{}' is set under _example, which is documentation: Knative does not read "
                      "it, and the flag stays off",
                      edited.flag->key);
    const std::string help =
        fmt::format("write '{}: {}' directly under data", edited.flag->key, edited.value);
    finding.help("{}", help);
    if (has_checksum(object) || !kserve::reads_value(*edited.flag, edited.value)) continue;
    finding.fix(Safety::unsafe, help,
                {yaml::to_add_entry(data, edited.flag->key, report.make_string(edited.value))});
  }
}

static void check_name(const k8s::Object& object, Report& report) {
  const Node& data = object["data"];
  if (object.ns == "knative-eventing" || k8s::is_placeholder(object.name)) return;
  // A patch may be called after what it patches.
  if (object.name.find("config-features") != std::string_view::npos) return;
  if (object.name.empty() || !holds_flags(data)) return;
  report
      .add((*object.root)["metadata"]["name"],
           "Knative reads its flags from the ConfigMap 'config-features' only, not from '{}'",
           object.name)
      .severity(Severity::warning)
      .help("call it config-features, in the namespace knative-serving");
}

/// Knative may live in a namespace of the operator's choice, but not in another project's.
static void check_namespace(const k8s::Object& object, Report& report) {
  constexpr auto kOthers = std::to_array<std::string_view>(
      {"default", "kserve", "kubeflow", "kube-system", "istio-system", "cert-manager"});
  if (std::ranges::find(kOthers, object.ns) == kOthers.end() || !holds_flags(object["data"])) {
    return;
  }
  report
      .add((*object.root)["metadata"]["namespace"],
           "Knative reads config-features only in its own namespace, normally 'knative-serving', "
           "not "
           "in '{}'",
           object.ns)
      .severity(Severity::warning)
      .help("put it into knative-serving");
}

static void check_config_map(const k8s::Object& object, Report& report) {
  if (object.name != "config-features") return check_name(object, report);
  if (kserve::feature_maps_in(object).empty()) return;  // Eventing's
  const Node& data = object["data"];
  check_namespace(object, report);
  check_keys(data, report.facts().knative, report);
  if (data["_example"].is_scalar()) check_example(object, report);
}

// The operator's object.

static std::string_view effective_value(const KnativeFlag& flag, const Node& value) {
  if (value || !flag.tri_state) return value.text();
  return kserve::default_state(flag) == kserve::FlagState::enabled ? "enabled" : "disabled";
}

static void check_hidden(const Node& config, Report& report) {
  const Node& hidden = config["features"];
  const Node& read = config["config-features"];
  if (!hidden.is_mapping() || !read.is_mapping()) return;
  const bool differs = std::ranges::any_of(kserve::knative_flags(), [&](const KnativeFlag& flag) {
    const Node& value = hidden[flag.key];
    return value && !equals_ignoring_case(value.text(), effective_value(flag, read[flag.key]));
  });
  if (!differs) return;
  report
      .add_at_key(
          hidden,
          "'features' is ignored: where 'config-features' is set as well, the operator reads "
          "only that")
      .note(*read.key(), "this one is read")
      .help("write all flags under one of them");
}

/// The first flag that is spelt in two steps, kubernetes: {podspec-affinity: enabled}, as it should
/// be written; "" if there is none.
static std::string flag_in_two_steps(const yaml::Entry& entry) {
  const auto entries = yaml::entries_of(*entry.value);
  for (const yaml::Entry& end : std::span(entries).first(std::min(entries.size(), kMostKeys))) {
    const std::string name = fmt::format("{}.{}", entry.key->text(), end.key->text());
    if (kserve::find_knative_flag(name) == nullptr) continue;
    return fmt::format("{}: {}", name, end.value->text());
  }
  return "";
}

static std::string advice_on_place(const yaml::Entry& entry) {
  const std::string flag = flag_in_two_steps(entry);
  return flag.empty() ? "put the flags into spec.config.features"
                      : fmt::format("write '{}' under spec.config.features", flag);
}

/// Flags in two steps, each in one: the first in the place of all, for what is around it stays.
static std::vector<yaml::Change> changes_to_one_step(const yaml::Entry& entry, const Node& flags) {
  std::vector<yaml::Change> changes;
  const auto entries = yaml::entries_of(*entry.value);
  if (entries.size() > kMostKeys) return {};
  for (const yaml::Entry& end : entries) {
    const std::string name = fmt::format("{}.{}", entry.key->text(), end.key->text());
    if (kserve::find_knative_flag(name) == nullptr || flags[name]) return {};
    if (changes.empty()) {
      changes.push_back(yaml::to_rename(*entry.value, name));
      changes.push_back(yaml::to_set(*entry.value, *end.value));
    } else {
      changes.push_back(yaml::to_add_entry(flags, name, *end.value));
    }
  }
  return changes;
}

/// A flag in two steps among the others. The operator's schema has strings there.
static void check_nested(const Node& flags, Report& report) {
  for (const yaml::Entry& entry : yaml::entries_of(flags)) {
    if (flag_in_two_steps(entry).empty()) continue;
    auto finding =
        report.add(*entry.key,
                   "'{}' is a mapping, and the name of a flag is one key with its dots: the API "
                   "server refuses the object",
                   entry.key->text());
    finding.help("{}", advice_on_place(entry));
    auto changes = changes_to_one_step(entry, flags);
    if (changes.empty() || has_comments(*entry.value, report)) continue;
    const std::string title = fmt::format("write '{}'", changes.front().key);
    finding.fix(Safety::unsafe, title, std::move(changes));
  }
}

static void check_outside_config(const Node& features, Report& report) {
  if (!holds_flags(features)) return;
  report
      .add_at_key(features,
                  "a KnativeServing has no 'spec.features': its flags are dropped silently")
      .help("put the flags into spec.config.features");
}

/// Whether nothing but flags is set there, so that it can be meant for nothing else.
static bool holds_only_flags(const Node& mapping) {
  return mapping.is_mapping() && !mapping.entries().empty() &&
         std::ranges::all_of(mapping.entries(), [](const yaml::Entry& entry) {
           return kserve::find_knative_flag(entry.key->text()) != nullptr;
         });
}

static void check_other_names(const Node& config, Report& report) {
  for (const yaml::Entry& entry : yaml::entries_of(config)) {
    const std::string_view name = entry.key->text();
    if (name == "features" || name == "config-features") continue;
    const bool is_flag = kserve::find_knative_flag(name) != nullptr;
    if (!is_flag && !holds_flags(*entry.value) && flag_in_two_steps(entry).empty()) continue;
    auto finding = report.add(*entry.key, "'{}' is not read here: {}", name,
                              is_flag ? "a flag belongs under spec.config.features"
                                      : "flags belong under spec.config.features");
    finding.help("{}", advice_on_place(entry));
    if (config["features"] || config["config-features"] || !holds_only_flags(*entry.value))
      continue;
    finding.fix(Safety::unsafe, "write 'features'", {yaml::to_rename(*entry.value, "features")});
  }
}

static void check_serving(const k8s::Object& object, Report& report) {
  const Node& config = object.spec()["config"];
  check_hidden(config, report);
  check_other_names(config, report);
  check_outside_config(object.spec()["features"], report);
  std::optional<Version> knative = report.facts().knative;
  if (!knative) knative = Version::parse(object.spec()["version"].text());
  for (const kserve::FeatureMap& map : kserve::feature_maps_in(object)) {
    if (map.flags == nullptr) continue;
    check_keys(*map.flags, knative, report);
    check_nested(*map.flags, report);
  }
}

static void check(const k8s::Object& object, Report& report) {
  if (object.is("", "ConfigMap")) check_config_map(object, report);
  if (object.is("operator.knative.dev", "KnativeServing")) check_serving(object, report);
}

}  // namespace cnsched::rules
