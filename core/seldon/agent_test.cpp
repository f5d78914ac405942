#include "core/seldon/agent.h"
#include "testdata/support.h"

namespace cnsched::seldon::agent_test {

TEST_CASE("finds the agent by its name or its image") {
  const Parsed parsed(
      "named: [{name: x, image: a/seldon-agent:2}, {name: agent, image: own:1}]\n"
      "images: [{name: x, image: 'r.io:5000/seldon-agent:2'}, {name: y, image: rclone@sha256:0}]\n"
      "neither: [{name: agents}, {name: y, image: datadog/agent:1}, 7]\n");
  CHECK(agent_in(parsed.root()["named"])["name"].text() == "agent");
  CHECK(agent_in(parsed.root()["images"])["name"].text() == "x");
  CHECK(rclone_in(parsed.root()["images"])["name"].text() == "y");
  CHECK(agent_in(parsed.root()["neither"]).is_missing());
  CHECK(rclone_in(parsed.root()["none"]).is_missing());
}

TEST_CASE("uses the last of repeated variables") {
  const Parsed parsed("{env: [{name: A, value: 1}, {name: B}, {name: A, value: 2}]}");
  CHECK(variable_of(parsed.root(), "A")["value"].text() == "2");
  CHECK(variable_of(parsed.root(), "C").is_missing());
}

TEST_CASE("notes that a flag or a ConfigMap may set a missing variable") {
  const AgentSetting& setting = agent_settings().front();
  REQUIRE(setting.variable == kCapabilitiesVariable);
  for (const char* text : {"args: [--capabilities=a]", "args: [-capabilities, a]",
                           "command: [sh, -c, 'exec agent --capabilities a']",
                           "envFrom: [{configMapRef: {name: a}}]"}) {
    CAPTURE(text);
    CHECK(may_be_set_elsewhere(Parsed(text).root(), setting));
  }
  for (const char* text : {"args: [--memory-bytes=1]", "envFrom: []", "{}"}) {
    CAPTURE(text);
    CHECK_FALSE(may_be_set_elsewhere(Parsed(text).root(), setting));
  }
}

TEST_CASE("splits tags at commas and trims them") {
  using Tags = std::vector<std::string_view>;
  CHECK(tags_in("a, b ,c") == Tags{"a", "b", "c"});
  CHECK(tags_in(" ,") == Tags{"", ""});
  CHECK(tags_in("") == Tags{""});
}

}  // namespace cnsched::seldon::agent_test
