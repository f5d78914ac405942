#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/accelerators/devices_asked.h"
#include "core/k8s/label.h"
#include "core/seldon/agent.h"
#include "core/seldon/model.h"
#include "core/seldon/shipped.h"
#include "core/workloads/model_servers.h"
#include "core/yaml/tree.h"
#include "rules/engine/changes.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workspace& run, Report& report);

extern constinit const Rule seldon_seldon_capabilities = {
    .id = "seldon-capabilities",
    .severity = Severity::warning,
    .depends_on_run = true,
    .summary = "capabilities of a Server that are unexpectedly kept, replaced or ignored",
    .why =
        "Models land on Servers that are not meant for them, or find none. A Server with an "
        "accelerator that only adds a tag by 'extraCapabilities' keeps the whole list of its "
        "ServerConfig: it still offers 'sklearn', 'python' and the others, and Models that need "
        "no accelerator may fill it. That is a warning if the linted files and those given by "
        "--cluster hold such a Model and another Server for it, otherwise info.\n\n"
        "Seldon's operator writes 'capabilities' over SELDON_SERVER_CAPABILITIES of the "
        "ServerConfig, or appends 'extraCapabilities' to it; with both, the extra ones are "
        "ignored. The variable itself, set for 'agent' in the Server, replaces the list as well, "
        "and on any other container nothing reads it. The rule is silent on a ServerConfig that "
        "is not known.",
    .bad = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: Server
metadata: {name: gpu}
spec:
  serverConfig: triton
  capabilities: [llm]
  extraCapabilities: [vision]
)",
    .good = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: Server
metadata: {name: gpu}
spec:
  serverConfig: triton
  capabilities: [llm, vision]
)",
    .source =
        "https://github.com/SeldonIO/seldon-core/blob/v2/operator/controllers/reconcilers/server/"
        "server_reconciler.go",
    .check = check,
    .fix = Safety::unsafe,
};

using yaml::Node;
using Tags = std::vector<std::string_view>;

namespace {

/// A Model that Seldon's scheduler may put on any Server, and what it needs there.
struct FreeModel {
  const k8s::Object* object;
  std::vector<seldon::RequiredTag> needs;
};

/// What the checks of all Servers share.
struct Surroundings {
  std::vector<FreeModel> models;
  std::set<std::string_view> plain_servers;  ///< namespaces of Servers without accelerators
};

/// The list that a Server's own tags are added to, or replace.
struct BaseList {
  std::string owner;  ///< "ServerConfig 'gpu'"; empty if it is not known
  Tags tags;
};

}  // namespace

/// An accelerator that the pod asks for, or empty.
static std::string_view accelerator_of(const k8s::PodSpec& pod) {
  const auto devices = accelerators::devices_asked_by(pod);
  return devices.empty() ? std::string_view() : devices.front().name;
}

static Surroundings surroundings_of(const Workspace& run) {
  Surroundings around;
  for (const k8s::Object& object : run.objects()) {
    if (!object.is("mlops.seldon.io", "Model")) continue;
    auto needs = seldon::required_tags(object.spec());
    if (seldon::pin_of(object.spec()) || needs.empty()) continue;
    around.models.push_back({&object, std::move(needs)});
  }
  for (const Workload& workload : run.workloads()) {
    if (!workload.object->is("mlops.seldon.io", "Server") || workload.is_incomplete()) continue;
    if (accelerator_of(workload.pod).empty()) around.plain_servers.insert(workload.object->ns);
  }
  return around;
}

namespace {

/// The capabilities of one Server.
class Judge {
 public:
  Judge(const Workload& server, const Surroundings& around, Report& report)
      : server_(server),
        spec_(server.object->spec()),
        replacing_(spec_["capabilities"]),
        extra_(spec_["extraCapabilities"]),
        agent_(seldon::agent_in(server.pod["containers"])),
        around_(around),
        report_(report) {}

