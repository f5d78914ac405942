#include "core/kserve/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "core/base/text.h"
#include "core/k8s/struct_merge.h"
#include "core/kserve/fields.h"
#include "core/kserve/shipped_runtimes.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using yaml::Node;

constexpr std::string_view kGroup = "serving.kserve.io";

/// Formats whose default is protocol v2 in every release.
bool prefers_v2(std::string_view block, std::string_view format) {
  return block == "triton" || block == "onnx" || block == "huggingface" || format == "triton";
}

std::vector<std::string_view> default_protocols(std::string_view block, std::string_view format,
                                                const std::optional<Version>& release) {
  constexpr Version kV2ForVllm{0, 20, 0};
  if (prefers_v2(block, format)) return {"v2"};
  if (format != "vLLM") return {"v1"};
  if (!release) return {"v2", "v1"};
  return {*release < kV2ForVllm ? "v1" : "v2"};
}

bool is_true(const Node& value) { return yaml::boolean_of(value.text()).value_or(false); }

bool supports_protocol(const Node& runtime, const std::vector<std::string_view>& protocols) {
  const auto versions = runtime["protocolVersions"].items();
  return versions.empty() || std::ranges::any_of(versions, [&](const Node* version) {
           return is_one_of(version->text(), protocols);
         });
}

/// What excludes the model format, if anything.
std::optional<RuntimeObstacle> format_obstacle(const Node& runtime,
                                               const RuntimeRequirements& required) {
  using Kind = RuntimeObstacle::Kind;
  const std::string_view version = required.version->text();
  RuntimeObstacle nearest{Kind::format, &runtime["supportedModelFormats"]};
  for (const Node* format : runtime["supportedModelFormats"].items()) {
    if ((*format)["name"].text() != required.format->text()) continue;
    const bool has_version = version.empty() || (*format)["version"].text() == version;
    if (has_version && (required.named || is_true((*format)["autoSelect"]))) return std::nullopt;
    if (has_version) nearest = {Kind::auto_select, format};
    if (!has_version && nearest.kind == Kind::format) nearest = {Kind::version, format};
  }
  return nearest;
}

/// The rank of the runtime's protocol among runtimes of the same priority; the lower the better.
std::size_t protocol_rank(const Node& runtime) {
  constexpr auto kProtocols = std::to_array<std::string_view>({"v1", "v2", "grpc-v1", "grpc-v2"});
  std::size_t rank = kProtocols.size();
  for (const Node* version : runtime["protocolVersions"].items()) {
    const auto* found = std::ranges::find(kProtocols, version->text());
    rank = std::min(rank, static_cast<std::size_t>(found - kProtocols.begin()));
  }
  return rank;
}

/// The priority for a format, the higher the better; the lowest number if there is none.
std::int64_t priority_of(const Node& runtime, std::string_view format) {
  for (const Node* supported : runtime["supportedModelFormats"].items()) {
    if ((*supported)["name"].text() != format) continue;
    if (const auto priority = yaml::integer_of((*supported)["priority"])) return *priority;
    break;
  }
  return std::numeric_limits<std::int64_t>::min();
}

std::string described(const k8s::Object& runtime) {
  return fmt::format("{} '{}'", runtime.kind, runtime.name);
}

/// The names of the first few runtimes, and the number of others.
std::string some_of(const std::vector<const k8s::Object*>& runtimes) {
  constexpr std::size_t kMaxNames = 8;
  std::vector<std::string> names;
  for (const k8s::Object* runtime : runtimes) names.push_back(described(*runtime));
  return join_words(names, "and", kMaxNames);
}

