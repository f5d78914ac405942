// A container overrides a container of the config if it has exactly the same name. Another one may
// be a sidecar, so with an image of its own it is reported only if its name resembles one of the
// config, or if it requests an accelerator that the model server then lacks.
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/accelerators/resource_name.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/seldon/pods.h"
#include "core/seldon/shipped.h"
#include "rules/common/wording.h"
#include "rules/rule.h"
#include "rules/seldon/config_layers.h"

namespace cnsched::rules::seldon_container_name {

using yaml::Node;

namespace {

/// The containers that can be overridden.
struct Overridable {
  std::string what;                             ///< "ServerConfig 'gpu'"
  std::vector<std::string_view> names;          ///< of its containers
  const Node* written = &yaml::missing_node();  ///< its containers, if it was read
  bool assumed = false;                         ///< the cluster may have another one
};

}  // namespace

static bool has_image(const Node& container) { return !container["image"].text().empty(); }

/// A config of the files. If a container has no image, the config is a patch, which does not have
/// all containers.
static std::optional<Overridable> read_config(const ConfigLayers& layers) {
  Overridable config{.what = layers.config, .written = &layers.below["containers"]};
  for (const Node* container : config.written->items()) {
    const std::string_view name = (*container)["name"].text();
    if (name.empty() || k8s::is_placeholder(name) || !has_image(*container)) return std::nullopt;
    config.names.push_back(name);
  }
  return config;
}

/// A config that Seldon ships; empty if files have configs of that name, because it is not known
/// which one applies.
static Overridable shipped_config(const Workload& workload, const k8s::Objects& objects) {
  const k8s::Object& object = *workload.object;
  const bool server = object.kind == "Server";
  const std::string_view kind = server ? "ServerConfig" : "SeldonConfig";
  const std::string_view name =
      object.spec().under(server ? "serverConfig" : "seldonConfig").text();
  if (objects.contains(object.group(), kind, std::nullopt, name)) return {};
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

/// A container that overrides none.
struct Extra {
  const Node* container;
  const Node* name;
  std::string_view intended;
  bool can_take_name = false;  ///< nothing prevents renaming it to `intended`
};

}  // namespace

/// Whether the container is the model server of the other one of Seldon's ServerConfigs.
static bool is_of_other_server(std::string_view name, const Overridable& config) {
  const auto is_server = [](std::string_view each) {
    return is_one_of(each, seldon::kShippedServers);
  };
  return is_server(name) && std::ranges::any_of(config.names, is_server);
}

/// Adds help and fix for the name that the author probably intends.
static void add_intended(Findings::Finding& finding, const Extra& extra, const Overridable& config,
                         Findings& findings) {
  const Node& container = k8s::item_named(*config.written, extra.intended);
  if (container) finding.note(container["name"], "the container that is probably intended");
  if (is_of_other_server(extra.name->text(), config)) {
    finding.help("name it '{}', or write 'serverConfig: {}'", extra.intended, extra.name->text());
    return;
  }
  finding.help("name it '{}': names must match exactly", extra.intended);
  if (!extra.can_take_name) return;
  finding.fix(Safety::unsafe, fmt::format("name it '{}'", extra.intended),
              {yaml::to_set(*extra.name, findings.make_string(extra.intended))});
}

static void report_without_image(const Extra& extra, const Overridable& config,
                                 Findings& findings) {
  auto finding = findings.add(*extra.name,
                              "{} has no container '{}', so the operator adds it without an image: "
                              "the API server rejects the pod",
                              config.what, extra.name->text());
  if (config.assumed) finding.severity(Severity::warning);
  if (!extra.intended.empty()) {
    add_intended(finding, extra, config, findings);
    return;
  }
  finding.help("to override a container, use its name ({}); an additional container needs an image",
               first_names(config.names));
}

static void report_beside(const Extra& extra, const Overridable& config, std::string_view lacking,
                          Findings& findings) {
  const std::string missed =
      lacking.empty() ? std::string() : fmt::format(" and gets no '{}'", lacking);
  auto finding = findings.add(
      *extra.name, "{} has no container '{}', so it runs next to '{}', which is not changed{}",
      config.what, extra.name->text(), extra.intended, missed);
  finding.severity(Severity::warning);
  add_intended(finding, extra, config, findings);
}

static void report_taken(const Extra& extra, std::string_view main, std::string_view accelerator,
                         const Overridable& config, Findings& findings) {
  auto finding = findings.add(
      *extra.name,
      "additional container '{}' gets '{}', but '{}' of {}, which runs the models, gets none",
      extra.name->text(), accelerator, main, config.what);
  finding.severity(Severity::warning);
  const Node& container = k8s::item_named(*config.written, main);
  if (container) finding.note(container["name"], "the models run here");
  finding.help("request the accelerator in '{}'", main);
}

/// The main container of the config, if it gets no device in this pod.
static std::string_view deviceless_main(const Overridable& config, const Workload& workload) {
  const k8s::PodSpec& pod = workload.pod;
  if (!pod["runtimeClassName"].is_empty() || !pod["resourceClaims"].is_empty()) return {};
  const std::string_view main = seldon::main_container(config.names);
  const Node& container = k8s::item_named(pod["containers"], main);
  return accelerators::has_device_access({&container}) ? std::string_view() : main;
}

static void check_extra(const Extra& extra, const Overridable& config, std::string_view deviceless,
                        Findings& findings) {
  if (!has_image(*extra.container)) return report_without_image(extra, config, findings);
  const Node* amount = accelerators::first_accelerator_amount({extra.container});
  const std::string_view accelerator = amount == nullptr ? "" : amount->key()->text();
  if (!extra.intended.empty()) {
    const bool taken = extra.intended == deviceless;
    return report_beside(extra, config, taken ? accelerator : std::string_view(), findings);
  }
  // A program of its own may use the device itself.
  const bool own_program = (*extra.container)["command"] || (*extra.container)["args"];
  if (accelerator.empty() || deviceless.empty() || own_program) return;
  report_taken(extra, deviceless, accelerator, config, findings);
}

namespace {

/// The names that the containers of a pod spec have, should have, or are referred to by.
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

