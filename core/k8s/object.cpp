#include "core/k8s/object.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text.h"

namespace cnsched::k8s {

namespace {

/// The list of objects in a List or Template, or a missing node. An object of a kind that only ends
/// in "List" has no items.
const yaml::Node& wrapped_objects(const yaml::Node& root) {
  const std::string_view kind = root["kind"].text();
  if (kind.ends_with("List") && root["items"].is_sequence()) return root["items"];
  if (kind == "Template" && root["apiVersion"].text().find("template") != std::string_view::npos) {
    return root["objects"];
  }
  if (kind == "Template" && root["apiVersion"].text() == "v1") return root["objects"];
  return yaml::missing_node();
}

Object object_at(const yaml::Document& document, const yaml::Node& root) {
  const yaml::Node& metadata = root["metadata"];
  return {.document = &document,
          .root = &root,
          .api_version = root["apiVersion"].text(),
          .kind = root["kind"].text(),
          .ns = {metadata["namespace"].text()},
          .name = metadata["name"].text()};
}

}  // namespace

std::string Namespace::key() const {
  return is_known() ? std::string(name) : fmt::format("#{}", fmt::join(packages, "#"));
}

bool Namespace::operator==(const Namespace& other) const {
  return is_known() == other.is_known() && meets(other);
}

bool Namespace::meets(const Namespace& other) const {
  if (is_known() && other.is_known()) return name == other.name;
  if (packages.empty() || other.packages.empty()) return packages.empty() && other.packages.empty();
  return std::ranges::any_of(packages, [&](PackageId package) {
    return std::ranges::binary_search(other.packages, package);
  });
}

FoundIn find_in(const Namespace& ns, const std::vector<const Object*>& named) {
  FoundIn found;
  for (const Object* object : named) {
    if (object->ns.meets(ns)) return {object};
    if (object->ns.may_be(ns)) found = {object, true};
  }
  return found;
}

std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

std::vector<Object> objects_in(const yaml::Document& document) {
  std::vector<Object> objects;
  // Not recursive: aliases can nest lists deeper than the stack.
  std::vector<const yaml::Node*> open = {document.root};
  while (!open.empty()) {
    const yaml::Node& root = *open.back();
    open.pop_back();
    if (!root.is_mapping()) continue;
    if (const yaml::Node& inner = wrapped_objects(root)) {
      open.insert(open.end(), inner.items().rbegin(), inner.items().rend());
    } else {
      objects.push_back(object_at(document, root));
    }
  }
  return objects;
}

bool has_ended(const Object& pod) {
  const std::string_view phase = pod["status"]["phase"].text();
  return phase == "Succeeded" || phase == "Failed";
}

bool is_dns_part(std::string_view part) {
  return !part.empty() && is_lower_alphanumeric(part.front()) &&
         is_lower_alphanumeric(part.back()) &&
         std::ranges::all_of(part, [](char c) { return c == '-' || is_lower_alphanumeric(c); });
}

bool is_object_name(std::string_view name) {
  constexpr std::size_t kLongest = 253;
  return name.size() <= kLongest && std::ranges::all_of(split(name, '.'), is_dns_part);
}

}  // namespace cnsched::k8s
