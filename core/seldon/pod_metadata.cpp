#include "core/seldon/pod_metadata.h"

#include <algorithm>
#include <array>

#include "core/yaml/tree.h"

namespace cnsched::seldon {

namespace {

using yaml::Entry;
using yaml::Node;

bool is_bookkeeping(std::string_view key) {
  constexpr auto kKeys = std::to_array<std::string_view>(
      {"meta.helm.sh/release-name", "meta.helm.sh/release-namespace",
       "kubectl.kubernetes.io/last-applied-configuration"});
  return std::ranges::find(kKeys, key) != kKeys.end();
}

}  // namespace

void MetadataMap::add_without_bookkeeping(const Node& mapping) {
  for (const Entry& entry : mapping.entries()) {
    if (!entry.overridden && !is_bookkeeping(entry.key->text())) all_.add(entry);
  }
}

void MetadataMap::set(yaml::Key key, const Node& value) {
  if (value) all_.add(key, value);
}

void MetadataMap::set(yaml::Key key, std::string_view value, const Node& like) {
  set(key, yaml::string_like(arena_, like, value));
}

void MetadataMap::set_constant(yaml::Key key, std::string_view value) {
  set(key, value, yaml::nowhere());
}

}  // namespace cnsched::seldon
