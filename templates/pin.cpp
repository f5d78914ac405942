// The pods are built as their controllers build them, the missing placement is added to the
// manifest, and the pods are built again: the placement of one pod may complete another that is
// based on it.

#include "templates/pin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

#include "core/accelerators/catalogue.h"
#include "core/accelerators/conflict.h"
#include "core/accelerators/node_trait.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/selector.h"
#include "core/yaml/tree.h"
#include "templates/pin_plan.h"
#include "templates/pin_target.h"

namespace cnsched::templates {

namespace {

/// The pods that others are based on, the others and the final check need a few rounds.
constexpr int kRounds = 6;

constexpr auto kParameters =
    std::to_array<std::string_view>({"platform", "accelerator", "gpus", "migStrategy"});

/// The advice for a text that cannot be edited.
std::string_view advice_for(const Error& error) {
  const bool is_repeated = error.message.find("alias") != std::string::npos;
  return is_repeated ? ": replace the alias with a copy of the values, and run the command again"
                     : "";
}

/// The settings for pods that request a given number of accelerators.
class Filled {
 public:
  Filled(std::int64_t gpus, const UserValues& values)
      : parameters_(pin_parameters(gpus, arena_)), settings_(Form{"pin", parameters_}, values) {}

  const Settings& settings() const { return settings_; }

 private:
  Arena arena_;
  std::vector<Parameter> parameters_;
  Settings settings_;
};

class Pinner {
 public:
  Pinner(const PinRequest& request, const LoadOptions& context)
      : request_(request), context_(context) {
    result_.text = request.text;
  }

  Pinned result() && {
    for (int round = 0; round < kRounds; ++round) {
      const bool is_first = round == 0;
      const bool is_done = !run_round(is_first);
      if (is_done || !result_.problems.empty()) return std::move(result_);
    }
    fail(Pinned::Failure::manifest,
         fmt::format("{}: the pods still lack a part of the placement after all changes",
                     printable(request_.path)));
    return std::move(result_);
  }

 private:
  void fail(Pinned::Failure failure, std::string problem) {
    result_.failure = failure;
    result_.problems.push_back(std::move(problem));
  }

  /// Builds the pods and completes the first incomplete ones. False if none is incomplete, or on an
  /// error.
  bool run_round(bool is_first) {
    Workspace workspace;
    LoadOptions options = context_;
    options.memory_files.push_back({request_.path, result_.text});
    workspace.load(options);
    if (is_first && !is_readable(workspace)) return false;
    const auto pods = pods_to_pin(workspace, request_.components);
    if (!pods) {
      fail(Pinned::Failure::request, pods.error().message);
      return false;
    }
    if (is_first && !are_settings_valid(*pods)) return false;
    // Pods that are based on others are checked again after those are complete.
    for (const bool fragment : {true, false}) {
      Texts texts;
      std::string failure;
      for (const Workload* pod : *pods) {
        if (pod->fragment == fragment) plan(workspace, *pod, texts, failure);
      }
      if (result_.problems.empty() && !failure.empty()) fail(Pinned::Failure::manifest, failure);
      if (!result_.problems.empty()) return false;
      if (texts.empty()) continue;
      replace(texts);
      return true;
    }
    return false;
  }

  // Reading.

  std::string place(const Workspace& workspace, Span span) const {
    const Position at = workspace.file_of(span).position(span.begin);
    return fmt::format("{}:{}:{}", printable(request_.path), at.line, at.column);
  }

  bool is_readable(const Workspace& workspace) {
    for (const auto& loaded : workspace.documents()) {
      if (!loaded->linted) continue;
      if (loaded->status == DocumentStatus::templated) {
        fail(Pinned::Failure::manifest,
             fmt::format("{}: this is a Helm template: pin what Helm renders, with 'helm template "
                         "CHART | cnsched generate pin -', or set the placement in its values",
                         place(workspace, loaded->document.span)));
      }
      if (loaded->status != DocumentStatus::broken) continue;
      for (const yaml::Problem& problem : loaded->document.problems) {
        fail(Pinned::Failure::manifest,
             fmt::format("{}: {}; fix it first ('cnsched lint' shows details)",
                         place(workspace, problem.where), printable(problem.message)));
      }
    }
    const bool has_pods = std::ranges::any_of(all_workloads(workspace), [](const Workload* pod) {
      return pod->scope->is_linted(*pod->object);
    });
    if (result_.problems.empty() && !has_pods) {
      fail(Pinned::Failure::manifest,
           fmt::format("{}: the file has no object that can be pinned: no model server, Deployment "
                       "or other object that creates pods",
                       printable(request_.path)));
    }
    return result_.problems.empty();
  }

  // Parameters.

  const Settings& settings_for(const Workload& pod) {
    const std::int64_t gpus = accelerators_of(pod);
    auto& filled = filled_[gpus];
    if (!filled) filled = std::make_unique<Filled>(gpus, request_.values);
    return filled->settings();
  }

  bool are_settings_valid(const std::vector<const Workload*>& pods) {
    for (const Workload* pod : pods) {
      const Settings& settings = settings_for(*pod);
      for (const std::string& problem : settings.problems()) {
        if (is_one_of(problem, result_.problems)) continue;
        fail(Pinned::Failure::request, problem);
        result_.corrected_settings = settings.corrected_settings();
        // If nothing is missing and the values are still impossible, there is no better command.
        if (settings.user_settings().size() == settings.corrected_settings().size() &&
            !settings.user_settings().empty()) {
          result_.corrected_settings.clear();
        }
      }
      result_.pods.push_back(description_of(*pod));
    }
    return result_.problems.empty();
  }

