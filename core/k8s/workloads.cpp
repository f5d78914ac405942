#include "core/k8s/workloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "core/base/quantity.h"
#include "core/k8s/schema/schema.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::k8s {

namespace {

/// The Pod, or the template that the controller of `object` makes pods from.
const yaml::Node& template_of(const Object& object) {
  if (object.is("", "Pod")) return *object.root;
  if (object.is("batch", "CronJob")) return object.spec()["jobTemplate"]["spec"]["template"];
  const std::string_view group = object.group();
  const bool has_template = group == "apps" || group == "extensions" || object.is("batch", "Job");
  return has_template ? object.spec()["template"] : yaml::missing_node();
}

/// Nothing for a CronJob and a DaemonSet, which depend on the schedule and the nodes.
std::optional<std::int64_t> replicas_of(const Object& object) {
  if (object.kind == "DaemonSet" || object.kind == "CronJob") return std::nullopt;
  if (object.kind == "Pod") return 1;
  if (object.kind == "Job" && yaml::boolean_of(object.spec()["suspend"].text()) == true) return 0;
  const yaml::Node& count = object.spec().under(object.kind == "Job" ? "parallelism" : "replicas");
  return count.is_empty() ? 1 : yaml::integer_of(count);
}

}  // namespace

std::vector<PodTemplate> pod_templates(const Object& object) {
  const yaml::Node& pod_template = template_of(object);
  const yaml::Node& spec = pod_template["spec"];
  if (!spec.is_mapping()) return {};
  PodTemplate pod = plain_pod("", spec, spec);
  pod.name = object.name;
  pod.labels = &pod_template["metadata"]["labels"];
  pod.annotations = &pod_template["metadata"]["annotations"];
  if (object.kind == "StatefulSet") pod.claim_templates = &object.spec()["volumeClaimTemplates"];
  pod.replicas = replicas_of(object);
  return {pod};
}

bool PodTemplate::is_built() const {
  return !never_created || (never_created->by != NeverCreated::By::controller &&
                            never_created->by != NeverCreated::By::intent);
}

bool PodTemplate::is_failure() const {
  return never_created && never_created->by != NeverCreated::By::intent;
}

bool PodTemplate::is_rejected() const {
  return never_created && never_created->by == NeverCreated::By::object_webhook;
}

std::string_view PodTemplate::why_never_created() const {
  return never_created ? std::string_view(never_created->reason) : std::string_view();
}

bool PodTemplate::has_unknown(Unknown::Kind kind) const {
  return std::ranges::find(unknown, kind, &Unknown::kind) != unknown.end();
}

PodTemplate plain_pod(std::string component, const yaml::Node& spec, const yaml::Node& written) {
  return {.component = std::move(component),
          .pod = PodSpec(spec),
          .created = PodSpec(spec),
          .own = PodSpec(spec),
          .written = &written};
}

PodTemplate pod_fragment(std::string component, const yaml::Node& spec, const yaml::Node& written) {
  PodTemplate pod = plain_pod(std::move(component), spec, written);
  pod.fragment = true;
  return pod;
}

// A recursive copy of the pod's tree, in which every value occurs once. The schema says which
// values are quantities and which mappings are containers.

namespace {

using yaml::Entry;
using yaml::Node;

using schema::Form;
using schema::Type;

/// The type of a field, or of an entry of a map; null if it is unknown.
const Type* type_below(const Type* type, std::string_view field) {
  if (type == nullptr) return nullptr;
  if (type->form == Form::map) return type->element;
  const schema::Field* found = type->form == Form::object ? type->find(field) : nullptr;
  return found == nullptr ? nullptr : found->type;
}

bool is_container(const Type* type) {
  return type != nullptr && (type->name == "Container" || type->name == "EphemeralContainer");
}

// Their addresses distinguish them from an image of that name in a manifest.
constexpr char kUnknownImage[] = "unknown";
constexpr char kUnknownConfiguredImage[] = "unknown";
constexpr std::string_view kPlaceholderImage = kUnknownImage;

/// The most important fields, in order.
constexpr auto kSpecOrder = std::to_array<std::string_view>(
    {"nodeName", "nodeSelector", "affinity", "tolerations", "topologySpreadConstraints",
     "schedulerName", "priorityClassName", "priority", "preemptionPolicy", "runtimeClassName",
     "schedulingGates", "resourceClaims", "resources", "overhead", "hostNetwork", "initContainers",
     "containers"});
constexpr auto kContainerOrder = std::to_array<std::string_view>(
    {"name", "image", "command", "args", "env", "ports", "resources"});

void sort_for_readers(std::vector<Entry>& entries, std::span<const std::string_view> order) {
  std::ranges::stable_sort(entries, {}, [&](const Entry& entry) {
    return std::ranges::find(order, entry.key->text()) - order.begin();
  });
}

/// Of keys that differ in the manifest and become one string, such as 8 and 010, the last wins.
void keep_last(std::vector<Entry>& entries) {
  const auto is_string = [](const Entry& entry) { return entry.key->is_string(); };
  if (std::ranges::all_of(entries, is_string)) return;
  std::unordered_map<std::string, const Node*> last;
  for (const Entry& entry : entries) last[yaml::key_text(*entry.key)] = entry.value;
  std::erase_if(
      entries, [&](const Entry& entry) { return last[yaml::key_text(*entry.key)] != entry.value; });
}

class Copier {
 public:
  Copier(Arena& arena, const PodObjectOptions& options, std::size_t& values_left)
      : arena_(arena), options_(options), values_left_(values_left) {}

  /// The limit that the pod exceeds; empty if the copy succeeded.
  const std::string& excess() const { return excess_; }

