// A container is an override if its name is exactly that of a container of the config. One that is
// not may still be meant as a sidecar, so with an image of its own it is reported only if its name
// says what it should override, or if it takes an accelerator that the model server then lacks.
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/accelerators/device_access.h"
#include "core/base/suggest.h"
#include "core/k8s/label.h"
#include "core/seldon/container_names.h"
#include "core/seldon/shipped.h"
#include "rules/rule.h"
#include "rules/seldon/config_layers.h"
#include "rules/seldon/first_names.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule seldon_seldon_container_name = {
    .id = "seldon-container-name",
    .severity = Severity::error,
    .depends_on_run = true,
    .summary = "a container that is added to the pod instead of overriding one",
    .why =
        "A container without an image that overrides none makes the pod invalid: the API server "
        "refuses it ('image: Required value'). With an image it is a warning: the container runs "
        "beside the model server, which gets none of the resources.\n\n"
        "Seldon's operator merges a container of a Server into the one of its ServerConfig that "
        "has exactly that name: rclone, agent and mlserver or triton in those that Seldon ships. "
        "One of another name is added to the pod. The same goes for a SeldonRuntime, where "
        "containers are not called like their components.",
    .bad = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: Server
metadata: {name: llm}
spec:
  serverConfig: triton
  podSpec:
    containers:
    - name: mlserver
      resources:
        limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: Server
metadata: {name: llm}
spec:
  serverConfig: triton
  podSpec:
    containers:
    - name: triton
      resources:
        limits: {nvidia.com/gpu: 1}
)",
    .source =
        "https://github.com/SeldonIO/seldon-core/blob/v2/operator/controllers/reconcilers/"
        "common/patch_utils.go",
    .check = check,
    .fix = Safety::unsafe,
};

using yaml::Node;

namespace {

/// The containers that there are to override.
struct Overridable {
  std::string what;                             ///< "ServerConfig 'gpu'"
  std::vector<std::string_view> names;          ///< of its containers
  const Node* written = &yaml::missing_node();  ///< its containers, if the run holds it
  bool assumed = false;                         ///< what a cluster is likely to have
};

}  // namespace

static bool has_image(const Node& container) { return !container["image"].text().empty(); }

/// A config of the run. A container without an image is a patch's, which does not hold them all.
static std::optional<Overridable> held_config(const ConfigLayers& layers) {
  Overridable config{.what = layers.config, .written = &layers.below["containers"]};
  for (const Node* container : config.written->items()) {
    const std::string_view name = (*container)["name"].text();
    if (name.empty() || k8s::is_placeholder(name) || !has_image(*container)) return std::nullopt;
    config.names.push_back(name);
  }
  return config;
}

/// One that Seldon ships, unless the run has some of that name and does not say which is meant.
static Overridable shipped_config(const Workload& workload, const k8s::Objects& objects) {
  const k8s::Object& object = *workload.object;
  const bool server = object.kind == "Server";
  const std::string_view kind = server ? "ServerConfig" : "SeldonConfig";
  const std::string_view name = object.spec()[server ? "serverConfig" : "seldonConfig"].text();
  if (objects.holds(object.group(), kind, "", name)) return {};
  Overridable config{.what = "Seldon's " + config_called(kind, name, workload), .assumed = !server};
  if (server) {
    config.names = seldon::shipped_containers(name);
  } else if (name == "default") {
    const std::string_view only = seldon::shipped_component_container(workload.name);
    if (!only.empty()) config.names.push_back(only);
  }
  return config;
}

namespace {

/// One container that overrides none.
struct Extra {
  const Node* container;
  const Node* name;
  std::string_view meant;
  bool can_take_name = false;  ///< nothing keeps it from being called as is meant
};

}  // namespace

/// Whether the container is the model server of the other one of Seldon's ServerConfigs.
static bool is_of_other_server(std::string_view name, const Overridable& config) {
  const auto is_server = [](std::string_view each) {
    return std::ranges::find(seldon::kShippedServers, each) != seldon::kShippedServers.end();
  };
  return is_server(name) && std::ranges::any_of(config.names, is_server);
}

/// Gives it the name that is meant, and adds what else there is to say about that.
static void add_meant(Report::Finding& finding, const Extra& extra, const Overridable& config,
                      Report& report) {
  const Node& container = k8s::item_called(*config.written, extra.meant);
  if (container) finding.note(container["name"], "this one is probably meant");
  if (is_of_other_server(extra.name->text(), config)) {
    finding.help("call it '{}', or write 'serverConfig: {}'", extra.meant, extra.name->text());
    return;
  }
  finding.help("call it '{}': names have to match exactly", extra.meant);
  if (!extra.can_take_name) return;
  finding.fix(Safety::unsafe, fmt::format("call it '{}'", extra.meant),
              {yaml::to_set(*extra.name, report.make_string(extra.meant))});
}

static void report_without_image(const Extra& extra, const Overridable& config, Report& report) {
  auto finding = report.add(*extra.name,
                            "{} has no container '{}' to override, so it is added without an "
                            "image: the API server refuses the pod",
                            config.what, extra.name->text());
  if (config.assumed) finding.severity(Severity::warning);
  if (!extra.meant.empty()) {
    add_meant(finding, extra, config, report);
    return;
  }
  finding.help(
      "to override, use the name of one of its containers ({}); a container of your own needs an "
      "image",
      first_names(config.names));
}

