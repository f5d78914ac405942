#include "core/yaml/overlay.h"
#include "testdata/support.h"

namespace cnsched::yaml::overlay_test {

TEST_CASE("of equal keys the last value wins at the first position") {
  const Parsed parsed("{a: 1, b: 2}");
  const Parsed later("{c: 3, a: 4}");
  Arena arena;
  Overlay overlay(arena);
  overlay.add_all(parsed.root());
  overlay.add_all(missing_node());
  overlay.add_all(later.root());
  overlay.add("b"_key, string_like(arena, nowhere(), "made"));
  CHECK(overlay.has("b"));
  CHECK_FALSE(overlay.has("d"));
  const Node& mapping = overlay.mapping(nowhere());
  REQUIRE(mapping.entries().size() == 3);
  CHECK(mapping.entries()[0].key == later.root().entries()[1].key);
  CHECK(&mapping["a"] == &later.root()["a"]);
  CHECK(mapping["b"].text() == "made");
  CHECK(mapping.entries()[2].key->text() == "c");
}

TEST_CASE("an empty overlay is a missing node") {
  Arena arena;
  CHECK(Overlay(arena).mapping(nowhere()).is_missing());
}

}  // namespace cnsched::yaml::overlay_test
