// The rule checks the pod of a Server, which may add what its ServerConfig lacks. Only a
// ServerConfig that no Server uses is checked alone.
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/seldon/agent.h"
#include "core/seldon/container_names.h"
#include "core/seldon/shipped.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const ClusterScope& scope, Report& report);

extern constinit const Rule seldon_seldon_incomplete_server_config = {
    .id = "seldon-incomplete-server-config",
    .severity = Severity::error,
    .summary = "a ServerConfig without the containers or variables that its Servers need",
    .why =
        "Every Model stays at ScheduleFailed ('Failed to schedule model as no matching servers are "
        "available') if the ServerConfig lacks a container. The operator adds no containers to a "
        "ServerConfig. It must have 'agent', which registers the model server with Seldon's "
        "scheduler, and 'rclone', which downloads models and which the agent waits for.\n\n"
        "The agent reads the capabilities and the memory that it reports to the scheduler from its "
        "own variables. Without SELDON_SERVER_CAPABILITIES a Server has only sklearn and xgboost, "
        "and 'capabilities' and 'extraCapabilities' have no effect, because the operator only "
        "changes that variable. Without MEMORY_REQUEST it has 1 MB. Both findings are warnings.\n\n"
        "A value that is not an integer, such as '10%', makes the agent exit at every start.",
    .limits =
        "The rule does not report a ServerConfig that may be a patch: one with containers without "
        "images, or with a name that the files have twice or that Seldon ships. It does not report "
        "a variable that envFrom or a flag of the agent may set. Placeholders such as "
        "${CAPABILITIES} are not validated.",
    .bad = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: ServerConfig
metadata: {name: llm}
spec:
  podSpec:
    containers:
    - {name: llm, image: "registry.example.com/llm:1"}
)",
    .good = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: ServerConfig
metadata: {name: llm}
spec:
  podSpec:
    containers:
    - {name: rclone, image: "seldonio/seldon-rclone:2.10.0"}
    - name: agent
      image: seldonio/seldon-agent:2.10.0
      env:
      - {name: SELDON_SERVER_CAPABILITIES, value: llm}
      - {name: SELDON_OVERCOMMIT_PERCENTAGE, value: "10"}
      - name: MEMORY_REQUEST
        valueFrom:
          resourceFieldRef: {containerName: llm, resource: requests.memory}
    - name: llm
      image: registry.example.com/llm:1
      resources:
        requests: {memory: 16Gi}
)",
    .source =
        "https://github.com/SeldonIO/seldon-core/blob/v2/operator/config/serverconfigs/"
        "mlserver.yaml",
    .check = check,
    .admission =
        AdmissionCheck{
            .of = AdmissionCheck::Of::object,
            .kinds = "ServerConfig Server",
            .errors = R"cel(
[list(object.spec.?podSpec.?containers)].map(cs, [seldon_agent(cs)].map(agents,
  (!is_whole_config(cs) ? [] : [[agents.size() > 0, cs.exists(c, text(c.?name) == 'rclone' || has_image_name(c, 'rclone'))]]
    .filter(has, !(has[0] && has[1])).map(has, "ServerConfig '" + text(object.metadata.?name) + "' has " +
      (has[0] ? "no container 'rclone', which downloads models: the agent waits for it, and no Model is loaded on its Servers" :
        (has[1] ? "no container 'agent'" : "neither a container 'agent' nor 'rclone'") +
        ": its Servers do not register with Seldon's scheduler, and no Model is loaded on them") +
      "; copy the missing containers from Seldon's ServerConfig 'mlserver' or 'triton': the operator adds none")) +
  (agents.size() == 0 ? [] : [['MEMORY_REQUEST', 'memory-bytes'], ['SELDON_SERVER_TYPE', 'server-type'], ['SELDON_OVERCOMMIT_PERCENTAGE', 'over-commit-percentage']] +
      ['MODEL_INFERENCE_LAG_THRESHOLD', 'MODEL_INACTIVE_SECONDS_THRESHOLD', 'SCALING_STATS_PERIOD_SECONDS', 'MAX_LOAD_ELAPSED_TIME_MINUTES',
        'MAX_LOAD_RETRY_COUNT', 'UNLOAD_GRACE_PERIOD_SECONDS'].map(v, ['SELDON_' + v, v.lowerAscii().replace('_', '-')]))
  .map(s, last_variables(agents[0], s[0]).map(e, text(e.?value)).filter(v, v != '' && !is_placeholder(v) &&
      !(s[1] == 'server-type' ? v in ['mlserver', 'triton'] : v.matches('^[0-9]{1,20}$')) && !may_be_set_elsewhere(agents[0], s[1]))
    .map(v, "invalid value '" + v + "' of '" + s[0] + "': must be " + (s[1] == 'server-type' ? 'a known server type' : 'an integer') +
      '; the agent exits at every start; ' + (s[1] == 'server-type' ? "use 'mlserver' or 'triton'" :
        s[1] == 'memory-bytes' ? "write bytes without a unit, or use 'valueFrom.resourceFieldRef'" : 'write an integer in quotes')).join('\n'))
).map(l, l.join('\n')).join('\n')))cel",
            .warnings = R"cel(
