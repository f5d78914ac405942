// The rule checks the pod of a Server, which may add what its ServerConfig lacks. Only a
// ServerConfig that no Server uses is checked alone.
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/seldon/pods.h"
#include "core/seldon/server_capacity.h"
#include "core/seldon/shipped.h"
#include "rules/rule.h"

namespace cnsched::rules::seldon_incomplete_server_config {

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
  ServerPodCheck(const Workload& workload, const k8s::Object* config, Findings& findings)
      : workload_(workload),
        config_(config),
        base_(config == nullptr ? yaml::missing_node() : config->spec()["podSpec"]["containers"]),
        containers_(workload.pod["containers"]),
        agent_(seldon::agent_in(containers_)),
        findings_(findings) {}

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
    findings_
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
    auto finding =
        findings_.add(agent_name(),
                      "the agent of ServerConfig '{}' has no '{}': its Servers have only "
                      "the capabilities 'sklearn' and 'xgboost'",
                      config_->name, seldon::kCapabilitiesVariable);
    finding.severity(Severity::warning);
    for (const std::string_view field : {"capabilities", "extraCapabilities"}) {
      const Node& list = workload_.object->spec().under(field);
      if (!list.items().empty())
        finding.note(list, "the operator ignores this, because there is no variable to change");
    }
    note_elsewhere(finding, seldon::kCapabilitiesVariable);
    finding.help("add {{name: {}, value: \"TAG,TAG\"}} to env of '{}'",
                 seldon::kCapabilitiesVariable, agent_["name"].text());
  }

  void report_no_memory() {
    auto finding = findings_.add(agent_name(),
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

  void note_elsewhere(Findings::Finding& finding, std::string_view name) {
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
      findings_
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
  Findings& findings_;
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

static void check(const ClusterScope& scope, Findings& findings) {
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
    findings.set_subject(&object);
    ServerPodCheck(workload, config, findings).check();
  }
}

extern constinit const Rule rule = {
    .id = "seldon-incomplete-server-config",
    .severity = Severity::error,
    .check = check,
};

}  // namespace cnsched::rules::seldon_incomplete_server_config