/// The best of the runtimes in KServe's order. If only the creation time decides, returns the first
/// by name and adds to `unclear`.
const k8s::Object* best_of(const std::vector<const k8s::Object*>& runtimes,
                           const RuntimeRequirements& required,
                           std::vector<k8s::Unknown>& unclear) {
  using Order = std::tuple<std::int64_t, std::size_t>;
  const auto order = [&](const k8s::Object& runtime) {
    const std::int64_t priority = priority_of(runtime.spec(), required.format->text());
    // Negation would overflow if there is no priority.
    return Order{~priority, protocol_rank(runtime.spec())};
  };
  const k8s::Object* best = nullptr;
  std::vector<const k8s::Object*> equals;
  for (const k8s::Object* runtime : runtimes) {
    if (!runtime_obstacles(runtime->spec(), required).empty()) continue;
    if (best == nullptr || order(*runtime) < order(*best)) {
      best = runtime;
      equals = {runtime};
    } else if (order(*runtime) == order(*best)) {
      equals.push_back(runtime);
    }
  }
  if (equals.size() > 1) {
    unclear.push_back({"which of " + some_of(equals) + " KServe chooses (the newest)",
                       k8s::Unknown::Kind::chosen, k8s::Unknown::Fact::runtimes});
  }
  return best;
}

RuntimeChoice chosen_automatically(const k8s::Object& object, const RuntimeRequirements& required,
                                   const ControllerContext& context) {
  RuntimeChoice choice;
  for (const std::string_view kind : {"ServingRuntime", "ClusterServingRuntime"}) {
    const k8s::Objects::Of ns =
        kind == "ServingRuntime" ? k8s::Objects::Of(object.ns) : std::nullopt;
    choice.runtime =
        best_of(context.objects.all(kGroup, kind, ns, object), required, choice.unknown);
    if (choice.runtime != nullptr) return choice;
  }
  choice.unknown.push_back({fmt::format("the runtime that KServe chooses for the model format '{}'",
                                        required.format->text()),
                            k8s::Unknown::Kind::chosen, k8s::Unknown::Fact::runtimes});
  return choice;
}

using yaml::Entry;

/// A field that a runtime passes on to its pods, and the first release that does so.
struct InheritedField {
  std::string_view name;
  Version since;
};

constexpr auto kInherited = std::to_array<InheritedField>({{"nodeSelector", {0, 0, 0}},
                                                           {"affinity", {0, 0, 0}},
                                                           {"tolerations", {0, 0, 0}},
                                                           {"volumes", {0, 0, 0}},
                                                           {"imagePullSecrets", {0, 10, 0}},
                                                           {"schedulerName", {0, 17, 0}},
                                                           {"resourceClaims", kHeadRelease}});

std::vector<std::string_view> inherited_fields(const std::optional<Version>& version) {
  std::vector<std::string_view> fields;
  for (const InheritedField& field : kInherited) {
    if (is_at_least(version, field.since)) fields.push_back(field.name);
  }
  return fields;
}

/// If a variable has `value` and `valueFrom` after the merge, keeps the one that `patch` sets.
const Node& resolved_environment(const Node& list, const Node& patch, Arena& arena) {
  if (!list.is_sequence() || patch.items().empty()) return list;
  std::unordered_map<std::string_view, const Node*> own;
  for (const Node* item : patch.items()) own[(*item)["name"].text()] = item;
  std::vector<const Node*> items;
  for (const Node* item : list.items()) {
    const auto set = own.find((*item)["name"].text());
    const bool both = !(*item)["value"].text().empty() && (*item)["valueFrom"].is_mapping();
    if (set == own.end() || !both) {
      items.push_back(item);
    } else if ((*set->second)["valueFrom"].is_mapping()) {
      items.push_back(&yaml::without(arena, *item, "value"));
    } else {
      items.push_back(&yaml::without(arena, *item, "valueFrom"));
    }
  }
  return yaml::sequence_like(arena, list, items);
}

const Node& joined(const Node& first, const Node& second, Arena& arena) {
  if (second.items().empty()) return first;
  std::vector<const Node*> items(first.items().begin(), first.items().end());
  items.insert(items.end(), second.items().begin(), second.items().end());
  return yaml::sequence_like(arena, second, items);
}

}  // namespace

