#include "core/seldon/model.h"
#include "testdata/support.h"

namespace cnsched::seldon::model_test {

/// The tags that a spec requires: "sklearn|gpu".
std::string required(const std::string& spec) {
  const Parsed parsed(spec);
  return joined(required_tags(parsed.root()), &RequiredTag::tag, "|");
}

TEST_CASE("adds modelType and the explainer's type to the requirements") {
  CHECK(required("{requirements: [' sklearn ', gpu]}") == "sklearn|gpu");
  CHECK(required("{requirements: [gpu], modelType: sklearn}") == "gpu|sklearn");
  CHECK(required("{explainer: {type: anchor_tabular}}") == "alibi-explain");
  CHECK(required("{explainer: {}, modelType: python}") == "python|alibi-explain");
  CHECK(required("{llm: {modelRef: x}, explainer: null}").empty());
}

TEST_CASE("treats an empty string, but not an empty list or null, as a requirement") {
  const Parsed parsed("{requirements: [''], modelType: ''}");
  CHECK(required_tags(parsed.root()).size() == 2);
  CHECK(required("{requirements: [], modelType: null}").empty());
  CHECK(required("{requirements: {a: b}, modelType: [c]}").empty());
  CHECK(required("[]").empty());
}

TEST_CASE("matches no Server with an empty tag or one that contains a comma") {
  CHECK(can_be_capability("sklearn"));
  CHECK(can_be_capability("two words"));
  CHECK_FALSE(can_be_capability("sklearn,gpu"));
  CHECK_FALSE(can_be_capability(""));
}

TEST_CASE("treats an empty name, but not null, as a pin") {
  CHECK(pin_of(Parsed("{server: ''}").root()).is_scalar());
  CHECK(pin_of(Parsed("{server: null}").root()).is_missing());
  CHECK(pin_of(Parsed("{server: [a]}").root()).is_missing());
  CHECK(pin_of(Parsed("{}").root()).is_missing());
}

}  // namespace cnsched::seldon::model_test
