#pragma once

#include <string_view>

#include "core/k8s/object.h"

namespace cnsched::k8s {

/// Whether cnsched has anything to say about the object. By group, never by kind alone: other
/// projects have an InferenceService of their own.
bool in_scope(const Object& object);

/// Whether `text` may hold an object in scope: a search for the values of `apiVersion` and `kind`,
/// in block style, flow style or JSON, a hundred times cheaper than a parse. Never false for a
/// document that is in scope.
bool may_be_in_scope(std::string_view text);

/// The same for text that cannot be parsed: its apiVersion and kind lines say that it is meant for
/// us.
bool broken_text_in_scope(std::string_view text);

/// Kinds that exist to serve models (KServe's and Seldon's).
bool is_serving_group(std::string_view group);

}  // namespace cnsched::k8s
