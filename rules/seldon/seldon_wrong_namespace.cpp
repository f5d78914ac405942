// No manifest names the operator's namespace, and each namespace has its own Servers and scheduler.
// The rule therefore needs evidence in the same or a parent directory: a repository may contain
// several clusters.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/k8s/label.h"
#include "core/seldon/server_capacity.h"
#include "core/seldon/shipped.h"
#include "rules/rule.h"

namespace cnsched::rules::seldon_wrong_namespace {

using k8s::Object;
using yaml::Node;

static constexpr std::string_view kSeldon = "mlops.seldon.io";
static constexpr std::string_view kOperator = "seldon-v2-controller-manager";
static constexpr std::string_view kUsualNamespace = "seldon-mesh";

/// The namespace in the manifest.
static const Node& namespace_of(const Object& object) { return object["metadata"]["namespace"]; }

static bool has_namespace(const Object& object) {
  return object.ns.is_known() && !k8s::is_placeholder(object.ns.name);
}

static bool is_config(const Object& object) {
  return object.is(kSeldon, "ServerConfig") || object.is(kSeldon, "SeldonConfig");
}

namespace {

class NamespaceCheck {
 public:
  NamespaceCheck(const ClusterScope& scope, Findings& findings)
      : scope_(scope), findings_(findings) {
    for (const Object& object : scope.objects()) {
      if (object.is(kSeldon, "Server")) with_server_.insert(object.ns.name);
      if (!object.is(kSeldon, "SeldonRuntime")) continue;
      with_runtime_.insert(object.ns.name);
      runtimes_[directory_of(object)].insert(object.ns.name);
    }
    for (const Workload& workload : scope.workloads()) {
      if (workload.object->is(kSeldon, "Server")) add_offer(workload);
    }
  }

  void check() {
    for (const Object& object : scope_.objects()) {
      if (object.group() != kSeldon || !scope_.is_linted(object) || !has_namespace(object))
        continue;
      findings_.set_subject(&object);
      if (is_config(object)) check_operator(object);
      if (object.kind == "Server") check_runtime(object);
      if (object.kind == "Model") check_model(object);
    }
    check_spread_configs();
  }

 private:
  /// The directory of the object's file; empty for --cluster files, which apply to every directory.
  std::string_view directory_of(const Object& object) const {
    if (!scope_.is_linted(object)) return {};
    const std::string_view path = scope_.file_of(object.root->span).path();
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash + 1);
  }

  /// Objects without a namespace may be created in any.
  static bool may_contain(const std::set<std::string_view>& namespaces, std::string_view ns) {
    return namespaces.contains(ns) || namespaces.contains("");
  }

  /// Whether `other` is for the same cluster: it is in a --cluster file, or in the directory of
  /// `object` or a parent.
  bool is_for_cluster_of(const Object& other, const Object& object) const {
    return directory_of(object).starts_with(directory_of(other));
  }

  // ServerConfigs and SeldonConfigs.

  void check_operator(const Object& config) {
    const Object* manager =
        scope_.index().find("apps", "Deployment", std::nullopt, kOperator, config);
    if (manager == nullptr || !has_namespace(*manager) || manager->ns.may_be(config.ns)) return;
    // The operator uses the copy in its namespace.
    if (scope_.index().contains(kSeldon, config.kind, manager->ns, config.name)) return;
    if (!is_for_cluster_of(*manager, config)) return;
    reported_.insert(&config);
    findings_
        .add(namespace_of(config),
             "Seldon's operator does not read {} '{}' in namespace '{}': it reads only its own "
             "namespace '{}'",
             config.kind, config.name, config.ns.name, manager->ns.name)
        .note(namespace_of(*manager), "the operator runs here")
        .help("write 'namespace: {}'", manager->ns.name);
  }

  /// Checks the configs that Servers of one namespace name, all of which one operator has to find.
  void check_spread_configs() {
    using ByName = std::map<std::string_view, const Object*>;
    std::map<std::pair<std::string_view, std::string_view>, std::map<std::string_view, ByName>> all;
    for (const Workload& workload : scope_.workloads()) {
      const Object& user = *workload.object;
      if (user.group() != kSeldon || !has_namespace(user) || workload.fragment) continue;
      for (const k8s::Base& base : workload.bases) {
        const Object& config = *base.object;
        if (!is_config(config) || !has_namespace(config)) continue;
        all[{directory_of(user), user.ns.name}][config.ns.name].emplace(config.name, &config);
      }
    }
    for (const auto& [users, spread] : all) {
      if (spread.size() > 1) report_spread(users.second, spread);
    }
  }

  template <typename Spread>
  void report_spread(std::string_view users, const Spread& spread) {
    auto expected = spread.find(kUsualNamespace);
    if (expected == spread.end()) {
      // A config in the namespace of the Servers is the more likely mistake.
      expected = spread.begin();
      if (expected->first == users) ++expected;
    }
    const Object& other = *expected->second.begin()->second;
    for (const auto& [ns, configs] : spread) {
      if (ns == expected->first) continue;
      for (const auto& [name, config] : configs) {
        if (scope_.is_linted(*config) && reported_.insert(config).second) {
          report_apart(*config, users, other);
        }
      }
    }
  }

