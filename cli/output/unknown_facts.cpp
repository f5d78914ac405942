#include "cli/output/unknown_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace cnsched::cli {

namespace {

using Fact = k8s::Unknown::Fact;

/// What pods depend on, as far as it is the same for many of them.
std::string unknown_name(const k8s::Unknown& unknown) {
  switch (unknown.fact) {
    case Fact::deployment_mode:
      return "the deployment mode";
    case Fact::knative_features:
      return "Knative's feature flags";
    case Fact::runtimes:
      return "the runtime that KServe chooses";
    case Fact::llm_configs:
      return "LLMInferenceServiceConfigs";
    case Fact::seldon_config:
      return "images of Seldon Core 1";
    case Fact::admission_plugin:
      return "the admission plugin ExtendedResourceToleration";
    case Fact::object:
    case Fact::patched_object:
    case Fact::runtime_class:
    case Fact::hardware_profile:
      break;
  }
  return printable(unknown.what);
}

std::string_view advice_on(Fact fact) {
  switch (fact) {
    case Fact::deployment_mode:
      return "set cluster.defaultDeploymentMode in .cnsched.yaml, or pass ConfigMap "
             "'inferenceservice-config' with --cluster";
    case Fact::knative_features:
      return "set cluster.knativeFeatures in .cnsched.yaml, or pass ConfigMap 'config-features' "
             "with --cluster";
    case Fact::runtimes:
      return "pass the cluster's ServingRuntimes and ClusterServingRuntimes with --cluster";
    case Fact::llm_configs:
      return "pass the cluster's LLMInferenceServiceConfigs with --cluster";
    case Fact::seldon_config:
      return "pass ConfigMap 'seldon-config' with --cluster";
    case Fact::admission_plugin:
      return "set cluster.extendedResourceToleration in .cnsched.yaml";
    case Fact::runtime_class:
      return "pass the RuntimeClass with --cluster";
    case Fact::patched_object:
      return "check what kustomize builds, with 'kustomize build DIR | cnsched …'";
    case Fact::object:
    case Fact::hardware_profile:
      break;
  }
  return "pass it with --cluster";
}

using UnfollowedKind = Unfollowed::Kind;

/// The flag that includes what is skipped; empty if there is none.
std::string_view flag_for(UnfollowedKind kind) {
  if (kind == UnfollowedKind::chart) return "--render helm";
  return kind == UnfollowedKind::kustomization ? "--render kustomize" : "";
}

std::size_t count_in(std::span<const Unfollowed> all, UnfollowedKind kind) {
  return static_cast<std::size_t>(std::ranges::count(all, kind, &Unfollowed::kind));
}

std::size_t templates_in(std::span<const Unfollowed> all, UnfollowedKind kind) {
  std::size_t count = 0;
  for (const Unfollowed& each : all) count += each.kind == kind ? each.templates : 0;
  return count;
}

/// What to add for those of the kind, or what came of it if that is there already.
std::string hint_for(std::span<const Unfollowed> all, UnfollowedKind kind,
                     std::string_view if_asked_for) {
  const bool is_asked_for = std::ranges::any_of(
      all, [&](const Unfollowed& each) { return each.kind == kind && each.asked_for; });
  return is_asked_for ? std::string(if_asked_for) : fmt::format(" (add {})", flag_for(kind));
}

struct Noun {
  UnfollowedKind kind;
  std::string_view text;
};

/// "2 Jsonnet files and 1 Terraform file not read"; empty if there is none of these kinds.
std::string counted(std::span<const Unfollowed> all, std::initializer_list<Noun> nouns,
                    std::string_view end) {
  std::vector<std::string> parts;
  for (const Noun& noun : nouns) {
    if (const std::size_t count = count_in(all, noun.kind); count > 0) {
      parts.push_back(count_of(count, noun.text));
    }
  }
  return parts.empty() ? "" : fmt::format("{} {}", join_words(parts), end);
}

}  // namespace

