// No manifest names the operator's namespace, and each namespace has Servers and a scheduler of its
// own. So there has to be evidence in the run, and near: a repository may hold several clusters.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/k8s/label.h"
#include "core/seldon/model.h"
#include "core/seldon/offer.h"
#include "core/seldon/shipped.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workspace& run, Report& report);

extern constinit const Rule seldon_seldon_wrong_namespace = {
    .id = "seldon-wrong-namespace",
    .severity = Severity::warning,
    .depends_on_run = true,
    .summary = "a Seldon object in a namespace where nothing looks for it",
    .why =
        "The object is there, and nothing finds it. The operator reads every ServerConfig and "
        "SeldonConfig from the namespace that it runs in itself, seldon-mesh unless it was "
        "installed elsewhere, and not from that of the Server, whose condition otherwise reads "
        "'failed to get ServerConfig'. A Model is placed on Servers of its own namespace only "
        "('Failed to schedule model as no matching servers are available'). A Server needs the "
        "SeldonRuntime of its namespace, which brings the scheduler and the ServiceAccount of its "
        "pods.\n\n"
        "It is reported only where the manifests show it: an operator's Deployment, ServerConfigs "
        "in several namespaces for Servers of one, Models whose own tags are offered only "
        "elsewhere, and, as info, SeldonRuntimes only of other namespaces.",
    .bad = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: Server
metadata: {name: llm, namespace: seldon-mesh}
spec:
  serverConfig: mlserver
  capabilities: [llm]
---
apiVersion: mlops.seldon.io/v1alpha1
kind: Model
metadata: {name: chat, namespace: models}
spec:
  storageUri: gs://models/chat
  memory: 512Mi
  requirements: [llm]
)",
    .good = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: Server
metadata: {name: llm, namespace: models}
spec:
  serverConfig: mlserver
  capabilities: [llm]
---
apiVersion: mlops.seldon.io/v1alpha1
kind: Model
metadata: {name: chat, namespace: models}
spec:
  storageUri: gs://models/chat
  memory: 512Mi
  requirements: [llm]
)",
    .source =
        "https://github.com/SeldonIO/seldon-core/blob/v2/operator/apis/mlops/v1alpha1/"
        "serverconfig_types.go",
    .check = check,
};

using k8s::Object;
using yaml::Node;

static constexpr std::string_view kSeldon = "mlops.seldon.io";
static constexpr std::string_view kOperator = "seldon-v2-controller-manager";
static constexpr std::string_view kUsualNamespace = "seldon-mesh";

/// Where the namespace is written.
static const Node& namespace_of(const Object& object) { return object["metadata"]["namespace"]; }

static bool has_namespace(const Object& object) {
  return !object.ns.empty() && !k8s::is_placeholder(object.ns);
}

static bool is_config(const Object& object) {
  return object.is(kSeldon, "ServerConfig") || object.is(kSeldon, "SeldonConfig");
}

namespace {

class Namespaces {
 public:
  Namespaces(const Workspace& run, Report& report) : run_(run), report_(report) {
    for (const Object& object : run.objects()) {
      if (object.is(kSeldon, "Server")) with_server_.insert(object.ns);
      if (!object.is(kSeldon, "SeldonRuntime")) continue;
      with_runtime_.insert(object.ns);
      runtimes_[directory_of(object)].insert(object.ns);
    }
    for (const Workload& workload : run.workloads()) {
      if (workload.object->is(kSeldon, "Server")) add_offer(workload);
    }
  }

  void check() {
    for (const Object& object : run_.objects()) {
      if (object.group() != kSeldon || !run_.is_linted(object) || !has_namespace(object)) continue;
      report_.set_subject(&object);
      if (is_config(object)) check_operator(object);
      if (object.kind == "Server") check_runtime(object);
      if (object.kind == "Model") check_model(object);
    }
    check_spread_configs();
  }

 private:
  /// A fact of the cluster holds for every directory.
  std::string_view directory_of(const Object& object) const {
    if (!run_.is_linted(object)) return {};
    const std::string_view path = run_.file_of(object.root->span).path();
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash + 1);
  }

  /// Objects without a namespace may end up in any.
  static bool may_hold(const std::set<std::string_view>& namespaces, std::string_view ns) {
    return namespaces.contains(ns) || namespaces.contains("");
  }

  /// Whether `other` is meant for the same cluster: it is a fact of it, or lies in the directory of
  /// `object` or above.
  bool is_near(const Object& other, const Object& object) const {
    return directory_of(object).starts_with(directory_of(other));
  }

  // ServerConfigs and SeldonConfigs.

  void check_operator(const Object& config) {
    const Object* manager = run_.index().find("apps", "Deployment", "", kOperator, config);
    if (manager == nullptr || !has_namespace(*manager) || manager->ns == config.ns) return;
    // A copy does no harm.
    if (run_.index().holds(kSeldon, config.kind, manager->ns, config.name)) return;
    if (!is_near(*manager, config)) return;
    told_.insert(&config);
    report_
        .add(namespace_of(config),
             "nothing reads {} '{}' in namespace '{}': Seldon's operator looks for it in its own, "
             "'{}'",
             config.kind, config.name, config.ns, manager->ns)
        .note(namespace_of(*manager), "the operator runs here")
        .help("write 'namespace: {}'", manager->ns);
  }

