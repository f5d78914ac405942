#include "core/source/read_file.h"
#include "testdata/support.h"

namespace cnsched::read_file_test {

TEST_CASE("reads a file up to the limit and explains failures") {
  const TemporaryDirectory directory;
  directory.write("a.yaml", "12345");
  const Result<std::string> whole = read_file(directory.path("a.yaml"), 5);
  REQUIRE(whole);
  CHECK(*whole == "12345");
  const Result<std::string> large = read_file("/dev/zero", std::size_t{1} << 20);
  REQUIRE_FALSE(large);
  CHECK(large.error().message == "larger than the limit of 1 MiB: split it, or leave it out");
  CHECK(read_file(directory.path("no.yaml"), 5).error().message == "no such file or directory");
  CHECK(read_file(directory.root().string(), 5).error().message == "is a directory");
}

TEST_CASE("suggests a name for a missing file") {
  const TemporaryDirectory directory;
  directory.write("services.yaml");
  CHECK(read_named_file(directory.path("service.yaml"))
            .error()
            .message.ends_with("did you mean '" + directory.path("services.yaml") + "'?"));
}

TEST_CASE("a regular file has a size, a pipe has none") {
  const TemporaryDirectory directory;
  directory.write("a.yaml", "12345");
  Result<OpenFile> opened = OpenFile::open(directory.path("a.yaml"));
  REQUIRE(opened);
  CHECK(opened->size() == 5);
  const OpenFile moved = *std::move(opened);
  directory.write("a.yaml", "1234567");
  const Result<std::string> grown = moved.read(7, "");
  REQUIRE(grown);
  CHECK(*grown == "1234567");
  const Result<OpenFile> endless = OpenFile::open("/dev/zero");
  REQUIRE(endless);
  CHECK_FALSE(endless->size().has_value());
  const Result<OpenFile> stood = OpenFile::open("/proc/self/stat");
  REQUIRE(stood);
  CHECK_FALSE(stood->read(100'000, "")->empty());
}

}  // namespace cnsched::read_file_test
