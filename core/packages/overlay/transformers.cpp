#include "core/packages/overlay/transformers.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/yaml/tree.h"

namespace cnsched::overlay {

namespace {

using Path = std::vector<std::string_view>;

/// Below `/spec/template` or the like, where the kind has pods.
Path template_path(std::string_view kind) {
  if (kind == "CronJob") return {"spec", "jobTemplate", "spec", "template"};
  constexpr auto kKinds = std::to_array<std::string_view>(
      {"DaemonSet", "Deployment", "Job", "ReplicaSet", "ReplicationController", "StatefulSet"});
  if (std::ranges::find(kKinds, kind) == kKinds.end()) return {};
  return {"spec", "template"};
}

/// The selector that gets `commonLabels` even if it does not exist.
Path selector_path(std::string_view kind) {
  if (kind == "Service" || kind == "ReplicationController") return {"spec", "selector"};
  constexpr auto kKinds =
      std::to_array<std::string_view>({"DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"});
  if (std::ranges::find(kKinds, kind) == kKinds.end()) return {};
  return {"spec", "selector", "matchLabels"};
}

Path below(Path path, std::initializer_list<std::string_view> steps) {
  path.insert(path.end(), steps);
  return path;
}

/// Sets the pairs in the mapping at `path`, or makes the object unknown.
void set_pairs(Maker& maker, Object& object, const Path& path, const yaml::Node& pairs) {
  Value* mapping = mapping_at(maker, *object.root, path);
  if (mapping == nullptr) {
    object.is_unknown = true;
    return;
  }
  for (const yaml::Entry& pair : yaml::entries_of(pairs)) {
    if (!pair.value->is_scalar()) continue;
    set_member(maker, *mapping, pair.key->text(), pair.key->span, pair.value->text(),
               pair.value->span);
    mapping->find(pair.key->text())->is_shared = true;
  }
}

/// Makes every value below that equals one of the pairs unknown, except at `known` mappings: a pair
/// may have replaced it.
void doubt_pairs(Maker& maker, Value& value, const yaml::Node& pairs,
                 std::span<const Value* const> known) {
  maker.spend(kCostOfValue + pairs.entries().size() / 8);
  if (maker.is_exhausted() || std::ranges::find(known, &value) != known.end()) return;
  for (const auto& [key, member] : value.members) {
    const yaml::Node& pair = pairs[key];
    if (pair.is_scalar() && member.value->text == pair.text()) member.value->is_unknown = true;
    doubt_pairs(maker, *member.value, pairs, known);
  }
  for (const auto& item : value.items) doubt_pairs(maker, *item, pairs, known);
}

/// How far pairs of labels or annotations reach.
struct Reach {
  bool templates = false;
  bool selectors = false;
  bool others = false;  ///< also fields that are not simulated
};

void set_in_objects(Maker& maker, Objects& objects, std::string_view field, const yaml::Node& pairs,
                    const Reach& reach) {
  if (pairs.entries().empty()) return;
  for (Object& object : objects) {
    if (object.is_deleted || maker.is_exhausted()) continue;
    const std::string_view kind = object.id().kind;
    std::vector<Path> paths = {{"metadata", field}};
    const Path pods = template_path(kind);
    if (reach.templates && !pods.empty()) paths.push_back(below(pods, {"metadata", field}));
    if (reach.templates && kind == "CronJob") {
      paths.push_back({"spec", "jobTemplate", "metadata", field});
    }
    if (reach.selectors && !selector_path(kind).empty()) paths.push_back(selector_path(kind));
    std::vector<const Value*> known;
    for (const Path& path : paths) {
      set_pairs(maker, object, path, pairs);
      known.push_back(find_at(*object.root, path));
    }
    if (reach.others) doubt_pairs(maker, *object.root, pairs, known);
  }
}

enum class Affix : unsigned char { prefix, suffix };

/// Prefixes and suffixes change every name but those of some kinds.
bool has_fixed_name(const Id& id) {
  return id.kind == "CustomResourceDefinition" || id.kind == "Namespace" ||
         (id.kind == "APIService" && id.group() == "apiregistration.k8s.io");
}

void add_affix(Maker& maker, Object& object, const yaml::Node& affix, Affix side) {
  const Path path = {"metadata", "name"};
  Value* name = find_at(*object.root, path);
  if (name == nullptr || !name->is_scalar()) return;
  object.store_id();
  std::string whole;
  for (const NamePart& part : object.name_parts) whole += part.text;
  if (object.name_parts.empty() || whole != name->text) {
    object.name_parts = {{name->text, name->is_derived ? std::nullopt : name->where}};
  }
  const NamePart part = {affix.text(), affix.span};
  if (side == Affix::prefix) {
    object.name_parts.insert(object.name_parts.begin(), part);
  } else {
    object.name_parts.push_back(part);
  }
  whole.clear();
  for (const NamePart& each : object.name_parts) whole += each.text;
  name->text = maker.keep(whole);
  name->is_derived = true;
}

void apply_affix(Maker& maker, Objects& objects, const yaml::Node& affix, Affix side) {
  if (affix.text().empty()) return;
  for (Object& object : objects) {
    const Id original = object.previous.empty() ? object.id() : object.previous.front();
    if (!object.is_deleted && !has_fixed_name(original)) add_affix(maker, object, affix, side);
  }
}

}  // namespace

void apply_namespace(Maker& maker, Objects& objects, const TransformerOptions& options,
                     const yaml::Node& ns) {
  if (ns.text().empty()) return;
  for (Object& object : objects) {
    if (object.is_deleted) continue;
    const Id id = object.id();
    object.store_id();
    // Subjects get the namespace under conditions that are not simulated.
    if (Value* subjects = object.root->find("subjects")) subjects->is_unknown = true;
    const bool is_namespace = id.kind == "Namespace" && id.api_version == "v1";
    if (options.has_more_fields) {
      doubt_scalars(maker, *object.root, [&](std::string_view text) { return text == ns.text(); });
    }
    if (is_cluster_scoped(id.kind, id.group()) && !is_namespace) continue;
    const Path path = {"metadata"};
    if (Value* metadata = mapping_at(maker, *object.root, path)) {
      set_member(maker, *metadata, is_namespace ? "name" : "namespace",
                 is_namespace ? std::nullopt : std::optional(ns.key()->span), ns.text(), ns.span);
      metadata->find(is_namespace ? "name" : "namespace")->is_shared = true;
    }
  }
}

void apply_name_prefix(Maker& maker, Objects& objects, const yaml::Node& prefix) {
  apply_affix(maker, objects, prefix, Affix::prefix);
}

void apply_name_suffix(Maker& maker, Objects& objects, const yaml::Node& suffix) {
  apply_affix(maker, objects, suffix, Affix::suffix);
}

void apply_labels(Maker& maker, Objects& objects, const TransformerOptions& options,
                  const yaml::Node& labels) {
  for (const yaml::Node* each : labels.items()) {
    const bool has_selectors = is_true((*each)["includeSelectors"]);
    set_in_objects(
        maker, objects, "labels", (*each)["pairs"],
        {.templates = has_selectors || is_true((*each)["includeTemplates"]),
         .selectors = has_selectors,
         .others = has_selectors || options.has_more_fields || !(*each)["fields"].is_empty() ||
                   is_true((*each)["includeVolumeClaimTemplates"])});
  }
}

void apply_common_labels(Maker& maker, Objects& objects, const TransformerOptions& /*options*/,
                         const yaml::Node& pairs) {
  set_in_objects(maker, objects, "labels", pairs,
                 {.templates = true, .selectors = true, .others = true});
}

void apply_common_annotations(Maker& maker, Objects& objects, const TransformerOptions& options,
                              const yaml::Node& pairs) {
  set_in_objects(maker, objects, "annotations", pairs,
                 {.templates = true, .others = options.has_more_fields});
}

void apply_replicas(Maker& maker, Objects& objects, const TransformerOptions& options,
                    const yaml::Node& replicas) {
  constexpr auto kKinds = std::to_array<std::string_view>(
      {"Deployment", "ReplicaSet", "ReplicationController", "StatefulSet"});
  for (const yaml::Node* each : replicas.items()) {
    const std::string_view name = (*each)["name"].text();
    const yaml::Node& count = (*each)["count"];
    for (Object& object : objects) {
      maker.spend(kCostOfObject);
      if (object.is_deleted) continue;
      const std::vector<Id> ids = object.ids();
      const bool is_named = std::ranges::any_of(ids, [&](const Id& id) { return id.name == name; });
      if (is_named && options.has_more_fields) {
        doubt_scalars(maker, *object.root,
                      [&](std::string_view text) { return text == count.text(); });
      }
      const bool has_replicas = std::ranges::any_of(
          ids, [&](const Id& id) { return std::ranges::find(kKinds, id.kind) != kKinds.end(); });
      const Path path = {"spec"};
      Value* spec = is_named && has_replicas ? mapping_at(maker, *object.root, path) : nullptr;
      if (spec == nullptr) continue;
      const Value* before = spec->find("replicas");
      const std::optional<Span> key =
          before == nullptr ? std::nullopt : spec->members["replicas"].key;
      set_member(maker, *spec, "replicas", key, count.text(), count.span);
      spec->find("replicas")->is_shared = true;
    }
  }
}

}  // namespace cnsched::overlay
