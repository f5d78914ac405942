// Any bytes as a manifest that is to be pinned. What comes out is YAML as far as it was, other
// documents keep their bytes, and pinned again it stays as it is. The input is cut at lines
// "=== NAME": first the manifest, then "sets", a line each, and "components".
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
      require(!problem.empty(), "a problem says nothing");
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
  require(twice.problems.empty(), "what is pinned cannot be pinned again");
  require(twice.text == pinned.text, "what is pinned changes when it is pinned again");
}

}  // namespace

}  // namespace cnsched::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cnsched::fuzz;
  check(request_in(text_of(data, size)));
  return 0;
}
