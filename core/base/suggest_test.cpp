#include "core/base/suggest.h"
#include "testdata/support.h"

namespace cnsched::suggest_test {

TEST_CASE("the distance counts insertions, deletions, substitutions and swaps, but not case") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("abc", "ABC") == 0);
  CHECK(edit_distance("abc", "ab") == 1);
  CHECK(edit_distance("abc", "axc") == 1);
  CHECK(edit_distance("abc", "acb") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("one letter is not a misspelling of another, nor of an empty word") {
  CHECK_FALSE(nearest("x", {"", "c"}));
  CHECK(nearest("x", {"X"}) == "X");
  CHECK_FALSE(nearest("", {"c"}));
}

TEST_CASE("finds the nearest candidate that the word can be a misspelling of") {
  CHECK(nearest("tolerations", {"nodeSelector", "tolerations"}) == "tolerations");
  CHECK(nearest("nodeselector", {"nodeName", "nodeSelector"}) == "nodeSelector");
  CHECK(nearest("tolaration", {"tolerations", "affinity"}) == "tolerations");
  CHECK_FALSE(nearest("banana", {"tolerations", "affinity"}));
  CHECK(nearest("ab", {"ac", "ad"}) == "ac");
  CHECK_FALSE(nearest("", {"a"}));
  CHECK_FALSE(nearest("x", {}));
}

TEST_CASE("rejects a correction if another candidate is about as near") {
  CHECK(certain_correction("MLServer", {"mlserver", "triton"}) == "mlserver");
  CHECK(certain_correction("mlserve-gpu", {"mlserver", "mlserver-gpu"}) == "mlserver-gpu");
  CHECK(certain_correction("ml_server", {"mlserver", "mlserver-gpu"}) == "mlserver");
  CHECK(certain_correction("Vision-GPU", {"vision-gpu", "vision-gpu2"}) == "vision-gpu");
  CHECK_FALSE(certain_correction("vision-gp", {"vision-gpu", "vision-gpu2"}));
  CHECK(certain_correction("visoin", {"vision", "vision"}) == "vision");
  CHECK_FALSE(certain_correction("vision-lage", {"vision-large", "vision-larger"}));
  CHECK_FALSE(certain_correction("gpu-pool-1", {"gpu-pool-2"}));
  CHECK_FALSE(certain_correction("pool-a100", {"pool-a10"}));
  CHECK_FALSE(certain_correction("mlserver-cpu", {"mlserver-gpu"}));
  CHECK_FALSE(certain_correction("speech", {"speech-large"}));
  CHECK_FALSE(certain_correction("banana", {"triton"}));
}

TEST_CASE("very long words are never near and take no time") {
  const std::string hostile(1'000'000, 'x');
  CHECK_FALSE(nearest(hostile, {"nodeSelector"}));
  CHECK_FALSE(nearest("nodeSelector", {hostile}));
  CHECK(certain_correction("nodeselector", {"nodeSelector", hostile}) == "nodeSelector");
}

TEST_CASE("corrects case or one letter, but never a digit") {
  const std::vector<std::string_view> names = {"nvidia.com/gpu", "NVIDIA-A10", "L40"};
  CHECK(corrected_spelling("nvidia.com/GPU", names) == "nvidia.com/gpu");
  CHECK(corrected_spelling("nvidia.com/gpus", names) == "nvidia.com/gpu");
  CHECK(corrected_spelling("nvidai.com/gpu", names) == "nvidia.com/gpu");
  CHECK(corrected_spelling("nvidia.com/gpu", names) == "");
  CHECK(corrected_spelling("NVIDIA-A30", names) == "");
  CHECK(corrected_spelling("NVIDIA-A100", names) == "");
  CHECK(corrected_spelling("nvidia.com/cpus", names) == "");
  CHECK(corrected_spelling("L4", names) == "");
  CHECK(corrected_spelling("", names) == "");
  CHECK(corrected_spelling(std::string(10'000, 'x'), names) == "");
}

TEST_CASE("corrects two letters of a product's name, but only slips in numbers and short parts") {
  const std::vector<std::string_view> names = {"nvidia-tesla-t4",  "nvidia-tesla-p4", "nvidia-l4",
                                               "nvidia-h100-80gb", "A100-SXM4-80GB",  "l4"};
  CHECK(misspelt_product("nvidia-telsa-t4", names) == "nvidia-tesla-t4");
  CHECK(misspelt_product("nvidia-tesl-t4", names) == "nvidia-tesla-t4");
  CHECK(misspelt_product("nvdia-telsa-p4", names) == "nvidia-tesla-p4");
  CHECK(misspelt_product("nvidia-teslat4", names) == "nvidia-tesla-t4");
  CHECK(misspelt_product("nvidia-l44", names) == "nvidia-l4");
  CHECK(misspelt_product("l44", names) == "l4");
  CHECK(misspelt_product("nvidia-h100-80g", names) == "nvidia-h100-80gb");
  CHECK(misspelt_product("nvidia-h10-80gb", names) == "nvidia-h100-80gb");
  CHECK(misspelt_product("A100-SMX4-80GB", names) == "A100-SXM4-80GB");
  CHECK(misspelt_product("A100-SX4-80GB", names) == "A100-SXM4-80GB");
  for (const char* other : {"nvidia-l40", "nvidia-k4", "nvidia-l4-x", "nvidia-l4s", "nvidia-r4",
                            "nvidia-h200-80gb", "nvidia-gh100-80gb", "A100-SXM-80GB",
                            "A100-SXM5-80GB", "nvdia-telsa-tt4", "k4", "l", "l4", ""}) {
    INFO(other);
    CHECK_FALSE(misspelt_product(other, names));
  }
  CHECK_FALSE(misspelt_product("nvidia-tesla-tp4", {"nvidia-tesla-t-p4", "nvidia-teslatp-4"}));
  CHECK_FALSE(misspelt_product(std::string(1'000'000, '-'), names));
}

TEST_CASE("nearness limits edits, length and digits") {
  CHECK(edits_if_near("kubernets", "kubernetes", {.max_edits = 2}) == 1);
  CHECK(edits_if_near("kuberenets", "kubernetes", {.max_edits = 2}) == 2);
  CHECK(edits_if_near("kuberentes", "kubernetes", {}) == 1);  // a swap is one edit
  CHECK_FALSE(edits_if_near("kubrnets", "kubernetes", {}));
  CHECK_FALSE(edits_if_near("gpu", "cpu", {.min_length = 4}));
  CHECK(edits_if_near("a10", "a30", {}) == 1);
  CHECK_FALSE(edits_if_near("a10", "a30", {.same_digits = true}));
  CHECK(edits_if_near("kube", "kubernetes", {.allows_prefix = true}) == 1);
  CHECK_FALSE(edits_if_near("kub", "kubernetes", {.allows_prefix = true}));
}

TEST_CASE("a suggestion can be appended to a sentence") {
  CHECK(did_you_mean("Exsts", {"Exists", "Equal"}) == ", did you mean 'Exists'?");
  CHECK(did_you_mean("zebra", {"Exists"}).empty());
  CHECK(did_you_mean("Exists", {"Exists\x1b"}) == ", did you mean 'Exists\\x1b'?");
}

TEST_CASE("suggests the whole name for a prefix") {
  CHECK(nearest("knative-feature", {"deployment-mode", "knative-feature-disabled"}) ==
        "knative-feature-disabled");
  CHECK_FALSE(nearest("kna", {"knative-feature-disabled"}));
}

}  // namespace cnsched::suggest_test
