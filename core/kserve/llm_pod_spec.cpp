#include "core/kserve/llm_pod_spec.h"

#include <algorithm>

#include "core/kserve/child_name.h"
#include "core/kserve/storage_initializer.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using yaml::Node;

class Finisher {
 public:
  Finisher(const Node& pod, LlmRole role, const LlmService& service,
           const ControllerContext& context)
      : pod_(&pod), role_(role), service_(service), context_(context), arena_(context.arena) {}

  const Node& result() && {
    if (is_workload(role_)) add_managed_device();
    add_service_account();
    add_model();
    return *pod_;
  }

 private:
  void set(yaml::Key field, const Node& value) { pod_ = &yaml::with(arena_, *pod_, field, value); }

  /// The claim for the device class in an annotation [K42]. Source: managed_dra.go,
  /// injectManagedDRA.
  void add_managed_device() {
    constexpr std::string_view kClaim = "managed-device";
    const Node& device_class =
        service_.object.annotations()["serving.kserve.io/exp-dra-device-class"];
    if (device_class.is_missing()) return;
    const yaml::Entry name =
        yaml::entry_of(arena_, "name"_key, yaml::string_like(arena_, device_class, kClaim));
    const Node& claims = (*pod_)["resourceClaims"];
    if (!k8s::item_named(claims, kClaim)) {
      const Node& claim_template =
          yaml::string_like(arena_, device_class, child_name(service_.object.name, "-managed-dra"));
      const Node& claim = yaml::mapping_like(
          arena_, device_class,
          {name, yaml::entry_of(arena_, "resourceClaimTemplateName"_key, claim_template)});
      set("resourceClaims"_key, yaml::with_item(arena_, claims, claim));
    }
    add_to_container(yaml::mapping_like(arena_, device_class, {name}));
  }

  /// Adds the claim to the container that an annotation names, else to the first. Does nothing if
  /// no container has that name.
  void add_to_container(const Node& claim) {
    const Node& containers = (*pod_)["containers"];
    const std::string_view container_name =
        service_.object.annotations()["serving.kserve.io/exp-dra-container-name"].text();
    const Node& target =
        container_name.empty() ? containers.at(0) : k8s::item_named(containers, container_name);
    if (!target.is_mapping()) return;
    const Node& resources = target["resources"];
    if (k8s::item_named(resources["claims"], claim["name"].text())) return;
    const Node& with_claim =
        yaml::with(arena_, target, "resources"_key,
                   yaml::with(arena_, resources, "claims"_key,
                              yaml::with_item(arena_, resources["claims"], claim)));
    std::vector<const Node*> items(containers.items().begin(), containers.items().end());
    *std::ranges::find(items, &target) = &with_claim;
    set("containers"_key, yaml::sequence_like(arena_, containers, items));
  }

  void add_service_account() {
    if (const Node& account = service_account()) set("serviceAccountName"_key, account);
  }

  const Node& account_called(std::string_view suffix) {
    return yaml::string_like(arena_, service_.object["metadata"]["name"],
                             child_name(service_.object.name, suffix));
  }

  /// The service account that KServe sets, even if it is the spec's; a missing node if it sets
  /// none.
  const Node& service_account() {
    const Node& own = (*pod_)["serviceAccountName"];
    if (is_in_group(role_, service_)) return account_of_group();
    if (!own.text().empty()) return yaml::missing_node();
    if (role_ == LlmRole::scheduler) return account_called("-epp-sa");
    const bool routes = bool(k8s::item_named((*pod_)["initContainers"], "llm-d-routing-sidecar"));
    if (role_ == LlmRole::serving && routes) return account_called("-kserve");
    return yaml::missing_node();
  }

  /// The account that leader and workers share: the leader's, else the worker's, else one that
  /// KServe creates.
  const Node& account_of_group() {
    const Node& settings = settings_of(role_, service_);
    for (const std::string_view section : {"template", "worker"}) {
      const Node& account = settings[section]["serviceAccountName"];
      if (!account.text().empty()) return account;
    }
    return account_called(part_of(role_) == LlmPart::prefill ? "-kserve-mn-prefill" : "-kserve-mn");
  }

  /// Source: workload_storage.go, attachModelArtifacts [K70].
  void add_model() {
    const Node& enabled = service_.merged["storageInitializer"]["enabled"];
    if (enabled.is_scalar() && yaml::boolean_of(enabled.text()) == false) return;
    // A scheduler reads the model only in a tokenizer sidecar.
    const bool schedules = role_ == LlmRole::scheduler;
    const std::string_view container = schedules ? "tokenizer" : "main";
    if (schedules && !k8s::item_named((*pod_)["containers"], container)) return;
    StorageRequest storage{.object = &service_.object, .container = container};
    storage.uri = &service_.merged["model"]["uri"];
    if (is_workload(role_)) storage.adapters = &service_.merged["model"]["lora"]["adapters"];
    pod_ = &with_one_model(*pod_, storage, context_);
  }

  const Node* pod_;
  LlmRole role_;
  const LlmService& service_;
  const ControllerContext& context_;
  Arena& arena_;
};

}  // namespace

const Node& finished_llm_pod(const Node& pod, LlmRole role, const LlmService& service,
                             const ControllerContext& context) {
  return Finisher(pod, role, service, context).result();
}

}  // namespace cnsched::kserve
