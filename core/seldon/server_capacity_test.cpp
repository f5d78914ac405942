#include "core/seldon/server_capacity.h"
#include "testdata/support.h"

namespace cnsched::seldon::server_capacity_test {

/// A ServerConfig `own` with the variables `agent` of the agent and the model server's `resources`.
std::string config(const std::string& agent, const std::string& resources = "{}") {
  return manifest("ServerConfig", "name: own",
                  fmt::format("{{podSpec: {{containers: [{{name: agent, image: a, env: [{}]}}, "
                              "{{name: model, image: m, resources: {}}}]}}}}",
                              agent, resources));
}

/// "tags; request+percent=available; replicas", "?" for an unknown part.
std::string offered(const std::string& server_spec, const std::string& config_text = "") {
  const auto run = workspace_of(
      {{"s.yaml", manifest("Server", "name: s", server_spec)}, {"c.yaml", config_text}});
  for (const Workload& pod : scope_of(*run).workloads()) {
    if (pod.object->kind != "Server") continue;
    const ServerCapacity capacity = capacity_of(*pod.object, pod, scope_of(*run).index());
    const auto& c = capacity.capabilities;
    const auto& m = capacity.memory;
    return fmt::format("{}; {}; {}", c ? fmt::format("{}", fmt::join(c->tags, "|")) : "?",
                       m ? fmt::format("{}+{}={}", m->request, m->percent, m->available()) : "?",
                       capacity.replicas ? std::to_string(*capacity.replicas) : "?");
  }
  return "no pod";
}

const std::string kFromContainer =
    "{name: MEMORY_REQUEST, valueFrom: {resourceFieldRef: {containerName: model, "
    "resource: requests.memory}}}";
const std::string kCapable = "{name: SELDON_SERVER_CAPABILITIES, value: 'a, b'}";

TEST_CASE("reads capabilities, memory and replicas from a ServerConfig") {
  const std::string own = "{serverConfig: own, replicas: 2}";
  CHECK(offered(own, config(kCapable + ", " + kFromContainer, "{requests: {memory: 1000}}")) ==
        "a|b; 1000+0=1000; 2");
  const std::string overcommit = ", {name: SELDON_OVERCOMMIT_PERCENTAGE, value: '20'}";
  CHECK(offered(own, config(kCapable + ", " + kFromContainer + overcommit,
                            "{limits: {memory: 1000}}")) == "a|b; 1000+20=1200; 2");
  CHECK(offered(own, config(kCapable + ", {name: MEMORY_REQUEST, value: '5000'}")) ==
        "a|b; 5000+0=5000; 2");
}

TEST_CASE("replaces or extends the ServerConfig's capabilities with the Server's") {
  const std::string text = config(kCapable);
  CHECK(offered("{serverConfig: own, capabilities: [x, 'y,z']}", text) == "x|y|z; ?; 1");
  CHECK(offered("{serverConfig: own, extraCapabilities: [x]}", text) == "a|b|x; ?; 1");
  CHECK(offered("{serverConfig: own, capabilities: [$TAG]}", text) == "?; ?; 1");
}

TEST_CASE("prefers the Server's variable to the ServerConfig's") {
  const std::string override =
      "{serverConfig: own, podSpec: {containers: [{name: agent, env: ["
      "{name: SELDON_SERVER_CAPABILITIES, value: c}]}]}}";
  CHECK(offered(override, config(kCapable)) == "c; ?; 1");
}

TEST_CASE("uses the shipped capacity of Seldon's ServerConfigs") {
  const std::string gibi = std::to_string(1 << 30);
  const std::string triton = "triton|dali|fil|onnx|openvino|python|pytorch|tensorflow|tensorrt";
  CHECK(offered("{serverConfig: triton}") == triton + "; 1073741824+10=1181116006; 1");
  CHECK(offered("{serverConfig: triton, extraCapabilities: [gpu]}") ==
        triton + "|gpu; 1073741824+10=1181116006; 1");
  CHECK(offered("{serverConfig: triton, capabilities: [gpu], podSpec: {containers: ["
                "{name: triton, resources: {requests: {memory: 1000}}}]}}") ==
        "gpu; 1000+10=1100; 1");
}

TEST_CASE("leaves the capacity unknown without a complete ServerConfig") {
  CHECK(offered("{serverConfig: elsewhere, replicas: 3}") == "?; ?; 3");
  CHECK(offered("{}") == "?; ?; 1");
  CHECK(offered("{serverConfig: own}", config("")) == "?; ?; 1");
  const std::string patch =
      "{apiVersion: mlops.seldon.io/v1alpha1, kind: ServerConfig, metadata: {name: mlserver},"
      " spec: {podSpec: {containers: [{name: mlserver, resources: {}}]}}}";
  CHECK(offered("{serverConfig: mlserver}", patch) == "?; ?; 1");
  for (const std::string variable :
       {"{name: SELDON_SERVER_CAPABILITIES, valueFrom: {configMapKeyRef: {name: x, key: y}}}",
        "{name: SELDON_SERVER_CAPABILITIES, value: ''}", "{name: MEMORY_REQUEST, value: 1Gi}",
        "{name: MEMORY_REQUEST, value: '99999999999999999999'}"}) {
    CAPTURE(variable);
    CHECK(offered("{serverConfig: own}", config(variable)) == "?; ?; 1");
  }
  CHECK(offered("{serverConfig: own, replicas: '${N}'}", config(kCapable)) == "a|b; ?; ?");
  CHECK(offered("{serverConfig: own, replicas: 0, minReplicas: 1}", config(kCapable)) ==
        "a|b; ?; ?");
}

}  // namespace cnsched::seldon::server_capacity_test

