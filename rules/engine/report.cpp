#include "rules/engine/report.h"

#include "core/base/text.h"

namespace cnsched::rules {

Report::Finding Report::begin(const yaml::Node& about, Span at, const std::string& message) {
  // A value that is not written is pointed at by what lacks it: the object, where its name stands.
  if (at == Span() && object_ != nullptr) {
    const yaml::Node& name = (*object_)["metadata"]["name"];
    at = name ? name.span : object_->root->span;
  }
  Diagnostic finding{
      .rule = rule_, .severity = severity_, .where = at, .message = printable(message)};
  if (object_ != nullptr) {
    finding.subject = {.api_version = std::string(object_->api_version),
                       .kind = std::string(object_->kind),
                       .ns = std::string(object_->ns),
                       .name = std::string(object_->name),
                       .component = std::string(component_)};
    if (about) finding.subject.pointer = yaml::pointer_to(about, *object_->root);
    finding.rendered_from = object_->document->rendered_from;
  }
  findings_.push_back(std::move(finding));
  return Finding(findings_.back());
}

void Report::Finding::add_note(Span at, const std::string& text) {
  finding_.notes.push_back({at, printable(text)});
}

void Report::Finding::set_help(const std::string& text) { finding_.help = printable(text); }

}  // namespace cnsched::rules
