#include "cli/lsp/requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/lsp/session.h"
#include "core/base/text.h"
#include "core/source/span.h"

namespace cnsched::cli::lsp {

namespace {

using yaml::Node;

/// Of a file; an outline with more is too long to read.
constexpr std::size_t kMaxSymbols = 5000;

/// SymbolKind.
enum class SymbolKind : std::uint8_t { object = 19, component = 2, container = 8 };

/// Lists symbols as the client understands them.
class Outline {
 public:
  explicit Outline(const Session& session) : session_(session) {}

  void add(const k8s::Object& object) {
    if (is_full()) return;
    const Span root = object.root->span;
    const Node& name = (*object.root)["metadata"]["name"];
    const Span selection =
        contains(root, name.span) && name ? name.span : Span{root.file, root.begin, root.begin};
    const std::string label =
        trimmed(fmt::format("{} {}", printable(object.kind), printable(object.name)));
    Json symbol = make(label, SymbolKind::object, root, selection, {});
    if (object.ns.is_known() && is_hierarchical()) symbol["detail"] = printable(object.ns.name);
    Json children = components_of(object, label);
    push(std::move(symbol), std::move(children), all_);
  }

  Json take() { return std::move(all_); }

 private:
  bool is_hierarchical() const { return session_.client.nests_symbols; }
  bool is_full() const { return count_ >= kMaxSymbols; }

  static std::string trimmed(const std::string& text) {
    const std::string_view part = trim(text);
    return part.empty() ? "object" : std::string(part);
  }

  Json components_of(const k8s::Object& object, const std::string& parent) {
    Json components = Json::array();
    const auto scopes = scopes_of(object, session_);
    if (scopes.empty()) return components;
    for (const Workload* pod : scopes.front()->workloads_of(object)) {
      const Span place = span_of_component(*pod);
      if (is_full() || place.end <= place.begin || !contains(object.root->span, place)) continue;
      const Node* key = pod->written->key();
      const Span selection =
          key != nullptr ? key->span : Span{place.file, place.begin, place.begin};
      std::string label = printable(pod->component);
      if (label.empty()) label = "pod";
      Json symbol = make(label, SymbolKind::component, place, selection, parent);
      Json containers = containers_of(*pod, place, label);
      push(std::move(symbol), std::move(containers), components);
    }
    return components;
  }

  Json containers_of(const Workload& pod, Span component, const std::string& parent) {
    Json containers = Json::array();
    std::set<Span> seen;
    for (const k8s::Container& container : pod.own.all_containers()) {
      const Node& node = *container.node;
      const Span span = node.span;
      if (is_full() || span.end <= span.begin || !contains(component, span)) continue;
      if (!seen.insert(span).second) continue;
      const Span name = node["name"].span;
      const bool has_name = node["name"].is_scalar() && contains(span, name);
      push(make(trimmed(printable(container.name())), SymbolKind::container, span,
                has_name ? name : Span{span.file, span.begin, span.begin}, parent),
           Json::array(), containers);
    }
    return containers;
  }

  Json make(const std::string& name, SymbolKind kind, Span range, Span selection,
            const std::string& parent) {
    ++count_;
    Json symbol = {{"name", name}, {"kind", static_cast<int>(kind)}};
    if (is_hierarchical()) {
      symbol["range"] = json_of(session_.range_of(range));
      symbol["selectionRange"] = json_of(session_.range_of(selection));
    } else {
      symbol["location"] = session_.location_of(range);
      if (!parent.empty()) symbol["containerName"] = parent;
    }
    return symbol;
  }

  void push(Json symbol, Json children, Json& list) {
    if (is_hierarchical()) {
      if (!children.empty()) symbol["children"] = std::move(children);
      return list.push_back(std::move(symbol));
    }
    list.push_back(std::move(symbol));
    for (Json& child : children) list.push_back(std::move(child));
  }

  const Session& session_;
  Json all_ = Json::array();
  std::size_t count_ = 0;
};

}  // namespace

Json document_symbols(const Question& question, const Session& session) {
  Outline outline(session);
  const Checker::File* file = session.checker.find(question.path);
  if (file == nullptr) return outline.take();
  for (const k8s::Object* object : objects_of(file->source->id(), session)) outline.add(*object);
  return outline.take();
}

}  // namespace cnsched::cli::lsp