[list(object.spec.?podSpec.?containers)].filter(cs, is_whole_config(cs)).map(cs, seldon_agent(cs).map(agent,
  [['SELDON_SERVER_CAPABILITIES', 'capabilities'], ['MEMORY_REQUEST', 'memory-bytes']].filter(s,
    !last_variables(agent, s[0]).exists(e, text(e.?value) != '' || e.?valueFrom.hasValue()) && !may_be_set_elsewhere(agent, s[1]))
  .map(s, "the agent of ServerConfig '" + text(object.metadata.?name) + "' has no '" + s[0] + "': " + (s[1] == 'capabilities' ?
      "its Servers have only the capabilities 'sklearn' and 'xgboost'; add {name: SELDON_SERVER_CAPABILITIES, value: \"TAG,TAG\"} to env of '" :
      "Seldon's scheduler assumes 1 MB, and no Model with more 'memory' fits; add {name: MEMORY_REQUEST, valueFrom: {resourceFieldRef: {containerName: " +
        [cs.map(c, string(c.name)).filter(n, !(n in ['agent', 'rclone']))].map(l, l.size() == 1 ? l[0] : 'MODEL-SERVER')[0] +
        ", resource: requests.memory}}} to env of '") + text(agent.?name) + "'").join('\n')).join('\n')))cel",
        },
};

using yaml::Node;
using Names = std::unordered_set<std::string_view>;

/// Whether the list has all containers. If one has no image, the object is a patch, which does not
/// have all of them.
static bool is_complete(const Node& containers) {
  for (const Node* container : containers.items()) {
    const std::string_view name = (*container)["name"].text();
    if (name.empty() || k8s::is_placeholder(name) || (*container)["image"].text().empty())
      return false;
  }
  return !containers.items().empty();
}

namespace {

/// Checks one pod and its ServerConfig, which is null if it is not known.
class ServerPodCheck {
 public:
  ServerPodCheck(const Workload& workload, const k8s::Object* config, Report& report)
      : workload_(workload),
        config_(config),
        base_(config == nullptr ? yaml::missing_node() : config->spec()["podSpec"]["containers"]),
        containers_(workload.pod["containers"]),
        agent_(seldon::agent_in(containers_)),
        report_(report) {}

  void check() {
    if (config_ != nullptr && is_complete(base_)) {
      check_containers();
      if (agent_) check_variables();
    }
    if (agent_) check_values();
  }

 private:
  void check_containers() {
    const bool rclone = !seldon::rclone_in(containers_).is_missing();
    if (agent_ && rclone) return;
    constexpr std::string_view kNeither =
        "neither a container 'agent' nor 'rclone': its Servers do not register with Seldon's "
        "scheduler";
    constexpr std::string_view kNoAgent =
        "no container 'agent': its Servers do not register with Seldon's scheduler";
    constexpr std::string_view kNoRclone =
        "no container 'rclone', which downloads models: the agent waits for it";
    report_
        .add_at_key(base_, "ServerConfig '{}' has {}, and no Model is loaded on {}", config_->name,
                    agent_   ? kNoRclone
                    : rclone ? kNoAgent
                             : kNeither,
                    agent_ ? "its Servers" : "them")
        .help(
            "copy the missing containers from Seldon's ServerConfig 'mlserver' or 'triton': the "
            "operator adds none");
  }

  void check_variables() {
    for (const seldon::AgentSetting& setting : seldon::agent_settings()) {
      const bool capabilities = setting.variable == seldon::kCapabilitiesVariable;
      if (!capabilities && setting.variable != seldon::kMemoryVariable) continue;
      const Node& variable = seldon::variable_of(agent_, setting.variable);
      const bool is_set = !variable["value"].text().empty() || variable["valueFrom"];
      if (is_set || seldon::may_be_set_elsewhere(agent_, setting)) continue;
      capabilities ? report_no_capabilities() : report_no_memory();
    }
  }

