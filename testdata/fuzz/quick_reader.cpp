// Any bytes as YAML, looked at in the ways that spare most of the work: what the quick reader does
// not give up is what yaml-cpp reads, to the last span, and no object in scope is missed by the
// search for its words.
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
