// Fuzzes the fast path of reading YAML: a tree of the quick reader equals that of yaml-cpp, spans
// included.
#include "core/yaml/tree_builder.h"

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
    yaml::Document quickly = test::unread_document(where);
    if (yaml::read_quickly(file, where, quickly) != yaml::QuickEnd::read) continue;
    fuzz::require(test::dump(quickly) == test::dump(by_events), "the readers differ");
  }
  return 0;
}