bool is_runtime(const k8s::Object& object) {
  return object.is(kGroup, "ServingRuntime") || object.is(kGroup, "ClusterServingRuntime");
}

const Node& framework_block(const Node& predictor) {
  for (const std::string_view key : framework_keys()) {
    if (const Node& block = predictor.under(key); block.is_mapping()) return block;
  }
  return yaml::missing_node();
}

std::string_view runtime_name(const Node& predictor) {
  return predictor["model"]["runtime"].text();
}

RuntimeRequirements runtime_requirements(const Node& predictor,
                                         const std::optional<Version>& release) {
  const Node& block = framework_block(predictor);
  const std::string_view key = block.key()->text();
  RuntimeRequirements required;
  required.format = key == "model" ? &block["modelFormat"]["name"] : block.key();
  required.version = &block["modelFormat"]["version"];
  required.protocol = &block["protocolVersion"];
  required.workers = &predictor["workerSpec"];
  required.protocols = {required.protocol->text()};
  if (required.protocol->text().empty()) {
    required.protocols = default_protocols(key, required.format->text(), release);
  }
  required.named = !runtime_name(predictor).empty();
  return required;
}

std::vector<RuntimeObstacle> runtime_obstacles(const Node& runtime,
                                               const RuntimeRequirements& required) {
  using Kind = RuntimeObstacle::Kind;
  std::vector<RuntimeObstacle> obstacles;
  const Node& workers = runtime["workerSpec"];
  // KServe applies a default protocol and the kind of a runtime only to a choice of its own.
  const bool applies_protocol = !required.named || !required.protocol->text().empty();
  if (is_true(runtime["disabled"])) obstacles.push_back({Kind::disabled, &runtime["disabled"]});
  if (!required.named && is_true(runtime["multiModel"])) {
    obstacles.push_back({Kind::several_models, &runtime["multiModel"]});
  }
  if (applies_protocol && !supports_protocol(runtime, required.protocols)) {
    obstacles.push_back({Kind::protocol, &runtime["protocolVersions"]});
  }
  if (const auto format = format_obstacle(runtime, required)) obstacles.push_back(*format);
  if (required.workers->is_mapping() && !workers.is_mapping()) {
    obstacles.push_back({Kind::no_workers, &yaml::missing_node()});
  }
  if (!required.named && !required.workers->is_mapping() && workers.is_mapping()) {
    obstacles.push_back({Kind::has_workers, &workers});
  }
  return obstacles;
}

std::string obstacle_text(RuntimeObstacle::Kind obstacle, const RuntimeRequirements& required) {
  using Kind = RuntimeObstacle::Kind;
  const std::string_view format = required.format->text();
  switch (obstacle) {
    case Kind::disabled:
      return "is disabled";
    case Kind::several_models:
      return "has 'multiModel: true', which is for ModelMesh";
    case Kind::protocol:
      return fmt::format("does not support the protocol version '{}'{}", required.protocols.front(),
                         required.protocol->text().empty() ? ", the default" : "");
    case Kind::format:
      return fmt::format("does not support the model format '{}'", format);
    case Kind::version:
      return fmt::format("does not support the model format '{}' in version '{}'", format,
                         required.version->text());
    case Kind::auto_select:
      return fmt::format("has no 'autoSelect: true' for the model format '{}'", format);
    case Kind::no_workers:
      return "has no 'workerSpec', which a service with 'workerSpec' needs";
    case Kind::has_workers:
      return "has a 'workerSpec', so KServe chooses it only for services with 'workerSpec'";
  }
  return {};
}

const k8s::Object* find_runtime(std::string_view name, const k8s::Object& object,
                                const k8s::ObjectIndex& objects) {
  const auto* runtime = objects.find(kGroup, "ServingRuntime", object.ns, name, object);
  return runtime != nullptr
             ? runtime
             : objects.find(kGroup, "ClusterServingRuntime", std::nullopt, name, object);
}

