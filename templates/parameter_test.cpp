#include "templates/parameter.h"
#include "core/yaml/parse.h"
#include "testdata/support.h"

namespace cnsched::templates::parameter_test {

/// The result for the text: JSON, or the error.
std::string read(const Parameter& parameter, std::string_view text) {
  Arena arena;
  const auto value = value_of(parameter, text, arena);
  return value ? compact(**value) : "error: " + value.error().message;
}

std::string read(Type type, std::string_view text) {
  return read(Parameter{.name = "p", .type = type}, text);
}

TEST_CASE("parses a value by its parameter's type") {
  CHECK(read(Type::string, "true") == R"("true")");
  CHECK(read(Type::string, "8") == R"("8")");
  CHECK(read(Type::string, "") == R"("")");
  CHECK(read(Type::integer, "8") == "8");
  CHECK(read(Type::boolean, "true") == "true");
  CHECK(read(Type::quantity, "4") == R"("4")");
  CHECK(read(Type::label_value, "1.10") == R"("1.10")");
}

TEST_CASE("rejects an invalid value with the valid ones") {
  CHECK(read(Type::integer, "two") == "error: must be an integer, not 'two'");
  CHECK(read(Type::integer, "8 ") == "error: must be an integer, not '8 '");
  CHECK(read(Type::boolean, "yes") == "error: must be true or false, not 'yes'");
  CHECK(read(Type::uri, "models/llama") ==
        "error: must be a URI such as gs://bucket/path, not 'models/llama'");
  CHECK(read(Type::uri, "gs://a b").starts_with("error: "));
  CHECK(read(Type::uri, "gs://a/b") == R"("gs://a/b")");
  CHECK(read(Type::dns_label, "Llama").starts_with("error: must be a DNS label"));
  CHECK(read(Type::dns_label, std::string(64, 'a')).starts_with("error: "));
  CHECK(read(Type::dns_label, std::string(63, 'a')).starts_with("\"aaa"));
  CHECK(read(Type::label_key, "a b").starts_with("error: cannot be 'a b': it "));
  CHECK(read(Type::label_value, std::string(64, 'a')).starts_with("error: cannot be "));
  CHECK(read(Type::taint_key, "nvidia.com/gpu") == R"("nvidia.com/gpu")");
  CHECK(read(Type::quantity, "16GB").starts_with("error: is invalid: '16GB' has unknown suffix"));
  CHECK(read(Type::quantity, "-1") == "error: must be zero or more, not '-1'");
  CHECK(read(Type::string, "a\xff") == "error: must be valid UTF-8");
  CHECK(
      read(Type::accelerator, "nvidia.com/mig-1g.5gb")
          .starts_with("error: names a slice without its card, 'nvidia.com/mig-1g.5gb': it may be "
                       "nvidia-"));
  CHECK(read(Type::accelerator, "nvidia-l4-mig-1g.5gb") ==
        "error: cannot be 'nvidia-l4-mig-1g.5gb': 'nvidia-l4' has no slices");
  CHECK(read(Type::accelerator, "nvidia-a100-80gb-mig-9g.40gb")
            .starts_with("error: cannot be 'nvidia-a100-80gb-mig-9g.40gb'; slices of that card are "
                         "nvidia-a100-80gb-mig-1g.10gb"));
  CHECK(read(Type::accelerator, "p100") == R"("p100")");
  CHECK(read(Type::platform, "gek") ==
        "error: must be gke, eks, karpenter, aks, gpu-operator or generic, not 'gek', did you "
        "mean 'gke'?");
}

TEST_CASE("checks both bounds") {
  const Parameter gpus{.name = "gpus", .type = Type::integer, .minimum = 1, .maximum = 8};
  CHECK(read(gpus, "1") == "1");
  CHECK(read(gpus, "8") == "8");
  CHECK(read(gpus, "0") == "error: must be an integer from 1 to 8, not '0'");
  CHECK(read(gpus, "9") == "error: must be an integer from 1 to 8, not '9'");
}

TEST_CASE("accepts the values of an enum and suggests the nearest") {
  const Parameter mode{.type = Type::enumeration, .values = {"Standard", "Knative"}};
  CHECK(read(mode, "Knative") == R"("Knative")");
  CHECK(read(mode, "knative") ==
        "error: must be Standard or Knative, not 'knative', did you mean 'Knative'?");
}

TEST_CASE("a pattern matches the whole text") {
  const Parameter parameter{.type = Type::string, .pattern = "a+|b"};
  CHECK(read(parameter, "aa") == R"("aa")");
  CHECK(read(parameter, "b") == R"("b")");
  CHECK(read(parameter, "aab") == "error: must be a string that matches a+|b, not 'aab'");
  for (const std::string& text :
       {std::string("a\nb"), std::string("a\0b", 3), std::string(2000, 'a')}) {
    CHECK(read(parameter, text).starts_with("error: must be a string that matches a+|b, not 'a"));
  }
}

TEST_CASE("accepts lists and maps in short form and as YAML") {
  CHECK(read(Type::list, "a,b") == R"(["a","b"])");
  CHECK(read(Type::list, "a, b") == R"(["a","b"])");
  CHECK(read(Type::list, "1,true") == R"(["1","true"])");
  CHECK(read(Type::list, "") == "[]");
  CHECK(read(Type::list, "[1, true, {a: b}]") == R"([1,true,{"a":"b"}])");
  CHECK(read(Type::list, "[1").starts_with("error: must be a list"));
  CHECK(read(Type::map, "a=1,b=x=y") == R"({"a":"1","b":"x=y"})");
  CHECK(read(Type::map, "{a: [1]}") == R"({"a":[1]})");
  CHECK(read(Type::map, "a") == "error: must be key=value,key=value: 'a' has no '='");
  CHECK(read(Type::map, "a=1,a=2") == "error: has 'a' twice");
}

TEST_CASE("rejects a list that aliases expand too far") {
  std::string bomb = "[&a [x,x,x,x,x,x,x,x,x,x]";
  for (char c = 'b'; c < 'f'; ++c) {
    bomb += ", &";
    bomb += c;
    bomb += " [";
    for (int i = 0; i < 10; ++i) bomb += std::string(i == 0 ? "*" : " , *") + char(c - 1);
    bomb += "]";
  }
  CHECK(read(Type::list, bomb + "]") == "error: is too large or nested too deeply");
}

TEST_CASE("writes a value that parses to the same value") {
  Arena arena;
  for (const std::string_view text :
       {"a,b", R"(["a,b"])", R"([1, true, "1", null])", "[[]]", R"(["", " a"])"}) {
    const auto value = value_of({.type = Type::list}, text, arena);
    REQUIRE(value);
    CHECK(text_of(**value) == text);
  }
  for (const std::string_view text : {"a=b", R"({"a=b": "c"})", R"({"a": ["b"]})"}) {
    const auto value = value_of({.type = Type::map}, text, arena);
    REQUIRE(value);
    CHECK(text_of(**value) == text);
  }
}

}  // namespace cnsched::templates::parameter_test
