#include "core/seldon/model.h"

#include <doctest/doctest.h>

#include <string>

#include "testdata/support.h"

namespace cnsched::seldon {

namespace {

/// "sklearn|gpu": what a spec requires.
std::string required(const std::string& spec) {
  const test::Parsed parsed(spec);
  std::string all;
  for (const RequiredTag& tag : required_tags(parsed.root())) {
    if (!all.empty()) all += '|';
    all += tag.tag;
  }
  return all;
}

}  // namespace

TEST_CASE("adds modelType and the explainer's type to the requirements") {
  CHECK(required("{requirements: [' sklearn ', gpu]}") == "sklearn|gpu");
  CHECK(required("{requirements: [gpu], modelType: sklearn}") == "gpu|sklearn");
  CHECK(required("{explainer: {type: anchor_tabular}}") == "alibi-explain");
  CHECK(required("{explainer: {}, modelType: python}") == "python|alibi-explain");
  CHECK(required("{llm: {modelRef: x}, explainer: null}").empty());
}

TEST_CASE("treats an empty string as a requirement, not an empty list or null") {
  const test::Parsed parsed("{requirements: [''], modelType: ''}");
  CHECK(required_tags(parsed.root()).size() == 2);
  CHECK(required("{requirements: [], modelType: null}").empty());
  CHECK(required("{requirements: {a: b}, modelType: [c]}").empty());
  CHECK(required("[]").empty());
}

TEST_CASE("matches no Server with an empty tag or one that contains a comma") {
  CHECK(can_be_offered("sklearn"));
  CHECK(can_be_offered("two words"));
  CHECK_FALSE(can_be_offered("sklearn,gpu"));
  CHECK_FALSE(can_be_offered(""));
}

TEST_CASE("treats an empty name as a pin, not null") {
  CHECK(pin_of(test::Parsed("{server: ''}").root()).is_scalar());
  CHECK(pin_of(test::Parsed("{server: null}").root()).is_missing());
  CHECK(pin_of(test::Parsed("{server: [a]}").root()).is_missing());
  CHECK(pin_of(test::Parsed("{}").root()).is_missing());
}

}  // namespace cnsched::seldon
