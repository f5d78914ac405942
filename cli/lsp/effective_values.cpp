#include "cli/lsp/hover.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "cli/output/pods.h"
#include "core/base/text.h"
#include "core/source/span.h"
#include "core/yaml/tree.h"
#include "core/yaml/write.h"

namespace cnsched::cli::lsp {

namespace {

using yaml::Node;

/// The names and indices from a pod spec to one of its values.
using Path = std::vector<std::string>;

/// Finds the first value of a tree that is written at a place.
class PathSearch {
 public:
  explicit PathSearch(Span where) : where_(where) {}

  bool below(const Node& node) {
    constexpr std::size_t kMaxValues = 100'000;
    if (++seen_ > kMaxValues) return false;
    if (node.span == where_) return true;
    for (std::size_t i = 0; i < node.items().size(); ++i) {
      if (step(fmt::to_string(i), *node.items()[i])) return true;
    }
    for (const yaml::Entry& entry : node.entries()) {
      if (!entry.overridden && step(std::string(entry.key->text()), *entry.value)) return true;
    }
    return false;
  }
  const Path& path() const { return path_; }

 private:
  bool step(std::string name, const Node& node) {
    path_.push_back(std::move(name));
    if (below(node)) return true;
    path_.pop_back();
    return false;
  }

  Span where_;
  std::size_t seen_ = 0;
  Path path_;
};

bool is_index(std::string_view step) { return whole_number(step).has_value(); }

/// A value that layers replace or merge as a whole: up to a list whose items have no names.
struct MergedValue {
  std::string_view key;
  const Node* in_pod = nullptr;  ///< of the effective pod; may be missing
  /// What it has of each base; may be missing.
  std::vector<const Node*> in_bases{};
};

/// The value in the place of the one at `path` of `layer`. Containers are the same if they have the
/// same name.
MergedValue value_at(const Path& path, const Node& layer, const Workload& pod) {
  MergedValue value{.key = {}, .in_pod = &pod.pod.node()};
  for (const k8s::Base& base : pod.bases) value.in_bases.push_back(&base.pod.node());
  const auto follow = [&](auto next) {
    value.in_pod = &next(*value.in_pod);
    for (const Node*& base : value.in_bases) base = &next(*base);
  };
  const Node* written = &layer;
  for (const std::string& step : path) {
    if (!is_index(step)) {
      written = &written->under(step);
      follow([&](const Node& node) -> const Node& { return node.under(step); });
      value.key = step;
      continue;
    }
    written = &written->at(*whole_number(step));
    const std::string_view name = (*written)["name"].text();
    const bool is_container = value.key.ends_with("ontainers");
    if (!is_container || name.empty()) break;
    follow([&](const Node& node) -> const Node& { return k8s::item_named(node, name); });
  }
  return value;
}

/// Whether any scalar of the tree is in the set.
bool has_any(const Node& root, const std::set<Span>& places) {
  bool has = false;
  each_leaf(root,
            [&](const std::string&, const Node& leaf) { has = has || places.contains(leaf.span); });
  return has;
}

bool decides_placement(const Path& path) {
  std::string pointer = "/spec";
  for (const std::string& step : path) pointer += '/' + yaml::pointer_step(step);
  return is_scheduling_value(pointer);
}

/// The layer of a pod that has the value: the object's own fields, or a base.
const Node* layer_with(const Workload& pod, const k8s::Object& object) {
  if (pod.object == &object) return &pod.own.node();
  for (const k8s::Base& base : pod.bases) {
    if (base.object == &object) return &base.pod.node();
  }
  return nullptr;
}

/// The pods that the object is a layer of, in all clusters.
std::vector<const Workload*> pods_with(const k8s::Object& object, const Session& session) {
  std::vector<const Workload*> pods;
  for (const ClusterScope& scope : session.checker.workspace().scopes()) {
    const auto own = scope.workloads_of(object);
    const bool is_base = own.empty() || own.front()->fragment;
    if (!is_base) {
      pods.insert(pods.end(), own.begin(), own.end());
      continue;
    }
    for (const Workload& pod : scope.workloads()) {
      if (!pod.fragment && layer_with(pod, object) != nullptr) pods.push_back(&pod);
    }
  }
  return pods;
}

/// What the pod has in the place of a value.
struct Effective {
  std::string yaml;                            ///< with the origin of each value
  bool has_value = false;                      ///< whether any of it is written at that value
  std::vector<const k8s::Object*> replaced{};  ///< the bases of which it has nothing
};

/// Nothing if the value does not decide placement.
std::optional<Effective> effective_in(const Workload& pod, const Node& layer, const Node& value,
                                      const Workspace& workspace) {
  PathSearch search(value.span);
  if (!search.below(layer) || search.path().empty() || !decides_placement(search.path())) {
    return std::nullopt;
  }
  const MergedValue merged = value_at(search.path(), layer, pod);
  Effective effective;
  if (!*merged.in_pod) return effective;
  std::set<Span> places;
  const auto comment_of = [&](const Node& leaf) {
    if (contains(value.span, leaf.span)) effective.has_value = true;
    places.insert(leaf.span);
    return describe_origin(leaf, workspace);
  };
  Arena arena;
  const Node& shown = yaml::with(arena, yaml::missing_node(), merged.key, *merged.in_pod);
  effective.yaml = yaml::to_yaml(shown, comment_of);
  for (std::size_t i = 0; i < pod.bases.size(); ++i) {
    const Node& in_base = *merged.in_bases[i];
    if (!in_base.is_empty() && !has_any(in_base, places)) {
      effective.replaced.push_back(pod.bases[i].object);
    }
  }
  return effective;
}

/// Pods with the same values in the place.
struct Group {
  std::vector<const Workload*> pods{};
  bool has_value = false;
  std::map<Span, const k8s::Object*> replaced{};  ///< by place
};

std::string names_of(const std::vector<const Workload*>& pods, const Session& session,
                     const HoverText& text) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> names(pods.size());  // the others are only counted
  for (std::size_t i = 0; i < std::min(kMost, pods.size()); ++i) {
    names[i] = text.words(described(*pods[i], session.checker.workspace()));
  }
  return join_words(names, "and", kMost);
}

}  // namespace

