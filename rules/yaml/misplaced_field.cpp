// A field of a pod is misplaced if the schema does not have it where it is written. The schema also
// gives the destination: the nearest pod spec that has the field, below the mapping or around it,
// or for resources the model server's container in that pod spec. kExceptions lists what the schema
// does not give.
#include "rules/yaml/shape_rules.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <unordered_set>

#include "core/base/text.h"
#include "core/k8s/schema/destination.h"
#include "core/k8s/schema/schema.h"
#include "core/k8s/scope.h"
#include "core/kserve/fields.h"

namespace cnsched::rules::misplaced_field {

using k8s::schema::Deviation;
using k8s::schema::Field;
using k8s::schema::Form;
using k8s::schema::is_pod_spec;
using k8s::schema::Type;
using k8s::schema::TypedNode;
using yaml::Node;

namespace {

constexpr auto kPlacement = std::to_array<std::string_view>(
    {"nodeSelector", "affinity", "tolerations", "nodeName", "topologySpreadConstraints",
     "schedulerName", "priorityClassName", "runtimeClassName"});
constexpr std::string_view kResources = "resources";
/// In an exception: any field of kPlacement; or any of these and resources.
constexpr std::string_view kAnyPlacement = "PLACEMENT";
constexpr std::string_view kAnyPodField = "PLACEMENT or resources";

/// A field whose destination the schema does not give.
struct Exception {
  std::string_view holder;  ///< the type that does not have the field
  std::string_view field;
  std::string_view help;
};

constexpr std::string_view kNoPod =
    "move it to the podSpec of a Server, and select that Server with the Model's requirements";
constexpr std::string_view kNotPlaceable =
    "remove it: only the pods of componentSpecs[] can be placed";
constexpr std::string_view kCustom = "turn 'custom' into an item of 'containers'";
constexpr std::string_view kCustomContainer =
    "turn 'custom.container' into an item of 'containers'";

constexpr auto kExceptions = std::to_array<Exception>({
    {"InferenceRouter", kAnyPodField, "move it to spec, for the router's pod"},
    {"ServingRuntimeSpec", kAnyPlacement, "move it to spec.predictor of the InferenceService"},
    {"ServingRuntimeWorkerSpec", kAnyPlacement,
     "move it to spec.predictor.workerSpec of the InferenceService"},
    {"SeldonModelSpec", kAnyPodField, kNoPod},
    {"PipelineSpec", kAnyPodField, kNoPod},
    {"ExperimentSpec", kAnyPodField, kNoPod},
    {"SvcOrchSpec", kAnyPlacement, kNotPlaceable},
    {"SeldonExplainer", kAnyPlacement, kNotPlaceable},
    {"PredictiveUnit", kResources,
     "move it to the container in componentSpecs[].spec that has the name of the unit"},
    {"SeldonPodSpec", "resourceClaims", "move it to the podSpec of a ServerConfig or SeldonConfig"},
    {"SeldonPodSpec", "schedulingGates",
     "move it to the podSpec of a ServerConfig or SeldonConfig"},
    {"TransformerSpec", "custom", kCustom},
    {"PredictorSpec", "custom", kCustom},
    {"CanaryPredictorSpec", "custom", kCustom},
    {"ExplainerSpec", "custom", kCustom},
    {"KServePodSpec", "metadata",
     "move its labels and annotations to 'labels' and 'annotations' beside the pod spec"},
    {"RouterSpec", "template",
     "move it to spec.template if it is the model server's pod, to spec.router.scheduler.template "
     "if it is the scheduler's"},
    {"RouterSpec/v1alpha1", "template",
     "move it to spec.template if it is the model server's pod, to spec.router.scheduler.template "
     "if it is the scheduler's"},
});

/// Fields of `spec` with a pod, which are at the top level if the indentation is lost.
constexpr auto kTopLevel = std::to_array<std::string_view>(
    {"predictor", "transformer", "explainer", "model", "template", "worker", "prefill", "router",
     "containers", "supportedModelFormats", "nodes", "predictors", "podSpec", "serverConfig"});

/// Pods beside the main pod, which take a field only if they are written. If one is, a field around
/// them may be intended for both pods.
constexpr auto kSecondPods =
    std::to_array<std::string_view>({"worker", "workerSpec", "prefill", "canary"});

bool is_among(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

/// Whether a pod spec of that type can take the field, for resources in one of its containers.
bool takes_field(const Type& type, std::string_view name, const Node& value) {
  if (!is_pod_spec(type)) return false;
  if (name == kResources) return type.find("containers") != nullptr;
  const Field* field = type.find(name);
  return field != nullptr &&
         (value.is_null() || k8s::schema::has_kind_of(value, field->type->form));
}

/// A pod spec that could take the field.
struct PodPlace {
  const Node* mapping;       ///< the pod spec, or the mapping that it would be written in
  std::string_view child{};  ///< the key of the pod spec in the mapping; empty: it is the mapping
  std::size_t depth = 0;
  bool can_be_added = true;  ///< false: the mapping lacks a required field
};

/// Searches the pod specs at and below a mapping.
class PodSearch {
 public:
  PodSearch(std::string_view name, const Node& value) : name_(name), value_(value) {}

  /// The nearest ones; of equally near ones those that are written. Also every one of kSecondPods.
  std::vector<PodPlace> nearest(const TypedNode& from) {
    visit(*from.node, *from.type, 0, false);
    std::size_t depth = kMaxDepth + 2;
    for (const auto* places : {&written_, &possible_}) {
      for (const PodPlace& place : *places) depth = std::min(depth, place.depth);
    }
    std::vector<PodPlace> found;
    for (const auto* places : {&written_, &possible_}) {
      for (const PodPlace& place : *places) {
        if (place.depth == depth) found.push_back(place);
      }
      if (!found.empty()) break;
    }
    // A field within a pod spec belongs to that pod, whatever other pods are below it.
    if (found.empty() || depth == 0) return found;
    found.insert(found.end(), second_.begin(), second_.end());
    return found;
  }

 private:
  static constexpr std::size_t kMaxDepth = 8;
  static constexpr std::size_t kMaxVisits = 1000;

  void visit(const Node& node, const Type& type, std::size_t depth, bool is_second) {
    if (depth > kMaxDepth || ++visits_ > kMaxVisits) return;
    if (type.form == Form::list || type.form == Form::map) {
      for (const Node* item : node.items()) visit(*item, *type.element, depth, is_second);
      for (const yaml::Entry& entry : node.entries()) {
        visit(*entry.value, *type.element, depth, is_second);
      }
      return;
    }
    if (type.form != Form::object || !node.is_mapping()) return;
    if (takes_field(type, name_, value_)) {
      (is_second ? second_ : written_).push_back({&node, {}, depth});
    }
    for (const yaml::Entry& entry : node.entries()) {
      const Field* field = type.find(entry.key->text());
      if (field == nullptr || entry.merged || entry.overridden) continue;
      visit(*entry.value, *field->type, depth + 1, is_second || is_among(field->name, kSecondPods));
    }
    if (k8s::schema::has_too_many_fields(type)) return;
    for (const Field& field : type.fields()) {
      const Node& written = node.under(field.name);
      if ((written && !written.is_null()) || is_among(field.name, kSecondPods)) continue;
      if (!takes_field(*field.type, name_, value_)) continue;
      (is_second ? second_ : possible_).push_back({&node, field.name, depth + 1, !field.required});
    }
  }

  std::string_view name_;
  const Node& value_;
  std::size_t visits_ = 0;
  std::vector<PodPlace> written_;
  std::vector<PodPlace> possible_;
  std::vector<PodPlace> second_;  ///< at or below one of kSecondPods, written or possible
};

/// The paths of the nearest pod specs below a type, whether written or not: "predictors[].spec".
std::vector<std::string> paths_in_schema(const Type& from, std::string_view name,
                                         const Node& value) {
  constexpr int kMaxDepth = 5;
  constexpr std::size_t kMaxTypes = 2000;
  std::vector<std::pair<const Type*, std::string>> level = {{&from, ""}};
  std::unordered_set<const Type*> seen = {&from};
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    std::vector<std::string> found;
    std::vector<std::pair<const Type*, std::string>> next;
    for (const auto& [type, path] : level) {
      if (k8s::schema::has_too_many_fields(*type)) continue;
      for (const Field& field : type->fields()) {
        const bool is_list = field.type->form == Form::list;
        const Type* below = is_list ? field.type->element : field.type;
        if (below->form != Form::object || is_among(field.name, kSecondPods)) continue;
        std::string to = fmt::format("{}.{}{}", path, field.name, is_list ? "[]" : "");
        if (takes_field(*below, name, value)) found.push_back(to);
        if (seen.size() > kMaxTypes) return found;
        if (seen.insert(below).second) next.emplace_back(below, std::move(to));
      }
    }
    if (!found.empty()) return found;
    level = std::move(next);
  }
  return {};
}

/// The only block or container of a pod spec that runs the model, or null.
const Node* only_server_in(const Node& pod) {
  std::vector<const Node*> servers;
  for (const std::string_view key : kserve::framework_keys()) {
    if (pod.under(key).is_mapping()) servers.push_back(&pod.under(key));
  }
  if (!servers.empty()) return servers.size() == 1 ? servers.front() : nullptr;
  for (const Node* container : pod["containers"].items()) {
    // Seldon's helpers beside the model server.
    const std::string_view name = (*container)["name"].text();
    if (name != "rclone" && name != "agent" && container->is_mapping())
      servers.push_back(container);
  }
  return servers.size() == 1 ? servers.front() : nullptr;
}

/// Finds the misplaced fields of one object.
class Finder {
 public:
  Finder(const k8s::Object& object, const Type& type) : object_(object), type_(type) {}

