// The worked policies of docs/policies.md.
#include "rules/policy/policy_field.h"
#include "testdata/support.h"

namespace cnsched::policies_test {

TEST_CASE("every worked policy finds its bad manifests and no good one") {
  const std::string directory = project_file("testdata/policies");
  const Ran ran = run_program({"policy", "test", directory});
  INFO(ran.out, ran.err);
  CHECK(ran.exit == 0);
  CHECK_FALSE(has(ran.out, "has no "));
}

TEST_CASE("the documentation has every field") {
  const std::string page = project_text("docs/policies.md");
  for (const rules::NamedField& field : rules::named_fields()) {
    const std::string name = std::string(field.name) + (field.has_key ? "['KEY']" : "");
    CAPTURE(name);
    CHECK(has(page, "| `" + name + "` | "));
    CHECK(has(page, std::string(field.doc) + " |"));
  }
}

TEST_CASE("every worked policy is in the documentation") {
  const std::string page = project_text("docs/policies.md");
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(project_file("testdata/policies"))) {
    CAPTURE(entry.path().string());
    CHECK(has(page, "testdata/policies/" + entry.path().filename().string()));
    ++count;
  }
  CHECK(count >= 12);
}

}  // namespace cnsched::policies_test
