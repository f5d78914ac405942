#include "rules/engine/report.h"

#include "core/base/text.h"

namespace cnsched::rules {

namespace {

/// A manifest may hold a value of megabytes, and repeat it by aliases in thousands of findings.
std::string_view clipped(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0U) == 0x80U) --limit;
  return text.substr(0, limit);
}

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 1000;
  std::string result = printable(clipped(text, kLongest));
  if (text.size() > kLongest) result += "…";
  return result;
}

/// Kubernetes' own names have at most 253 characters.
std::string name_of_subject(std::string_view name) { return std::string(clipped(name, 300)); }

}  // namespace

Report::Finding Report::begin(const yaml::Node& about, Span at, const std::string& message) {
  // A value that is not written is pointed at by what lacks it: the object, where its name stands.
  if (at == Span() && object_ != nullptr) {
    const yaml::Node& name = (*object_)["metadata"]["name"];
    at = name ? name.span : object_->root->span;
  }
  Diagnostic finding{.rule = rule_, .severity = severity_, .where = at, .message = shown(message)};
  if (object_ != nullptr) {
    finding.subject = {.api_version = name_of_subject(object_->api_version),
                       .kind = name_of_subject(object_->kind),
                       .ns = name_of_subject(object_->ns),
                       .name = name_of_subject(object_->name),
                       .component = name_of_subject(component_)};
    if (about) finding.subject.pointer = yaml::pointer_to(about, *object_->root);
    finding.rendered_from = object_->document->rendered_from;
  }
  findings_.push_back(std::move(finding));
  return Finding(findings_.back());
}

void Report::Finding::add_note(Span at, const std::string& text) {
  // What is not written anywhere has no place of its own.
  finding_.notes.push_back({at == Span() ? finding_.where : at, shown(text)});
}

void Report::Finding::set_help(const std::string& text) { finding_.help = shown(text); }

}  // namespace cnsched::rules