  std::vector<Misplaced> find(Deviations deviations) {
    for (const Deviation& deviation : deviations) {
      if (deviation.kind != Deviation::Kind::unknown_field) continue;
      const Node& value = *deviation.node;
      // An empty value, as dashboards write, loses nothing.
      if (value.parent() == nullptr || !value.key()->is_scalar() || value.is_empty()) continue;
      const auto path = k8s::schema::typed_path(*value.parent(), object_, type_);
      if (path.empty() || path.back().type != deviation.type) continue;
      // It belongs here in another release: unknown-field reports that.
      if (deviation.type->find_absent(value.key()->text()) != nullptr) continue;
      check_field(value, path, deviation);
    }
    check_knative_serving();
    return std::move(found_);
  }

 private:
  using Path = std::vector<TypedNode>;

  void check_field(const Node& value, const Path& path, const Deviation& deviation) {
    const std::string_view name = value.key()->text();
    const Type& holder = *deviation.type;
    const bool is_pod_field = is_among(name, kPlacement) || name == kResources;
    if (const auto* exception = exception_for(holder.name, name); exception && !is_pod_field) {
      const bool is_wrapped = name == "custom" && value["container"];
      return add(value, is_wrapped ? kCustomContainer : exception->help);
    }
    if (holder.find("containers") != nullptr && check_in_pod_spec(value, path)) return;
    if (path.size() == 1 && check_top_level(value)) return;
    if (holder.name == "InferenceServiceSpec" && name == "default" && value.is_mapping()) {
      return add_default(value);
    }
    if (holder.name == "SeldonComponentSpec" && (is_pod_field || name == "containers")) {
      return add_beside_spec(value);
    }
    if (is_pod_field) search(value, path);
  }

