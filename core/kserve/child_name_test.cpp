#include "core/kserve/child_name.h"
#include "testdata/support.h"

namespace cnsched::kserve::child_name_test {

TEST_CASE("appends the suffix to a short name") {
  CHECK(child_name("llama", "-kserve") == "llama-kserve");
  CHECK(child_name(std::string(56, 'a'), "-kserve") == std::string(56, 'a') + "-kserve");
}

TEST_CASE("replaces part of a name that is too long for a label by a hash of the parent") {
  const std::string parent(57, 'a');
  const std::string name = child_name(parent, "-kserve");
  CHECK(name == std::string(24, 'a') + "652b906d60af96844ebd21b674f35e93" + "-kserve");
  CHECK(name.size() == 63);
}

TEST_CASE("truncates a suffix that leaves no space for the hash") {
  const std::string suffix = "-" + std::string(70, 'b');
  CHECK(child_name("llama", suffix).size() == 63);
  CHECK(child_name("llama", suffix).starts_with("llama"));
  CHECK(child_name(std::string(40, 'a'), "-b" + std::string(40, '-')).size() == 63);
}

}  // namespace cnsched::kserve::child_name_test
