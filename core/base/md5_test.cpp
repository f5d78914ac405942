#include "core/base/md5.h"

#include <doctest/doctest.h>

namespace cnsched {

TEST_CASE("MD5 digests are those of RFC 1321") {
  CHECK(md5_hex("") == "d41d8cd98f00b204e9800998ecf8427e");
  CHECK(md5_hex("abc") == "900150983cd24fb0d6963f7d28e17f72");
  CHECK(md5_hex("message digest") == "f96b697d7cb7938d525a2f31aaf161d0");
  CHECK(
      md5_hex("12345678901234567890123456789012345678901234567890123456789012345678901234567890") ==
      "57edf4a22be3c955ac49da2e2107b67a");
}

TEST_CASE("a text that fills a block, or leaves no room for its length, gets another") {
  CHECK(md5_hex(std::string(55, 'a')) == "ef1772b6dff9a122358552954ad0df65");
  CHECK(md5_hex(std::string(56, 'a')) == "3b0c8ac703f828b04c6c197006d17218");
  CHECK(md5_hex(std::string(64, 'a')) == "014842d480b571495a4a0363793f7367");
}

}  // namespace cnsched