  void report_no_capabilities() {
    auto finding = report_.add(agent_name(),
                               "the agent of ServerConfig '{}' has no '{}': its Servers have only "
                               "the capabilities 'sklearn' and 'xgboost'",
                               config_->name, seldon::kCapabilitiesVariable);
    finding.severity(Severity::warning);
    for (const std::string_view field : {"capabilities", "extraCapabilities"}) {
      const Node& list = workload_.object->spec()[field];
      if (!list.items().empty())
        finding.note(list, "the operator ignores this, because there is no variable to change");
    }
    note_elsewhere(finding, seldon::kCapabilitiesVariable);
    finding.help("add {{name: {}, value: \"TAG,TAG\"}} to env of '{}'",
                 seldon::kCapabilitiesVariable, agent_["name"].text());
  }

  void report_no_memory() {
    auto finding = report_.add(agent_name(),
                               "the agent of ServerConfig '{}' has no '{}': Seldon's scheduler "
                               "assumes 1 MB, and no Model with more 'memory' fits",
                               config_->name, seldon::kMemoryVariable);
    finding.severity(Severity::warning);
    note_elsewhere(finding, seldon::kMemoryVariable);
    finding.help(
        "add {{name: {}, valueFrom: {{resourceFieldRef: {{containerName: {}, resource: "
        "requests.memory}}}}}} to env of '{}'",
        seldon::kMemoryVariable, main_container(), agent_["name"].text());
  }

  std::string_view main_container() const {
    std::vector<std::string_view> names;
    for (const Node* container : containers_.items()) names.push_back((*container)["name"].text());
    const std::string_view main = seldon::main_container(names);
    return main.empty() ? "MODEL-SERVER" : main;
  }

  void note_elsewhere(Report::Finding& finding, std::string_view name) {
    for (const Node* container : containers_.items()) {
      const Node& variable = seldon::variable_of(*container, name);
      if (container == &agent_ || !variable) continue;
      finding.note(variable["name"], "the agent does not read the variable of '{}'",
                   (*container)["name"].text());
      return;
    }
  }

  void check_values() {
    for (const seldon::AgentSetting& setting : seldon::agent_settings()) {
      const Node& value = seldon::variable_of(agent_, setting.variable)["value"];
      if (value.text().empty() || value.made || k8s::is_placeholder(value.text())) continue;
      const bool type = setting.variable == seldon::kServerTypeVariable;
      const bool fine = type                   ? seldon::is_server_type(value.text())
                        : setting.whole_number ? whole_number(value.text()).has_value()
                                               : true;
      if (fine || seldon::may_be_set_elsewhere(agent_, setting)) continue;
      report_
          .add(value, "invalid value '{}' of '{}': must be {}; the agent exits at every start",
               value.text(), setting.variable, type ? "a known server type" : "an integer")
          .help("{}", type ? "use 'mlserver' or 'triton'"
                      : setting.variable == seldon::kMemoryVariable
                          ? "write bytes without a unit, or use 'valueFrom.resourceFieldRef'"
                          : "write an integer in quotes");
    }
  }

  /// The name of the agent in the ServerConfig, or in the pod.
  const Node& agent_name() const {
    const Node& configured = seldon::agent_in(base_);
    return configured ? configured["name"] : agent_["name"];
  }

  const Workload& workload_;
  const k8s::Object* config_;
  const Node& base_;
  const Node& containers_;
  const Node& agent_;
  Report& report_;
};

}  // namespace

/// Whether the object may be a patch although its containers have images: of a ServerConfig that
/// Seldon ships, or of another one in the files.
static bool may_be_patch(const k8s::Object& config, const Names& repeated) {
  return !seldon::shipped_containers(config.name).empty() || repeated.contains(config.name);
}

static Names repeated_names(const ClusterScope& scope) {
  Names names;
  Names repeated;
  for (const k8s::Object& object : scope.objects()) {
    if (!object.is("mlops.seldon.io", "ServerConfig")) continue;
    if (!names.insert(object.name).second) repeated.insert(object.name);
  }
  return repeated;
}

static void check(const ClusterScope& scope, Report& report) {
  const Names repeated = repeated_names(scope);
  for (const Workload& workload : scope.workloads()) {
    const k8s::Object& object = *workload.object;
    const bool alone = object.is("mlops.seldon.io", "ServerConfig") && !scope.is_built_on(object);
    if (!alone && !object.is("mlops.seldon.io", "Server")) continue;
    const bool has_config = workload.bases.size() == 1;
    const k8s::Object* config = alone        ? &object
                                : has_config ? workload.bases.front().object
                                             : nullptr;
    if (config != nullptr && may_be_patch(*config, repeated)) config = nullptr;
    report.set_subject(&object);
    ServerPodCheck(workload, config, report).check();
  }
}

}  // namespace cnsched::rules
