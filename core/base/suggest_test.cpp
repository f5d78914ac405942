#include "core/base/suggest.h"

#include <doctest/doctest.h>

namespace cnsched {

TEST_CASE("the distance counts insertions, deletions, substitutions and swaps, but not case") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("abc", "ABC") == 0);
  CHECK(edit_distance("abc", "ab") == 1);
  CHECK(edit_distance("abc", "axc") == 1);
  CHECK(edit_distance("abc", "acb") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("one letter is no slip of another, nor is nothing a slip of anything") {
  CHECK_FALSE(nearest("x", {"", "c"}));
  CHECK(nearest("x", {"X"}) == "X");
  CHECK_FALSE(nearest("", {"c"}));
}

TEST_CASE("the nearest candidate is named if the word can be a slip of it") {
  CHECK(nearest("tolerations", {"nodeSelector", "tolerations"}) == "tolerations");
  CHECK(nearest("nodeselector", {"nodeName", "nodeSelector"}) == "nodeSelector");
  CHECK(nearest("tolaration", {"tolerations", "affinity"}) == "tolerations");
  CHECK_FALSE(nearest("banana", {"tolerations", "affinity"}));
  CHECK(nearest("ab", {"ac", "ad"}) == "ac");
  CHECK_FALSE(nearest("", {"a"}));
  CHECK_FALSE(nearest("x", {}));
}

TEST_CASE("a word is surely a slip only if nothing else is about as near") {
  CHECK(surely_meant("MLServer", {"mlserver", "triton"}) == "mlserver");
  CHECK(surely_meant("mlserve-gpu", {"mlserver", "mlserver-gpu"}) == "mlserver-gpu");
  CHECK(surely_meant("ml_server", {"mlserver", "mlserver-gpu"}) == "mlserver");
  CHECK(surely_meant("Vision-GPU", {"vision-gpu", "vision-gpu2"}) == "vision-gpu");
  CHECK_FALSE(surely_meant("vision-gp", {"vision-gpu", "vision-gpu2"}));
  CHECK(surely_meant("visoin", {"vision", "vision"}) == "vision");
  CHECK_FALSE(surely_meant("vision-lage", {"vision-large", "vision-larger"}));
  CHECK_FALSE(surely_meant("gpu-pool-1", {"gpu-pool-2"}));
  CHECK_FALSE(surely_meant("pool-a100", {"pool-a10"}));
  CHECK_FALSE(surely_meant("mlserver-cpu", {"mlserver-gpu"}));
  CHECK_FALSE(surely_meant("speech", {"speech-large"}));
  CHECK_FALSE(surely_meant("banana", {"triton"}));
}

TEST_CASE("very long words are no slips, and cost no time") {
  const std::string hostile(1'000'000, 'x');
  CHECK_FALSE(nearest(hostile, {"nodeSelector"}));
  CHECK_FALSE(nearest("nodeSelector", {hostile}));
  CHECK(surely_meant("nodeselector", {"nodeSelector", hostile}) == "nodeSelector");
}

TEST_CASE("a suggestion reads on in the sentence") {
  CHECK(did_you_mean("Exsts", {"Exists", "Equal"}) == ", did you mean 'Exists'?");
  CHECK(did_you_mean("zebra", {"Exists"}).empty());
}

TEST_CASE("a name that was broken off leads to the whole one") {
  CHECK(nearest("knative-feature", {"deployment-mode", "knative-feature-disabled"}) ==
        "knative-feature-disabled");
  CHECK_FALSE(nearest("kna", {"knative-feature-disabled"}));
}

}  // namespace cnsched
