#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/lsp/requests.h"
#include "cli/lsp/session.h"
#include "core/accelerators/card.h"
#include "core/accelerators/node_profile.h"
#include "core/accelerators/node_trait.h"
#include "core/accelerators/platform.h"
#include "core/accelerators/product.h"
#include "core/accelerators/records.h"
#include "core/base/diff.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/source/source_file.h"
#include "core/yaml/change.h"
#include "core/yaml/parse.h"
#include "templates/pin.h"
#include "templates/pin_target.h"

namespace cnsched::cli::lsp {

namespace {

/// A WorkspaceEdit of the protocol with the edits of one file.
Json workspace_edit(const SourceFile& file, const std::vector<Edit>& edits,
                    const Session& session) {
  Json texts = Json::array();
  for (const Edit& edit : edits) {
    texts.push_back({{"range", json_of(session.range_of(edit.where))}, {"newText", edit.text}});
  }
  const std::string& path = session.checker.path_of(file.id());
  const OpenDocument* open = session.documents.find(path);
  const std::string uri = session.uri_of(path);
  if (!session.client.document_changes) return {{"changes", {{uri, std::move(texts)}}}};
  const Json version = open != nullptr ? Json(open->version) : Json();
  return {
      {"documentChanges",
       {{{"textDocument", {{"uri", uri}, {"version", version}}}, {"edits", std::move(texts)}}}}};
}

/// Findings of one range that get actions; an editor shows a short list.
constexpr std::size_t kMaxFindings = 50;

class ActionList {
 public:
  explicit ActionList(const Session& session) : session_(session) {}

  void add_fix(const Diagnostic& finding) {
    if (!finding.fix || finding.fix->document == nullptr) return;
    const Fix& fix = *finding.fix;
    const SourceFile& file = session_.checker.workspace().file_of(fix.document->span);
    const auto edits = yaml::edits_for(file, *fix.document, fix.changes, yaml::Comments::stay);
    if (!edits) return;
    const bool is_safe = fix.safety == Safety::safe;
    Json action =
        action_for(finding, fix.title + (is_safe ? "" : " (may change the intent)"), *edits);
    action["isPreferred"] = is_safe;
    actions_.push_back(std::move(action));
  }

  /// Adds a comment at the end of the finding's line.
  void add_suppression(const Diagnostic& finding) {
    const Workspace& workspace = session_.checker.workspace();
    const SourceFile& file = workspace.file_of(finding.where);
    const Edit edit{end_of_line(file, finding.where.begin),
                    fmt::format("  # cnsched: ignore={} -- TODO: say why", finding.rule)};
    if (!is_comment_there(finding, edit)) return;
    actions_.push_back(
        action_for(finding, fmt::format("suppress {} on this line", finding.rule), {edit}));
  }

  Json take() { return std::move(actions_); }

 private:
  /// Whether the text is a comment where it is inserted, and not part of a block or a quoted
  /// string.
  bool is_comment_there(const Diagnostic& finding, const Edit& edit) const {
    const Workspace& workspace = session_.checker.workspace();
    const LoadedDocument* loaded = workspace.document_around(finding.where);
    if (loaded == nullptr || loaded->document.root->is_missing()) return false;
    const SourceFile& file = workspace.file_of(finding.where);
    const Span span = loaded->document.span;
    const SourceFile edited(file.id(), file.path(), apply(file.text(span), {edit}, span.begin));
    const yaml::Document document = yaml::parse(edited, edited.whole(), std::make_shared<Arena>());
    const std::uint32_t begin = edit.where.begin - span.begin + 2;
    return document.problems.empty() &&
           std::ranges::any_of(document.comments, [&](const yaml::Comment& comment) {
             return comment.span.begin == begin;
           });
  }

  Json action_for(const Diagnostic& finding, const std::string& title,
                  const std::vector<Edit>& edits) const {
    const SourceFile& file = session_.checker.workspace().file_of(edits.front().where);
    return {{"title", title},
            {"kind", kFixKind},
            {"diagnostics", Json::array({json_of(finding, session_)})},
            {"edit", workspace_edit(file, edits, session_)}};
  }

  const Session& session_;
  Json actions_ = Json::array();
};

/// Whether the client requests actions of the kind, or of one that includes it.
bool wants(std::string_view kind, const Json& context) {
  const Json& only = member(context, "only");
  if (!only.is_array()) return true;
  return std::ranges::any_of(only, [&](const Json& wanted) {
    const std::string name = string_of(wanted);
    const bool includes = kind.starts_with(name + '.');
    return wanted.is_string() && (name.empty() || name == kind || includes);
  });
}

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
  constexpr std::array kPlatforms = {Platform::gpu_operator, Platform::gke, Platform::karpenter};
  return kPlatforms[static_cast<std::size_t>(naming)];
}

Platform platform_of(accelerators::Provider provider) {
  constexpr std::array kPlatforms = {Platform::eks, Platform::aks, Platform::gke};
  return kPlatforms[static_cast<std::size_t>(provider)];
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
    const SourceFile& file = *session.checker.workspace().sources[id];
    context.memory_files.push_back({file.path(), std::string(file.bytes()), false});
  }
  return context;
}

/// "InferenceService 'llama', predictor" for a single pod, or its object.
std::string subject_of(const k8s::Object& object, const std::vector<const Workload*>& pods) {
  return pods.size() == 1 ? templates::description_of(*pods.front())
                          : fmt::format("{} '{}'", printable(object.kind), printable(object.name));
}

/// Adds actions that pin the pods in the range to an accelerator, as `cnsched generate pin` does:
/// to those that labels of known nodes and pools, or the pods' own selectors, name.
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

}  // namespace

Edit edit_between(const SourceFile& file, std::string_view text) {
  const std::string_view before = file.bytes();
  auto [begin, same] = common_ends(before, text);
  if (begin > 0) begin = before.rfind('\n', begin - 1) + 1;  // npos + 1 is 0
  const auto begins_line = [same = same](std::string_view whole) {
    return same == whole.size() || whole[whole.size() - same - 1] == '\n';
  };
  if (!begins_line(before) || !begins_line(text)) {
    const std::string_view tail = before.substr(before.size() - same);
    const std::size_t line_end = tail.find('\n');
    same = line_end == std::string_view::npos ? 0 : tail.size() - line_end - 1;
  }
  return {{file.id(), static_cast<std::uint32_t>(begin),
           static_cast<std::uint32_t>(before.size() - same)},
          std::string(text.substr(begin, text.size() - same - begin))};
}

Json code_actions(const Question& question, const Session& session) {
  ActionList list(session);
  const Checker::File* file = session.checker.find(question.path);
  if (file == nullptr) return Json::array();
  const Json& context = member(question.params, "context");
  std::vector<const Diagnostic*> findings;
  for (const Diagnostic* finding : file->findings) {
    if (!wants(kFixKind, context) || findings.size() == kMaxFindings) break;
    if (question.range.touches(session.range_of(finding->where))) findings.push_back(finding);
  }
  for (const Diagnostic* finding : findings) list.add_fix(*finding);
  for (const Diagnostic* finding : findings) list.add_suppression(*finding);
  Json actions = list.take();
  if (wants(kPinKind, context)) add_pin_actions(question, session, actions);
  return actions;
}

}  // namespace cnsched::cli::lsp