static void report_beside(const Extra& extra, const Overridable& config, std::string_view lacking,
                          Report& report) {
  const std::string missed =
      lacking.empty() ? std::string() : fmt::format(", and gets no '{}'", lacking);
  auto finding = report.add(*extra.name,
                            "{} has no container '{}' to override, so it runs beside '{}', which "
                            "stays as it is{}",
                            config.what, extra.name->text(), extra.meant, missed);
  finding.severity(Severity::warning);
  add_meant(finding, extra, config, report);
}

static void report_taken(const Extra& extra, std::string_view main, std::string_view accelerator,
                         const Overridable& config, Report& report) {
  auto finding = report.add(*extra.name,
                            "'{}' is a container of its own and takes '{}': '{}' of {}, which runs "
                            "the models, gets none",
                            extra.name->text(), accelerator, main, config.what);
  finding.severity(Severity::warning);
  const Node& container = k8s::item_called(*config.written, main);
  if (container) finding.note(container["name"], "the models run here");
  finding.help("give the accelerator to '{}'", main);
}

/// The main container of the config, if it gets no device in this pod.
static std::string_view deviceless_main(const Overridable& config, const Workload& workload) {
  const k8s::PodSpec& pod = workload.pod;
  if (!pod["runtimeClassName"].is_empty() || !pod["resourceClaims"].is_empty()) return {};
  const std::string_view main = seldon::main_container(config.names);
  const Node& container = k8s::item_called(pod["containers"], main);
  return accelerators::reaches_device({&container}) ? std::string_view() : main;
}

static void check_extra(const Extra& extra, const Overridable& config, std::string_view deviceless,
                        Report& report) {
  if (!has_image(*extra.container)) return report_without_image(extra, config, report);
  const Node* amount = accelerators::accelerator_asked_by({extra.container});
  const std::string_view accelerator = amount == nullptr ? "" : amount->key()->text();
  if (!extra.meant.empty()) {
    const bool taken = extra.meant == deviceless;
    return report_beside(extra, config, taken ? accelerator : std::string_view(), report);
  }
  // With a program of its own it may well use the device itself.
  const bool own_program = (*extra.container)["command"] || (*extra.container)["args"];
  if (accelerator.empty() || deviceless.empty() || own_program) return;
  report_taken(extra, deviceless, accelerator, config, report);
}

namespace {

/// The names that the containers of a pod spec have, are meant to have, or are referred to by.
class NamesInUse {
 public:
  explicit NamesInUse(const Node& containers) {
    for (const Node* container : containers.items()) {
      add((*container)["name"].text());
      for (const Node* variable : (*container)["env"].items()) {
        const Node& source = (*variable)["valueFrom"]["resourceFieldRef"];
        referred_.insert(source["containerName"].text());
      }
    }
  }

  void add(std::string_view name) { ++uses_[name]; }

  /// Whether nothing stands in the way of calling one of them so; `meant` is one of the uses.
  bool allow(std::string_view name, std::string_view meant) const {
    return uses_.at(meant) == 1 && !referred_.contains(name);
  }

 private:
  std::unordered_map<std::string_view, int> uses_;
  std::unordered_set<std::string_view> referred_;
};

}  // namespace

/// Whether it is no mere resemblance that may be another container's as well.
static bool is_surely_meant(std::string_view name, std::string_view meant,
                            const std::vector<std::string_view>& names) {
  if (meant.empty()) return false;
  if (nearest(name, names) != meant || surely_meant(name, names) == meant) return true;
  const auto begins_so = [&](std::string_view other) { return other.starts_with(name); };
  return begins_so(meant) && std::ranges::count_if(names, begins_so) == 1;
}

static std::vector<Extra> extras_of(const Workload& workload, const Overridable& config) {
  const std::unordered_set<std::string_view> known(config.names.begin(), config.names.end());
  const std::string_view config_name = workload.object->kind == "Server"
                                           ? workload.object->spec()["serverConfig"].text()
                                           : std::string_view(workload.name);
  const Node& containers = workload.own["containers"];
  NamesInUse in_use(containers);
  std::vector<Extra> extras;
  for (const Node* container : containers.items()) {
    const Node& name = (*container)["name"];
    if (name.text().empty() || k8s::is_placeholder(name.text()) || known.contains(name.text()))
      continue;
    const auto meant = seldon::meant_container(name.text(), config_name, config.names);
    extras.push_back({container, &name, meant});
    in_use.add(meant);
  }
  for (Extra& extra : extras) {
    extra.can_take_name = is_surely_meant(extra.name->text(), extra.meant, config.names) &&
                          in_use.allow(extra.name->text(), extra.meant);
  }
  return extras;
}

static void check(const Workload& workload, Report& report) {
  if (!is_merged_by_seldon(workload)) return;
  const auto layers = config_layers_of(workload);
  const auto config =
      layers ? held_config(*layers) : shipped_config(workload, report.run().index());
  if (!config || config->names.empty()) return;
  const std::string_view deviceless = deviceless_main(*config, workload);
  for (const Extra& extra : extras_of(workload, *config)) {
    check_extra(extra, *config, deviceless, report);
  }
}

}  // namespace cnsched::rules