  void report_apart(const Object& config, std::string_view users, const Object& other) {
    findings_.set_subject(&config);
    findings_
        .add(namespace_of(config),
             "Servers of namespace '{}' use {} '{}' of '{}' and {} '{}' of '{}', but Seldon's "
             "operator reads only its own namespace",
             users, config.kind, config.name, config.ns.name, other.kind, other.name, other.ns.name)
        .note(namespace_of(other), "the other one is here")
        .help("move both to the operator's namespace, '{}' unless it is installed elsewhere",
              kUsualNamespace);
  }

  // Servers.

  void check_runtime(const Object& server) {
    if (may_contain(with_runtime_, server.ns.name)) return;
    const std::string_view here = directory_of(server);
    for (const auto& [directory, namespaces] : runtimes_) {
      if (!here.starts_with(directory)) continue;
      findings_
          .add(namespace_of(server),
               "no SeldonRuntime in namespace '{}', only in '{}': the Server has no scheduler, and "
               "no pods without its ServiceAccount 'seldon-server'",
               server.ns.name, *namespaces.begin())
          .severity(Severity::info)  // a chart may install it
          .help("add a SeldonRuntime in namespace '{}', or move the Server to '{}'", server.ns.name,
                *namespaces.begin());
      return;
    }
  }

  // Models.

  struct Candidate {
    const Object* server;
    seldon::Capabilities capabilities;
  };

  /// Indexes the capabilities of a Server by those that Seldon's own Servers do not have.
  void add_offer(const Workload& workload) {
    const Object& server = *workload.object;
    if (!has_namespace(server)) return;
    auto capabilities = seldon::capacity_of(server, workload, scope_.index()).capabilities;
    if (!capabilities) return;
    const std::set<std::string_view> tags(capabilities->tags.begin(), capabilities->tags.end());
    for (const std::string_view tag : tags) {
      if (!tag.empty() && !seldon::is_shipped_capability(tag)) {
        offering_[tag].push_back(servers_.size());
      }
    }
    servers_.push_back({&server, *std::move(capabilities)});
  }

  void check_model(const Object& model) {
    const Node& spec = model.spec();
    if (spec["server"].is_scalar() || may_contain(with_server_, model.ns.name)) return;
    const std::vector<seldon::RequiredTag> needs = seldon::required_tags(spec);
    for (const auto& [tag, node, from] : needs) {
      const auto found = offering_.find(tag);
      if (found == offering_.end()) continue;
      const Candidate* candidate = match(found->second, needs, model);
      if (candidate == nullptr) continue;
      findings_
          .add(namespace_of(model),
               "Server '{1}' with capability '{0}' is in namespace '{2}', but a Model is loaded "
               "only on Servers of its own namespace: the Model stays at ScheduleFailed unless "
               "'{3}' has such a Server too",
               tag, candidate->server->name, candidate->server->ns.name, model.ns.name)
          .note(namespace_of(*candidate->server), "the Server is here")
          .help("write 'namespace: {}' here, or move the Server to '{}'",
                candidate->server->ns.name, model.ns.name);
      return;
    }
  }

  /// The first Server by name for the same cluster as the Model that has all required capabilities.
  const Candidate* match(const std::vector<std::size_t>& candidates,
                         const std::vector<seldon::RequiredTag>& needs, const Object& model) const {
    constexpr std::size_t kMaxServers = 100;
    const Candidate* best = nullptr;
    for (std::size_t i = 0; i < std::min(candidates.size(), kMaxServers); ++i) {
      const Candidate& candidate = servers_[candidates[i]];
      const bool has_all = std::ranges::all_of(
          needs, [&](const auto& need) { return candidate.capabilities.contains(need.tag); });
      const bool is_match = has_all && (is_for_cluster_of(*candidate.server, model) ||
                                        is_for_cluster_of(model, *candidate.server));
      const auto place = [](const Candidate& c) {
        return std::pair(c.server->name, c.server->ns.name);
      };
      if (is_match && (best == nullptr || place(candidate) < place(*best))) best = &candidate;
    }
    return best;
  }

  const ClusterScope& scope_;
  Findings& findings_;
  std::set<std::string_view> with_server_;  ///< namespaces
  std::set<std::string_view> with_runtime_;
  std::map<std::string_view, std::set<std::string_view>> runtimes_;  ///< namespaces by directory
  std::vector<Candidate> servers_;
  std::map<std::string_view, std::vector<std::size_t>>
      offering_;  ///< by capabilities that Seldon's own Servers do not have
  std::set<const Object*> reported_;
};

}  // namespace

static void check(const ClusterScope& scope, Findings& findings) {
  NamespaceCheck(scope, findings).check();
}

extern constinit const Rule rule = {
    .id = "seldon-wrong-namespace",
    .severity = Severity::warning,
    .depends_on_workspace = true,
    .check = check,
};

}  // namespace cnsched::rules::seldon_wrong_namespace
