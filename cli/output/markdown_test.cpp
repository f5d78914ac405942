#include "cli/output/safe_text.h"
#include "testdata/support.h"

namespace cnsched::cli::markdown_test {

TEST_CASE("escapes Markdown, HTML and links") {
  CHECK(markdown_text("a|b `c` *d* _e_ ~f~") == R"(a\|b \`c\` \*d\* \_e\_ \~f\~)");
  CHECK(markdown_text("<img src=x> &lt; [a](b) ![c](d)") ==
        R"(\<img src=x\> \&lt; \[a\](b) !\[c\](d))");
  CHECK(markdown_text(R"(\| # $x$ @me)") == R"(\\\| \# \$x\$ \@me)");
  CHECK(markdown_text("https://evil.example WWW.evil.example") ==
        R"(https\://evil.example WWW\.evil.example)");
}

TEST_CASE("does not change text without markup") {
  const std::string text = "'nvidia.com/gpu' requests 1: größe (see above), svc.yaml:3";
  CHECK(markdown_text(text) == text);
}

}  // namespace cnsched::cli::markdown_test