  /// Whether the container `name` can be renamed to `intended`, which is one of the uses.
  bool allow(std::string_view name, std::string_view intended) const {
    return uses_.at(intended) == 1 && !referred_.contains(name);
  }

 private:
  std::unordered_map<std::string_view, int> uses_;
  std::unordered_set<std::string_view> referred_;
};

}  // namespace

/// Whether `name` resembles only `intended` among `names`.
static bool is_certain_correction(std::string_view name, std::string_view intended,
                                  const std::vector<std::string_view>& names) {
  if (intended.empty()) return false;
  if (nearest(name, names) != intended || certain_correction(name, names) == intended) return true;
  const auto begins_so = [&](std::string_view other) { return other.starts_with(name); };
  return begins_so(intended) && std::ranges::count_if(names, begins_so) == 1;
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
    const auto intended = seldon::intended_container(name.text(), config_name, config.names);
    extras.push_back({container, &name, intended});
    in_use.add(intended);
  }
  for (Extra& extra : extras) {
    extra.can_take_name = is_certain_correction(extra.name->text(), extra.intended, config.names) &&
                          in_use.allow(extra.name->text(), extra.intended);
  }
  return extras;
}

static void check(const Workload& workload, Findings& findings) {
  const auto layers = config_layers_of(workload);
  const auto config =
      layers ? read_config(*layers) : shipped_config(workload, findings.scope().index());
  if (!config || config->names.empty()) return;
  const std::string_view deviceless = deviceless_main(*config, workload);
  for (const Extra& extra : extras_of(workload, *config)) {
    check_extra(extra, *config, deviceless, findings);
  }
}

extern constinit const Rule rule = {
    .id = "seldon-container-name",
    .severity = Severity::error,
    .depends_on_workspace = true,
    .of = Domain::merged_by_seldon,
    .fix = Safety::unsafe,
    .check = check,
};

}  // namespace cnsched::rules::seldon_container_name
