#include "templates/template.h"
#include "templates/library.h"
#include "testdata/support.h"

namespace cnsched::templates::template_test {

constexpr std::string_view kManifest =
    "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: ${{ name }}\n";

std::string with_parameters(std::string_view parameters, std::string_view manifest = kManifest) {
  return fmt::format(
      "apiVersion: cnsched/v1\nkind: Template\nmetadata: {{name: t, summary: s}}\n"
      "parameters:\n- {{name: name, type: dns-label, required: true, example: a, description: d}}\n"
      "{}{}",
      parameters, manifest);
}

/// The errors of the template, or "fine".
std::string mistakes(std::string text) {
  const auto model = Template::read("t.yaml", std::move(text));
  return model ? "fine" : model.error().message;
}

TEST_CASE("a template declares and uses its parameters") {
  const auto model = Template::read("t.yaml", with_parameters("- use: gpus\n",
                                                              "---\n"
                                                              "apiVersion: v1\n"
                                                              "kind: Pod\n"
                                                              "metadata:\n"
                                                              "  name: ${{ name }}-${{ gpus }}\n"));
  REQUIRE(model);
  CHECK((*model)->name() == "t");
  REQUIRE((*model)->parameters().size() == 2);
  CHECK((*model)->parameters()[1].type == Type::integer);
  CHECK((*model)->used() == std::set<std::string>{"gpus", "name"});
}

TEST_CASE("reports all errors of a template with their position") {
  CHECK(mistakes("a: b\n") ==
        "t.yaml:1:1: a template begins with a document of apiVersion: cnsched/v1, kind: Template, "
        "which declares its parameters");
  CHECK(has(mistakes(""), "a template begins with"));
  CHECK(mistakes("a: [\n").starts_with("t.yaml:"));
  CHECK(mistakes(with_parameters("- {name: x, type: strin, description: d}\n- {use: gpu}\n")) ==
        "t.yaml:6:19: unknown type 'strin', did you mean 'string'?\n"
        "t.yaml:7:9: no common parameter is called 'gpu', did you mean 'gpus'?\n"
        "t.yaml:7:3: parameter '' needs a name of letters and digits\n"
        "t.yaml:7:3: parameter '' has no description\n"
        "t.yaml:6:3: parameter 'x' is not used\n"
        "t.yaml:7:3: parameter '' is not used");
  CHECK(mistakes(with_parameters("", "---\napiVersion: v1\nkind: Pod\nname: ${{ nam }}\n")) ==
        "t.yaml:9:7: no parameter is called 'nam', did you mean 'name'?\n"
        "t.yaml:5:3: parameter 'name' is not used");
}

TEST_CASE("rejects an invalid default or example of a parameter") {
  const auto of = [](std::string_view declaration) {
    const std::string all =
        mistakes(with_parameters(fmt::format("- {{name: x, description: d, {}}}\n", declaration),
                                 fmt::format("{}  x: ${{{{ x }}}}\n", kManifest)));
    return all == "fine" ? all : all.substr(all.find(": ") + 2);
  };
  CHECK(of("type: integer, default: 1") == "fine");
  CHECK(of("type: integer, default: two") == "the default of 'x' must be an integer, not 'two'");
  CHECK(of("type: integer, minimum: 2, example: 1") ==
        "the example of 'x' must be an integer of 2 or more, not '1'");
  CHECK(of("type: integer, required: true") == "parameter 'x' is required and has no example");
  CHECK(of("type: integer, required: true, example: 1, default: 1") ==
        "parameter 'x' is required, so its default is never used");
  CHECK(of("type: enum") == "parameter 'x' is an enum without values");
  CHECK(of("type: string, pattern: '('") == "invalid regular expression: missing ): (");
  CHECK(of("type: string, defaultFor: {y: {a: b}}") ==
        "parameter 'x' has a default for 'y', which is not another parameter");
  CHECK(of("type: string, defaultFor: {name: {A: b}}")
            .starts_with("parameter 'x' has a default for 'A', and 'name' must be a DNS label"));
}

TEST_CASE("rejects a placeholder where no value can be") {
  const auto of = [](std::string_view line) {
    return mistakes(with_parameters("", fmt::format("{}  {}\n", kManifest, line)));
  };
  CHECK(of("a: b") == "fine");
  CHECK(of("a: $${{ b }}") == "fine");
  CHECK(of("# ${{ in a comment }}") == "fine");
  CHECK(has(of("a: ${{ name }"), "is not closed"));
  CHECK(of("a: [\"${{ name }}\"]") ==
        "t.yaml:11:8: a placeholder cannot be within {} or []: write the value in block style");
  CHECK(of("a: {b: ${{ name }}}").starts_with("t.yaml:11:"));
  CHECK(of("a: ${{ accelerator.resource }}") ==
        "t.yaml:11:6: 'accelerator.resource' is known only with the parameters 'platform' and "
        "'accelerator'");
  CHECK(of("a: &x b\n  c: *x") ==
        "t.yaml:12:6: a template cannot contain aliases: write the value instead");
  CHECK(of("a: b\n  a: ${{ name }}") ==
        "t.yaml:11:3: 'a' is set again further down: remove one of the two");
}

TEST_CASE("each variant has a value and a kind") {
  const std::string parameters =
      "- {name: form, type: enum, values: [pod, node], default: pod, description: d}\n";
  const std::string manifests =
      std::string(kManifest) + "---\napiVersion: v1\nkind: Node\nmetadata: {name: n}\n";
  CHECK(mistakes(with_parameters(parameters + "variants: {form: {pod: Pod, node: Node}}\n",
                                 manifests)) == "fine");
  CHECK(mistakes(
            with_parameters(parameters + "variants: {form: {pot: Pod, node: Nod}}\n", manifests)) ==
        "t.yaml:7:19: 'pot' is not a value of 'form'\n"
        "t.yaml:7:35: no document is a 'Nod'");
  CHECK(has(mistakes(with_parameters(parameters + "variants: [form]\n", manifests)),
            "'variants' must be"));
}

TEST_CASE("directories add templates and shadow built-in ones") {
  const TemporaryDirectory tree;
  tree.write("a.yaml", with_parameters(""));
  std::string same = with_parameters("");
  same.replace(same.find("name: t"), 7, "name: isvc-gpu");
  tree.write("b.yml", same);
  tree.write("notes.txt", "none");
  const auto library = Library::open({tree.root().string()});
  REQUIRE(library);
  CHECK(library->find("t")->path() == tree.path("a.yaml"));
  CHECK(library->find("isvc-gpu")->path() == tree.path("b.yml"));
  CHECK(library->find("knative-features")->path() == "templates/knative-features.yaml");
  CHECK(library->find("nothing") == nullptr);
  const auto hidden = std::ranges::count_if(library->all(), &Listed::is_shadowed);
  CHECK(hidden == 1);
}

TEST_CASE("reports a directory with an invalid template") {
  const TemporaryDirectory tree;
  tree.write("a.yaml", "a: b\n");
  const auto library = Library::open({tree.root().string(), tree.path("missing")});
  REQUIRE_FALSE(library);
  CHECK(has(library.error().message, "a.yaml:1:1: a template begins with"));
  CHECK(has(library.error().message, "missing: no such file"));
  const TemporaryDirectory elsewhere;
  fs::create_symlink(elsewhere.write("b.yaml", "SECRET: b\n"), tree.path("b.yaml"));
  const std::string linked = Library::open({tree.root().string()}).error().message;
  CHECK(has(linked, "b.yaml: is a link out of the repository"));
  CHECK_FALSE(has(linked, "SECRET"));
}

}  // namespace cnsched::templates::template_test
