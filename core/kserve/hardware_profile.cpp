// Open Data Hub's webhook edits the service before KServe reads it. The result is a copy of the
// object's tree with new mappings on the path to what the profile sets; each value of the profile
// keeps its own place.
#include "core/kserve/hardware_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/quantity.h"
#include "core/k8s/label.h"
#include "core/k8s/pod_spec.h"
#include "core/kserve/fields.h"
#include "core/kserve/runtime.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using k8s::Object;
using yaml::Node;

constexpr std::string_view kPlatformGroup = "infrastructure.opendatahub.io";
constexpr std::string_view kDashboardGroup = "dashboard.opendatahub.io";
constexpr std::string_view kKind = "HardwareProfile";

/// How the webhook merges [K92].
enum class Engine : unsigned char {
  none,        ///< there is no webhook for the kind
  queue_only,  ///< it writes placement to a field that KServe drops
  replace,     ///< selector and tolerations of the profile replace the user's
  wipe,        ///< the user's are removed even if the profile has none
  merge_max,   ///< both are merged; limits of CPU and memory are the maximum
  merge,       ///< limits equal the requests
};

Engine engine_for(const Object& object, const std::optional<Version>& release) {
  constexpr Version kForLlm{3, 0, 0};
  constexpr Version kForLlmAlpha2{3, 4, 0};
  const bool is_llm = object.kind == "LLMInferenceService";
  if (!reads_hardware_profiles(object)) return Engine::none;
  if (!release || *release >= Version{3, 5, 0}) return Engine::merge;
  if (is_llm && *release < kForLlm) return Engine::none;
  if (is_llm && object.api_version.ends_with("/v1alpha2") && *release < kForLlmAlpha2) {
    return Engine::none;
  }
  if (*release < Version{2, 32, 0}) return Engine::none;
  if (*release < Version{2, 35, 0}) return Engine::queue_only;
  if (*release < Version{3, 2, 0}) return Engine::replace;
  return *release < Version{3, 4, 0} ? Engine::wipe : Engine::merge_max;
}

bool merges(Engine engine) { return engine == Engine::merge || engine == Engine::merge_max; }

std::string_view toleration_text(const Node& toleration, std::string_view field) {
  return toleration.under(field).text();
}

/// The webhook compares the texts: an operator that is left out differs from 'Equal'.
bool is_same_toleration(const Node& a, const Node& b) {
  constexpr auto kFields =
      std::to_array<std::string_view>({"key", "operator", "value", "effect", "tolerationSeconds"});
  return std::ranges::all_of(kFields, [&](std::string_view field) {
    return toleration_text(a, field) == toleration_text(b, field);
  });
}

class Merger {
 public:
  Merger(const HardwareProfile& profile, Engine engine, Arena& arena)
      : profile_(profile), engine_(engine), arena_(arena) {}

  /// The object with everything that the profile sets.
  Object merged(const Object& object) {
    Object result = object;
    const Node* root = object.root;
    if (engine_ == Engine::wipe) root = &without_queue(*root);
    if (engine_ != Engine::queue_only && object.spec().is_mapping()) {
      const bool is_llm = object.kind == "LLMInferenceService";
      root = &yaml::with(arena_, *root, "spec"_key,
                         is_llm ? llm_spec(object.spec()) : service_spec(object.spec()));
    }
    if (has_queue()) root = &with_queue(*root);
    result.root = root;
    return result;
  }

  /// Why the webhook fails; empty if it does not.
  const std::string& failure() const { return failure_; }

 private:
  bool has_queue() const { return !profile_.queue->text().empty(); }

  // Labels.

  const Node& with_queue(const Node& root) {
    const Node& labels =
        yaml::with(arena_, root["metadata"]["labels"], kQueueLabel, *profile_.queue);
    return with_labels(root, labels);
  }

  const Node& without_queue(const Node& root) {
    const Node& labels = root["metadata"]["labels"];
    return labels.under(kQueueLabel) ? with_labels(root, yaml::without(arena_, labels, kQueueLabel))
                                     : root;
  }

  const Node& with_labels(const Node& root, const Node& labels) {
    return yaml::with(arena_, root, "metadata"_key,
                      yaml::with(arena_, root["metadata"], "labels"_key, labels));
  }

  // Specs.

  /// A custom predictor, without `model`, gets the placement only.
  const Node& service_spec(const Node& spec) {
    const Node* predictor = &spec["predictor"];
    if (!predictor->is_mapping()) return spec;
    if (const Node& model = (*predictor)["model"]; model.is_mapping()) {
      predictor = &yaml::with(arena_, *predictor, "model"_key, with_amounts(model));
    }
    return yaml::with(arena_, spec, "predictor"_key, placed(*predictor));
  }

  const Node& llm_spec(const Node& spec) {
    const Node* pod = &spec["template"];
    if (!identifiers().empty()) {
      pod = &yaml::with(arena_, *pod, "containers"_key, containers_of((*pod)["containers"]));
    }
    const Node& result = placed(*pod);
    return result.is_missing() ? spec : yaml::with(arena_, spec, "template"_key, result);
  }

