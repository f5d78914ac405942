#include "core/yaml/compare.h"

#include <doctest/doctest.h>

#include "testdata/support.h"

namespace cnsched::yaml {

namespace {

bool same(const std::string& a, const std::string& b) {
  return same_value(test::Parsed(a).root(), test::Parsed(b).root());
}

}  // namespace

TEST_CASE("values are the same however they are written") {
  CHECK(same("a: 1\nb: [x, {c: z}]\n", "{\"a\": 1, 'b': [\"x\", {c: 'z'}]}"));
  CHECK(same("a: yes\n", "a: true\n"));
  CHECK(same("a: 0x10\n", "a: 16\n"));
  CHECK(same("a: 1.50\n", "a: 1.5\n"));
  CHECK(same("a: |\n  x\n", "a: \"x\\n\"\n"));
  CHECK(same("a:\n", "a: null\n"));
  CHECK(same("yes: a\n", "'true': a\n"));
}

TEST_CASE("types, kinds, order and number tell values apart") {
  CHECK_FALSE(same("a: 1\n", "a: '1'\n"));
  CHECK_FALSE(same("a: 1\n", "a: 2\n"));
  CHECK_FALSE(same("a: x\n", "a: z\n"));
  CHECK_FALSE(same("a: {}\n", "a: []\n"));
  CHECK_FALSE(same("a: {}\n", "a:\n"));
  CHECK_FALSE(same("a: ''\n", "a:\n"));
  CHECK_FALSE(same("{a: 1, b: 2}", "{b: 2, a: 1}"));
  CHECK_FALSE(same("[a, b]", "[a]"));
  CHECK_FALSE(same("{a: 1}", "{a: 1, b: 2}"));
  CHECK_FALSE(same("{a: 1}", "{b: 1}"));
}

TEST_CASE("aliases and merged entries are what they bring in, of duplicate keys the last counts") {
  CHECK(same("a: &x {b: c}\nd: *x\n", "a: {b: c}\nd: {b: c}\n"));
  CHECK(same("a: &x {b: c}\nd:\n  <<: *x\n", "a: {b: c}\nd: {b: c}\n"));
  CHECK(same("a: 1\na: 2\n", "a: 2\n"));
}

}  // namespace cnsched::yaml