  /// Those that Servers of one namespace name, so that one operator has to find them all.
  void check_spread_configs() {
    using ByName = std::map<std::string_view, const Object*>;
    std::map<std::pair<std::string_view, std::string_view>, std::map<std::string_view, ByName>> all;
    for (const Workload& workload : run_.workloads()) {
      const Object& user = *workload.object;
      if (user.group() != kSeldon || !has_namespace(user) || workload.fragment) continue;
      for (const k8s::Base& base : workload.bases) {
        const Object& config = *base.object;
        if (!is_config(config) || !has_namespace(config)) continue;
        all[{directory_of(user), user.ns}][config.ns].emplace(config.name, &config);
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
      // Beside the Servers is where people put them by mistake.
      expected = spread.begin();
      if (expected->first == users) ++expected;
    }
    const Object& other = *expected->second.begin()->second;
    for (const auto& [ns, configs] : spread) {
      if (ns == expected->first) continue;
      for (const auto& [name, config] : configs) {
        if (run_.is_linted(*config) && told_.insert(config).second) {
          report_apart(*config, users, other);
        }
      }
    }
  }

  void report_apart(const Object& config, std::string_view users, const Object& other) {
    report_.set_subject(&config);
    report_
        .add(namespace_of(config),
             "Servers of namespace '{}' use {} '{}' of '{}' and {} '{}' of '{}', but Seldon's "
             "operator reads them from one namespace only, its own",
             users, config.kind, config.name, config.ns, other.kind, other.name, other.ns)
        .note(namespace_of(other), "the other one is here")
        .help("put both into the operator's namespace, '{}' unless it is installed elsewhere",
              kUsualNamespace);
  }

  // Servers.

  void check_runtime(const Object& server) {
    if (may_hold(with_runtime_, server.ns)) return;
    const std::string_view here = directory_of(server);
    for (const auto& [directory, namespaces] : runtimes_) {
      if (!here.starts_with(directory)) continue;
      report_
          .add(namespace_of(server),
               "there is a SeldonRuntime in namespace '{}', but none in '{}': without one this "
               "Server has no scheduler, and no pods, which need its ServiceAccount "
               "'seldon-server'",
               *namespaces.begin(), server.ns)
          .severity(Severity::info)  // it may come from a chart
          .help("add a SeldonRuntime in namespace '{}', or move the Server to '{}'", server.ns,
                *namespaces.begin());
      return;
    }
  }

  // Models.

  struct Offer {
    const Object* server;
    seldon::Capabilities capabilities;
  };

  /// What a Server of the run is capable of, found by those tags that Seldon's own ones do not
  /// have.
  void add_offer(const Workload& workload) {
    const Object& server = *workload.object;
    if (!has_namespace(server)) return;
    auto capabilities = seldon::offer_of(server, workload, run_.index()).capabilities;
    if (!capabilities) return;
    const std::set<std::string_view> tags(capabilities->tags.begin(), capabilities->tags.end());
    for (const std::string_view tag : tags) {
      if (!tag.empty() && !seldon::is_shipped_capability(tag)) {
        offering_[tag].push_back(offers_.size());
      }
    }
    offers_.push_back({&server, *std::move(capabilities)});
  }

  void check_model(const Object& model) {
    const Node& spec = model.spec();
    if (spec["server"].is_scalar() || may_hold(with_server_, model.ns)) return;
    const std::vector<seldon::RequiredTag> needs = seldon::required_tags(spec);
    for (const auto& [tag, node, from] : needs) {
      const auto found = offering_.find(tag);
      if (found == offering_.end()) continue;
      const Offer* offer = match(found->second, needs, model);
      if (offer == nullptr) continue;
      report_
          .add(namespace_of(model),
               "'{}' is offered by Server '{}' in '{}', and a Model sees only Servers of its own "
               "namespace: unless '{}' has one too, the Model stays at ScheduleFailed",
               tag, offer->server->name, offer->server->ns, model.ns)
          .note(namespace_of(*offer->server), "the Server is here")
          .help("write 'namespace: {}' here, or move the Server to '{}'", offer->server->ns,
                model.ns);
      return;
    }
  }

  /// A Server near the Model that offers all it needs; the first by name.
  const Offer* match(const std::vector<std::size_t>& candidates,
                     const std::vector<seldon::RequiredTag>& needs, const Object& model) const {
    constexpr std::size_t kMost = 100;
    const Offer* best = nullptr;
    for (std::size_t i = 0; i < std::min(candidates.size(), kMost); ++i) {
      const Offer& offer = offers_[candidates[i]];
      const bool offers_all = std::ranges::all_of(
          needs, [&](const auto& need) { return offer.capabilities.hold(need.tag); });
      const bool is_match =
          offers_all && (is_near(*offer.server, model) || is_near(model, *offer.server));
      const auto place = [](const Offer& o) { return std::pair(o.server->name, o.server->ns); };
      if (is_match && (best == nullptr || place(offer) < place(*best))) best = &offer;
    }
    return best;
  }

  const Workspace& run_;
  Report& report_;
  std::set<std::string_view> with_server_;  ///< namespaces
  std::set<std::string_view> with_runtime_;
  std::map<std::string_view, std::set<std::string_view>> runtimes_;  ///< namespaces by directory
  std::vector<Offer> offers_;
  std::map<std::string_view, std::vector<std::size_t>> offering_;  ///< by tags of people's own
  std::set<const Object*> told_;
};

}  // namespace

static void check(const Workspace& run, Report& report) { Namespaces(run, report).check(); }

}  // namespace cnsched::rules