  static const Exception* exception_for(std::string_view holder, std::string_view name) {
    const auto* found = std::ranges::find_if(kExceptions, [&](const Exception& row) {
      if (row.holder != holder) return false;
      const bool is_placement = is_among(name, kPlacement);
      if (row.field == kAnyPlacement) return is_placement;
      if (row.field == kAnyPodField) return is_placement || name == kResources;
      return row.field == name;
    });
    return found == kExceptions.end() ? nullptr : found;
  }

  /// A second spec, a kind of affinity outside of 'affinity', metadata of a pod template.
  bool check_in_pod_spec(const Node& value, const Path& path) {
    const std::string_view name = value.key()->text();
    const Node& pod = *value.parent();
    if (!is_pod_spec(*path.back().type)) return false;
    if (name == "spec" && value.is_mapping()) {
      const std::string here = k8s::schema::path_to(pod, object_);
      found_.push_back({&value,
                        fmt::format("'{}' is a pod spec and has no field 'spec': kubectl rejects "
                                    "the object; other clients silently drop the field",
                                    here),
                        fmt::format("move the fields of this 'spec' to '{}'", here),
                        {&pod}});
      return true;
    }
    if (name == "nodeAffinity" || name == "podAffinity" || name == "podAntiAffinity") {
      add(value, "indent it under 'affinity'", {&pod, fmt::format("/affinity/{}", name)});
      return true;
    }
    if (path.back().type->name == "KServePodSpec" && (name == "labels" || name == "annotations")) {
      const TypedNode& owner = path[path.size() - 2];
      if (!value.is_mapping() || owner.type->find(name) == nullptr) return false;
      const std::string to = k8s::schema::path_to(*owner.node, object_);
      // The labels of the owner apply to its workers, too.
      const bool is_certain = !(*owner.node)["worker"];
      add(value, fmt::format("move it to {}.{}", to, name),
          is_certain ? Destination{owner.node, fmt::format("/{}", name)} : Destination{});
      return true;
    }
    if (name != kResources) return false;
    add(value, "move it to the 'resources' of a container",
        destination_in(only_server_in(pod), name));
    return true;
  }

