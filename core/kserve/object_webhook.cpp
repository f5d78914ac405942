#include "core/kserve/object_webhook.h"

#include <algorithm>
#include <array>

namespace cnsched::kserve {

namespace {

using k8s::schema::Deviation;
using k8s::schema::Form;
using yaml::Node;

bool has_mutating_webhook(const k8s::Object& object, const std::optional<Version>& release) {
  constexpr Version kForLlm{0, 19, 0};
  if (object.is("serving.kserve.io", "InferenceService")) return true;
  return object.is("serving.kserve.io", "LLMInferenceService") && (!release || *release >= kForLlm);
}

/// Whether the schema accepts the zero value of a field's Go type. Lists and maps have none.
bool permits_zero_value(const k8s::schema::Field& field) {
  switch (field.type->form) {
    case Form::string:
      return field.allowed.empty() && field.format.empty() && field.length.contains(0);
    case Form::integer:
      return field.range.contains(0);
    case Form::list:
    case Form::map:
    case Form::any:
      return false;
    default:
      return true;
  }
}

/// Whether the mapping is the first container of a predictor, transformer or explainer, which
/// KServe names.
bool is_named_by_kserve(const Node& container, const k8s::Object& object) {
  constexpr auto kComponents =
      std::to_array<std::string_view>({"predictor", "transformer", "explainer"});
  return std::ranges::any_of(kComponents, [&](std::string_view component) {
    return &object.spec()[component]["containers"].at(0) == &container;
  });
}

AfterWebhook after_completion(const Deviation& missing, const k8s::Object& object) {
  if (!permits_zero_value(*missing.field)) return AfterWebhook::rejected;
  const std::string_view field = missing.field->name;
  if (missing.type->owner != k8s::schema::Project::kubernetes) {
    // The validating webhook rejects an empty `uri` of `storageUris`.
    const bool is_checked = object.kind != "InferenceService" || field == "uri";
    return is_checked ? AfterWebhook::rejected : AfterWebhook::accepted;
  }
  const bool is_valid_in_pod =
      field == "preference" || (field == "name" && is_named_by_kserve(*missing.node, object));
  return is_valid_in_pod ? AfterWebhook::accepted : AfterWebhook::rejected_later;
}

}  // namespace

AfterWebhook after_webhook(const Deviation& deviation, const k8s::Object& object,
                           const std::optional<Version>& release) {
  if (!has_mutating_webhook(object, release)) return AfterWebhook::rejected;
  if (deviation.kind == Deviation::Kind::missing_field) return after_completion(deviation, object);
  const Node& value = *deviation.node;
  const bool is_number_of_units = deviation.kind == Deviation::Kind::wrong_type &&
                                  deviation.type->form == Form::quantity && value.is_scalar() &&
                                  value.type == yaml::ScalarType::floating;
  return is_number_of_units ? AfterWebhook::accepted : AfterWebhook::rejected;
}

}  // namespace cnsched::kserve
