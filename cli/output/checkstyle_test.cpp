#include "testdata/reported.h"

namespace cnsched::cli::checkstyle_test {

TEST_CASE("checkstyle has a file for each file with findings") {
  const Reported reported(
      {{"./a.yaml", rejected_pod("p")},
       {"b.yaml", "a: b\n"},
       {"c.yaml", rejected_pod("größe", "größe") + "---\n" + rejected_pod("q")}});
  const std::string text = reported.as("checkstyle");
  CHECK(has(text,
            "<checkstyle version=\"4.3\">\n  <file name=\"a.yaml\">\n"
            "    <error line=\"6\" column=\"24\" severity=\"error\" message=\"invalid toleration "
            "operator &apos;exists&apos;: the API server rejects the pod spec; help: use Equal or "
            "Exists, did you mean &apos;Exists&apos;?\" source=\"cnsched.invalid-toleration\"/>\n  "
            "</file>\n"
            "  <file name=\"c.yaml\">\n"));
  CHECK_FALSE(has(text, "b.yaml"));
  CHECK(has(text, "<error line=\"13\" column=\"24\""));
}

TEST_CASE("checkstyle reports unreadable files") {
  Workspace workspace;
  workspace.load({.unreadable = {{"gone.yaml", "no such file"}}});
  const std::vector<Diagnostic> none;
  std::ostringstream out;
  write_checkstyle({workspace, none}, out);
  CHECK(has(out.str(),
            "  <file name=\"gone.yaml\">\n    <error line=\"1\" severity=\"error\" message=\"no "
            "such file\" source=\"cnsched.unreadable\"/>\n  </file>\n"));
}

}  // namespace cnsched::cli::checkstyle_test