  /// A field of the spec, if the spec has lost its indentation.
  bool check_top_level(const Node& value) {
    const std::string_view name = value.key()->text();
    const Field* spec = type_.find("spec");
    if (!k8s::is_serving_group(object_.group()) || !is_among(name, kTopLevel)) return false;
    if (spec == nullptr || spec->type->find(name) == nullptr) return false;
    add(value, "indent it under 'spec'", {object_.root, fmt::format("/spec/{}", name)});
    return true;
  }

  /// The components one level too deep, as in KFServing's v1alpha2.
  void add_default(const Node& value) {
    const Node& spec = *value.parent();
    // A canary would be dropped silently.
    const Destination to = spec["canary"] ? Destination{} : Destination{&spec};
    found_.push_back({&value,
                      "field 'default' does not exist in an InferenceService in v1beta1: the API "
                      "server rejects the object, which has no 'predictor'",
                      "move the fields of 'default' to 'spec'", to});
  }

  /// A field beside the 'spec' of a component.
  void add_beside_spec(const Node& value) {
    const Node& component = *value.parent();
    const std::string pointer = fmt::format("/spec/{}", value.key()->text());
    add(value, "indent it under the 'spec' beside it",
        component["spec"] && value.key()->text() != kResources ? Destination{&component, pointer}
                                                               : Destination{});
  }

  /// Searches the destination below the mapping of the field, then around it.
  void search(const Node& value, const Path& path) {
    const std::string_view name = value.key()->text();
    for (auto step = path.rbegin(); step != path.rend(); ++step) {
      if (k8s::schema::has_too_many_entries(*step->node)) return;
      const std::vector<PodPlace> places = PodSearch(name, value).nearest(*step);
      if (!places.empty()) return add_places(value, places);
      if (step->type->form != Form::object) continue;
      std::vector<std::string> paths = paths_in_schema(*step->type, name, value);
      if (!paths.empty()) {
        const std::string above = k8s::schema::path_to(*step->node, object_);
        for (std::string& to : paths) to = above.empty() ? to.substr(1) : above + to;
        return add(value, help_for(name, std::move(paths)));
      }
      if (const Exception* exception = exception_for(step->type->name, name)) {
        const bool is_unit = step->type->name == "PredictiveUnit";
        return add(value, exception->help,
                   destination_in(is_unit ? container_of_unit(path) : nullptr, name));
      }
      // What is written in one pod is not meant for another.
      if (is_pod_spec(*step->type)) return;
    }
  }

  void add_places(const Node& value, const std::vector<PodPlace>& places) {
    const std::string_view name = value.key()->text();
    std::vector<std::string> paths;
    for (const PodPlace& place : places) {
      std::string path = k8s::schema::path_to(*place.mapping, object_);
      if (!place.child.empty()) path += fmt::format("{}{}", path.empty() ? "" : ".", place.child);
      if (std::ranges::find(paths, path) == paths.end()) paths.push_back(std::move(path));
    }
    if (places.size() > 1) return add(value, help_for(name, std::move(paths)));
    const PodPlace& place = places.front();
    if (name == kResources) {
      const Node* server = place.child.empty() ? only_server_in(*place.mapping) : nullptr;
      if (server == nullptr || server->key() == nullptr) {
        return add(value, help_for(name, std::move(paths)), destination_in(server, name));
      }
      return add(value, fmt::format("move it to {}.{}", paths.front(), server->key()->text()),
                 destination_in(server, name));
    }
    const std::string child = place.child.empty() ? "" : fmt::format("/{}", place.child);
    if (!place.can_be_added) return add(value, help_for(name, std::move(paths)));
    add(value, help_for(name, std::move(paths)),
        {place.mapping, fmt::format("{}/{}", child, yaml::pointer_step(name))});
  }

