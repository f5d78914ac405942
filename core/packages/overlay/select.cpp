#include "core/packages/overlay/select.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/k8s/object.h"

namespace cnsched::overlay {

namespace {

/// What is longer no person wrote.
constexpr std::size_t kMaxPattern = 1000;

Match match_requirement(std::string_view requirement, const Value* labels) {
  requirement = trim(requirement);
  if (requirement.empty() || requirement.find_first_of(" ()<>") != std::string_view::npos) {
    return Match::unknown;
  }
  const auto value_of = [&](std::string_view key) -> std::optional<std::string_view> {
    const Value* value = labels == nullptr ? nullptr : labels->find(trim(key));
    if (value == nullptr || !value->is_scalar()) return std::nullopt;
    return value->text;
  };
  const std::size_t sign = requirement.find('=');
  if (sign == std::string_view::npos) {
    const bool is_absent = requirement.starts_with('!');
    return value_of(requirement.substr(is_absent ? 1 : 0)).has_value() != is_absent ? Match::yes
                                                                                    : Match::no;
  }
  const bool is_different = sign > 0 && requirement[sign - 1] == '!';
  const std::string_view key = requirement.substr(0, is_different ? sign - 1 : sign);
  std::string_view value = requirement.substr(sign + 1);
  if (value.starts_with('=')) value.remove_prefix(1);
  return (value_of(key) == trim(value)) != is_different ? Match::yes : Match::no;
}

Match match_kind(Maker& maker, const yaml::Node& select, const Id& id) {
  return both(match_pattern(maker, select["group"].text(), id.group()),
              both(match_pattern(maker, select["version"].text(), id.version()),
                   match_pattern(maker, select["kind"].text(), id.kind)));
}

Match match_metadata(const yaml::Node& select, const Object& object) {
  const Value* metadata = object.root->find("metadata");
  const auto in = [&](std::string_view field) {
    return metadata == nullptr ? nullptr : metadata->find(field);
  };
  const auto match = [&](std::string_view selector, std::string_view field) {
    return selector.empty() ? Match::yes : match_labels(selector, in(field));
  };
  return both(match(select["labelSelector"].text(), "labels"),
              match(select["annotationSelector"].text(), "annotations"));
}

Match match_any_id(Maker& maker, const yaml::Node& select, const Object& object) {
  Match result = Match::no;
  for (const Id& id : object.ids()) {
    maker.spend(kCostOfObject);
    result = either(result, both(match_kind(maker, select, id),
                                 both(match_pattern(maker, select["name"].text(), id.name),
                                      match_pattern(maker, select["namespace"].text(), id.ns))));
  }
  return result;
}

}  // namespace

bool is_cluster_scoped(std::string_view kind, std::string_view group) {
  if (!group.empty() && group.find('.') != std::string_view::npos && !group.ends_with(".k8s.io")) {
    return false;
  }
  constexpr auto kKinds = std::to_array<std::string_view>({"APIService",
                                                           "CSIDriver",
                                                           "CSINode",
                                                           "CertificateSigningRequest",
                                                           "ClusterRole",
                                                           "ClusterRoleBinding",
                                                           "ComponentStatus",
                                                           "CustomResourceDefinition",
                                                           "FlowSchema",
                                                           "IngressClass",
                                                           "MutatingWebhookConfiguration",
                                                           "Namespace",
                                                           "Node",
                                                           "PersistentVolume",
                                                           "PodSecurityPolicy",
                                                           "PriorityClass",
                                                           "PriorityLevelConfiguration",
                                                           "RuntimeClass",
                                                           "StorageClass",
                                                           "ValidatingWebhookConfiguration",
                                                           "VolumeAttachment"});
  return std::ranges::find(kKinds, kind) != kKinds.end();
}

std::string_view Id::group() const { return k8s::group_of(api_version); }

std::string_view Id::version() const {
  return group().empty() ? api_version : api_version.substr(group().size() + 1);
}

std::string_view Id::effective_namespace() const {
  if (is_cluster_scoped(kind, group())) return {};
  return ns.empty() ? "default" : ns;
}

bool Id::is_same(const Id& other) const {
  return name == other.name && kind == other.kind && api_version == other.api_version &&
         effective_namespace() == other.effective_namespace();
}

Id Object::id() const {
  const Value* metadata = root->find("metadata");
  Id id{.api_version = root->text_of("apiVersion"), .kind = root->text_of("kind")};
  if (metadata != nullptr) {
    id.ns = metadata->text_of("namespace");
    id.name = metadata->text_of("name");
  }
  return id;
}

std::vector<Id> Object::ids() const {
  std::vector<Id> all = previous;
  all.push_back(id());
  return all;
}

Match match_pattern(Maker& maker, std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return Match::yes;
  if (pattern.size() > kMaxPattern || text.size() > kMaxPattern) return Match::unknown;
  if (pattern.find_first_of("\\.+*?()[]{}|^$") == std::string_view::npos) {
    return pattern == text ? Match::yes : Match::no;
  }
  const Pattern* compiled = maker.pattern(pattern);
  if (compiled == nullptr) return Match::unknown;
  maker.spend(kCostOfValue + text.size());
  return compiled->matches_whole(text) ? Match::yes : Match::no;
}

Match match_labels(std::string_view selector, const Value* labels) {
  if (selector.size() > kMaxPattern) return Match::unknown;
  // A set such as "a in (b, c)" contains commas.
  if (selector.find('(') != std::string_view::npos) return Match::unknown;
  if (labels != nullptr && labels->is_unknown) return Match::unknown;
  Match result = Match::yes;
  for (const std::string_view each : split(selector, ',')) {
    result = both(result, match_requirement(each, labels));
  }
  return result;
}

Match selects(Maker& maker, const yaml::Node& target, const Object& object) {
  maker.spend(kCostOfObject);
  const Id now = object.id();
  const Id original = object.previous.empty() ? now : object.previous.front();
  const auto effective = [](const Id& id) {
    const std::string_view ns = id.effective_namespace();
    return ns.empty() ? std::string_view("_non_namespaceable_") : ns;
  };
  const std::string_view ns = target["namespace"].text();
  const std::string_view name = target["name"].text();
  return both(
      both(either(match_pattern(maker, ns, effective(original)),
                  match_pattern(maker, ns, effective(now))),
           either(match_pattern(maker, name, original.name), match_pattern(maker, name, now.name))),
      both(match_kind(maker, target, now), match_metadata(target, object)));
}

Match selects_any_id(Maker& maker, const yaml::Node& select, const Object& object) {
  return both(match_any_id(maker, select, object), match_metadata(select, object));
}

Match rejects(Maker& maker, const yaml::Node& reject, const Object& object) {
  const bool has_selector =
      !reject["labelSelector"].is_empty() || !reject["annotationSelector"].is_empty();
  const bool has_id = std::ranges::any_of(
      std::to_array<std::string_view>({"group", "version", "kind", "name", "namespace"}),
      [&](std::string_view field) { return !reject[field].is_empty(); });
  const Match by_id = has_id ? match_any_id(maker, reject, object) : Match::no;
  return either(by_id, has_selector ? match_metadata(reject, object) : Match::no);
}

}  // namespace cnsched::overlay