  void judge() {
    if (!replacing_.items().empty() && !extra_.items().empty()) report_both();
    const BaseList base = base_list();
    bool overridden = false;
    for (const Node* container : server_.own["containers"].items()) {
      const Node& variable = seldon::variable_of(*container, seldon::kCapabilitiesVariable);
      if (!variable) continue;
      if (!is_agent(*container)) {
        report_unread(*container, variable);
      } else {
        overridden = true;
        check_override(variable, base);
      }
    }
    if (!overridden && replacing_.items().empty() && !extra_.items().empty()) check_kept(base);
  }

 private:
  void report_both() {
    auto finding = report_.add_at_key(
        extra_, "'extraCapabilities' are ignored, because 'capabilities' are set as well");
    finding.note(replacing_, "this is all that the Server offers")
        .help(
            "move them into 'capabilities', or remove 'capabilities' to keep the ServerConfig's "
            "list as well");
    std::unordered_set<std::string_view> listed;
    for (const Node* item : replacing_.items()) listed.insert(item->text());
    std::vector<yaml::Change> changes = {yaml::to_erase(extra_)};
    if (extra_.items().size() > kMostMoved || has_comments(extra_, report_)) return;
    for (const Node* item : extra_.items()) {
      if (!item->is_string() || k8s::is_placeholder(item->text())) return;
      if (listed.insert(item->text()).second)
        changes.push_back(yaml::to_add_item(replacing_, *item));
    }
    finding.fix(Safety::unsafe, "move them into 'capabilities'", std::move(changes));
  }

  /// Nobody lists more by hand.
  static constexpr std::size_t kMostMoved = 100;

  /// The variable's list as the Server's own, by which the operator writes the same variable.
  void move_to_spec(const Node& variable, const Tags& tags, Report::Finding& finding) {
    if (tags.size() > kMostMoved || std::ranges::find(tags, "") != tags.end()) return;
    if (has_comments(variable, report_)) return;
    std::vector<const Node*> items;
    for (const std::string_view tag : tags) items.push_back(&report_.make_string(tag));
    const Node& list = yaml::sequence_like(report_.values(), yaml::nowhere(), items);
    finding.fix(
        Safety::unsafe, "move it to 'capabilities' of the Server",
        {to_erase_item(variable), replacing_ ? yaml::to_set(replacing_, list)
                                             : yaml::to_add_entry(spec_, "capabilities", list)});
  }

  bool is_agent(const Node& container) const {
    const std::string_view name = container["name"].text();
    return name == "agent" || name == agent_["name"].text();
  }

  BaseList base_list() const {
    if (server_.bases.size() == 1) {
      const k8s::Base& base = server_.bases.front();
      const Node& agent = seldon::agent_in(base.pod["containers"]);
      const Node& list = seldon::variable_of(agent, seldon::kCapabilitiesVariable)["value"];
      if (list.text().empty() || k8s::is_placeholder(list.text())) return {};
      return {fmt::format("ServerConfig '{}'", base.object->name), seldon::tags_in(list.text())};
    }
    const std::string_view name = spec_["serverConfig"].text();
    const k8s::Object& object = *server_.object;
    // Of several of that name in the run it is not known which is meant.
    if (report_.run().index().holds(object.group(), "ServerConfig", "", name)) return {};
    const auto shipped = seldon::shipped_capabilities(name);
    if (shipped.empty()) return {};
    return {fmt::format("Seldon's ServerConfig '{}'", name), Tags(shipped.begin(), shipped.end())};
  }

  /// One that the agent does not have either is the ServerConfig's fault.
  void report_unread(const Node& container, const Node& variable) {
    const bool known = server_.bases.size() == 1 ||
                       !seldon::shipped_capabilities(spec_["serverConfig"].text()).empty();
    const bool agent_lacks_it =
        server_.bases.size() == 1 && !seldon::variable_of(agent_, seldon::kCapabilitiesVariable);
    if (!known || agent_lacks_it) return;
    report_
        .add(variable["name"], "nothing in container '{}' reads {}: only the agent does",
             container["name"].text(), seldon::kCapabilitiesVariable)
        .help("use 'capabilities' or 'extraCapabilities' of the Server");
  }

