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
  for (const std::string text : {"{{ .Values.gpu }}", "{{.Name}}", "${GPU}", "$(GPU)", "$GPU",
                                 "<gpu>", "<your-gpu>", "...", "a-${X}-b", "{name}"}) {
    CAPTURE(text);
    CHECK(is_placeholder(text));
  }
  for (const std::string text : {"", "gpu", "a.b", "a..b", "US$", "a>b<c", "1g.5gb"}) {
    CAPTURE(text);
    CHECK_FALSE(is_placeholder(text));
  }
}

}  // namespace cnsched::k8s::label_test
