#include "cli/lsp/code_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/lsp/session.h"
#include "core/accelerators/card.h"
#include "core/accelerators/node_profile.h"
#include "core/accelerators/node_trait.h"
#include "core/accelerators/platform.h"
#include "core/accelerators/product.h"
#include "core/accelerators/records.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "templates/pin.h"
#include "templates/pin_target.h"

namespace cnsched::cli::lsp {

namespace {

using accelerators::Naming;
using accelerators::Platform;

/// An editor shows a short list, and each takes as long as `generate pin`.
constexpr std::size_t kMaxChoices = 4;

/// The parameters of `generate pin`.
struct Choice {
  Platform platform = Platform::generic;
  std::string accelerator;

  friend auto operator<=>(const Choice&, const Choice&) = default;
};

Platform platform_of(Naming naming) {
  switch (naming) {
    case Naming::gke:
      return Platform::gke;
    case Naming::karpenter:
      return Platform::karpenter;
    case Naming::feature_discovery:
      break;
  }
  return Platform::gpu_operator;
}

Platform platform_of(accelerators::Provider provider) {
  switch (provider) {
    case accelerators::Provider::amazon:
      return Platform::eks;
    case accelerators::Provider::azure:
      return Platform::aks;
    case accelerators::Provider::google:
      break;
  }
  return Platform::gke;
}

/// What a node label says about the accelerator, if it names one.
std::optional<Choice> choice_of(const k8s::Label& label) {
  if (k8s::is_instance_type_label(label.key)) {
    const auto& machines = accelerators::records().machines;
    const auto machine = std::ranges::find(machines, label.value, &accelerators::Machine::type);
    if (machine == machines.end()) return std::nullopt;
    return Choice{platform_of(machine->provider), machine->accelerator};
  }
  const auto naming = accelerators::naming_of(label.key);
  const auto card = accelerators::card_from_label(label.key, label.value);
  if (!naming || !card) return std::nullopt;
  return Choice{platform_of(*naming),
                product_name(accelerators::records(), accelerators::with_only_size(*card))};
}

/// The pods of the object that the range touches; all of them if it touches none.
std::vector<const Workload*> pods_in(const Question& question, const k8s::Object& object,
                                     const Session& session) {
  std::vector<const Workload*> touched;
  const auto scopes = scopes_of(object, session);
  if (scopes.empty()) return touched;
  const auto all = scopes.front()->workloads_of(object);
  for (const Workload* pod : all) {
    const bool is_there = pod->written != nullptr &&
                          pod->written->span.file == object.root->span.file &&
                          session.range_of(pod->written->span).touches(question.range);
    if (is_there) touched.push_back(pod);
  }
  return touched.empty() ? std::vector<const Workload*>(all.begin(), all.end()) : touched;
}

std::set<Choice> choices_for(const k8s::Object& object, const std::vector<const Workload*>& pods) {
  std::set<Choice> choices;
  const auto add = [&](const std::vector<k8s::Label>& labels) {
    for (const k8s::Label& label : labels) {
      if (choices.size() == kMaxChoices) return;
      if (auto choice = choice_of(label)) choices.insert(*std::move(choice));
    }
  };
  for (const Workload* pod : pods) add(pod->pod.node_selector());
  for (const facts::NodePool& pool : pods.front()->scope->facts(object).pools) add(pool.labels);
  return choices;
}

/// The other files on which the pods depend: of their runtimes, and of facts.
LoadOptions context_of(const std::vector<const Workload*>& pods, const Session& session) {
  const LoadedProject& project = *session.checker.project();
  LoadOptions context = load_options(session.checker.settings().input.facts, project.configs);
  std::set<FileId> files;
  for (const Workload* pod : pods) {
    for (const k8s::Base& base : pod->bases) files.insert(base.object->root->span.file);
    files.erase(pod->object->root->span.file);
  }
  for (const FileId id : files) {
    const SourceFile& file = *project.workspace.sources[id];
    context.memory_files.push_back({file.path(), std::string(file.bytes()), false});
  }
  return context;
}

/// "InferenceService 'llama', predictor" for a single pod, or its object.
std::string subject_of(const k8s::Object& object, const std::vector<const Workload*>& pods) {
  return pods.size() == 1 ? templates::description_of(*pods.front())
                          : fmt::format("{} '{}'", printable(object.kind), printable(object.name));
}

}  // namespace

void add_pin_actions(const Question& question, const Session& session, Json& actions) {
  const auto cursor = cursor_at(question.path, question.range.start, session);
  if (!cursor || cursor->object == nullptr) return;
  const k8s::Object& object = *cursor->object;
  const std::vector<const Workload*> pods = pods_in(question, object, session);
  if (pods.empty()) return;
  templates::PinRequest request{.path = cursor->file->path(),
                                .text = std::string(cursor->file->bytes())};
  if (pods.size() == 1 && !pods.front()->component.empty()) {
    request.components = {fmt::format("{}/{}", object.name, pods.front()->component)};
  }
  const LoadOptions context = context_of(pods, session);
  for (const Choice& choice : choices_for(object, pods)) {
    if (session.is_cancelled()) return;
    request.values.sets = {fmt::format("platform={}", name_of(choice.platform)),
                           fmt::format("accelerator={}", choice.accelerator)};
    const templates::Pinned pinned = templates::pin(request, context);
    if (!pinned.problems.empty() || pinned.text == request.text) continue;
    actions.push_back(
        {{"title", fmt::format("Pin {} to {} ({})", subject_of(object, pods), choice.accelerator,
                               title_of(choice.platform))},
         {"kind", kPinKind},
         {"edit",
          workspace_edit(*cursor->file, {edit_between(*cursor->file, pinned.text)}, session)}});
  }
}

}  // namespace cnsched::cli::lsp
