// Fuzzes `generate pin`. Valid YAML remains valid YAML, other documents keep their bytes, and
// pinning the result again changes nothing. The input is split at lines "=== NAME": first the
// manifest, then "sets", one per line, "components" and "replace".
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/yaml/split.h"
#include "templates/pin.h"
#include "testdata/fuzz/fuzz.h"

namespace cnsched::fuzz {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

templates::PinRequest request_in(const std::string& input) {
  templates::PinRequest request{.path = "in.yaml"};
  for (Part& part : parts_of(input, "manifest")) {
    if (part.name == "manifest") request.text = std::move(part.text);
    if (part.name == "sets") request.values.sets = lines_of(part.text);
    if (part.name == "replace") request.replaces = true;
    if (part.name == "components") request.components = lines_of(part.text);
  }
  if (request.values.sets.empty()) {
    request.values.sets = {"platform=gke", "accelerator=nvidia-l4", "gpus=1"};
  }
  return request;
}

void check(const templates::PinRequest& request) {
  const templates::Pinned pinned = templates::pin(request, {.jobs = 1});
  if (!pinned.problems.empty()) {
    for (const std::string& problem : pinned.problems) {
      require(!problem.empty(), "a problem has no message");
    }
    return;
  }
  const Documents before(request.text);
  const Documents after(pinned.text);
  require(before.all.size() == after.all.size(), "pinning changes the number of documents");
  for (std::size_t i = 0; i < after.all.size(); ++i) {
    const bool same = before.all[i].text(before.file) == after.all[i].text(after.file);
    require(same || after.all[i].problems.empty(), "pinning breaks a document");
  }
  templates::PinRequest again = request;
  again.text = pinned.text;
  const templates::Pinned twice = templates::pin(again, {.jobs = 1});
  require(twice.problems.empty(), "a pinned manifest cannot be pinned again");
  require(twice.text == pinned.text, "pinning again changes a pinned manifest");
}

}  // namespace

}  // namespace cnsched::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cnsched::fuzz;
  check(request_in(text_of(data, size)));
  return 0;
}
