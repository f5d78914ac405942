// An unknown key may be a flag of a newer Knative, so only misspellings of known flags are
// reported.
#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/kserve/knative_features.h"
#include "core/yaml/tree.h"
#include "rules/findings.h"
#include "rules/rule.h"

namespace cnsched::rules::knative_feature_key {

using kserve::KnativeFlag;
using yaml::Node;

/// Keys of one map that are compared with the known flags, at most.
constexpr std::size_t kMaxKeys = 1000;

static bool is_disabled(const Node& value) {
  return equals_ignoring_case(value.text(), "disabled");
}

static void check_version(const yaml::Entry& entry, const std::optional<Version>& knative,
                          Findings& findings) {
  const KnativeFlag* flag = kserve::find_knative_flag(entry.key->text());
  if (flag == nullptr || !knative || *knative >= flag->since || is_disabled(*entry.value)) return;
  findings
      .add(*entry.key, "Knative {} ignores the flag '{}', which was added in {}",
           to_string(*knative), flag->key, to_string(flag->since))
      .help(
          "upgrade Knative, or use raw (RawDeployment, Standard) mode for pods that need the flag");
}

static void check_spelling(const yaml::Entry& entry, const Node& flags, Findings& findings) {
  const KnativeFlag* intended = kserve::intended_knative_flag(entry.key->text());
  if (intended == nullptr) return;
  auto finding =
      findings.add(*entry.key, "unknown flag '{}': Knative silently ignores it", entry.key->text());
  finding.help("write '{}': flag names are case-sensitive", intended->key);
  const Node& other = flags.under(intended->key);
  if (!other) {
    finding.fix(Safety::unsafe, fmt::format("write '{}'", intended->key),
                {yaml::to_rename(*entry.value, intended->key)});
    return;
  }
  finding.severity(Severity::warning).note(*other.key(), "Knative reads this flag");
  if (other.text() != entry.value->text()) return;
  finding.fix(Safety::unsafe, fmt::format("remove the key: '{}' is already set", intended->key),
              {yaml::to_erase(*entry.value)});
}

static void check_keys(const Node& flags, const std::optional<Version>& knative,
                       Findings& findings) {
  const auto entries = yaml::entries_of(flags);
  for (const yaml::Entry& entry : std::span(entries).first(std::min(entries.size(), kMaxKeys))) {
    check_spelling(entry, flags, findings);
    check_version(entry, knative, findings);
  }
}

/// Whether any key is a flag of Knative Serving.
static bool holds_flags(const Node& mapping) {
  return std::ranges::any_of(mapping.entries(), [](const yaml::Entry& entry) {
    return kserve::find_knative_flag(entry.key->text()) != nullptr;
  });
}

// The ConfigMap.

/// The position in the file of a line of the text; the key, if quotes and escapes hide the line.
static Span place_of_line(const Node& text, std::string_view line, const Findings& findings) {
  const std::string_view written = findings.scope().file_of(text.span).text(text.span);
  std::size_t at = written.find(line);
  // A comment above may contain the same words.
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

/// Whether the webhook rejects the object for its changed example text, whatever else it contains.
static bool has_checksum(const k8s::Object& object) {
  return bool(object.annotations()["knative.dev/example-checksum"]);
}

static void check_example(const k8s::Object& object, Findings& findings) {
  const Node& data = object["data"];
  const Node& example = data["_example"];
  for (const kserve::ExampleFlag& edited : kserve::example_flags(example.text())) {
    if (data.under(edited.flag->key)) continue;
    auto finding = findings.add_at(
        place_of_line(example, edited.line, findings),
        "'{}' is set under '_example', which Knative does not read: the flag stays off",
        edited.flag->key);
    const std::string help =
        fmt::format("write '{}: {}' directly under data", edited.flag->key, edited.value);
    finding.help("{}", help);
    if (has_checksum(object) || !kserve::reads_value(*edited.flag, edited.value)) continue;
    finding.fix(Safety::unsafe, help,
                {yaml::to_add_entry(data, edited.flag->key, findings.make_string(edited.value))});
  }
}

static void check_name(const k8s::Object& object, Findings& findings) {
  const Node& data = object["data"];
  if (object.ns.name == "knative-eventing" || k8s::is_placeholder(object.name)) return;
  // A patch may have the name of the object that it patches.
  if (object.name.find("config-features") != std::string_view::npos) return;
  if (object.name.empty() || !holds_flags(data)) return;
  findings
      .add((*object.root)["metadata"]["name"],
           "Knative reads flags only from the ConfigMap 'config-features', not from '{}'",
           object.name)
      .severity(Severity::warning)
      .help("name it 'config-features', in the namespace 'knative-serving'");
}

/// Knative may be installed in any namespace, but not in that of another project.
static void check_namespace(const k8s::Object& object, Findings& findings) {
  constexpr auto kOthers = std::to_array<std::string_view>(
      {"default", "kserve", "kubeflow", "kube-system", "istio-system", "cert-manager"});
  if (std::ranges::find(kOthers, object.ns.name) == kOthers.end() || !holds_flags(object["data"])) {
    return;
  }
  findings
      .add((*object.root)["metadata"]["namespace"],
           "Knative reads 'config-features' only from its own namespace, normally "
           "'knative-serving', not from '{}'",
           object.ns.name)
      .severity(Severity::warning)
      .help("move it to the namespace 'knative-serving'");
}

static void check_config_map(const k8s::Object& object, Findings& findings) {
  if (object.name != "config-features") return check_name(object, findings);
  if (kserve::feature_maps_in(object).empty()) return;  // Knative Eventing's ConfigMap
  const Node& data = object["data"];
  check_namespace(object, findings);
  check_keys(data, findings.facts().knative, findings);
  if (data["_example"].is_scalar()) check_example(object, findings);
}

// The operator's object.

static std::string_view effective_value(const KnativeFlag& flag, const Node& value) {
  if (value || !flag.tri_state) return value.text();
  return flag.by_default == kserve::FlagState::enabled ? "enabled" : "disabled";
}

static void check_hidden(const Node& config, Findings& findings) {
  const Node& hidden = config["features"];
  const Node& read = config["config-features"];
  if (!hidden.is_mapping() || !read.is_mapping()) return;
  const bool differs = std::ranges::any_of(kserve::knative_flags(), [&](const KnativeFlag& flag) {
    const Node& value = hidden.under(flag.key);
    return value &&
           !equals_ignoring_case(value.text(), effective_value(flag, read.under(flag.key)));
  });
  if (!differs) return;
  findings
      .add_at_key(hidden, "the operator ignores 'features', because 'config-features' is also set")
      .note(*read.key(), "the operator reads this")
      .help("write all flags under one of the two keys");
}

/// The first flag that is written as a nested mapping, kubernetes: {podspec-affinity: enabled}, in
/// its correct form; "" if there is none.
static std::string nested_flag(const yaml::Entry& entry) {
  const auto entries = yaml::entries_of(*entry.value);
  for (const yaml::Entry& end : std::span(entries).first(std::min(entries.size(), kMaxKeys))) {
    const std::string name = fmt::format("{}.{}", entry.key->text(), end.key->text());
    if (kserve::find_knative_flag(name) == nullptr) continue;
    return fmt::format("{}: {}", name, end.value->text());
  }
  return "";
}

static std::string advice_on_place(const yaml::Entry& entry) {
  const std::string flag = nested_flag(entry);
  return flag.empty() ? "move the flags to spec.config.features"
                      : fmt::format("write '{}' under spec.config.features", flag);
}

/// Turns nested flags into one key each. The first one replaces the mapping, so that the text
/// around it remains.
static std::vector<yaml::Change> changes_to_flat_keys(const yaml::Entry& entry, const Node& flags) {
  std::vector<yaml::Change> changes;
  const auto entries = yaml::entries_of(*entry.value);
  if (entries.size() > kMaxKeys) return {};
  for (const yaml::Entry& end : entries) {
    const std::string name = fmt::format("{}.{}", entry.key->text(), end.key->text());
    if (kserve::find_knative_flag(name) == nullptr || flags.under(name)) return {};
    if (changes.empty()) {
      changes.push_back(yaml::to_rename(*entry.value, name));
      changes.push_back(yaml::to_set(*entry.value, *end.value));
    } else {
      changes.push_back(yaml::to_add_entry(flags, name, *end.value));
    }
  }
  return changes;
}

/// Reports a nested mapping among the flags, where the operator's schema has strings.
static void check_nested(const Node& flags, Findings& findings) {
  for (const yaml::Entry& entry : yaml::entries_of(flags)) {
    if (nested_flag(entry).empty()) continue;
    auto finding = findings.add(*entry.key,
                                "'{}' is a mapping, but a flag name is one key with dots: the API "
                                "server rejects the object",
                                entry.key->text());
    finding.help("{}", advice_on_place(entry));
    auto changes = changes_to_flat_keys(entry, flags);
    if (changes.empty() || has_comments(*entry.value, findings)) continue;
    const std::string title = fmt::format("write '{}'", changes.front().key);
    finding.fix(Safety::unsafe, title, std::move(changes));
  }
}

static void check_outside_config(const Node& features, Findings& findings) {
  if (!holds_flags(features)) return;
  findings
      .add_at_key(
          features,
          "a KnativeServing has no 'spec.features': the API server drops the flags silently")
      .help("move the flags to spec.config.features");
}

/// Whether the mapping contains only flags.
static bool holds_only_flags(const Node& mapping) {
  return mapping.is_mapping() && !mapping.entries().empty() &&
         std::ranges::all_of(mapping.entries(), [](const yaml::Entry& entry) {
           return kserve::find_knative_flag(entry.key->text()) != nullptr;
         });
}

static void check_other_names(const Node& config, Findings& findings) {
  for (const yaml::Entry& entry : yaml::entries_of(config)) {
    const std::string_view name = entry.key->text();
    if (name == "features" || name == "config-features") continue;
    const bool is_flag = kserve::find_knative_flag(name) != nullptr;
    if (!is_flag && !holds_flags(*entry.value) && nested_flag(entry).empty()) continue;
    auto finding = findings.add(
        *entry.key,
        "the operator does not read '{}' here: flags belong under 'spec.config.features'", name);
    finding.help("{}", advice_on_place(entry));
    if (config["features"] || config["config-features"] || !holds_only_flags(*entry.value))
      continue;
    finding.fix(Safety::unsafe, "write 'features'", {yaml::to_rename(*entry.value, "features")});
  }
}

static void check_serving(const k8s::Object& object, Findings& findings) {
  const Node& config = object.spec()["config"];
  check_hidden(config, findings);
  check_other_names(config, findings);
  check_outside_config(object.spec()["features"], findings);
  std::optional<Version> knative = findings.facts().knative;
  if (!knative) knative = Version::parse(object.spec()["version"].text());
  for (const kserve::FeatureMap& map : kserve::feature_maps_in(object)) {
    if (map.flags == nullptr) continue;
    check_keys(*map.flags, knative, findings);
    check_nested(*map.flags, findings);
  }
}

static void check(const k8s::Object& object, Findings& findings) {
  if (object.is("", "ConfigMap")) check_config_map(object, findings);
  if (object.is("operator.knative.dev", "KnativeServing")) check_serving(object, findings);
}

extern constinit const Rule rule = {
    .id = "knative-feature-key",
    .severity = Severity::error,
    .fix = Safety::unsafe,
    .check = check,
};

}  // namespace cnsched::rules::knative_feature_key