  /// `type` is the node's; null if it is unknown.
  const Node& copy(const Node& node, const Type* type) {
    count_value();
    if (!excess_.empty()) return yaml::missing_node();
    ++depth_;
    const Node& result = node.is_mapping()    ? mapping(node, type)
                         : node.is_sequence() ? sequence(node, type)
                                              : scalar(node, type);
    --depth_;
    return result;
  }

 private:
  void count_value() {
    if (depth_ == kPodDepth) excess_ = fmt::format("has more than {} levels", kPodDepth);
    if (values_ == kPodValues) excess_ = fmt::format("has more than {} values", kPodValues);
    if (values_left_ == 0) excess_ = "has more values than are left";
    if (!excess_.empty()) return;
    ++values_;
    --values_left_;
  }

  const Node& mapping(const Node& node, const Type* type) {
    std::vector<Entry> entries;
    for (const Entry& entry : node.entries()) {
      if (entry.overridden || entry.value->is_missing() || !excess_.empty()) continue;
      if (!options_.configured_images && is_configured_image(*entry.value)) continue;
      entries.emplace_back(*entry.key, copy(*entry.value, type_below(type, entry.key->text())));
    }
    keep_last(entries);
    if (type != nullptr && type->name == "PodSpec") sort_for_readers(entries, kSpecOrder);
    if (is_container(type)) {
      if (options_.placeholder_images && node["image"].is_missing()) {
        entries.push_back(placeholder_image());
      }
      sort_for_readers(entries, kContainerOrder);
    }
    return yaml::mapping_like(arena_, node, entries);
  }

  const Node& sequence(const Node& node, const Type* type) {
    const bool is_list = type != nullptr && type->form == Form::list;
    const Type* element = is_list ? type->element : nullptr;
    std::vector<const Node*> items;
    for (const Node* item : node.items()) {
      if (excess_.empty()) items.push_back(&copy(*item, element));
    }
    return yaml::sequence_like(arena_, node, items);
  }

  const Node& scalar(const Node& node, const Type* type) {
    Node* result = arena_.make<Node>(node);
    const bool is_quantity = type != nullptr && type->form == Form::quantity;
    if (!is_quantity || !node.is_scalar()) return *result;
    const auto quantity =
        Quantity::parse(yaml::json_literal(node).value_or(std::string(node.text())));
    if (!quantity) return *result;
    result->set_text(arena_.copy(quantity->canonical()));
    result->type = yaml::ScalarType::string;
    return *result;
  }

  Entry placeholder_image() const {
    Node* image = arena_.make<Node>(yaml::string_like(arena_, yaml::nowhere(), kPlaceholderImage));
    image->set_text(kPlaceholderImage);
    return yaml::entry_of(arena_, "image"_key, *image);
  }

  Arena& arena_;
  const PodObjectOptions& options_;
  std::size_t& values_left_;
  std::size_t values_ = 0;
  std::size_t depth_ = 0;
  std::string excess_;
};

const Node& sorted(Arena& arena, const Node& labels) {
  std::vector<Entry> entries = yaml::entries_of(labels);
  std::ranges::stable_sort(entries, {}, [](const Entry& entry) { return entry.key->text(); });
  return yaml::mapping_like(arena, labels, entries);
}

Entry constant(Arena& arena, yaml::Key key, std::string_view value) {
  return yaml::entry_of(arena, key, yaml::string_like(arena, yaml::nowhere(), value));
}

const Node& metadata_of(Arena& arena, const PodTemplate& pod, const Object& object,
                        std::string_view name) {
  if (object.is("", "Pod")) {
    const Node& metadata = object["metadata"];
    if (metadata["name"].text() == name) return metadata;
    return yaml::with(arena, metadata, "name"_key,
                      yaml::string_like(arena, metadata["name"], name));
  }
  std::vector<Entry> entries = {constant(arena, "name"_key, name)};
  if (const Node& ns = object["metadata"]["namespace"]; ns.is_scalar()) {
    entries.push_back(yaml::entry_of(arena, "namespace"_key, ns));
  }
  const auto add = [&](yaml::Key key, const Node& values) {
    if (!values.is_empty()) entries.push_back(yaml::entry_of(arena, key, sorted(arena, values)));
  };
  add("labels"_key, *pod.labels);
  add("annotations"_key, *pod.annotations);
  return yaml::mapping_like(arena, yaml::nowhere(), entries);
}

}  // namespace

Result<const yaml::Node*> pod_object(Arena& arena, const PodTemplate& pod, const Object& object,
                                     const PodObjectOptions& options, std::size_t& values_left) {
  Copier copier(arena, options, values_left);
  const Node& metadata = copier.copy(metadata_of(arena, pod, object, options.name), nullptr);
  const Node& written = pod.pod.node();
  const Node& spec = copier.copy(written ? written : yaml::mapping_like(arena, yaml::nowhere(), {}),
                                 schema::type_named("PodSpec"));
  if (!copier.excess().empty()) return Error{copier.excess()};
  return &yaml::mapping_like(
      arena, yaml::nowhere(),
      {constant(arena, "apiVersion"_key, "v1"), constant(arena, "kind"_key, "Pod"),
       yaml::entry_of(arena, "metadata"_key, metadata), yaml::entry_of(arena, "spec"_key, spec)});
}

bool is_placeholder_image(const yaml::Node& node) {
  return node.text().data() == kPlaceholderImage.data();
}

const Node& configured_image() {
  static constexpr Node kImage = yaml::constant(kUnknownConfiguredImage);
  return kImage;
}

bool is_configured_image(const yaml::Node& node) {
  return node.text().data() == static_cast<const char*>(kUnknownConfiguredImage);
}

}  // namespace cnsched::k8s