void add_effective_values(const Cursor& cursor, const Session& session, HoverText& text) {
  constexpr std::size_t kMaxPods = 200;
  if (cursor.object == nullptr || cursor.node == nullptr) return;
  std::map<std::string, Group> groups;
  std::vector<const Workload*> pods = pods_with(*cursor.object, session);
  if (pods.size() > kMaxPods) pods.resize(kMaxPods);
  for (const Workload* pod : pods) {
    const Node* layer = layer_with(*pod, *cursor.object);
    const auto effective = effective_in(*pod, *layer, *cursor.node, session.checker.workspace());
    if (!effective) continue;
    Group& group = groups[effective->yaml];
    group.pods.push_back(pod);
    group.has_value = group.has_value || effective->has_value;
    for (const k8s::Object* base : effective->replaced) group.replaced[base->root->span] = base;
  }
  for (const auto& [yaml, group] : groups) {
    const std::string names = names_of(group.pods, session, text);
    const std::string_view noun = group.pods.size() == 1 ? "pod" : "pods";
    const std::string replaced = group.has_value ? "" : ", without what is written here";
    if (yaml.empty()) {
      text.add_paragraph(fmt::format("The effective {} of {} {} no such value.", noun, names,
                                     group.pods.size() == 1 ? "has" : "have"));
      continue;
    }
    text.add_paragraph(fmt::format("In the effective {} of {}{}:", noun, names, replaced));
    text.add_yaml(trim(yaml));
    for (const auto& [place, base] : group.replaced) {
      if (base == cursor.object) continue;  // printed above
      text.add_paragraph(fmt::format("It replaces what {} {} ({}) has there.",
                                     text.words(base->kind), text.code(base->name),
                                     describe_line(place, session.checker.workspace().sources)));
    }
  }
}

}  // namespace cnsched::cli::lsp