  /// Without containers, the webhook adds one that is merged over the preset's.
  const Node& containers_of(const Node& written) {
    std::vector<const Node*> containers;
    for (const Node* container : written.items()) {
      const bool is_set = !merges(engine_) || (*container)["name"].text() == "main";
      containers.push_back(is_set ? &with_amounts(*container) : container);
    }
    if (containers.empty()) {
      const Node& place = *profile_.identifiers;
      const Node& name = yaml::string_like(arena_, place, "main");
      containers.push_back(&with_amounts(
          yaml::mapping_like(arena_, place, {yaml::entry_of(arena_, "name"_key, name)})));
    }
    return yaml::sequence_like(arena_, written ? written : *profile_.identifiers, containers);
  }

  // Amounts.

  std::span<const Node* const> identifiers() const { return profile_.identifiers->items(); }

  /// The container with the amounts that it does not set. Requests and limits are judged alone.
  const Node& with_amounts(const Node& container) {
    if (identifiers().empty()) return container;
    const Node& resources = container["resources"];
    yaml::Overlay requests(arena_);
    requests.add_all(resources["requests"]);
    yaml::Overlay limits(arena_);
    limits.add_all(resources["limits"]);
    for (const Node* identifier : identifiers()) {
      const std::string_view name = (*identifier)["identifier"].text();
      if (name.empty()) continue;
      if (!requests.has(name)) add_amount(*identifier, "defaultCount", requests);
    }
    const Node& requested = requests.mapping(like(resources["requests"]));
    for (const Node* identifier : identifiers()) {
      const std::string_view name = (*identifier)["identifier"].text();
      if (!name.empty() && !limits.has(name)) add_limit(*identifier, requested, limits);
    }
    const Node* result = &like(resources);
    if (!resources) result = &yaml::mapping_like(arena_, *result, {});
    result = &with_list(*result, "requests"_key, requested);
    result = &with_list(*result, "limits"_key, limits.mapping(like(resources["limits"])));
    return yaml::with(arena_, container, "resources"_key, *result);
  }

  const Node& like(const Node& written) const { return written ? written : *profile_.identifiers; }

  const Node& with_list(const Node& resources, yaml::Key key, const Node& list) {
    return list.is_missing() ? resources : yaml::with(arena_, resources, key, list);
  }

  void add_limit(const Node& identifier, const Node& requests, yaml::Overlay& limits) {
    const std::string_view name = identifier["identifier"].text();
    const bool is_standard = name == "cpu" || name == "memory" || name == "ephemeral-storage";
    if (engine_ == Engine::merge || (engine_ == Engine::merge_max && !is_standard)) {
      if (const Node& request = requests.under(name)) limits.add(identifier["identifier"], request);
    } else if (identifier["maxCount"]) {
      add_amount(identifier, "maxCount", limits);
    }
  }

  void add_amount(const Node& identifier, std::string_view field, yaml::Overlay& amounts) {
    const Node& amount = identifier.under(field);
    if (!amount.is_scalar()) return;
    if (!Quantity::parse(amount.text()) && failure_.empty()) {
      failure_ = fmt::format("'{}' of '{}' in the HardwareProfile is not a quantity", amount.text(),
                             identifier["identifier"].text());
    }
    amounts.add(identifier["identifier"], amount);
  }

  // Placement.

  /// The pod fields with the profile's selector and tolerations. A queue replaces them.
  const Node& placed(const Node& pod) {
    const Node* result = &pod;
    if (engine_ == Engine::wipe && pod.is_mapping()) {
      result = &yaml::without(arena_, yaml::without(arena_, pod, "nodeSelector"), "tolerations");
    }
    if (has_queue()) return *result;
    if (const Node& selector = (*profile_.placement)["nodeSelector"]; !selector.is_empty()) {
      result = &yaml::with(arena_, *result, "nodeSelector"_key,
                           selector_over((*result)["nodeSelector"], selector));
    }
    if (const Node& list = (*profile_.placement)["tolerations"]; !list.is_empty()) {
      result = &yaml::with(arena_, *result, "tolerations"_key,
                           tolerations_before(list, (*result)["tolerations"]));
    }
    return *result;
  }

  /// For the same key, the profile wins.
  const Node& selector_over(const Node& written, const Node& selector) {
    if (!merges(engine_)) return selector;
    yaml::Overlay labels(arena_);
    labels.add_all(written);
    labels.add_all(selector);
    return labels.mapping(written ? written : selector);
  }

  const Node& tolerations_before(const Node& list, const Node& written) {
    if (!merges(engine_) || written.items().empty()) return list;
    std::vector<const Node*> items(list.items().begin(), list.items().end());
    for (const Node* own : written.items()) {
      const bool is_repeated = std::ranges::any_of(
          list.items(), [&](const Node* item) { return is_same_toleration(*item, *own); });
      if (!is_repeated) items.push_back(own);
    }
    return yaml::sequence_like(arena_, written, items);
  }

  const HardwareProfile& profile_;
  Engine engine_;
  Arena& arena_;
  std::string failure_;
};

