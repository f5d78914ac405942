#include "core/kserve/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <tuple>

#include "core/base/text.h"
#include "core/kserve/fields.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using yaml::Node;

constexpr std::string_view kGroup = "serving.kserve.io";

/// What a predictor requires of its runtime.
struct Requirements {
  std::string_view format;
  std::string_view version;  ///< empty: any
  std::string_view protocol;
  bool protocol_written = false;
  bool named = false;  ///< a named runtime does not need autoSelect
  bool multi_node = false;
};

/// Formats whose default is protocol v2.
bool prefers_v2(std::string_view block, std::string_view format) {
  return block == "triton" || block == "onnx" || block == "huggingface" || format == "triton" ||
         format == "vLLM";
}

Requirements requirements_of(const Node& predictor) {
  const Node& block = framework_block(predictor);
  const std::string_view key = block.key()->text();
  const bool model = key == "model";
  Requirements required;
  required.format = model ? block["modelFormat"]["name"].text() : key;
  required.version = block["modelFormat"]["version"].text();
  required.protocol = block["protocolVersion"].text();
  required.protocol_written = !required.protocol.empty();
  if (!required.protocol_written)
    required.protocol = prefers_v2(key, required.format) ? "v2" : "v1";
  required.named = !runtime_name(predictor).empty();
  required.multi_node = predictor["workerSpec"].is_mapping();
  return required;
}

bool is_true(const Node& value) { return yaml::boolean_of(value.text()).value_or(false); }

bool supports_format(const Node& runtime, const Requirements& required) {
  return std::ranges::any_of(runtime["supportedModelFormats"].items(), [&](const Node* format) {
    if (!required.named && !is_true((*format)["autoSelect"])) return false;
    return (*format)["name"].text() == required.format &&
           (required.version.empty() || (*format)["version"].text() == required.version);
  });
}

bool supports_protocol(const Node& runtime, std::string_view protocol) {
  const Node& versions = runtime["protocolVersions"];
  return versions.items().empty() ||
         std::ranges::any_of(versions.items(),
                             [&](const Node* version) { return version->text() == protocol; });
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

bool fits(const Node& runtime, const Requirements& required) {
  return !is_true(runtime["disabled"]) && !is_true(runtime["multiModel"]) &&
         supports_format(runtime, required) && supports_protocol(runtime, required.protocol) &&
         runtime["workerSpec"].is_mapping() == required.multi_node;
}

std::string described(const k8s::Object& runtime) {
  return fmt::format("{} '{}'", runtime.kind, runtime.name);
}

/// The controller's error for a named runtime that does not support the model.
std::string support_error(const k8s::Object& runtime, const Requirements& required) {
  const Node& spec = runtime.spec();
  if (is_true(spec["disabled"])) return described(runtime) + " is disabled";
  if (required.protocol_written && !supports_protocol(spec, required.protocol)) {
    return fmt::format("{} does not support the protocol version '{}'", described(runtime),
                       required.protocol);
  }
  if (!supports_format(spec, required)) {
    return fmt::format(
        "{} does not support the model format '{}'{}", described(runtime), required.format,
        required.version.empty() ? std::string()
                                 : fmt::format(" in version '{}'", required.version));
  }
  return {};
}

/// The names of the first few runtimes, and the number of others.
std::vector<std::string> some_of(const std::vector<const k8s::Object*>& runtimes) {
  constexpr std::size_t kMaxNames = 8;
  std::vector<std::string> names;
  for (const k8s::Object* runtime : runtimes) {
    if (names.size() == kMaxNames) {
      names.push_back(fmt::format("{} more", runtimes.size() - kMaxNames));
      break;
    }
    names.push_back(described(*runtime));
  }
  return names;
}

/// The best of the runtimes in KServe's order. If only the creation time decides, returns the first
/// by name and adds to `unclear`.
const k8s::Object* best_of(const std::vector<const k8s::Object*>& runtimes,
                           const Requirements& required, std::vector<k8s::Unknown>& unclear) {
  using Order = std::tuple<std::int64_t, std::size_t>;
  const auto order = [&](const k8s::Object& runtime) {
    const std::int64_t priority = priority_of(runtime.spec(), required.format);
    // Negation would overflow if there is no priority.
    return Order{~priority, protocol_rank(runtime.spec())};
  };
  const k8s::Object* best = nullptr;
  std::vector<const k8s::Object*> equals;
  for (const k8s::Object* runtime : runtimes) {
    if (!fits(runtime->spec(), required)) continue;
    if (best == nullptr || order(*runtime) < order(*best)) {
      best = runtime;
      equals = {runtime};
    } else if (order(*runtime) == order(*best)) {
      equals.push_back(runtime);
    }
  }
  if (equals.size() > 1) {
    unclear.push_back({"which of " + join_words(some_of(equals)) + " KServe chooses (the newest)",
                       k8s::Unknown::Kind::chosen});
  }
  return best;
}

RuntimeChoice chosen_automatically(const k8s::Object& object, const Requirements& required,
                                   const ControllerContext& context) {
  RuntimeChoice choice;
  for (const std::string_view kind : {"ServingRuntime", "ClusterServingRuntime"}) {
    const std::string_view ns = kind == "ServingRuntime" ? object.ns : std::string_view();
    choice.runtime =
        best_of(context.objects.all(kGroup, kind, ns, object), required, choice.unknown);
    if (choice.runtime != nullptr) return choice;
  }
  choice.unknown.push_back(
      {fmt::format("the runtime that KServe chooses for the model format '{}'", required.format),
       k8s::Unknown::Kind::chosen});
  return choice;
}

}  // namespace

const Node& framework_block(const Node& predictor) {
  for (const std::string_view key : framework_keys()) {
    if (const Node& block = predictor[key]; block.is_mapping()) return block;
  }
  return yaml::missing_node();
}

std::string_view runtime_name(const Node& predictor) {
  return predictor["model"]["runtime"].text();
}

RuntimeChoice choose_runtime(const k8s::Object& object, const Node& predictor,
                             const ControllerContext& context) {
  const Requirements required = requirements_of(predictor);
  if (!required.named) return chosen_automatically(object, required, context);
  const std::string_view name = runtime_name(predictor);
  RuntimeChoice choice;
  choice.runtime = context.objects.find(kGroup, "ServingRuntime", object.ns, name, object);
  if (choice.runtime == nullptr) {
    choice.runtime = context.objects.find(kGroup, "ClusterServingRuntime", "", name, object);
  }
  if (choice.runtime == nullptr) {
    choice.unknown.push_back({fmt::format("ServingRuntime '{}'", name), k8s::Unknown::Kind::named});
  } else {
    choice.error = support_error(*choice.runtime, required);
  }
  return choice;
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

}  // namespace cnsched::kserve