  static std::string help_for(std::string_view name, std::vector<std::string> paths) {
    constexpr std::size_t kMaxPaths = 4;
    paths.resize(std::min(paths.size(), kMaxPaths));
    return fmt::format("move it to {}{}", name == kResources ? "a container in " : "",
                       join_words(paths, "or"));
  }

  static Destination destination_in(const Node* mapping, std::string_view name) {
    if (mapping == nullptr) return {};
    return {mapping, fmt::format("/{}", yaml::pointer_step(name))};
  }

  /// The only container with the name of the graph's unit, or null.
  static const Node* container_of_unit(const Path& path) {
    constexpr std::size_t kMaxContainers = 100;
    const Node& unit = *path.back().node;
    const auto predictor = std::ranges::find_if(
        path, [](const TypedNode& step) { return step.type->name == "SeldonPredictorSpec"; });
    if (predictor == path.end() || unit["name"].text().empty()) return nullptr;
    std::vector<const Node*> found;
    std::size_t seen = 0;
    for (const Node* component : (*predictor->node)["componentSpecs"].items()) {
      for (const Node* container : (*component)["spec"]["containers"].items()) {
        if (++seen > kMaxContainers) return nullptr;
        if ((*container)["name"].text() == unit["name"].text()) found.push_back(container);
      }
    }
    return found.size() == 1 ? found.front() : nullptr;
  }

  /// The schema leaves open what else the spec of a KnativeServing may have.
  void check_knative_serving() {
    if (!object_.is("operator.knative.dev", "KnativeServing")) return;
    for (const yaml::Entry& entry : object_.spec().entries()) {
      const bool is_placement = is_among(entry.key->text(), kPlacement);
      if (!is_placement || entry.merged || entry.value->is_empty()) continue;
      add(*entry.value,
          "move it to an entry of spec.workloads[], which names one of the Deployments");
    }
  }

  void add(const Node& value, std::string_view help, Destination to = {}) {
    const std::string path = k8s::schema::path_to(*value.parent(), object_);
    found_.push_back(
        {&value,
         fmt::format("field '{}' does not exist {}: kubectl rejects the object; other clients "
                     "silently drop the field",
                     value.key()->text(),
                     path.empty() ? "at the top level" : fmt::format("in '{}'", path)),
         std::string(help), std::move(to)});
  }

  const k8s::Object& object_;
  const Type& type_;
  std::vector<Misplaced> found_;
};

}  // namespace

std::vector<Misplaced> misplaced_fields(const k8s::Object& object,
                                        const k8s::schema::Schemas& schemas,
                                        Deviations deviations) {
  const Type* type = schemas.type_of(object);
  if (type == nullptr) return {};
  return Finder(object, *type).find(deviations);
}

void note_losses(const Node& value, Findings::Finding& finding) {
  const auto is_important = [](std::string_view name) {
    return is_among(name, kPlacement) || name == "containers" || name == kResources ||
           name == "resourceClaims";
  };
  const Node* first = nullptr;
  std::vector<std::string> names;
  yaml::walk(value, [&](const Node& node) {
    if (&node == &value || node.key() == nullptr || node.is_empty()) return;
    const std::string_view name = node.key()->text();
    if (!is_important(name)) return;
    if (first == nullptr) first = &node;
    const std::string quoted = fmt::format("'{}'", name);
    if (std::ranges::find(names, quoted) == names.end()) names.push_back(quoted);
  });
  if (first != nullptr) finding.note(*first->key(), "lost with it: {}", join_words(names));
}

static void check(const k8s::Object& object, Deviations deviations, Findings& findings) {
  for (const Misplaced& misplaced :
       misplaced_fields(object, findings.facts().schemas, deviations)) {
    const Node& value = *misplaced.value;
    auto finding = findings.add_at_key(value, "{}", misplaced.message);
    finding.help("{}", misplaced.help);
    note_losses(value, finding);
    const auto& [mapping, pointer] = misplaced.destination;
    if (mapping == nullptr || !yaml::has_room_for(value, *mapping, pointer)) continue;
    finding.fix(Safety::unsafe, misplaced.help, {yaml::to_move(value, *mapping, pointer)});
  }
}

extern constinit const Rule rule = {
    .id = "misplaced-field",
    .severity = Severity::error,
    .decided_by_subject = true,
    .fix = Safety::unsafe,
    .check = check,
};

}  // namespace cnsched::rules::misplaced_field
