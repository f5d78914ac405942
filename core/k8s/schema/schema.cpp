#include "core/k8s/schema/schema.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <set>

#include "core/base/pattern.h"
#include "core/base/portability.h"
#include "core/base/text.h"
#include "core/k8s/object.h"
#include "core/k8s/schema/open_api.h"
#include "core/k8s/schema/reader.h"
#include "core/k8s/schema/type.h"
#include "core/k8s/selector.h"
#include "core/yaml/scalar.h"

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

/// All tables, in one release of one project.
struct Tables : Reader {
  Tables(Project project, const std::optional<Version>& release) : Reader(project, release) {
    add(kKubernetes, Project::kubernetes);
    add(kKServe, Project::kserve);
    add(kSeldon, Project::seldon);
    add(kKnative, Project::without_release);
  }
};

/// Read on first use, which any thread may be.
const Reader& tables(Project project, const std::optional<Version>& release = {}) {
  static std::mutex mutex;
  static std::map<std::pair<Project, std::optional<Version>>, Tables> read;
  const std::lock_guard lock(mutex);
  return read.try_emplace({project, release}, project, release).first->second;
}

bool is_subdomain(std::string_view text) {
  return std::ranges::all_of(split(text, '.'), is_dns_part);
}

/// Of a format that few fields have.
template <const std::string_view& kPattern>
bool fits_pattern(std::string_view text) {
  static const Pattern kCompiled = *Pattern::compile(kPattern);
  return kCompiled.matches_whole(text);
}

constexpr std::string_view kKind = "[a-zA-Z]([a-zA-Z0-9-]*[a-zA-Z0-9])?";
constexpr std::string_view kDecimal = "[0-9]+([.][0-9]+)?";
constexpr std::string_view kGatewayDuration = "([0-9]{1,5}(h|m|s|ms)){1,4}";
constexpr std::string_view kHeaderName = "[a-zA-Z0-9!#$%&'*+.^_`|~-]+";
constexpr std::string_view kPath = "([a-zA-Z0-9/._~!$&'()*+,;=:@-]|%[0-9a-fA-F]{2})+";

constexpr auto kFormats = std::to_array<Format>({
    {"dns-1035-label", "lower case letters, digits and '-', a letter first and no '-' last",
     [](std::string_view text) { return is_dns_part(text) && !is_digit(text.front()); }},
    {"dns-1123-label", "lower case letters, digits and '-', with a letter or digit at both ends",
     is_dns_part},
    {"dns-1123-subdomain",
     "lower case letters, digits, '-' and '.', with a letter or digit at both ends", is_subdomain},
    {"dns-1123-subdomain-or-empty",
     "lower case letters, digits, '-' and '.', with a letter or digit at both ends",
     [](std::string_view text) { return text.empty() || is_subdomain(text); }},
    {"kind", "letters, digits and '-', a letter first and no '-' last", fits_pattern<kKind>},
    {"decimal", "digits, with a '.' between them at most", fits_pattern<kDecimal>},
    {"gateway-duration", "one to four times a number and h, m, s or ms, such as 1m30s",
     fits_pattern<kGatewayDuration>},
    {"http-header-name", "letters, digits and !#$%&'*+-.^_`|~", fits_pattern<kHeaderName>},
    {"http-path", "what a URL's path may hold, the rest as %XX", fits_pattern<kPath>},
});

}  // namespace

const Type* Schemas::type_of(std::string_view api_version, std::string_view kind) const {
  if (const DefinedTypes* defined = defined_types(api_version, kind)) return defined->root().type;
  const Project project = project_of(group_of(api_version));
  return tables(project, releases_.of(project)).kind(api_version, kind);
}

const Type* Schemas::type_of(const Object& object) const {
  return type_of(object.api_version, object.kind);
}

void Schemas::define(const Definition& definition, bool is_sure) {
  definitions_[{definition.api_version, definition.kind}] = {&definition, is_sure};
}

