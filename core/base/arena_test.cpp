#include "core/base/arena.h"
#include "testdata/support.h"

namespace cnsched::arena_test {

TEST_CASE("objects keep their address and alignment while an arena grows") {
  Arena arena;
  const std::string_view first = arena.copy("first");
  std::vector<const std::uint64_t*> numbers;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    arena.copy("x");
    numbers.push_back(arena.make<std::uint64_t>(i));
  }
  const std::string_view huge = arena.copy(std::string(1'000'000, 'h'));
  CHECK(first == "first");
  CHECK(huge == std::string(1'000'000, 'h'));
  bool all_right = true;
  for (std::uint64_t i = 0; i < numbers.size(); ++i) {
    const bool aligned = reinterpret_cast<std::uintptr_t>(numbers[i]) % alignof(std::uint64_t) == 0;
    all_right = all_right && *numbers[i] == i && aligned;
  }
  CHECK(all_right);
  CHECK(arena.used() == 5 + 100'000 * (1 + sizeof(std::uint64_t)) + 1'000'000);
}

TEST_CASE("rewind frees everything allocated since the mark") {
  Arena arena;
  const Arena::Mark empty = arena.mark();
  const std::string_view kept = arena.copy("kept");
  const Arena::Mark mark = arena.mark();
  for (int i = 0; i < 1000; ++i) arena.copy(std::string(100, 'x'));
  arena.rewind(mark);
  CHECK(arena.used() == 4);
  const std::string_view next = arena.copy("next");
  CHECK(kept == "kept");
  CHECK(next.data() == kept.data() + kept.size());
  arena.rewind(empty);
  CHECK(arena.used() == 0);
  CHECK(arena.copy("again") == "again");
}

}  // namespace cnsched::arena_test
