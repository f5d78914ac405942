#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/accelerators/resource_name.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/seldon/server_capacity.h"
#include "core/seldon/shipped.h"
#include "core/workspace/model_servers.h"
#include "core/yaml/tree.h"
#include "rules/findings.h"
#include "rules/rule.h"

namespace cnsched::rules::seldon_capabilities {

using yaml::Node;
using Tags = std::vector<std::string_view>;

namespace {

/// A Model that is not pinned, and the capabilities that it requires.
struct UnpinnedModel {
  const k8s::Object* object;
  std::vector<seldon::RequiredTag> needs;
};

/// Facts that the checks of all Servers share.
struct SharedFacts {
  std::vector<UnpinnedModel> models;
  std::set<std::string_view> plain_servers;  ///< namespaces of Servers without accelerators
};

/// The list that a Server's own capabilities extend or replace.
struct BaseList {
  std::string owner;  ///< "ServerConfig 'gpu'"; empty if it is not known
  Tags tags;
};

}  // namespace

/// An accelerator that the pod requests, or empty.
static std::string_view accelerator_of(const k8s::PodSpec& pod) {
  const auto devices = accelerators::device_requests(pod);
  return devices.empty() ? std::string_view() : devices.front().name;
}

static SharedFacts shared_facts_of(const ClusterScope& scope) {
  SharedFacts shared;
  for (const k8s::Object& object : scope.objects()) {
    if (!object.is("mlops.seldon.io", "Model")) continue;
    auto needs = seldon::required_tags(object.spec());
    if (seldon::pin_of(object.spec()) || needs.empty()) continue;
    shared.models.push_back({&object, std::move(needs)});
  }
  for (const Workload& workload : scope.workloads()) {
    if (!workload.object->is("mlops.seldon.io", "Server") || workload.is_incomplete()) continue;
    if (accelerator_of(workload.pod).empty()) shared.plain_servers.insert(workload.object->ns.name);
  }
  return shared;
}

namespace {

/// Checks the capabilities of one Server.
class CapabilityCheck {
 public:
  CapabilityCheck(const Workload& server, const SharedFacts& shared, Findings& findings)
      : server_(server),
        spec_(server.object->spec()),
        replacing_(spec_["capabilities"]),
        extra_(spec_["extraCapabilities"]),
        agent_(seldon::agent_in(server.pod["containers"])),
        shared_(shared),
        findings_(findings) {}

  void check() {
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
    auto finding = findings_.add_at_key(
        extra_, "the operator ignores 'extraCapabilities', because 'capabilities' is also set");
    finding.note(replacing_, "the Server has only these capabilities")
        .help(
            "move them to 'capabilities', or remove 'capabilities' to keep the ServerConfig's list "
            "too");
    std::unordered_set<std::string_view> listed;
    for (const Node* item : replacing_.items()) listed.insert(item->text());
    std::vector<yaml::Change> changes = {yaml::to_erase(extra_)};
    if (extra_.items().size() > kMaxMoved || has_comments(extra_, findings_)) return;
    for (const Node* item : extra_.items()) {
      if (!item->is_string() || k8s::is_placeholder(item->text())) return;
      if (listed.insert(item->text()).second)
        changes.push_back(yaml::to_add_item(replacing_, *item));
    }
    finding.fix(Safety::unsafe, "move them to 'capabilities'", std::move(changes));
  }

  /// Longer lists are not written by hand.
  static constexpr std::size_t kMaxMoved = 100;

