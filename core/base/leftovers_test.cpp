#include "core/base/leftovers.h"

#include "testdata/support.h"

namespace cnsched::leftovers_test {

TEST_CASE("a scratch directory is removed with all that it contains") {
  std::string path;
  {
    const ScratchDirectory scratch;
    path = scratch.path();
    REQUIRE(fs::is_directory(path));
    fs::create_directories(path + "/a/b");
  }
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("directories of processes that were killed are not those of this one") {
  const ScratchDirectory one;
  const ScratchDirectory other;
  CHECK(one.path() != other.path());
  CHECK(fs::is_directory(one.path()));
}

}  // namespace cnsched::leftovers_test
