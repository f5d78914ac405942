#include "core/k8s/label.h"
#include "testdata/support.h"

namespace cnsched::k8s::label_test {

std::string key_problem(std::string_view key) { return label_key_problem(key).value_or("none"); }

std::string value_problem(std::string_view value) {
  return label_value_problem(value).value_or("none");
}

TEST_CASE("accepts the label keys that Kubernetes accepts") {
  for (const std::string key :
       {"a", "A", "gpu", "nvidia.com/gpu", "nvidia.com/gpu.product", "nvidia.com/mig-1g.5gb",
        "a-b_c.d", "0", "k8s.amazonaws.com/accelerator", "beta.kubernetes.io/arch", "x/Y_Z",
        "1a.b-c/9"}) {
    CAPTURE(key);
    CHECK_FALSE(label_key_problem(key));
  }
}

TEST_CASE("rejects a label key with the reason") {
  CHECK(key_problem("") == "is empty");
  CHECK(key_problem("/gpu") == "begins with '/'");
  CHECK(key_problem("nvidia.com/") == "has no name after the '/'");
  CHECK(key_problem("a/b/c") == "contains more than one '/'");
  CHECK(key_problem("my key") == "contains a space");
  CHECK(key_problem("nvidia.com/gpu=present") == "contains '='");
  CHECK(key_problem("-gpu") == "begins with '-', not with a letter or digit");
  CHECK(key_problem("gpu.") == "ends with '.', not with a letter or digit");
  CHECK(key_problem("nvidia..com/gpu") == "has an empty part in its prefix 'nvidia..com'");
  CHECK(key_problem("NVIDIA.com/gpu") ==
        "has a prefix 'NVIDIA.com' that is not a lowercase RFC 1123 subdomain");
  CHECK(key_problem("-a.com/gpu") ==
        "has a prefix '-a.com' that is not a lowercase RFC 1123 subdomain");
  CHECK(key_problem("a_b.com/gpu") ==
        "has a prefix 'a_b.com' that is not a lowercase RFC 1123 subdomain");
}

TEST_CASE("the name of a key has at most 63 characters, its prefix at most 253") {
  const std::string longest(63, 'a');
  CHECK_FALSE(label_key_problem(longest));
  CHECK(key_problem(longest + "a") == "has 64 characters, and 63 are the limit");
  CHECK_FALSE(label_key_problem(std::string(253, 'a') + "/gpu"));
  CHECK(key_problem(std::string(254, 'a') + "/gpu") == "has a prefix of more than 253 characters");
}

TEST_CASE("accepts the label values that Kubernetes accepts") {
  for (const std::string value :
       {"", "a", "0", "true", "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "64G", "a..b", "x_y-z.1"}) {
    CAPTURE(value);
    CHECK_FALSE(label_value_problem(value));
  }
}

TEST_CASE("rejects a label value with the reason") {
  CHECK(value_problem("NVIDIA A100") == "contains a space");
  CHECK(value_problem("a/b") == "contains '/'");
  CHECK(value_problem("1g.5gb+me") == "contains '+'");
  CHECK(value_problem("a:b") == "contains ':'");
  CHECK(value_problem("(a)") == "contains '('");
  CHECK(value_problem("-1") == "begins with '-', not with a letter or digit");
  CHECK(value_problem("a_") == "ends with '_', not with a letter or digit");
  CHECK(value_problem("gpü") == "contains a non-ASCII character");
  CHECK(value_problem("a\nb") == "contains '\\x0a'");
  CHECK_FALSE(label_value_problem(std::string(63, 'a')));
  CHECK(value_problem(std::string(64, 'a')) == "has 64 characters, and 63 are the limit");
}

TEST_CASE("recognizes placeholders") {
  for (const std::string text :
       {"{{ .Values.gpu }}", "{{.Name}}", "${GPU}", "$(GPU)", "$GPU", "<gpu>", "<your-gpu>", "...",
        "a-${X}-b", "{name}", "a-__GPU_1__"}) {
    CAPTURE(text);
    CHECK(is_placeholder(text));
  }
  for (const std::string text :
       {"", "gpu", "a.b", "a..b", "US$", "a>b<c", "1g.5gb", "__name__", "____", "A__B"}) {
    CAPTURE(text);
    CHECK_FALSE(is_placeholder(text));
  }
}

TEST_CASE("a deprecated node label names its replacement if there is one") {
  const DeprecatedNodeLabel* zone =
      find_deprecated_node_label("failure-domain.beta.kubernetes.io/zone");
  REQUIRE(zone != nullptr);
  CHECK(zone->current == "topology.kubernetes.io/zone");
  CHECK(zone->beside_current);
  const DeprecatedNodeLabel* role = find_deprecated_node_label("kubernetes.io/role");
  REQUIRE(role != nullptr);
  CHECK(role->current.empty());
  CHECK(role->owner == DeprecatedNodeLabel::Owner::aks);
}

TEST_CASE("current labels are not deprecated") {
  for (const char* key : {"node.kubernetes.io/instance-type", "kubernetes.io/arch",
                          "kubernetes.azure.com/agentpool", "Beta.kubernetes.io/arch", ""}) {
    CAPTURE(key);
    CHECK(find_deprecated_node_label(key) == nullptr);
  }
}

TEST_CASE("replaces a label only if nodes have it together with its replacement") {
  CHECK(current_node_label("beta.kubernetes.io/os") == "kubernetes.io/os");
  CHECK(current_node_label("kubernetes.io/os") == "kubernetes.io/os");
  // Current nodes do not have the first one; the others may be users' labels.
  for (const char* key : {"node-role.kubernetes.io/master", "accelerator", "agentpool", "pool"}) {
    CAPTURE(key);
    CHECK(current_node_label(key) == key);
  }
}

TEST_CASE("families and categories of instance types are labels of AWS") {
  for (const char* key :
       {"karpenter.k8s.aws/instance-family", "eks.amazonaws.com/instance-family",
        "eks.amazonaws.com/instance-category", "beta.kubernetes.io/instance-type"}) {
    CAPTURE(key);
    CHECK(is_instance_label(key));
  }
  // Alibaba's family ecs.g7 and category g have no accelerators.
  for (const char* key : {"karpenter.k8s.alibabacloud/instance-category",
                          "karpenter.k8s.alibabacloud/instance-family", "instance-type"}) {
    CAPTURE(key);
    CHECK_FALSE(is_instance_label(key));
  }
}

}  // namespace cnsched::k8s::label_test
