#include "core/k8s/patch_directive.h"

#include <doctest/doctest.h>

#include "testdata/support.h"

namespace cnsched::k8s {

namespace {

bool holds(const std::string& text) { return holds_patch_directive(test::Parsed(text).root()); }

}  // namespace

TEST_CASE("finds a patch directive at any depth") {
  CHECK(holds("{kind: Pod, $patch: delete}"));
  CHECK(holds("spec: {tolerations: [{$patch: replace}]}"));
  CHECK(holds("spec: {strategy: {$retainKeys: [type]}}"));
  CHECK(holds("spec: {$setElementOrder/containers: [{name: a}]}"));
  CHECK(holds("metadata: {$deleteFromPrimitiveList/finalizers: [a]}"));
  CHECK(holds("a: &a {$patch: delete}\nb: *a\n"));
}

TEST_CASE("does not mistake similar keys for patch directives") {
  CHECK_FALSE(holds("spec: {containers: [{name: $patch, args: ['$patch: delete']}]}"));
  CHECK_FALSE(holds("metadata: {annotations: {$patches: a, patch: b, $setElementOrder: c}}"));
  CHECK_FALSE(holds("data: {patch.yaml: '{$patch: delete}'}"));
  CHECK_FALSE(holds(""));
}

}  // namespace cnsched::k8s