  // Changing.

  /// Changed documents.
  using Texts = std::map<Span, std::string>;

  /// Changes the pod's document. `failure`: of the first change that cannot be made.
  void plan(const Workspace& workspace, const Workload& pod, Texts& texts, std::string& failure) {
    const Settings& settings = settings_for(pod);
    const Pin pin{settings.values(), settings.is_set("gpus"), request_.container,
                  request_.replaces};
    const auto put = [&](const Path& path, const yaml::Node* value, Span where) {
      if (!failure.empty()) return;
      const Span span = pod.object->document->span;
      std::string& text = texts.try_emplace(span, workspace.file_of(span).text(span)).first->second;
      auto next = with_value(text, path, value);
      if (next) {
        text = *std::move(next);
      } else {
        failure = fmt::format("{}: {}{}", place(workspace, where), printable(next.error().message),
                              advice_for(next.error()));
      }
    };
    const auto conflict = plan_for(pod, pin, put);
    if (conflict && conflict->empty()) return;
    fail(conflict ? Pinned::Failure::request : Pinned::Failure::manifest,
         fmt::format("{}: {} {}", place(workspace, pod.written->span), description_of(pod),
                     conflict ? *conflict : conflict.error().message));
  }

  /// Replaces the documents.
  void replace(const Texts& texts) {
    std::string text;
    std::size_t taken = 0;  // bytes of the original text
    for (const auto& [span, document] : texts) {
      text += result_.text.substr(taken, span.begin - taken) + document;
      taken = span.end;
    }
    result_.text = text + result_.text.substr(taken);
  }

  const PinRequest& request_;
  const LoadOptions& context_;
  std::map<std::int64_t, std::unique_ptr<Filled>> filled_;
  Pinned result_;
};

using k8s::Requirement;

using Labels = std::set<std::string, std::less<>>;

Labels find_placement_labels(accelerators::Platform platform) {
  Labels labels;
  for (const accelerators::Product& product : accelerators::products()) {
    const auto placement = accelerators::place(platform, {.accelerators = {product.name}});
    if (!placement) continue;
    for (const accelerators::LabelDemand& demand : placement->demands) {
      if (accelerators::find_label(demand.key) != nullptr) labels.insert(demand.key);
    }
  }
  return labels;
}

/// The labels that distinguish the platform's accelerators: a pod for one accelerator has no other
/// value of these.
const Labels& placement_labels(accelerators::Platform platform) {
  static const std::map<accelerators::Platform, Labels> kLabels = [] {
    std::map<accelerators::Platform, Labels> all;
    for (const accelerators::Platform each : accelerators::platforms()) {
      all.emplace(each, find_placement_labels(each));
    }
    return all;
  }();
  return kLabels.at(platform);
}

/// The provider whose nodes the platform describes; empty if any provider may.
std::string_view cloud_of(accelerators::Platform platform) {
  switch (platform) {
    case accelerators::Platform::gke:
      return "GKE";
    case accelerators::Platform::eks:
    case accelerators::Platform::karpenter:
      return "EKS";
    case accelerators::Platform::aks:
      return "AKS";
    default:
      return {};
  }
}

/// Whether the label exists only on nodes of another provider.
bool is_of_other_cloud(const Requirement& own, accelerators::Platform platform) {
  const auto clouds = accelerators::trait_values(own, accelerators::Trait::cloud);
  const std::string_view cloud = cloud_of(platform);
  return !cloud.empty() && !clouds.empty() && !is_one_of(cloud, clouds);
}

/// Whether no node satisfies both.
bool contradict(const Requirement& own, const Requirement& demand) {
  if (k8s::current_node_label(own.key) == k8s::current_node_label(demand.key)) {
    return k8s::exclude_each_other(own, demand);
  }
  return accelerators::conflict_between_labels(own, demand).has_value() ||
         std::ranges::any_of(accelerators::kTraits, [&](accelerators::Trait trait) {
           return accelerators::differ_in(own, demand, trait);
         });
}

}  // namespace

std::vector<Parameter> pin_parameters(std::int64_t gpus, Arena& arena) {
  std::vector<Parameter> parameters;
  for (const std::string_view name : kParameters) {
    const auto& common = common_parameters();
    parameters.push_back(*std::ranges::find(common, name, &Parameter::name));
    if (name == "gpus") {
      parameters.back().default_value = &yaml::integer_like(arena, yaml::nowhere(), gpus);
    }
  }
  return parameters;
}

Pinned pin(const PinRequest& request, const LoadOptions& context) {
  return Pinner(request, context).result();
}

PinDemands::PinDemands(const Values& values)
    : platform_(*accelerators::platform_named(value_of(values, "platform").text())),
      all_(k8s::requirements_in(value_of(values, "accelerator.matchExpressions"))) {}

bool PinDemands::exclude(const Requirement& own) const {
  const bool is_demanded = std::ranges::find(all_, own.key, &Requirement::key) != all_.end();
  const bool is_of_other_accelerator =
      !is_demanded && own.requires_label() && placement_labels(platform_).contains(own.key);
  return is_of_other_accelerator || is_of_other_cloud(own, platform_) ||
         std::ranges::any_of(all_,
                             [&](const Requirement& demand) { return contradict(own, demand); });
}

bool PinDemands::set(std::string_view key) const {
  return std::ranges::any_of(
      all_, [&](const Requirement& demand) { return demand.key == key && demand.op == "In"; });
}

}  // namespace cnsched::templates
