#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/k8s/label.h"
#include "core/k8s/selector.h"
#include "core/kserve/deployment_mode.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"
#include "rules/findings.h"
#include "rules/rule.h"

namespace cnsched::rules::min_scale_annotation {

using kserve::DeploymentMode;
using yaml::Node;

namespace {

/// One of the annotations, and the field that KServe reads instead.
struct Scale {
  std::string_view annotation;
  std::string_view field;
  std::int64_t unset;           ///< the default of the field
  bool works_if_unset = false;  ///< KServe keeps the annotation and sets none itself
};

constexpr auto kScales = std::to_array<Scale>({
    {"autoscaling.knative.dev/min-scale", "minReplicas", 1},
    {"autoscaling.knative.dev/minScale", "minReplicas", 1},
    {"autoscaling.knative.dev/max-scale", "maxReplicas", 0},
    {"autoscaling.knative.dev/maxScale", "maxReplicas", 0, true},
});

/// Annotations, and the components that they are written for.
struct Place {
  const Node& annotations;
  std::vector<const Node*> components;
};

}  // namespace

/// The value that the component sets instead of the annotation; nothing if it cannot be read.
static std::optional<std::int64_t> value_of(const Node& component, const Scale& scale) {
  const Node& value = component.under(scale.field);
  return value.is_empty() ? scale.unset : yaml::integer_of(value);
}

/// The first component that overrides the annotation; null if there is none.
static const Node* first_override(const Place& place, const Scale& scale,
                                  std::optional<std::int64_t> wanted, bool raw) {
  // An annotation that matches one component is not reported for another with a different value.
  const bool matched = wanted && std::ranges::any_of(place.components, [&](const Node* component) {
                         return value_of(*component, scale) == wanted;
                       });
  const auto overrides = [&](const Node* component) {
    if (matched && !component->under(scale.field).is_empty()) return false;
    if (scale.works_if_unset && !raw && component->under(scale.field).is_empty()) return false;
    const auto value = value_of(*component, scale);
    return value && value != wanted;
  };
  const auto found = std::ranges::find_if(place.components, overrides);
  return found == place.components.end() ? nullptr : *found;
}

/// The value of the field or its default, for a message.
static std::string value_text(const Node& field, const Scale& scale, bool raw) {
  if (!field.is_empty()) return std::string(field.text());
  if (scale.unset == 1) return "not set and defaults to 1";
  return raw ? "not set" : "not set and defaults to no limit";
}

/// The other end of the range, after its annotation too is moved to the component.
static std::optional<std::int64_t> other_end(const Place& place, const Node& component,
                                             const Scale& scale) {
  const Scale* last = nullptr;
  for (const Scale& other : kScales) {
    if (other.field == scale.field) continue;
    last = &other;
    const Node& annotation = place.annotations.under(other.annotation);
    if (component.under(other.field) || !annotation.is_scalar()) continue;
    return k8s::parse_int64(annotation.text());
  }
  return value_of(component, *last);
}

/// Whether the field may have that value: the webhook rejects a minimum above the maximum.
static bool can_be_set(std::int64_t wanted, std::optional<std::int64_t> other, bool is_least) {
  if (wanted < 0 || wanted > std::numeric_limits<std::int32_t>::max() || !other) return false;
  const std::int64_t least = is_least ? wanted : *other;
  const std::int64_t most = is_least ? *other : wanted;
  return most == 0 || least <= most;
}

/// Adds the fix, unless the field has another value or there are several components: then it is not
/// known which one the author intends.
static void write_field(const Place& place, const Scale& scale, std::int64_t wanted, bool raw,
                        std::string_view title, Findings& findings, Findings::Finding& finding) {
  if (place.components.size() != 1) return;
  const Node& component = *place.components.front();
  if (component.under(scale.field) || (raw && wanted == 0)) return;
  if (!can_be_set(wanted, other_end(place, component, scale), scale.unset == 1)) return;
  const Node& annotation = place.annotations.under(scale.annotation);
  const Node& number = yaml::integer_like(findings.values(), yaml::nowhere(), wanted);
  finding.fix(Safety::unsafe, std::string(title),
              {yaml::to_add_entry(component, scale.field, number, &annotation),
               to_erase_annotation(annotation)});
}

static void check_annotation(const Place& place, const Scale& scale, bool raw, Findings& findings) {
  const Node& value = place.annotations.under(scale.annotation);
  if (!value.is_scalar() || k8s::is_placeholder(value.text())) return;
  const std::optional<std::int64_t> wanted = k8s::parse_int64(value.text());
  const Node* component = first_override(place, scale, wanted, raw);
  if (component == nullptr) return;
  const Node& field = component->under(scale.field);
  auto finding =
      findings.add_at_key(value, "'{}' has no effect{}: KServe uses {} of the {}, which is {}",
                          scale.annotation, raw ? " in raw (RawDeployment, Standard) mode" : "",
                          scale.field, component->key()->text(), value_text(field, scale, raw));
  if (field.is_scalar()) finding.note(field, "KServe uses this value");
  if (wanted) {
    const std::string advice = fmt::format("write '{}: {}' under {} instead", scale.field, *wanted,
                                           component->key()->text());
    finding.help("{}", advice);
    write_field(place, scale, *wanted, raw, advice, findings, finding);
  } else {
    finding.help("write {} under {} instead", scale.field, component->key()->text());
  }
}

static void check(const k8s::Object& object, Findings& findings) {
  if (object.kind != "InferenceService") return;
  const facts::ClusterFacts& facts = findings.facts();
  const DeploymentMode mode =
      kserve::deployment_mode_of(object, facts.default_mode, facts.releases().kserve).mode;
  if (mode == DeploymentMode::model_mesh) return;
  const bool raw = mode == DeploymentMode::standard;
  std::vector<Place> places = {{object.annotations(), {}}};
  for (const std::string_view name : {"predictor", "transformer", "explainer"}) {
    const Node& component = object.spec().under(name);
    if (!component.is_mapping()) continue;
    places.front().components.push_back(&component);
    places.push_back({component["annotations"], {&component}});
  }
  for (const Place& place : places) {
    for (const Scale& scale : kScales) check_annotation(place, scale, raw, findings);
  }
}

extern constinit const Rule rule = {
    .id = "min-scale-annotation",
    .severity = Severity::warning,
    .of = Domain::kserve,
    .fix = Safety::unsafe,
    .check = check,
};

}  // namespace cnsched::rules::min_scale_annotation