std::string not_found(const Object& object, const ProfileReference& reference) {
  return fmt::format(
      "the webhook of Open Data Hub rejects the {}: HardwareProfile '{}' does not exist in "
      "namespace '{}'",
      object.kind, reference.name->text(), reference.ns.name);
}

/// The webhook finds `model` only if KServe's webhook has already replaced the older field.
bool has_older_model_field(const Object& object) {
  const Node& block = framework_block(object.spec()["predictor"]);
  return block && block.key()->text() != "model";
}

void note_missing(const ProfileReference& reference, const ControllerContext& context,
                  AdmittedService& service) {
  const auto* complete = context.namespaces_with_profiles;
  const bool is_certain =
      !k8s::is_placeholder(reference.name->text()) && !k8s::is_placeholder(reference.ns.name);
  if (is_certain && complete != nullptr && complete->contains(reference.ns.name) &&
      !contains_profile(context.objects, reference.ns, reference.name->text())) {
    service.rejection = not_found(service.written, reference);
    return;
  }
  service.unknown = {fmt::format("HardwareProfile '{}'", reference.name->text()),
                     k8s::Unknown::Kind::named, k8s::Unknown::Fact::hardware_profile};
}

}  // namespace

ProfileReference profile_reference(const Object& object) {
  const Node& name = object.annotations().under(kProfileAnnotation);
  if (name.text().empty()) return {};
  const std::string_view ns =
      object.annotations()["opendatahub.io/hardware-profile-namespace"].text();
  return {&name, ns.empty() ? object.ns : k8s::Namespace{ns}, !ns.empty()};
}

bool is_hardware_profile(const Object& object) {
  return object.is(kPlatformGroup, kKind) || object.is(kDashboardGroup, kKind);
}

bool reads_hardware_profiles(const Object& object) {
  return is_kserve_group(object.group()) &&
         (object.kind == "InferenceService" || object.kind == "LLMInferenceService");
}

bool contains_profile(const k8s::ObjectIndex& objects, const k8s::ObjectIndex::Of& ns,
                      std::string_view name) {
  return objects.contains(kPlatformGroup, kKind, ns, name) ||
         objects.contains(kDashboardGroup, kKind, ns, name);
}

const Object* find_profile(const k8s::ObjectIndex& objects, const k8s::ObjectIndex::Of& ns,
                           std::string_view name, const Object& referrer) {
  const std::string_view group =
      objects.contains(kPlatformGroup, kKind, ns, name) ? kPlatformGroup : kDashboardGroup;
  return objects.find(group, kKind, ns, name, referrer);
}

const Object* profile_of(const k8s::PodTemplate& pod) {
  const auto found = std::ranges::find_if(
      pod.bases, [](const k8s::Base& base) { return is_hardware_profile(*base.object); });
  return found == pod.bases.end() ? nullptr : found->object;
}

HardwareProfile read_profile(const Object& object) {
  const Node& spec = object.spec();
  if (object.group() == kDashboardGroup) {
    return {.object = &object, .identifiers = &spec["identifiers"], .placement = &spec};
  }
  const Node& scheduling = spec["scheduling"];
  return {&object, &spec["identifiers"], &scheduling["kueue"]["localQueueName"],
          &scheduling["node"]};
}

void add_profile(const AdmittedService& service, k8s::PodTemplate& pod) {
  if (service.profile != nullptr) {
    pod.bases.push_back({service.profile, k8s::PodSpec(*read_profile(*service.profile).placement)});
  }
  if (service.unknown) pod.unknown.push_back(*service.unknown);
}

bool lacks_main_container(const Object& service) {
  const Node& containers = service.spec()["template"]["containers"];
  return !containers.items().empty() && !k8s::item_named(containers, "main");
}

AdmittedService with_hardware_profile(const Object& object, const ControllerContext& context) {
  AdmittedService service{.written = object, .object = object};
  const Engine engine = engine_for(object, context.open_data_hub);
  const ProfileReference reference = profile_reference(object);
  if (engine == Engine::none || reference.name->is_missing()) return service;
  if (object["metadata"]["deletionTimestamp"].is_scalar()) return service;
  const Object* found = find_profile(context.objects, reference.ns, reference.name->text(), object);
  if (found == nullptr) {
    note_missing(reference, context, service);
    return service;
  }
  if (object.kind == "LLMInferenceService" && merges(engine) && lacks_main_container(object)) {
    return service;
  }
  service.profile = found;
  const HardwareProfile profile = read_profile(*found);
  Merger merger(profile, engine, context.arena);
  service.object = merger.merged(object);
  if (!merger.failure().empty()) {
    service.rejection = fmt::format("the webhook of Open Data Hub rejects the {}: {}", object.kind,
                                    merger.failure());
  }
  if (has_older_model_field(object) && !profile.identifiers->is_empty()) {
    service.unknown = {fmt::format("whether HardwareProfile '{}' sets resources (the order of the "
                                   "webhooks decides)",
                                   found->name),
                       k8s::Unknown::Kind::creation};
  }
  return service;
}

}  // namespace cnsched::kserve
