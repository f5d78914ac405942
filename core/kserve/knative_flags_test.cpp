#include "core/kserve/knative_flags.h"
#include "testdata/support.h"

namespace cnsched::kserve::knative_flags_test {

std::string_view intended(std::string_view key) {
  const KnativeFlag* flag = intended_knative_flag(key);
  return flag == nullptr ? std::string_view() : flag->key;
}

TEST_CASE("finds every flag, and no two flags have the same key") {
  for (const KnativeFlag& flag : knative_flags()) CHECK(find_knative_flag(flag.key) == &flag);
}

TEST_CASE("finds the intended flag for a misspelled key") {
  CHECK(intended("kubernetes.podspec-nodeSelector") == "kubernetes.podspec-nodeselector");
  CHECK(intended("kubernetes.podspec-node-selector") == "kubernetes.podspec-nodeselector");
  CHECK(intended("kubernetes.podspec-toleration") == "kubernetes.podspec-tolerations");
  CHECK(intended("kubernetes-podspec-affinity") == "kubernetes.podspec-affinity");
  CHECK(intended("podspec-affinity") == "kubernetes.podspec-affinity");
  CHECK(intended("kubernetes.containerspec-init-containers") ==
        "kubernetes.podspec-init-containers");
  CHECK(intended("multicontainer") == "multi-container");
}

TEST_CASE("finds no flag for a key that a newer Knative may have") {
  CHECK(intended("kubernetes.podspec-volumes-nfs") == "");
  CHECK(intended("kubernetes.podspec-hostusers") == "");
  CHECK(intended("kubernetes.podspec-") == "");
  CHECK(intended("_example") == "");
  CHECK(intended("") == "");
  CHECK(intended(std::string(100'000, 'k')) == "");
}

TEST_CASE("compares a value without case and without trimming") {
  const KnativeFlag& flag = *find_knative_flag("kubernetes.podspec-affinity");
  CHECK(reads_value(flag, "ENABLED"));
  CHECK_FALSE(reads_value(flag, "enabled "));
  CHECK_FALSE(reads_value(flag, "true"));
  const KnativeFlag& secure = *find_knative_flag("secure-pod-defaults");
  CHECK(reads_value(secure, "AllowRootBounded"));
  CHECK_FALSE(reads_value(secure, "allowed"));
}

TEST_CASE("reports edited lines of the example, not the shipped ones") {
  CHECK(example_flags("# kubernetes.podspec-affinity: enabled\n"
                      "kubernetes.podspec-affinity: \"disabled\"\n"
                      "kubernetes.podspec-volumes-emptydir: \"enabled\"\n"
                      "kubernetes.podspec-dryrun: \"allowed\"\n"
                      "autodetect-http2: \"enabled\"\n"
                      "multi-container: \"enabled\"\n")
            .empty());
  const auto edited = example_flags("  kubernetes.podspec-affinity: \"enabled\" # for GPUs\n");
  REQUIRE(edited.size() == 1);
  CHECK(edited.front().flag->key == "kubernetes.podspec-affinity");
  CHECK(edited.front().value == "enabled");
}

}  // namespace cnsched::kserve::knative_flags_test
