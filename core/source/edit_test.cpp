#include "core/source/edit.h"
#include "testdata/support.h"

namespace cnsched::edit_test {

TEST_CASE("edits replace, insert and delete in any order") {
  CHECK(apply("abcdef", {{{0, 4, 5}, ""}, {{0, 1, 3}, "XYZ"}, {{0, 0, 0}, ">"}}) == ">aXYZdf");
  CHECK(apply("abc", {}) == "abc");
  CHECK(apply("", {{{0, 0, 0}, "x"}}) == "x");
  CHECK(apply("abc", {{{7, 0, 3}, ""}}).empty());
  CHECK(apply("abc", {{{0, 3, 3}, "d"}}) == "abcd");
}

TEST_CASE("insertions at one position keep their order and precede a replacement") {
  CHECK(apply("abc", {{{0, 1, 2}, "X"}, {{0, 1, 1}, "1"}, {{0, 1, 1}, "2"}}) == "a12Xc");
  CHECK(apply("abc", {{{0, 2, 2}, "1"}, {{0, 1, 2}, ""}}) == "a1c");
}

TEST_CASE("throws for edits that overlap or are outside the text") {
  CHECK_THROWS_AS(apply("abcd", {{{0, 0, 2}, ""}, {{0, 1, 3}, ""}}), std::logic_error);
  CHECK_THROWS_AS(apply("abcd", {{{0, 0, 3}, ""}, {{0, 1, 1}, "x"}}), std::logic_error);
  CHECK_THROWS_AS(apply("abcd", {{{0, 2, 3}, ""}, {{0, 2, 3}, ""}}), std::logic_error);
  CHECK_THROWS_AS(apply("abcd", {{{0, 3, 5}, ""}}), std::logic_error);
  CHECK_THROWS_AS(apply("abcd", {{{0, 3, 2}, ""}}), std::logic_error);
  CHECK_THROWS_AS(apply("abcd", {{{0, 0, 1}, ""}, {{1, 2, 3}, ""}}), std::logic_error);
}

}  // namespace cnsched::edit_test
