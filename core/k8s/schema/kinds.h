#pragma once

#include <string_view>
#include <vector>

namespace cnsched::k8s::schema {

/// A kind in a version of its group.
struct KindVersion {
  std::string_view api_version;
  std::string_view kind;
};

/// All that the tables have in any release, by apiVersion and name.
std::vector<KindVersion> all_kinds();

}  // namespace cnsched::k8s::schema
