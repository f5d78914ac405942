#include "core/k8s/schema/schema.h"

#include <set>

#include "core/k8s/schema/reader.h"

namespace cnsched::k8s::schema {

namespace {

constexpr std::string_view kKubernetes =
#include "core/k8s/schema/kubernetes.table"
    ;
constexpr std::string_view kKServe =
#include "core/k8s/schema/kserve.table"
    ;
constexpr std::string_view kSeldon =
#include "core/k8s/schema/seldon.table"
    ;
constexpr std::string_view kKnative =
#include "core/k8s/schema/knative.table"
    ;

struct Tables : Reader {
  Tables() {
    add(kKubernetes, Of::kubernetes);
    for (const std::string_view table : {kKServe, kSeldon, kKnative}) {
      add(table, Of::custom_resources);
    }
  }
};

/// Read on first use.
const Reader& tables() {
  static const Tables kTables;
  return kTables;
}

}  // namespace

const Type* type_of(std::string_view api_version, std::string_view kind) {
  return tables().kind(api_version, kind);
}

const Type* type_of(const Object& object) { return type_of(object.api_version, object.kind); }

std::vector<std::string_view> kinds_of(std::string_view group) {
  std::set<std::string_view> names;
  for (const auto& [kind, type] : tables().kinds()) {
    if (group_of(kind.first) == group) names.insert(kind.second);
  }
  return {names.begin(), names.end()};
}

const Type* type_named(std::string_view name) { return tables().type(name); }

std::vector<std::string_view> field_names(std::string_view type, std::string_view shared) {
  std::vector<std::string_view> names;
  for (const Field& field : type_named(type)->fields()) {
    if (type_named(shared)->find(field.name) != nullptr) names.push_back(field.name);
  }
  return names;
}

bool has_kind_of(const yaml::Node& node, Form form) {
  if (form == Form::list) return node.is_sequence();
  if (form == Form::map || form == Form::object) return node.is_mapping();
  return node.is_scalar();
}

bool is_native(const Object& object) { return object.group().find('.') == std::string_view::npos; }

}  // namespace cnsched::k8s::schema
