#include <algorithm>
#include <string>
#include <vector>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/kserve/containers.h"
#include "core/kserve/pods.h"
#include "core/kserve/replicas.h"
#include "core/kserve/runtime.h"
#include "core/kserve/shipped_runtimes.h"
#include "core/workspace/known_runtimes.h"
#include "core/workspace/workload.h"
#include "rules/common/wording.h"
#include "rules/rule.h"

namespace cnsched::rules::unknown_runtime {

using kserve::RuntimeObstacle;
using yaml::Node;
using Kind = RuntimeObstacle::Kind;

namespace {

/// A predictor that needs a runtime, and what is known about the runtimes.
struct Predictor {
  const k8s::Object& service;
  const Node& spec;
  kserve::RuntimeRequirements required;
  const KnownRuntimes& known;
  bool may_be_patch = false;   ///< another version of the service may have the model format
  KnownRuntimes::List seen{};  ///< the runtimes that the service may use
  bool complete = false;       ///< no other runtimes exist

  const Node& runtime() const { return spec["model"]["runtime"]; }
};

/// A runtime that supports the model format and is not chosen nevertheless.
struct Candidate {
  const k8s::Object* runtime = nullptr;
  std::vector<RuntimeObstacle> obstacles;
};

}  // namespace

static const Node& name_of(const k8s::Object& runtime) {
  const Node& name = runtime["metadata"]["name"];
  return name ? name : runtime["kind"];
}

static std::string_view unless_known(const Predictor& predictor) {
  return predictor.complete ? "" : " unless the cluster has one";
}

static std::string_view or_pass_list(const Predictor& predictor) {
  return predictor.complete ? ""
                            : "; if the cluster has one, pass it with --cluster (kubectl get "
                              "servingruntimes,clusterservingruntimes -A -o yaml)";
}

static void rank(const Predictor& predictor, Findings::Finding& finding) {
  if (!predictor.complete) finding.severity(Severity::warning);
}

/// At most as many as a comparison of each may take.
static std::vector<std::string_view> sorted(std::vector<std::string_view> names) {
  constexpr std::size_t kMaxNames = 100;
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  if (names.size() > kMaxNames) names.resize(kMaxNames);
  return names;
}

/// Adds the name that the author may intend, with a fix if that is certain; false if none is near.
static bool add_intended(const Node& written, std::vector<std::string_view> known,
                         std::span<const std::string_view> shipped, Findings& findings,
                         Findings::Finding& finding) {
  known.insert(known.end(), shipped.begin(), shipped.end());
  const auto like = nearest(written.text(), known);
  if (!like) return false;
  finding.help("did you mean '{}'?", *like);
  if (certain_correction(written.text(), known)) {
    finding.fix(Safety::unsafe, fmt::format("write '{}'", *like),
                {yaml::to_set(written, findings.make_string(*like))});
  }
  return true;
}

/// KServe's own names, if they may exist.
static std::span<const std::string_view> if_open(const Predictor& predictor,
                                                 std::span<const std::string_view> shipped) {
  return predictor.complete ? std::span<const std::string_view>() : shipped;
}

/// Whether the files show a runtime that the service may use: a run without any does not hold them.
static bool sees_runtimes(const Predictor& predictor) {
  return std::ranges::any_of(predictor.seen, [&](const k8s::Object* runtime) {
    return runtime->kind != "ServingRuntime" || runtime->ns.meets(predictor.service.ns);
  });
}

// A runtime that the service names.

static std::vector<std::string_view> names_of(const KnownRuntimes::List& runtimes) {
  std::vector<std::string_view> names;
  for (const k8s::Object* runtime : runtimes) names.push_back(runtime->name);
  return sorted(std::move(names));
}

static void report_elsewhere(const Predictor& predictor, const k8s::Object& other,
                             Findings& findings) {
  auto finding = findings.add(
      predictor.runtime(),
      "{} is in namespace '{}', and KServe looks for it in namespace '{}' and among the "
      "ClusterServingRuntimes: it creates no pods{}",
      named(other), other.ns.name, predictor.service.ns.name, unless_known(predictor));
  rank(predictor, finding);
  finding.note(other["metadata"]["namespace"], "the runtime is here")
      .help("move both to one namespace, or make it a ClusterServingRuntime");
}

static void report_absent(const Predictor& predictor, Findings& findings) {
  const auto names = names_of(predictor.seen);
  const auto shipped = if_open(predictor, kserve::shipped_runtime_names());
  const Node& written = predictor.runtime();
  const bool is_misspelt = certain_correction(written.text(), names) ||
                           certain_correction(written.text(), {shipped.begin(), shipped.end()});
  if (!predictor.complete && predictor.known.may_have_others() && !is_misspelt) return;
  auto finding =
      findings.add(written,
                   "no {}ServingRuntime or ClusterServingRuntime is named '{}': KServe "
                   "creates no pods{}",
                   predictor.complete ? "" : "known ", written.text(), unless_known(predictor));
  rank(predictor, finding);
  if (add_intended(written, names, shipped, findings, finding)) return;
  if (names.empty()) {
    finding.help("add the runtime, or leave out 'runtime'{}", or_pass_list(predictor));
  } else {
    finding.help("name an existing one ({}){}", first_names(names, 3), or_pass_list(predictor));
  }
}

/// What to change so that KServe uses the runtime.
static std::string advice_on(const RuntimeObstacle& obstacle, const k8s::Object& runtime,
                             const Predictor& predictor) {
  const bool has_model = predictor.spec["model"].is_mapping();
  const std::string naming =
      fmt::format("{}'runtime: {}'", has_model ? "write " : "use 'model' with ", runtime.name);
  const auto versions = runtime.spec()["protocolVersions"].items();
  switch (obstacle.kind) {
    case Kind::disabled:
      return "remove 'disabled: true' there, or use another runtime";
    case Kind::several_models:
      return "write a runtime with 'multiModel: false'";
    case Kind::protocol:
      return fmt::format("write 'protocolVersion: {}'", versions.front()->text());
    case Kind::format:
      return "name a runtime for this format, or add the format there";
    case Kind::version:
      return "write a version that it supports, or leave the version out";
    case Kind::auto_select:
      return "set 'autoSelect: true' there, or " + naming;
    case Kind::no_workers:
      return "use a runtime with 'workerSpec', or remove it here";
    case Kind::has_workers:
      return "add 'workerSpec' to the predictor, or " + naming;
  }
  return {};
}

/// The value to change in the service, if any of its own is at fault.
static const Node& culprit_of(const RuntimeObstacle& obstacle, const Predictor& predictor) {
  const kserve::RuntimeRequirements& required = predictor.required;
  if (obstacle.kind == Kind::version) return *required.version;
  if (obstacle.kind == Kind::protocol && *required.protocol) return *required.protocol;
  if (obstacle.kind == Kind::no_workers) return *required.workers->key();
  const bool at_runtime = required.named && obstacle.kind != Kind::format;
  return at_runtime || !*required.format ? predictor.runtime() : *required.format;
}

/// Where the runtime excludes the service: a long block is shown by its key.
static const Node& place_of(const RuntimeObstacle& obstacle, const k8s::Object& runtime) {
  const bool is_block = obstacle.kind == Kind::has_workers || obstacle.kind == Kind::format;
  if (is_block && obstacle.where->key() != nullptr) return *obstacle.where->key();
  return *obstacle.where ? *obstacle.where : name_of(runtime);
}

/// KServe merges the model into one container of the runtime, and the worker into another one.
static void check_containers(const Predictor& predictor, const k8s::Object& runtime,
                             Findings& findings) {
  const auto check = [&](const Node& containers, std::string_view name, std::string_view place) {
    if (containers.items().empty() || k8s::item_named(containers, name)) return;
    auto finding = findings.add(predictor.runtime(),
                                "{} has no container named '{}'{}: KServe creates no pods",
                                named(runtime), name, place);
    finding.note(*containers.key(), "the containers of the runtime")
        .help("name a container '{}' there, or use another runtime", name);
  };
  const Node& spec = runtime.spec();
  check(spec["containers"], kserve::kServingContainer, "");
  if (!predictor.spec["workerSpec"].is_mapping()) return;
  check(spec["workerSpec"]["containers"], kserve::kWorkerContainer, " in its 'workerSpec'");
}

static void check_named(const Predictor& predictor, const ClusterScope& scope, Findings& findings) {
  const std::string_view name = predictor.runtime().text();
  const k8s::Object& service = predictor.service;
  if (const auto* runtime = kserve::find_runtime(name, service, scope.index())) {
    const auto obstacles = kserve::runtime_obstacles(runtime->spec(), predictor.required);
    if (scope.is_patch(*runtime)) return;
    if (obstacles.empty()) return check_containers(predictor, *runtime, findings);
    const RuntimeObstacle& first = obstacles.front();
    auto finding =
        findings.add(culprit_of(first, predictor), "{} {}: KServe creates no pods", named(*runtime),
                     kserve::obstacle_text(first.kind, predictor.required));
    finding.note(place_of(first, *runtime), "the runtime is declared here")
        .help("{}", advice_on(first, *runtime, predictor));
    return;
  }
  constexpr std::string_view kGroup = "serving.kserve.io";
  const bool is_ambiguous =
      scope.index().contains(kGroup, "ServingRuntime", service.ns, name) ||
      scope.index().contains(kGroup, "ClusterServingRuntime", std::nullopt, name);
  const auto shipped = if_open(predictor, kserve::shipped_runtime_names());
  if (is_ambiguous || is_one_of(name, shipped)) return;
  if (const auto* other = predictor.known.first_named(name)) {
    report_elsewhere(predictor, *other, findings);
  } else if (predictor.complete || sees_runtimes(predictor)) {
    report_absent(predictor, findings);
  }
}

// A runtime that KServe chooses.

/// Whether the fields that decide are substituted before they reach the cluster.
static bool is_unclear(const Node& runtime) {
  const auto is_open = [](const Node* node) { return k8s::is_placeholder(node->text()); };
  return std::ranges::any_of(runtime["protocolVersions"].items(), is_open) ||
         std::ranges::any_of(runtime["supportedModelFormats"].items(), [&](const Node* format) {
           return std::ranges::any_of(
               format->entries(), [&](const yaml::Entry& entry) { return is_open(entry.value); });
         });
}

static std::vector<std::string_view> formats_of(const KnownRuntimes::List& runtimes) {
  std::vector<std::string_view> formats;
  for (const k8s::Object* runtime : runtimes) {
    for (const Node* format : runtime->spec()["supportedModelFormats"].items()) {
      formats.push_back((*format)["name"].text());
    }
  }
  return sorted(std::move(formats));
}

/// A format that KServe ships runtimes for, but none for its version, protocol or several nodes.
static void report_variant(const Predictor& predictor, Findings& findings) {
  const kserve::RuntimeRequirements& required = predictor.required;
  const bool on_nodes = required.workers->is_mapping();
  const Node& culprit = *required.protocol  ? *required.protocol
                        : *required.version ? *required.version
                                            : *required.format;
  const std::string_view version = required.version->text();
  auto finding = findings.add(
      culprit,
      "no known runtime, nor one that KServe ships, supports the model format '{}'{} with protocol "
      "version '{}'{}: KServe creates no pods{}",
      required.format->text(), version.empty() ? "" : fmt::format(" in version '{}'", version),
      required.protocols.front(), on_nodes ? " on several nodes" : "", unless_known(predictor));
  rank(predictor, finding);
  finding.help("add a runtime for it{}", or_pass_list(predictor));
}

static void report_format(const Predictor& predictor, Findings& findings) {
  const Node& format = *predictor.required.format;
  const auto shipped = if_open(predictor, kserve::shipped_formats());
  if (is_one_of(format.text(), shipped)) {
    return report_variant(predictor, findings);
  }
  auto finding =
      findings.add(format, "no {}runtime supports the model format '{}': KServe creates no pods{}",
                   predictor.complete ? "" : "known ", format.text(), unless_known(predictor));
  rank(predictor, finding);
  const bool is_key = predictor.spec["model"].is_missing();
  if (!is_key && add_intended(format, formats_of(predictor.seen), shipped, findings, finding))
    return;
  finding.help("add a runtime for this format{}", or_pass_list(predictor));
}

static void report_candidates(const Predictor& predictor, const std::vector<Candidate>& candidates,
                              Findings& findings) {
  constexpr std::size_t kMaxNotes = 5;
  const Candidate& best = *std::ranges::min_element(
      candidates, {}, [](const Candidate& c) { return c.obstacles.size(); });
  std::vector<std::string> reasons;
  for (const RuntimeObstacle& obstacle : best.obstacles) {
    reasons.push_back(kserve::obstacle_text(obstacle.kind, predictor.required));
  }
  const RuntimeObstacle& first = best.obstacles.front();
  auto finding = findings.add(
      culprit_of(first, predictor),
      "KServe chooses no {}runtime for the model format '{}' and creates no pods{}: {} {}",
      predictor.complete ? "" : "known ", predictor.required.format->text(),
      unless_known(predictor), named(*best.runtime), join_words(reasons));
  rank(predictor, finding);
  for (const RuntimeObstacle& obstacle : best.obstacles) {
    finding.note(place_of(obstacle, *best.runtime), "the runtime is declared here");
  }
  std::size_t notes = 0;
  for (const Candidate& candidate : candidates) {
    if (&candidate == &best || notes++ == kMaxNotes) continue;
    const RuntimeObstacle& other = candidate.obstacles.front();
    finding.note(place_of(other, *candidate.runtime), "{} {}", named(*candidate.runtime),
                 kserve::obstacle_text(other.kind, predictor.required));
  }
  finding.help("{}{}", advice_on(first, *best.runtime, predictor), or_pass_list(predictor));
}

static void check_chosen(const Predictor& predictor, Findings& findings) {
  if (!predictor.complete) {
    if (!sees_runtimes(predictor) || predictor.known.may_have_others()) return;
    if (kserve::is_served_by_shipped_runtime(predictor.required)) return;
  }
  std::vector<Candidate> candidates;
  for (const k8s::Object* runtime : predictor.seen) {
    auto obstacles = kserve::runtime_obstacles(runtime->spec(), predictor.required);
    if (obstacles.empty() || is_unclear(runtime->spec())) return;
    const bool is_for_format = std::ranges::none_of(
        obstacles, [](const RuntimeObstacle& o) { return o.kind == Kind::format; });
    if (is_for_format) candidates.push_back({runtime, std::move(obstacles)});
  }
  if (candidates.empty()) {
    report_format(predictor, findings);
  } else {
    report_candidates(predictor, candidates, findings);
  }
}

/// Whether the pod is that of a predictor, or of a canary with a model of its own.
static bool is_predictor(const Workload& workload) {
  const bool is_kind =
      workload.component == "predictor" || workload.component.starts_with("canary");
  return is_kind && kserve::framework_block(*workload.written);
}

static bool is_checked(const Workload& workload, const ClusterScope& scope) {
  const k8s::Object& service = *workload.object;
  return service.kind == "InferenceService" && !scope.is_patch(service) &&
         workload.mode.mode != kserve::DeploymentMode::model_mesh &&
         !k8s::is_placeholder(
             service.annotations().under(kserve::kDeploymentModeAnnotation).text()) &&
         !kserve::is_stopped(service) && is_predictor(workload);
}

static void report_no_format(const Predictor& predictor, Findings& findings) {
  if (predictor.may_be_patch) return;
  const Node& model = predictor.spec["model"];
  const Node& format = model["modelFormat"];
  findings
      .add_at_key(format.is_mapping() ? format : model,
                  "the model has no format: KServe finds no runtime and creates no pods")
      .severity(Severity::warning)
      .help("add 'modelFormat: {{name: …}}'; if this is a patch, list it in a kustomization.yaml");
}

static bool is_open(const kserve::RuntimeRequirements& required) {
  return std::ranges::any_of(
      std::initializer_list<const Node*>{required.format, required.version, required.protocol},
      [](const Node* node) { return k8s::is_placeholder(node->text()); });
}

static void check_predictor(Predictor predictor, const ClusterScope& scope, Findings& findings) {
  auto seen = predictor.known.visible_to(predictor.service.ns);
  if (!seen || is_open(predictor.required)) return;
  predictor.seen = *std::move(seen);
  predictor.complete = findings.facts().runtimes_complete;
  if (!predictor.required.named) {
    if (predictor.required.format->text().empty()) {
      report_no_format(predictor, findings);
    } else {
      check_chosen(predictor, findings);
    }
  } else if (!k8s::is_placeholder(predictor.runtime().text())) {
    check_named(predictor, scope, findings);
  }
}

static void check(const ClusterScope& scope, Findings& findings) {
  const KnownRuntimes known(scope);
  each_linted_pod(scope, findings, Domain::kserve, [&](const Workload& workload) {
    if (!is_checked(workload, scope)) return;
    const k8s::Object& service = *workload.object;
    const Node& spec = workload.component == "predictor"
                           ? *workload.written
                           : kserve::canary_predictor(
                                 findings.values(), service.spec()["predictor"], *workload.written);
    check_predictor(
        {service, spec, kserve::runtime_requirements(spec, findings.facts().releases().kserve),
         known, is_patch(workload, scope)},
        scope, findings);
  });
}

extern constinit const Rule rule = {
    .id = "unknown-runtime",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .fix = Safety::unsafe,
    .check = check,
};

}  // namespace cnsched::rules::unknown_runtime