  /// Moves the variable's list to 'capabilities' of the Server, from which the operator sets the
  /// same variable.
  void move_to_spec(const Node& variable, const Tags& tags, Findings::Finding& finding) {
    if (tags.size() > kMaxMoved || is_one_of("", tags)) return;
    if (has_comments(variable, findings_)) return;
    std::vector<const Node*> items;
    for (const std::string_view tag : tags) items.push_back(&findings_.make_string(tag));
    const Node& list = yaml::sequence_like(findings_.values(), yaml::nowhere(), items);
    finding.fix(
        Safety::unsafe, "move the list to 'capabilities' of the Server",
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
    // If several have that name, it is not known which one the operator uses.
    if (findings_.scope().index().contains(object.group(), "ServerConfig", std::nullopt, name))
      return {};
    const auto shipped = seldon::shipped_capabilities(name);
    if (shipped.empty()) return {};
    return {fmt::format("Seldon's ServerConfig '{}'", name), Tags(shipped.begin(), shipped.end())};
  }

  /// Not reported if the agent has no such variable either: seldon-incomplete-server-config reports
  /// that.
  void report_unread(const Node& container, const Node& variable) {
    const bool known = server_.bases.size() == 1 ||
                       !seldon::shipped_capabilities(spec_["serverConfig"].text()).empty();
    const bool agent_lacks_it =
        server_.bases.size() == 1 && !seldon::variable_of(agent_, seldon::kCapabilitiesVariable);
    if (!known || agent_lacks_it) return;
    findings_
        .add(variable["name"], "container '{}' does not read '{}': only the agent does",
             container["name"].text(), seldon::kCapabilitiesVariable)
        .help("use 'capabilities' or 'extraCapabilities' of the Server");
  }

  void check_override(const Node& variable, const BaseList& base) {
    const Node& value = variable["value"];
    if (!replacing_.items().empty()) {
      findings_
          .add(variable["name"], "'{}' has no effect: the operator replaces it by 'capabilities'",
               seldon::kCapabilitiesVariable)
          .note(replacing_, "the Server has only these capabilities")
          .help("remove one of the two");
      return;
    }
    if (value.text().empty() || k8s::is_placeholder(value.text())) return;
    const Tags own = seldon::tags_in(value.text());
    const std::unordered_set<std::string_view> kept(own.begin(), own.end());
    Tags lost = base.tags;
    std::erase_if(lost, [&](std::string_view tag) { return kept.contains(tag); });
    if (lost.empty()) return;
    auto finding = findings_.add(value, "this list replaces that of {}: the Server loses {}",
                                 base.owner, some_of(lost));
    if (extra_.items().empty()) {
      finding.severity(Severity::info)
          .help("if that is intended, write the list in 'capabilities' of the Server");
      move_to_spec(variable, own, finding);
    } else {
      finding
          .note(
              extra_,
              "the operator adds these to both lists, but the agent reads only the one in podSpec")
          .help("remove the variable, so that 'extraCapabilities' extends the ServerConfig's list");
    }
  }

  /// The kept list matches Models that need no accelerator.
  void check_kept(const BaseList& base) {
    const std::string_view accelerator = accelerator_of(server_.pod);
    Tags generic = base.tags;
    std::erase_if(generic,
                  [](std::string_view tag) { return !seldon::is_shipped_capability(tag); });
    if (accelerator.empty() || generic.empty()) return;
    const std::vector<const k8s::Object*> models = models_for(base.tags);
    auto finding = findings_.add_at_key(extra_,
                                        "'extraCapabilities' keeps the list of {}: Models that "
                                        "require only {} may use this Server and its '{}'",
                                        base.owner, some_of(generic), accelerator);
    if (models.empty()) finding.severity(Severity::info);
    for (const k8s::Object* model : models) {
      finding.note((*model)["metadata"]["name"], "this Model may be loaded on the Server");
    }
    finding.help("list in 'capabilities' what only this Server has, and require it in its Models");
  }

  /// The first few Models whose requirements are all in `tags`, if there is another Server for
  /// them.
  std::vector<const k8s::Object*> models_for(const Tags& tags) const {
    constexpr std::size_t kMaxShown = 3;
    constexpr std::size_t kMaxModels = 1000;
    std::vector<const k8s::Object*> models;
    const k8s::Namespace& ns = server_.object->ns;
    const bool has_other = std::ranges::any_of(
        shared_.plain_servers, [&](std::string_view other) { return ns.may_be({other}); });
    if (!has_other) return models;
    const std::unordered_set<std::string_view> available(tags.begin(), tags.end());
    for (std::size_t i = 0; i < std::min(shared_.models.size(), kMaxModels); ++i) {
      const UnpinnedModel& model = shared_.models[i];
      const bool fits =
          ns.may_be(model.object->ns) && std::ranges::all_of(model.needs, [&](const auto& need) {
            return available.contains(need.tag);
          });
      if (fits) models.push_back(model.object);
    }
    std::ranges::sort(models, {}, [](const k8s::Object* object) { return object->name; });
    models.resize(std::min(models.size(), kMaxShown));
    return models;
  }

  static std::string some_of(const Tags& tags) {
    constexpr std::size_t kMaxShown = 3;
    const std::size_t shown = std::min(tags.size(), kMaxShown);
    return fmt::format("'{}'{}", fmt::join(std::span(tags).first(shown), "', '"),
                       shown < tags.size() ? fmt::format(" and {} more", tags.size() - shown) : "");
  }

  const Workload& server_;
  const Node& spec_;
  const Node& replacing_;
  const Node& extra_;
  const Node& agent_;
  const SharedFacts& shared_;
  Findings& findings_;
};

}  // namespace

static void check(const ClusterScope& scope, Findings& findings) {
  const SharedFacts shared = shared_facts_of(scope);
  for (const Workload& workload : scope.workloads()) {
    const k8s::Object& object = *workload.object;
    if (!object.is("mlops.seldon.io", "Server") || !scope.is_linted(object)) continue;
    findings.set_subject(&object);
    CapabilityCheck(workload, shared, findings).check();
  }
}

extern constinit const Rule rule = {
    .id = "seldon-capabilities",
    .severity = Severity::warning,
    .depends_on_workspace = true,
    .fix = Safety::unsafe,
    .check = check,
};

}  // namespace cnsched::rules::seldon_capabilities