RuntimeChoice choose_runtime(const k8s::Object& object, const Node& predictor,
                             const ControllerContext& context) {
  RuntimeRequirements required = runtime_requirements(predictor, context.version);
  required.protocols.resize(1);  // of an unknown release: as in the newest
  if (!required.named) return chosen_automatically(object, required, context);
  const std::string_view name = runtime_name(predictor);
  RuntimeChoice choice;
  choice.runtime = find_runtime(name, object, context.objects);
  if (choice.runtime == nullptr) {
    // KServe's own are as well known as one of them that KServe chooses.
    choice.unknown.push_back(
        {fmt::format("ServingRuntime '{}'", name),
         is_shipped_by_kserve(name) ? k8s::Unknown::Kind::chosen : k8s::Unknown::Kind::named});
    return choice;
  }
  const auto obstacles = runtime_obstacles(choice.runtime->spec(), required);
  if (!obstacles.empty()) {
    choice.error =
        described(*choice.runtime) + " " + obstacle_text(obstacles.front().kind, required);
  }
  return choice;
}

ServerLabel server_label(const k8s::Object& runtime, const Node& predictor,
                         const std::optional<Version>& release) {
  constexpr Version kReadsAnnotation{0, 17, 0};
  const std::string_view written =
      is_at_least(release, kReadsAnnotation)
          ? runtime.annotations()["serving.kserve.io/server-type"].text()
          : "";
  const auto is_server = [&](std::string_view type, std::string_view name) {
    return written.empty() ? runtime.name == name : written == type;
  };
  const RuntimeRequirements required = runtime_requirements(predictor, release);
  if (is_server("torchserve", "kserve-torchserve")) {
    const std::string_view protocol = required.protocol->text();
    return {"serviceEnvelope", protocol == "v2" || protocol == "grpc-v2" ? "kservev2" : "kserve"};
  }
  if (!is_server("mlserver", "kserve-mlserver")) return {};
  const std::string_view format = required.format->text();
  return {"modelClass", format == "xgboost"    ? "mlserver_xgboost.XGBoostModel"
                        : format == "lightgbm" ? "mlserver_lightgbm.LightGBMModel"
                        : format == "mlflow"   ? "mlserver_mlflow.MLflowRuntime"
                                               : "mlserver_sklearn.SKLearnModel"};
}

std::vector<k8s::PodTemplate> runtime_fragments(const k8s::Object& object, Arena& arena) {
  std::vector<k8s::PodTemplate> pods;
  const auto add = [&](std::string component, const Node& written) {
    if (!written.is_mapping()) return;
    const Node& spec =
        yaml::mapping_like(arena, written, yaml::pick(written, runtime_pod_fields()));
    pods.push_back(k8s::pod_fragment(std::move(component), spec, written));
  };
  add("", object.spec());
  add("worker", object.spec()["workerSpec"]);
  return pods;
}

const Node& merge_pod_fields(const Node& spec, const Node& patch,
                             const ControllerContext& context) {
  Arena& arena = context.arena;
  const auto fields = inherited_fields(context.version);
  const Node& base = yaml::mapping_like(arena, spec, yaml::pick(spec, fields));
  std::vector<Entry> own = yaml::pick(patch, pod_fields());
  std::erase_if(own, [](const Entry& entry) { return entry.key->text() == "containers"; });
  return k8s::strategic_merge(arena, base, yaml::mapping_like(arena, patch, own), "PodSpec");
}

const Node& merge_container(const Node& base, const Node& patch, Arena& arena) {
  const Node* merged =
      &k8s::strategic_merge(arena, base, yaml::without(arena, patch, "name"), "Container");
  const auto set = [&](yaml::Key field, const Node& value) {
    if (value && &value != &merged->under(field.text()))
      merged = &yaml::with(arena, *merged, field, value);
  };
  set("args"_key, joined(base["args"], patch["args"], arena));
  set("env"_key, resolved_environment((*merged)["env"], patch["env"], arena));
  return *merged;
}

}  // namespace cnsched::kserve
