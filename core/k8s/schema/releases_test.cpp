#include "core/k8s/schema/releases.h"
#include "testdata/support.h"

namespace cnsched::k8s::schema::releases_test {

ReleaseRanges ranges(std::string_view list) {
  const auto parsed = ReleaseRanges::parse(list);
  REQUIRE(parsed);
  return *parsed;
}

TEST_CASE("ranges contain releases, whatever the patch") {
  CHECK(ranges("0.11-0.13").contains(Version{0, 11, 0}));
  CHECK(ranges("0.11-0.13").contains(Version{0, 13, 4}));
  CHECK_FALSE(ranges("0.11-0.13").contains(Version{0, 14, 0}));
  CHECK(ranges("-0.10,0.14-").contains(Version{0, 20, 0}));
  CHECK_FALSE(ranges("-0.10,0.14-").contains(Version{0, 12, 0}));
  CHECK(ReleaseRanges().contains(Version{0, 1, 0}));
  CHECK_FALSE(ReleaseRanges::none().contains(Version{0, 1, 0}));
}

TEST_CASE("the development branch is after every release") {
  CHECK(ranges("0.14-").contains(kHeadRelease));
  CHECK(ranges("head").contains(kHeadRelease));
  CHECK_FALSE(ranges("head").contains(newest(Project::kserve)));
  CHECK_FALSE(ranges("-0.20").contains(kHeadRelease));
  CHECK(ranges("-0.20").contains(newest(Project::kserve)));
}

TEST_CASE("ranges are described in words") {
  CHECK(ranges("0.14-").words(Project::kserve) == "exists from KServe 0.14 on");
  CHECK(ranges("-0.12").words(Project::kserve) == "existed until KServe 0.12");
  CHECK(ranges("0.14").words(Project::kserve) == "exists only in KServe 0.14");
  CHECK(ranges("0.11-0.13").words(Project::kserve) == "exists only in KServe 0.11 to 0.13");
  CHECK(ranges("head").words(Project::kserve) == "is in no release of KServe yet");
  CHECK(ranges("2.6-").words(Project::seldon) == "exists from Seldon Core 2.6 on");
  ReleaseRanges both = ranges("0.14-0.15");
  both.add(ranges("0.16-"));
  CHECK(both.words(Project::kserve) == "exists from KServe 0.14 on");
}

TEST_CASE("ranges know where to upgrade to") {
  CHECK(ranges("0.14-").next(Version{0, 13, 0}) == Version{0, 14, 0});
  CHECK(ranges("0.9-0.10,0.14-").next(Version{0, 12, 0}) == Version{0, 14, 0});
  CHECK_FALSE(ranges("-0.12").next(Version{0, 13, 0}));
  CHECK_FALSE(ranges("0.14-").next(std::nullopt));
  CHECK_FALSE(ranges("head").next(Version{0, 20, 0}));
}

TEST_CASE("rejects invalid ranges") {
  for (const std::string_view list : {"", "-", "a", "0.1-b", "0.1,", "0.1.2.3"}) {
    CAPTURE(list);
    CHECK_FALSE(ReleaseRanges::parse(list));
  }
}

TEST_CASE("knows which releases the tables have") {
  CHECK(knows(Project::kserve, {0, 8, 0}));
  CHECK(knows(Project::kserve, {0, 20, 1}));
  CHECK(knows(Project::kserve, kHeadRelease));
  CHECK_FALSE(knows(Project::kubernetes, kHeadRelease));
  CHECK_FALSE(knows(Project::kserve, {0, 21, 0}));
  CHECK_FALSE(knows(Project::kserve, {0, 7, 0}));
  CHECK(knows(Project::kubernetes, {1, 24, 17}));
  CHECK(knows(Project::seldon, {1, 18, 2}));
  CHECK(knows(Project::seldon, {2, 10, 2}));
  CHECK_FALSE(knows(Project::without_release, {1, 0, 0}));
  CHECK(describe_known(Project::kubernetes) == "Kubernetes 1.24 to 1.36");
  CHECK(describe_known(Project::seldon) == "Seldon Core 1 and 2.0 to 2.10");
}

TEST_CASE("groups belong to projects") {
  CHECK(project_of("serving.kserve.io") == Project::kserve);
  CHECK(project_of("mlops.seldon.io") == Project::seldon);
  CHECK(project_of("apps") == Project::kubernetes);
  CHECK(project_of("") == Project::kubernetes);
  CHECK(project_of("machinelearning.seldon.io") == Project::without_release);
}

}  // namespace cnsched::k8s::schema::releases_test
