#include "core/source/path.h"
#include "testdata/support.h"

namespace cnsched::path_test {

TEST_CASE("splits and joins paths as std::filesystem does") {
  for (const std::string path : {"a.yaml", "d/a.yaml", "/a.yaml", "/d/e/a.yaml", "d//a.yaml",
                                 "./a.yaml", "../d/.yaml", "d/", "/", "d/e//"}) {
    CAPTURE(path);
    const std::filesystem::path taken = path;
    const std::string parent = taken.parent_path().string();
    CHECK(directory_of(path) == (parent.empty() ? "." : parent));
    CHECK(file_name_of(path) == taken.filename().string());
  }
  CHECK(joined("d", "a.yaml") == "d/a.yaml");
  CHECK(joined("d/", "a.yaml") == "d/a.yaml");
  CHECK(joined("/", "a.yaml") == "/a.yaml");
  CHECK(joined("", "a.yaml") == "a.yaml");
}

}  // namespace cnsched::path_test
