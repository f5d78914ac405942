#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/object.h"

namespace cnsched::k8s {

/// Whether cnsched checks the object. The group decides, never the kind alone: other projects have
/// an InferenceService too.
bool in_scope(const Object& object);

/// Whether `text` may hold an object in scope. Searches for the values of `apiVersion` and `kind`
/// in block style, flow style or JSON, which costs a hundredth of parsing. Never false for a
/// document in scope.
bool may_be_in_scope(std::string_view text);

/// Whether text that cannot be parsed is in scope, by its apiVersion and kind lines.
bool broken_text_in_scope(std::string_view text);

/// A group of the API and what of it is in scope, for people.
struct GroupInScope {
  std::string_view group;  ///< empty: the core group
  std::string kinds;       ///< "Deployment, StatefulSet"
};
/// In the order of the table.
std::vector<GroupInScope> groups_in_scope();

/// Whether the group is one of KServe or Seldon.
bool is_serving_group(std::string_view group);

}  // namespace cnsched::k8s
