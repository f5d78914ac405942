#include "cli/lsp/completion.h"

#include <algorithm>
#include <optional>

#include "cli/lsp/completion_place.h"
#include "cli/lsp/field_proposals.h"
#include "cli/lsp/proposals.h"
#include "cli/lsp/value_proposals.h"

namespace cnsched::cli::lsp {

namespace {

/// What is known about the cluster for a file, also if no object of its folder is in scope.
class FactsForFile {
 public:
  FactsForFile(const ClusterScope& scope, const k8s::Object& object) {
    const Workspace& workspace = scope.workspace();
    const ClusterConfig* config = workspace.config_of(object.root->span.file);
    const bool is_collected =
        config == nullptr || std::ranges::any_of(scope.objects(), [&](const k8s::Object& each) {
          return workspace.config_of(each.root->span.file) == config;
        });
    if (is_collected) {
      facts_ = &scope.facts(object);
    } else {
      facts_ = &made_.emplace(scope.facts_by(config));
    }
  }
  const ClusterFacts& operator*() const { return *facts_; }

 private:
  std::optional<ClusterFacts> made_;
  const ClusterFacts* facts_ = nullptr;
};

/// Whether the schema wants a key there. Where it wants a scalar, what is typed only looks like
/// one.
bool wants_key(const CompletionPlace& place, const SchemaPlace& schema) {
  using k8s::schema::Form;
  if (!place.is_key() || schema.type == nullptr) return place.is_key();
  const k8s::schema::Type* type = schema.type;
  if (type->form == Form::list && type->element != nullptr) type = type->element;
  return type->form == Form::object || type->form == Form::map || type->form == Form::any;
}

void propose(const ClusterScope& scope, Proposals& proposals) {
  const CompletionPlace& place = proposals.place();
  const FactsForFile facts(scope, place.object());
  const SchemaPlace schema = schema_place(place, (*facts).schemas);
  // First, because it knows whether the proposals are items.
  propose_by_schema(schema, proposals);
  propose_known(scope, *facts, wants_key(place, schema), proposals);
}

}  // namespace

Json completions(const Question& question, const Session& session) {
  const Checker::File* file = session.checker.find(question.path);
  if (file == nullptr) return Json::array();
  // Of documents out of scope the workspace does not keep the text.
  const OpenDocument* open = session.documents.find(question.path);
  const std::string_view text =
      open != nullptr ? std::string_view(open->text) : file->source->bytes();
  const auto cursor =
      static_cast<std::uint32_t>(offset_of(text, question.place, session.client.encoding));
  const FileId id = file->source->id();
  const auto place = CompletionPlace::find(id, file->source->path(), text, cursor);
  if (place == nullptr) return Json::array();
  Proposals proposals(*place);
  for (const ClusterScope& scope : session.checker.project()->workspace.scopes()) {
    if (scope.is_linted(id)) propose(scope, proposals);
  }
  return proposals.list(json_of(
      range_of(place->text(), place->replaced(), session.client.encoding, open != nullptr)));
}

}  // namespace cnsched::cli::lsp