const DefinedTypes* Schemas::defined_types(std::string_view api_version,
                                           std::string_view kind) const {
  const auto found = definitions_.find({api_version, kind});
  if (found == definitions_.end() || !found->second.is_sure) return nullptr;
  return found->second.definition->types.get();
}

const Definition* Schemas::definition_of(const Object& object) const {
  const auto found = definitions_.find({object.api_version, object.kind});
  return found == definitions_.end() ? nullptr : found->second.definition;
}

const Definition* Schemas::definition_of(std::string_view group, std::string_view kind) const {
  for (const auto& [name, known] : definitions_) {
    if (name.second == kind && group_of(name.first) == group) return known.definition;
  }
  return nullptr;
}

std::vector<const Definition*> Schemas::definitions() const {
  std::vector<const Definition*> all;
  for (const auto& [name, known] : definitions_) all.push_back(known.definition);
  return all;
}

const Definition* Schemas::served_definition(std::string_view group, std::string_view kind) const {
  for (const auto& [name, known] : definitions_) {
    const bool is_kind = name.second == kind && group_of(name.first) == group;
    if (is_kind && known.definition->served) return known.definition;
  }
  return nullptr;
}

const ReleaseRanges* releases_of(std::string_view api_version, std::string_view kind) {
  return tables(Project::kubernetes).releases_of(api_version, kind);
}

std::vector<KindVersion> all_kinds() {
  std::vector<KindVersion> all;
  for (const auto& [kind, type] : tables(Project::kubernetes).kinds()) {
    all.push_back({kind.first, kind.second});
  }
  return all;
}

std::vector<std::string_view> kinds_of(std::string_view group) {
  std::set<std::string_view> names;
  for (const auto& [kind, type] : tables(Project::kubernetes).kinds()) {
    if (group_of(kind.first) == group) names.insert(kind.second);
  }
  return {names.begin(), names.end()};
}

std::vector<const Type*> types_of_kind(std::string_view kind) {
  const Schemas newest;
  std::vector<const Type*> types;
  for (const auto& [key, type] : tables(Project::kubernetes).kinds()) {
    const Type* found = key.second == kind ? newest.type_of(key.first, kind) : nullptr;
    if (found != nullptr) types.push_back(found);
  }
  return types;
}

const Type* type_named(std::string_view name) {
  // Most of the named types are Kubernetes'.
  const Type* type = tables(Project::kubernetes).type(name);
  if (type == nullptr || type->owner == Project::kubernetes) return type;
  return tables(type->owner).type(name);
}

std::vector<std::string_view> field_names(std::string_view type, std::string_view shared) {
  std::vector<std::string_view> names;
  const auto add = [&](std::string_view name) {
    if (type_named(shared)->find(name) != nullptr) names.push_back(name);
  };
  for (const Field& field : type_named(type)->fields()) add(field.name);
  for (const AbsentField& field : type_named(type)->absent) add(field.name);
  return names;
}

bool has_kind_of(const yaml::Node& node, Form form) {
  if (form == Form::list) return node.is_sequence();
  if (form == Form::map || form == Form::object) return node.is_mapping();
  return node.is_scalar();
}

bool is_native(const Object& object) { return object.group().find('.') == std::string_view::npos; }

const Format* find_format(std::string_view name) {
  const auto* found = std::ranges::find(kFormats, name, &Format::name);
  return found == kFormats.end() ? nullptr : found;
}

std::optional<std::int64_t> whole_number(const yaml::Node& scalar) {
  if (scalar.type == yaml::ScalarType::integer) return yaml::integer_of(scalar);
  const auto literal = yaml::json_literal(scalar);
  return literal ? parse_int64(*literal) : std::nullopt;
}

std::optional<double> number_of(const yaml::Node& scalar) {
  if (const auto whole = whole_number(scalar)) return static_cast<double>(*whole);
  const auto literal = yaml::json_literal(scalar);
  return literal ? parse_double(*literal) : std::nullopt;
}

}  // namespace cnsched::k8s::schema
