#include "rules/findings.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/workspace/written.h"
#include "core/yaml/tree.h"

namespace cnsched::rules {

namespace {

// In code points.
/// A manifest may contain a value of megabytes and repeat it by aliases in thousands of findings.
constexpr std::size_t kLongestText = 1000;
/// Kubernetes' own names have at most 253 characters.
constexpr std::size_t kLongestName = 300;

std::string name_of_subject(std::string_view name) {
  return std::string(first_code_points(name, kLongestName));
}

}  // namespace

std::string shown(std::string_view text) { return printable(shortened(text, kLongestText)); }

Findings::Finding Findings::begin(const yaml::Node& about, Span at, const std::string& message) {
  if (diagnostics_.size() >= max_) {
    is_cut_ = true;
    dropped_ = {};
    return {*this, dropped_};
  }
  // A value that is not written has no span: the finding is at the object's name.
  if (at == Span() && object_ != nullptr) at = place_of_object();
  // A file that only gives facts is not linted: the finding is at the object that uses the value.
  const Span given = at;
  const bool only_fact =
      object_ != nullptr && !scope_->is_linted(at.file) && scope_->is_linted(*object_);
  if (only_fact) at = place_of_object();
  Diagnostic finding{.rule = rule_, .severity = severity_, .where = at, .message = shown(message)};
  // A pod is merged from several objects: the finding is about the one that contains the line to
  // change.
  const k8s::Object* held_by = object_ == nullptr ? nullptr : scope_->object_around(at);
  const bool elsewhere = held_by != nullptr && held_by != object_;
  if (const k8s::Object* subject = elsewhere ? held_by : object_) {
    finding.subject = {.api_version = name_of_subject(subject->api_version),
                       .kind = name_of_subject(subject->kind),
                       .ns = name_of_subject(subject->ns.name),
                       .name = name_of_subject(subject->name),
                       .component = elsewhere ? std::string() : name_of_subject(component_)};
    if (about) finding.subject.pointer = yaml::pointer_to(about, *subject->root);
    finding.rendered_from = subject->document->rendered_from;
  }
  note_scopes(finding);
  diagnostics_.push_back(std::move(finding));
  Finding begun(*this, diagnostics_.back());
  if (elsewhere) note_affected_pod(begun);
  if (only_fact) begun.note_at(given, "the value is set here");
  return begun;
}

void Findings::note_scopes(Diagnostic& finding) const {
  if (of_all_scopes_ || workspace().scopes().size() < 2) return;
  const auto note = [&](const ClusterScope& scope) {
    if (!scope.name().empty()) finding.clusters.emplace_back(scope.name());
    if (std::string releases = describe_releases(scope); !releases.empty()) {
      finding.releases.push_back(std::move(releases));
    }
    if (!scope.variant().empty()) finding.variants.emplace_back(scope.variant());
  };
  if (alike_.empty()) note(*scope_);
  for (const ClusterScope* scope : alike_) note(*scope);
}

Span Findings::place_of_object() const {
  const yaml::Node& name = (*object_)["metadata"]["name"];
  return name ? name.span : object_->root->span;
}

/// Notes the pod that inherits the mistake from another object.
void Findings::note_affected_pod(Finding& finding) const {
  finding.note_at(place_of_object(), "merged into this pod{}",
                  component_.empty() ? std::string() : fmt::format(" ({})", component_));
}

void Findings::Finding::add_note(Span at, const std::string& text) {
  // A value that is not written has no span.
  const Span where = at == Span() ? finding_.where : at;
  finding_.notes.push_back({where, shown(text)});
  add_guess(where);
}

void Findings::Finding::add_guess(Span at) {
  if (findings_.of_all_scopes_) return;
  const k8s::Object* about = findings_.object_;
  const FileId file = about != nullptr ? about->root->span.file : finding_.where.file;
  const std::string why = findings_.scope_->why_of_cluster(file, at.file);
  const std::string_view cluster = std::string_view(why).substr(0, why.find(':'));
  const bool is_known = std::ranges::any_of(
      finding_.notes, [&](const Note& note) { return note.message.starts_with(cluster); });
  if (!why.empty() && !is_known) finding_.notes.push_back({at, shown(why)});
}

const yaml::Node& Findings::make_string(std::string_view text) {
  return yaml::string_like(values(), yaml::nowhere(), text);
}

Findings::Finding& Findings::Finding::fix(Safety safety, const std::string& title,
                                          std::vector<yaml::Change> changes) {
  const yaml::Document* document = document_of(changes, findings_.workspace());
  if (document == nullptr) return *this;
  finding_.fix = Fix{.title = shown(title),
                     .safety = safety,
                     .changes = std::move(changes),
                     .document = document,
                     .values = findings_.values_};
  return *this;
}

void Findings::Finding::set_help(const std::string& text) { finding_.help = shown(text); }

}  // namespace cnsched::rules
