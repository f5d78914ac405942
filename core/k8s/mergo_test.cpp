#include <nlohmann/json.hpp>

#include "core/k8s/struct_merge.h"
#include "core/yaml/write.h"
#include "testdata/support.h"

namespace cnsched::k8s::mergo_test {

/// A document with `base` and `patch`, and their merge result, in one line of JSON.
struct Merged {
  Merged(const std::string& base, const std::string& patch, Lists lists = Lists::append,
         std::string_view type = "PodSpec")
      : source("base: " + base + "\npatch: " + patch + "\n"),
        node(mergo_merge(arena, source.root().under("base"), source.root()["patch"], type, lists)) {
  }

  std::string json() const {
    return nlohmann::ordered_json::parse(yaml::to_json(node)).dump(-1, ' ', false);
  }

  Arena arena;
  Parsed source;
  const yaml::Node& node;
};

std::string merged(const std::string& base, const std::string& patch, Lists lists = Lists::append,
                   std::string_view type = "PodSpec") {
  return Merged(base, patch, lists, type).json();
}

TEST_CASE("a scalar of the patch wins, unless it is zero and the base has one") {
  CHECK(merged("{nodeName: a}", "{nodeName: b}") == R"({"nodeName":"b"})");
  CHECK(merged("{nodeName: a}", "{nodeName: ''}") == R"({"nodeName":"a"})");
  CHECK(merged("{nodeName: a}", "{nodeName: null}") == R"({"nodeName":"a"})");
  CHECK(merged("{hostNetwork: true}", "{hostNetwork: false}") == R"({"hostNetwork":true})");
  CHECK(merged("{hostNetwork: true}", "{hostNetwork: off}") == R"({"hostNetwork":true})");
  CHECK(merged("{priority: 7}", "{priority: 0}") == R"({"priority":7})");
  CHECK(merged("{priority: 7}", "{priority: 0x0}") == R"({"priority":7})");
  CHECK(merged("{priority: 7}", "{priority: -1}") == R"({"priority":-1})");
}

TEST_CASE("fields that the base lacks come from the patch unchanged") {
  CHECK(merged("{}", "{runAsUser: 0, tolerations: [], securityContext: {}}") ==
        R"({"runAsUser":0,"tolerations":[],"securityContext":{}})");
  CHECK(merged("{affinity: null}", "{affinity: {podAffinity: {}}}") ==
        R"({"affinity":{"podAffinity":{}}})");
}

TEST_CASE("mappings merge deeply") {
  CHECK(merged("{securityContext: {runAsNonRoot: true, seccompProfile: {type: Unconfined}}}",
               "{securityContext: {runAsNonRoot: false, seccompProfile: {localhostProfile: p}}}") ==
        R"({"securityContext":{"runAsNonRoot":true,)"
        R"("seccompProfile":{"type":"Unconfined","localhostProfile":"p"}}})");
}

TEST_CASE("entries of Go maps in the patch always win") {
  CHECK(merged("{nodeSelector: {pool: gpu, acc: a100}}", "{nodeSelector: {pool: ''}}") ==
        R"({"nodeSelector":{"pool":"","acc":"a100"}})");
  CHECK(merged("{limits: {gpu: 1, memory: 1Gi}}", "{limits: {gpu: 0}}", Lists::append,
               "ResourceRequirements") == R"({"limits":{"gpu":0,"memory":"1Gi"}})");
  CHECK(merged("{overhead: {cpu: 250m}}", "{overhead: {}}") == R"({"overhead":{"cpu":"250m"}})");
}

TEST_CASE("lists are appended, or replaced by one that is not empty, and never merged by name") {
  const std::string base = "{volumes: [{name: a}]}";
  const std::string patch = "{volumes: [{name: a}, {name: b}]}";
  CHECK(merged(base, patch) == R"({"volumes":[{"name":"a"},{"name":"a"},{"name":"b"}]})");
  CHECK(merged(base, patch, Lists::replace) == R"({"volumes":[{"name":"a"},{"name":"b"}]})");
  for (const Lists lists : {Lists::append, Lists::replace}) {
    CHECK(merged(base, "{volumes: []}", lists) == R"({"volumes":[{"name":"a"}]})");
    CHECK(merged("{volumes: []}", patch, lists) == R"({"volumes":[{"name":"a"},{"name":"b"}]})");
  }
}

TEST_CASE("a numeric port does not replace a named one") {
  const auto port = [](const std::string& base, const std::string& patch) {
    return merged("{httpGet: {port: " + base + "}}", "{httpGet: {port: " + patch + "}}",
                  Lists::append, "Probe");
  };
  CHECK(port("http", "8080") == R"({"httpGet":{"port":"http"}})");
  CHECK(port("8080", "http") == R"({"httpGet":{"port":"http"}})");
  CHECK(port("8080", "''") == R"({"httpGet":{"port":""}})");
  CHECK(port("8080", "9090") == R"({"httpGet":{"port":9090}})");
  CHECK(port("8080", "0") == R"({"httpGet":{"port":8080}})");
  CHECK(port("http", "grpc") == R"({"httpGet":{"port":"grpc"}})");
}

TEST_CASE("the last of duplicate keys counts") {
  CHECK(merged("{nodeName: a, nodeName: b}", "{schedulerName: c, schedulerName: ''}") ==
        R"({"nodeName":"b","schedulerName":""})");
}

TEST_CASE("either side may be missing, or of another kind") {
  Arena arena;
  const Parsed source("{a: {b: 1}}");
  const yaml::Node& a = source.root().under("a");
  CHECK(&mergo_merge(arena, a, yaml::missing_node(), "PodSpec", Lists::append) == &a);
  CHECK(&mergo_merge(arena, yaml::missing_node(), a, "PodSpec", Lists::append) == &a);
  CHECK(merged("{a: 1, b: {c: 1}, d: [1]}", "{a: {x: z}, b: [1], d: 2}") ==
        R"({"a":{"x":"z"},"b":[1],"d":2})");
}

TEST_CASE("leaves are nodes of the documents, and a key comes with the winning value") {
  const Merged both("{nodeSelector: {pool: gpu, acc: a100}, tolerations: [{key: t1}]}",
                    "{nodeSelector: {pool: cpu}, tolerations: [{key: t2}]}");
  const auto place = [&](const yaml::Node& node) { return both.source.place(node.span); };
  const yaml::Node& selector = both.node["nodeSelector"];
  CHECK(place(selector["pool"]) == "2:30-33");
  CHECK(place(*selector.entries()[0].key) == "2:24-28");
  CHECK(place(selector.under("acc")) == "1:39-43");
  CHECK(place(both.node["tolerations"].at(0)["key"]) == "1:66-68");
  CHECK(place(both.node["tolerations"].at(1)["key"]) == "2:56-58");
}

TEST_CASE("below the depth limit the patch replaces the base") {
  std::string text = "b0: &b0 {key: base}\np0: &p0 {key: patch, other: patch}\n";
  for (int i = 1; i < 300; ++i) {
    const std::string n = std::to_string(i);
    const std::string below = std::to_string(i - 1);
    text += "b" + n + ": &b" + n + " {key: base, l: *b" + below + "}\n";
    text += "p" + n + ": &p" + n + " {l: *p" + below + "}\n";
  }
  const Parsed source(text);
  REQUIRE(source.document.problems.empty());
  Arena arena;
  const yaml::Node* node = &mergo_merge(arena, source.root().under("b299"),
                                        source.root().under("p299"), "PodSpec", Lists::append);
  CHECK((*node)["key"].text() == "base");
  for (int i = 0; i < 299; ++i) node = &(*node).under("l");
  CHECK((*node).under("other").text() == "patch");
}

TEST_CASE("long lists and mappings merge in linear time") {
  std::string base = "{nodeSelector: {";
  std::string patch = base;
  for (int i = 0; i < 20'000; ++i) {
    base += "b" + std::to_string(i) + ": x, ";
    patch += "p" + std::to_string(i) + ": x, ";
  }
  const Merged both(base + "}}", patch + "b7: y}}");
  CHECK(both.node["nodeSelector"].entries().size() == 40'000);
  CHECK(both.node["nodeSelector"].under("b7").text() == "y");
}

}  // namespace cnsched::k8s::mergo_test
