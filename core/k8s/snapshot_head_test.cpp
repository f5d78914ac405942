#include "core/k8s/snapshot_head.h"
#include "testdata/support.h"

namespace cnsched::k8s::snapshot_head_test {

TEST_CASE("finds the types that a snapshot could not read") {
  const std::string head = std::string(kSnapshotLine) +
                           "# Version of cnsched: 1\n# Not in the cluster:\n#   topologies\n";
  CHECK(unread_types(head + "---\n").empty());
  CHECK(unread_types(head +
                     "# Not read, because the user may not:\n#   persistentvolumes\n"
                     "# Not read, because kubectl failed:\n#   csinodes.storage.k8s.io\n---\n"
                     "#   nodes\n") ==
        std::vector<std::string_view>{"persistentvolumes", "csinodes.storage.k8s.io"});
  CHECK(unread_types("# Not read, because the user may not:\n#   nodes\n").empty());
  CHECK(unread_types(head + "# Not read, because kubectl failed:\n#   nodes") ==
        std::vector<std::string_view>{"nodes"});
}

}  // namespace cnsched::k8s::snapshot_head_test
