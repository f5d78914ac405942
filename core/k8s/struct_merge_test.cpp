#include "core/k8s/struct_merge.h"

#include "testdata/support.h"

namespace cnsched::k8s::patch_directive_test {

bool contains(const std::string& text) { return contains_patch_directive(Parsed(text).root()); }

TEST_CASE("finds a patch directive at any depth") {
  CHECK(contains("{kind: Pod, $patch: delete}"));
  CHECK(contains("spec: {tolerations: [{$patch: replace}]}"));
  CHECK(contains("spec: {strategy: {$retainKeys: [type]}}"));
  CHECK(contains("spec: {$setElementOrder/containers: [{name: a}]}"));
  CHECK(contains("metadata: {$deleteFromPrimitiveList/finalizers: [a]}"));
  CHECK(contains("a: &a {$patch: delete}\nb: *a\n"));
}

TEST_CASE("does not mistake similar keys for patch directives") {
  CHECK_FALSE(contains("spec: {containers: [{name: $patch, args: ['$patch: delete']}]}"));
  CHECK_FALSE(contains("metadata: {annotations: {$patches: a, patch: b, $setElementOrder: c}}"));
  CHECK_FALSE(contains("data: {patch.yaml: '{$patch: delete}'}"));
  CHECK_FALSE(contains(""));
}

}  // namespace cnsched::k8s::patch_directive_test