namespace cnsched::seldon::capabilities_test {

TEST_CASE("marks the value made from capabilities, with the span of their list") {
  const Parsed parsed(
      "spec: {extraCapabilities: [gpu, llm]}\n"
      "containers: [{env: [{name: SELDON_SERVER_CAPABILITIES, value: a}]}, {env: [{name: B}]}]\n");
  Arena arena;
  const yaml::Node& containers = parsed.root()["containers"];
  const yaml::Node& changed = with_capabilities(arena, containers, parsed.root()["spec"]);
  const yaml::Node& value = changed.at(0)["env"].at(0)["value"];
  CHECK(value.text() == "a,gpu,llm");
  CHECK(value.made);
  CHECK(parsed.at(value.span) == "[gpu, llm]");
  CHECK(&changed.at(1) == &containers.at(1));
}

TEST_CASE("returns the containers unchanged without capabilities") {
  const Parsed parsed(
      "spec: {capabilities: [], extraCapabilities: null}\n"
      "containers: [{env: [{name: SELDON_SERVER_CAPABILITIES, value: a}]}]\n");
  Arena arena;
  const yaml::Node& containers = parsed.root()["containers"];
  CHECK(&with_capabilities(arena, containers, parsed.root()["spec"]) == &containers);
}

TEST_CASE("adds no containers for capabilities") {
  const Parsed parsed("spec: {capabilities: [llm]}");
  Arena arena;
  const yaml::Node& spec = parsed.root()["spec"];
  CHECK(with_capabilities(arena, yaml::missing_node(), spec).is_missing());
}

TEST_CASE("limits long texts that aliases repeat") {
  std::string text = "long: &long " + std::string(50'000, 'x') + "\nspec:\n  extraCapabilities: [";
  for (int i = 0; i < 1000; ++i) text += "*long, ";
  text += "]\nvariable: &v {name: SELDON_SERVER_CAPABILITIES, value: *long}\ncontainers:\n- env: [";
  for (int i = 0; i < 1000; ++i) text += "*v, ";
  const Parsed parsed(text + "]\n");
  REQUIRE(parsed.document.problems.empty());
  Arena arena;
  const yaml::Node& changed =
      with_capabilities(arena, parsed.root()["containers"], parsed.root()["spec"]);
  std::string_view last;
  std::size_t made = 0;
  for (const yaml::Node* variable : changed.at(0)["env"].items()) {
    const std::string_view value = (*variable)["value"].text();
    if (value.data() != last.data()) made += value.size();
    last = value;
  }
  CHECK(made < 2'000'000);
}

}  // namespace cnsched::seldon::capabilities_test

namespace cnsched::seldon::agent_test {

TEST_CASE("finds the agent by its name or its image") {
  const Parsed parsed(
      "named: [{name: x, image: a/seldon-agent:2}, {name: agent, image: own:1}]\n"
      "images: [{name: x, image: 'r.io:5000/seldon-agent:2'}, {name: y, image: rclone@sha256:0}]\n"
      "neither: [{name: agents}, {name: y, image: datadog/agent:1}, 7]\n");
  CHECK(agent_in(parsed.root().under("named"))["name"].text() == "agent");
  CHECK(agent_in(parsed.root().under("images"))["name"].text() == "x");
  CHECK(rclone_in(parsed.root().under("images"))["name"].text() == "y");
  CHECK(agent_in(parsed.root().under("neither")).is_missing());
  CHECK(rclone_in(parsed.root().under("none")).is_missing());
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
