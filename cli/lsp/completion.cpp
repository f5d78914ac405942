#include "cli/lsp/proposals.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "cli/lsp/requests.h"
#include "core/base/scan.h"
#include "core/base/text.h"
#include "core/yaml/scalar.h"

namespace cnsched::cli::lsp {

namespace {

/// More do not help who types, and editors show a few.
constexpr std::size_t kMaxItems = 200;
/// No key or value of Kubernetes that can be proposed is longer.
constexpr std::size_t kMaxLength = 500;

constexpr CharSet kQuotesAndEscapes("\"'\\\r\n\t");

/// Whether `typed` begins the name or a part of it: "gpu" begins "nvidia.com/gpu".
bool begins_part(std::string_view name, std::string_view typed) {
  for (std::size_t at = 0; at + typed.size() <= name.size(); ++at) {
    const bool begins = at == 0 || (is_alphanumeric(name[at]) && !is_alphanumeric(name[at - 1]));
    if (begins && equals_ignoring_case(name.substr(at, typed.size()), typed)) return true;
  }
  return false;
}

/// The value as it is written at the place. Nothing if it cannot be.
std::optional<std::string> written_value(std::string_view value, const CompletionPlace& place) {
  if (place.word().quote != '\0') {
    if (kQuotesAndEscapes.find_first_in(value) != std::string_view::npos) return std::nullopt;
    return std::string(value);
  }
  return place.is_in_flow() ? yaml::quoted_for_flow(value, false) : yaml::quoted_for_yaml(value);
}

/// What is known about the cluster for a file, also if no object of its folder is in scope.
class FactsForFile {
 public:
  FactsForFile(const ClusterScope& scope, const k8s::Object& object) {
    const Workspace& workspace = scope.workspace();
    const facts::ClusterConfig* config = workspace.config_of(object.root->span.file);
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
  const facts::ClusterFacts& operator*() const { return *facts_; }

 private:
  std::optional<facts::ClusterFacts> made_;
  const facts::ClusterFacts* facts_ = nullptr;
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

Proposals::Proposals(const CompletionPlace& place) : place_(place) {
  for (const yaml::Entry& entry : place.node().entries()) written_.insert(entry.key->text());
}

bool Proposals::wants(std::string_view word) const {
  return !word.empty() && word.size() <= kMaxLength && begins_part(word, place_.typed()) &&
         !written_.contains(word) && !items_.contains(word);
}

std::string Proposals::next_line() const {
  return place_.next_line() + std::string(item_.size(), ' ');
}

void Proposals::add_key(Proposal proposal) {
  const auto name = written_value(proposal.word, place_);
  if (!name) return;
  const bool is_word = place_.has_colon() || place_.word().quote != '\0';
  if (proposal.shape == Shape::text) {
    if (!is_word) add(proposal, proposal.text);
    return;
  }
  std::string text = *name;
  if (is_word) return add(std::move(proposal), std::move(text));
  const bool has_lines = !place_.is_in_flow();
  if (has_lines && proposal.shape == Shape::mapping) {
    text += fmt::format(":{}{}", next_line(), place_.mapping_indent());
  } else if (has_lines && proposal.shape == Shape::list) {
    text += fmt::format(":{}{}- ", next_line(), place_.list_indent());
  } else {
    text += ": ";
  }
  add(std::move(proposal), std::move(text));
}

void Proposals::add_value(Proposal proposal) {
  auto text = proposal.shape == Shape::literal ? std::string(proposal.word)
                                               : written_value(proposal.word, place_);
  if (text) add(std::move(proposal), *std::move(text));
}

void Proposals::add(Proposal proposal, std::string text) {
  if (!wants(proposal.word)) return;
  const std::string word(proposal.word);
  items_.try_emplace(
      word, Item{std::move(proposal), fmt::format("{}{}{}", place_.introduction(), item_, text)});
}

Json Proposals::list(const Json& range) const {
  std::vector<const std::pair<const std::string, Item>*> sorted;
  for (const auto& each : items_) sorted.push_back(&each);
  // What begins with the typed word comes before what has a part that does.
  const auto order = [&](const auto* each) {
    const std::string_view begin = std::string_view(each->first).substr(0, place_.typed().size());
    return std::pair(equals_ignoring_case(begin, place_.typed()) ? 0 : 1,
                     each->second.proposal.rank);
  };
  std::ranges::stable_sort(sorted, {}, order);
  const bool is_cut = sorted.size() > kMaxItems;
  if (is_cut) sorted.resize(kMaxItems);
  Json items = Json::array();
  for (const auto* each : sorted) {
    const auto& [word, item] = *each;
    const std::string label = printable(word);
    Json json = {{"label", label},
                 {"kind", static_cast<int>(item.proposal.kind)},
                 {"sortText", fmt::format("{}{}{}", order(each).first, item.proposal.rank, label)},
                 {"textEdit", {{"range", range}, {"newText", item.new_text}}}};
    if (!item.proposal.detail.empty()) json["detail"] = printable(item.proposal.detail);
    // The lines are indented already.
    constexpr int kAsIs = 1;
    if (kLineEnds.find_first_in(item.new_text) != std::string::npos) {
      json["insertTextMode"] = kAsIs;
    }
    constexpr int kDeprecated = 1;
    if (item.proposal.deprecated) json["tags"] = {kDeprecated};
    items.push_back(std::move(json));
  }
  return {{"isIncomplete", is_cut}, {"items", std::move(items)}};
}

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
  for (const ClusterScope& scope : session.checker.workspace().scopes()) {
    if (scope.is_linted(id)) propose(scope, proposals);
  }
  return proposals.list(json_of(
      range_of(place->text(), place->replaced(), session.client.encoding, open != nullptr)));
}

}  // namespace cnsched::cli::lsp
