#include "core/cel/value.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"
#include "testdata/cel_value.h"

namespace cnsched::cel::value_test {

TEST_CASE("reads YAML as the JSON that kubectl sends") {
  const SourceFile file(0, "in.yaml", R"(
name: llama
count: 3
octal: 010
half: 0.5
large: 1e3
huge: 99999999999999999999
yes: on
quoted: "3"
nothing: ~
list: [1, two, {a: b}]
base: &base {x: 1, z: 2}
merged: {<<: *base, z: 3}
twice: 1
twice: 2
)");
  const yaml::Document document = yaml::parse(file, yaml::split(file).front());
  const std::vector<Variable> variables = {{"self", value_of(*document.root)}};
  const auto self = [&](std::string_view text) { return evaluated(text, variables); };
  CHECK(self("self.name") == "'llama'");
  CHECK(self("self.count") == "3");
  CHECK(self("self.octal") == "8");
  CHECK(self("self.half") == "double 0.5");
  CHECK(self("self.large") == "double 1000");
  CHECK(self("self.huge") == "double 1e+20");
  CHECK(self("self['true']") == "true");
  CHECK(self("self.quoted") == "'3'");
  CHECK(self("self.nothing") == "null");
  CHECK(self("has(self.nothing)") == "true");
  CHECK(self("has(self.missing)") == "false");
  CHECK(self("self.missing") == "error: no such key: missing");
  CHECK(self("self.list") == "[1, 'two', {'a': 'b'}]");
  CHECK(self("self.list[2].a") == "'b'");
  CHECK(self("self.merged.x + self.merged.z") == "4");
  CHECK(self("self.merged.size()") == "2");
  CHECK(self("self.merged == {'x': 1, 'z': 3}") == "true");
  CHECK(self("self.twice") == "2");
  CHECK(self("self.map(k, k).filter(k, k == 'twice').size()") == "1");
  CHECK(self("1 in self") == "false");
}

}  // namespace cnsched::cel::value_test
