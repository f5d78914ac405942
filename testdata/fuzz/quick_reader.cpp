// Fuzzes the fast paths of reading YAML. A tree of the quick reader equals that of yaml-cpp, spans
// included, and the search for the words of scope finds every document with an object in scope.
#include "core/yaml/readers.h"

#include <algorithm>

#include "core/k8s/scope.h"
#include "core/yaml/bytes.h"
#include "core/yaml/split.h"
#include "testdata/fuzz/fuzz.h"
#include "testdata/tree_dump.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cnsched;
  const SourceFile file(0, "in.yaml", fuzz::text_of(data, size));
  for (const Span where : yaml::split(file)) {
    if (yaml::find_bad_byte(file, where)) continue;
    yaml::Document by_events = test::unread_document(where);
    yaml::read_events(file, where, by_events);
    fuzz::require(k8s::may_be_in_scope(file.text(where)) ||
                      std::ranges::none_of(k8s::objects_in(by_events), k8s::in_scope),
                  "an object in scope is missed");
    yaml::Document quickly = test::unread_document(where);
    if (!yaml::read_quickly(file, where, quickly)) continue;
    fuzz::require(test::dump(quickly) == test::dump(by_events), "the readers differ");
  }
  return 0;
}
