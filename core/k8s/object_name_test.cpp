#include "core/k8s/object_name.h"
#include "testdata/support.h"

namespace cnsched::k8s::object_name_test {

TEST_CASE("an object name consists of lower-case letters, digits, '-' and '.'") {
  for (const char* name : {"mlserver", "a--b", "llm.v2", "7b", "x"}) CHECK(is_object_name(name));
  for (const char* name :
       {"", "MLServer", "a_b", "ns/a", "-a", "a-", "a.", "a..b", "a.-b", "a b"}) {
    CHECK_FALSE(is_object_name(name));
  }
  CHECK(is_object_name(std::string(253, 'a')));
  CHECK_FALSE(is_object_name(std::string(254, 'a')));
}

}  // namespace cnsched::k8s::object_name_test
