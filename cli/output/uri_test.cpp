#include "cli/output/safe_text.h"
#include "testdata/support.h"

namespace cnsched::cli::uri_test {

TEST_CASE("a path in a URI is percent-encoded, byte by byte") {
  CHECK(uri_path("deploy/a-b_c.~1.yaml") == "deploy/a-b_c.~1.yaml");
  CHECK(uri_path("a b#c?d%e:f\\g") == "a%20b%23c%3Fd%25e%3Af%5Cg");
  CHECK(uri_path("ö\xff\n") == "%C3%B6%FF%0A");
  CHECK(uri_path("<stdin>") == "%3Cstdin%3E");
}

}  // namespace cnsched::cli::uri_test