  void check_override(const Node& variable, const BaseList& base) {
    const Node& value = variable["value"];
    if (!replacing_.items().empty()) {
      report_
          .add(variable["name"], "{} is lost: the operator writes 'capabilities' over it",
               seldon::kCapabilitiesVariable)
          .note(replacing_, "this is all that the Server offers")
          .help("remove one of the two");
      return;
    }
    if (value.text().empty() || k8s::is_placeholder(value.text())) return;
    const Tags own = seldon::tags_in(value.text());
    const std::unordered_set<std::string_view> kept(own.begin(), own.end());
    Tags lost = base.tags;
    std::erase_if(lost, [&](std::string_view tag) { return kept.contains(tag); });
    if (lost.empty()) return;
    auto finding = report_.add(value, "this replaces the list of {}: the Server loses {}",
                               base.owner, some_of(lost));
    if (extra_.items().empty()) {
      finding.severity(Severity::info)
          .help("if that is meant, write it as 'capabilities', which readers see");
      move_to_spec(variable, own, finding);
    } else {
      finding
          .note(extra_,
                "these are added to both lists, and the agent reads only the one in podSpec")
          .help("remove the variable: extraCapabilities then add to the ServerConfig's list");
    }
  }

  /// The list stays as it is, and attracts what has no use for an accelerator.
  void check_kept(const BaseList& base) {
    const std::string_view accelerator = accelerator_of(server_.pod);
    Tags generic = base.tags;
    std::erase_if(generic,
                  [](std::string_view tag) { return !seldon::is_shipped_capability(tag); });
    if (accelerator.empty() || generic.empty()) return;
    const std::vector<const k8s::Object*> guests = guests_for(base.tags);
    auto finding =
        report_.add_at_key(extra_,
                           "'extraCapabilities' keep the list of {}: Models that need only {} may "
                           "take this Server and its '{}'",
                           base.owner, some_of(generic), accelerator);
    if (guests.empty()) finding.severity(Severity::info);
    for (const k8s::Object* guest : guests) {
      finding.note((*guest)["metadata"]["name"], "this Model may be placed here");
    }
    finding.help(
        "list in 'capabilities' what only this Server offers, and require that of its "
        "Models");
  }

  /// A few of the Models that find all they need in `tags`, and that another Server is there for.
  std::vector<const k8s::Object*> guests_for(const Tags& tags) const {
    constexpr std::size_t kMostShown = 3;
    constexpr std::size_t kMostModels = 1000;
    std::vector<const k8s::Object*> guests;
    const std::string_view ns = server_.object->ns;
    const bool has_other = std::ranges::any_of(around_.plain_servers, [&](std::string_view other) {
      return may_share_namespace(ns, other);
    });
    if (!has_other) return guests;
    const std::unordered_set<std::string_view> offered(tags.begin(), tags.end());
    for (std::size_t i = 0; i < std::min(around_.models.size(), kMostModels); ++i) {
      const FreeModel& model = around_.models[i];
      const bool fits = may_share_namespace(ns, model.object->ns) &&
                        std::ranges::all_of(model.needs, [&](const auto& need) {
                          return offered.contains(need.tag);
                        });
      if (fits) guests.push_back(model.object);
    }
    std::ranges::sort(guests, {}, [](const k8s::Object* object) { return object->name; });
    guests.resize(std::min(guests.size(), kMostShown));
    return guests;
  }

  static std::string some_of(const Tags& tags) {
    constexpr std::size_t kMostShown = 3;
    const std::size_t shown = std::min(tags.size(), kMostShown);
    return fmt::format("'{}'{}", fmt::join(std::span(tags).first(shown), "', '"),
                       shown < tags.size() ? fmt::format(" and {} more", tags.size() - shown) : "");
  }

  const Workload& server_;
  const Node& spec_;
  const Node& replacing_;
  const Node& extra_;
  const Node& agent_;
  const Surroundings& around_;
  Report& report_;
};

}  // namespace

static void check(const Workspace& run, Report& report) {
  const Surroundings around = surroundings_of(run);
  for (const Workload& workload : run.workloads()) {
    const k8s::Object& object = *workload.object;
    if (!object.is("mlops.seldon.io", "Server") || !run.is_linted(object)) continue;
    report.set_subject(&object);
    Judge(workload, around, report).judge();
  }
}

}  // namespace cnsched::rules
