#include "core/k8s/scope.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/base/text.h"
#include "core/k8s/api_kinds.h"
#include "core/k8s/label.h"
#include "core/k8s/scheduling_kind.h"
#include "core/k8s/schema/schema.h"
#include "core/k8s/scope_table.h"

namespace cnsched::k8s {

namespace {

bool sets_knative_flags(const Object& object) {
  return object.is("", "ConfigMap") &&
         std::ranges::any_of(object["data"].entries(), [](const yaml::Entry& entry) {
           return entry.key->text().starts_with(kKnativeFlag);
         });
}

bool in_table(std::string_view api_version, std::string_view kind, std::string_view name) {
  return std::ranges::any_of(kScope, [&](const ScopeRow& row) {
    return row.group == group_of(api_version) && (row.kind == "*" || row.kind == kind) &&
           (row.name.empty() || row.name == name);
  });
}

/// Whether an object in scope is overwritten by another because a '---' is missing: the last value
/// of a repeated key counts, so earlier pairs of apiVersion and kind are lost.
bool buries_object_in_scope(const Object& object) {
  std::vector<std::string_view> versions;
  std::vector<std::string_view> kinds;
  for (const yaml::Entry& entry : object.root->entries()) {
    if (entry.key->text() == "apiVersion") versions.push_back(entry.value->text());
    if (entry.key->text() == "kind") kinds.push_back(entry.value->text());
  }
  for (std::size_t i = 0; i + 1 < std::min(versions.size(), kinds.size()); ++i) {
    if (in_table(versions[i], kinds[i], "")) return true;
  }
  return false;
}

/// Whether the object has a model server's kind and a placeholder as group.
bool has_group_to_come(const Object& object) {
  return is_placeholder(object.api_version) && is_serving_kind(object.kind);
}

/// The value under `key` in another case, if the object has no such key; or a missing node.
const yaml::Node& miscased(const Object& object, std::string_view key) {
  if (object[key]) return yaml::missing_node();
  for (const yaml::Entry& entry : object.root->entries()) {
    if (equals_ignoring_case(entry.key->text(), key)) return *entry.value;
  }
  return yaml::missing_node();
}

/// Whether the API is unknown because of a mistake (the rule unknown-kind).
bool is_misnamed(const Object& object) {
  return kind_in_misspelt_group(object.api_version, object.kind) != nullptr ||
         lacks_api_version(object) || !miscased_fields(object).empty();
}

}  // namespace

std::vector<const yaml::Node*> miscased_fields(const Object& object) {
  const yaml::Node& version = miscased(object, "apiVersion");
  const yaml::Node& kind = miscased(object, "kind");
  if (!version && !kind) return {};
  const std::string_view api_version = version ? version.text() : object.api_version;
  const std::string_view name_of_kind = kind ? kind.text() : object.kind;
  const bool is_intended = in_table(api_version, name_of_kind, object.name) ||
                           (api_version.empty() && is_serving_kind(name_of_kind));
  std::vector<const yaml::Node*> fields;
  if (is_intended && version) fields.push_back(&version);
  if (is_intended && kind) fields.push_back(&kind);
  return fields;
}

bool lacks_api_version(const Object& object) {
  return !object["apiVersion"] && !miscased(object, "apiVersion") && is_serving_kind(object.kind);
}

bool in_scope(const Object& object) {
  return sets_knative_flags(object) || in_table(object.api_version, object.kind, object.name) ||
         scheduling_kind_of(object) || buries_object_in_scope(object) ||
         has_group_to_come(object) || is_misnamed(object);
}

/// "ConfigMap config-features"; of a row for a whole group every kind that the schemas have.
static std::string kinds_in(const ScopeRow& row) {
  if (row.kind != "*") {
    return fmt::format("{}{}{}", row.kind, row.name.empty() ? "" : " ", row.name);
  }
  const auto known = schema::kinds_of(row.group);
  return known.empty() ? "every kind" : fmt::format("every kind: {}", fmt::join(known, ", "));
}

std::vector<GroupInScope> groups_in_scope() {
  std::vector<GroupInScope> groups;
  for (const ScopeRow& row : kScope) {
    const auto known = std::ranges::find(groups, row.group, &GroupInScope::group);
    if (known == groups.end()) {
      groups.push_back({row.group, kinds_in(row)});
    } else {
      known->kinds += ", " + kinds_in(row);
    }
  }
  return groups;
}

bool is_serving_group(std::string_view group) {
  return group == "serving.kserve.io" || group == "serving.kubeflow.org" ||
         group == "mlops.seldon.io" || group == "machinelearning.seldon.io";
}

}  // namespace cnsched::k8s