void UnknownFacts::count(std::vector<std::size_t>& counted, std::string fact, std::string advice) {
  auto found = std::ranges::find(counts_, fact, &Count::fact);
  if (found == counts_.end()) {
    counts_.push_back({std::move(fact), std::move(advice)});
    found = std::prev(counts_.end());
  }
  const auto index = static_cast<std::size_t>(found - counts_.begin());
  if (is_one_of(index, counted)) return;
  counted.push_back(index);
  ++found->pods;
}

void UnknownFacts::add(const Workload& workload) {
  std::vector<std::size_t> counted;
  for (const k8s::Unknown& unknown : workload.unknown) {
    count(counted, unknown_name(unknown), std::string(advice_on(unknown.fact)));
  }
}

void UnknownFacts::add_unevaluated(const std::vector<std::string>& requirements) {
  std::vector<std::size_t> counted;
  for (const std::string& requirement : requirements) {
    const bool is_class = requirement.starts_with("RuntimeClass");
    const bool is_volume = requirement.find("volume") != std::string::npos;
    count(
        counted,
        is_class    ? requirement.substr(0, requirement.find(" is "))
        : is_volume ? "volumes"
                    : requirement,
        is_class ? std::string(advice_on(Fact::runtime_class)) : "simulate does not evaluate this");
  }
}

std::vector<std::string> UnknownFacts::lines() const {
  constexpr std::size_t kMaxLines = 20;
  std::vector<Count> sorted = counts_;
  std::ranges::stable_sort(sorted, [](const Count& a, const Count& b) {
    return a.pods != b.pods ? a.pods > b.pods : a.fact < b.fact;
  });
  std::vector<std::string> lines;
  for (const Count& count : sorted) {
    if (lines.size() == kMaxLines) {
      lines.push_back(fmt::format("and {} more facts", sorted.size() - kMaxLines));
      break;
    }
    lines.push_back(fmt::format("{} {} on {}: {}", count_of(count.pods, "pod"),
                                count.pods == 1 ? "depends" : "depend", count.fact, count.advice));
  }
  return lines;
}

std::vector<std::string> describe(std::span<const Unfollowed> unfollowed,
                                  std::string_view command) {
  std::vector<std::string> lines;
  if (const std::size_t charts = count_in(unfollowed, UnfollowedKind::chart); charts > 0) {
    lines.push_back(
        fmt::format("{} in {} skipped{}",
                    count_of(templates_in(unfollowed, UnfollowedKind::chart), "Helm template"),
                    count_of(charts, "chart"),
                    hint_for(unfollowed, UnfollowedKind::chart, ": the chart is not rendered")));
  }
  if (const std::size_t files = templates_in(unfollowed, UnfollowedKind::template_file);
      files > 0) {
    lines.push_back(
        fmt::format("{} skipped: {} what Helm renders, with 'helm template CHART | cnsched {} -'",
                    count_of(files, "Helm template"), command, command));
  }
  const std::string not_built = "not built" + hint_for(unfollowed, UnfollowedKind::kustomization,
                                                       ": the files are checked as they are");
  for (const std::string& line :
       {counted(unfollowed, {{UnfollowedKind::kustomization, "kustomization"}}, not_built),
        counted(unfollowed,
                {{UnfollowedKind::application, "Argo CD Application"},
                 {UnfollowedKind::application_set, "Argo CD ApplicationSet"}},
                "not followed"),
        counted(unfollowed,
                {{UnfollowedKind::helm_release, "Flux HelmRelease"},
                 {UnfollowedKind::flux_kustomization, "Flux Kustomization"}},
                "not followed"),
        counted(unfollowed,
                {{UnfollowedKind::jsonnet, "Jsonnet file"},
                 {UnfollowedKind::cue, "CUE file"},
                 {UnfollowedKind::terraform, "Terraform file"}},
                "not read")}) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

Json json_of(std::span<const Unfollowed> unfollowed) {
  Json list = Json::array();
  for (const Unfollowed& each : unfollowed) {
    Json entry = {{"kind", name_of(each.kind)}, {"path", each.path}};
    if (each.line > 0) entry["line"] = each.line;
    if (!each.name.empty()) entry["name"] = each.name;
    if (each.templates > 0) entry["templates"] = each.templates;
    const std::string_view flag = each.asked_for ? "" : flag_for(each.kind);
    if (!flag.empty()) entry["flag"] = flag;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace cnsched::cli
