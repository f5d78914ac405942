#include "core/k8s/object.h"
#include "testdata/support.h"

namespace cnsched::k8s::object_test {

/// "kind/name" of every object of a document, in order.
std::string names_in(const std::string& text) {
  const Parsed parsed(text);
  return joined(parsed.objects,
                [](const Object& o) { return fmt::format("{}/{}", o.kind, o.name); });
}

TEST_CASE("a document is an object, with group, kind, name and namespace") {
  const Parsed parsed(
      "apiVersion: serving.kserve.io/v1beta1\n"
      "kind: InferenceService\n"
      "metadata: {name: llama, namespace: team, labels: {a: b}, annotations: {c: d}}\n"
      "spec: {predictor: {}}\n");
  const Object& object = parsed.object();
  CHECK(object.group() == "serving.kserve.io");
  CHECK(object.is("serving.kserve.io", "InferenceService"));
  CHECK_FALSE(object.is("serving.kserve.io", "inferenceservice"));
  CHECK(object.name == "llama");
  CHECK(object.ns.name == "team");
  CHECK(object.labels().under("a").text() == "b");
  CHECK(object.annotations().under("c").text() == "d");
  CHECK(object.spec()["predictor"].is_mapping());
}

TEST_CASE("the core group is empty") {
  const Parsed parsed("apiVersion: v1\nkind: Pod\n");
  CHECK(parsed.object().group().empty());
}

TEST_CASE("absent fields are empty") {
  const Parsed parsed("kind: Pod\n");
  const Object& object = parsed.object();
  CHECK(object.api_version.empty());
  CHECK(object.name.empty());
  CHECK(object.ns.name.empty());
  CHECK(object.spec().is_missing());
}

TEST_CASE("a List yields its items at any depth") {
  CHECK(names_in("{kind: List, items: [{kind: Pod, metadata: {name: a}},"
                 " {kind: List, items: [{kind: Node, metadata: {name: b}}]}]}") == "Pod/a Node/b");
  CHECK(names_in("{kind: NodeList, items: [{kind: Node, metadata: {name: a}}]}") == "Node/a");
  CHECK(names_in("{kind: List, items: []}").empty());
  CHECK(names_in("{kind: List, items: [null, text]}").empty());
}

TEST_CASE("a kind that only ends in List is one object") {
  CHECK(names_in("{kind: AllowList, metadata: {name: a}, spec: {items: []}}") == "AllowList/a");
}

TEST_CASE("an OpenShift Template yields its objects") {
  CHECK(names_in("{apiVersion: template.openshift.io/v1, kind: Template,"
                 " objects: [{kind: Pod, metadata: {name: a}}]}") == "Pod/a");
  CHECK(names_in("{apiVersion: v1, kind: Template, objects: [{kind: Pod, metadata: {name: a}}]}") ==
        "Pod/a");
}

TEST_CASE("another project's Template is one object") {
  CHECK(names_in("{apiVersion: example.com/v1, kind: Template, metadata: {name: a},"
                 " objects: [{kind: Pod}]}") == "Template/a");
}

TEST_CASE("a document that is not a mapping has no object") {
  for (const std::string text : {"[{kind: Pod}]", "Pod", "null", ""}) {
    CAPTURE(text);
    CHECK(names_in(text).empty());
  }
}

TEST_CASE("a JSON document is an object like any other") {
  CHECK(names_in(R"({"kind": "Pod", "metadata": {"name": "a"}})") == "Pod/a");
}

}  // namespace cnsched::k8s::object_test

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
