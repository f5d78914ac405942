#include "core/base/version.h"
#include "testdata/support.h"

namespace cnsched::version_test {

TEST_CASE("parses a version with or without v and compares numbers") {
  CHECK(Version::parse("0.15") == Version{0, 15, 0});
  CHECK(Version::parse("v0.15.2") == Version{0, 15, 2});
  CHECK(*Version::parse("1.9") < *Version::parse("1.34"));
}

TEST_CASE("rejects text that is not a version") {
  for (const char* text : {"", "v", "1.x", "1.2.3.4", "-1", "1..2"}) {
    INFO(text);
    CHECK_FALSE(Version::parse(text));
  }
}

}  // namespace cnsched::version_test
