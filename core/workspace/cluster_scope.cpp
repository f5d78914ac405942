#include "core/workspace/cluster_scope.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/facts/stated_release.h"
#include "core/k8s/scope.h"
#include "core/k8s/workloads.h"
#include "core/kserve/fields.h"
#include "core/kserve/hardware_profile.h"
#include "core/kserve/pods.h"
#include "core/kserve/runtime.h"
#include "core/kserve/validation.h"
#include "core/seldon/pods.h"
#include "core/source/path.h"
#include "core/workspace/admission.h"
#include "core/workspace/workload.h"

namespace cnsched {

namespace {

/// Notes that a pod made of patches, or built on one, may have further fields.
void add_unknown_of_patches(const Workspace& workspace, Workload& workload) {
  std::vector<const k8s::Object*> parts = {workload.object};
  for (const k8s::Base& base : workload.bases) {
    if (std::ranges::find(parts, base.object) == parts.end()) parts.push_back(base.object);
  }
  for (const k8s::Object* part : parts) {
    if (!workspace.is_patch(*part)) continue;
    workload.unknown.push_back(
        {fmt::format("the object that the patch of {} '{}' applies to", part->kind, part->name),
         k8s::Unknown::Kind::named, k8s::Unknown::Fact::patched_object});
  }
}

bool is_of_open_data_hub(const Workload& workload) {
  return kserve::is_of_open_data_hub(*workload.object) ||
         std::ranges::any_of(workload.bases, [](const k8s::Base& base) {
           return kserve::is_of_open_data_hub(*base.object);
         });
}

/// Why KServe's webhook rejects the object, if it does.
std::optional<k8s::NeverCreated> rejection_by_kserve(const k8s::Object& object,
                                                     const kserve::ControllerContext& context,
                                                     bool webhooks_run) {
  auto rejections = kserve::rejections(object, context, webhooks_run);
  std::erase_if(rejections, [](const kserve::Rejection& rejection) {
    return rejection.stage == kserve::Rejection::Stage::controller && rejection.is_doubtful;
  });
  if (rejections.empty()) return std::nullopt;
  const kserve::Rejection& first = rejections.front();
  return k8s::NeverCreated{kserve::message_of(first), k8s::NeverCreated::By::object_webhook,
                           first.where, first.is_doubtful};
}

void add_rejection(const std::optional<k8s::NeverCreated>& rejection, Workload& workload) {
  if (!rejection || is_patch(workload, *workload.scope)) return;
  if (workload.never_created) {
    // KServe could not build the pod either.
    workload.never_created->reason = rejection->reason;
    workload.never_created->is_doubtful = rejection->is_doubtful;
  } else {
    workload.never_created = rejection;
  }
}

void add_template_problem(Workload& workload) {
  // Knative creates a Revision, whose Deployment then fails: the template exists.
  if (workload.never_created || workload.mode.mode == kserve::DeploymentMode::knative) return;
  const auto problems = template_problems(workload);
  if (problems.empty()) return;
  workload.never_created = k8s::NeverCreated{
      fmt::format("the API server rejects the pod{}: {}",
                  problems.front().only_in_pod ? "" : " template", problems.front().what),
      k8s::NeverCreated::By::api_server};
}

/// The API server creates the object, and rejects its pods.
void add_admission(const facts::ClusterFacts& facts, Workload& workload) {
  if (workload.never_created) return;
  const std::string rejection = runtime_class_conflict(workload.pod, facts.runtime_classes);
  if (rejection.empty()) return;
  workload.never_created = k8s::NeverCreated{"the API server rejects the pod: " + rejection,
                                             k8s::NeverCreated::By::api_server};
}

/// Whether Knative's webhook accepts the Knative Service that the pod becomes, or would become.
void add_knative_verdict(const facts::ClusterFacts& facts, Workload& workload) {
  using Kind = k8s::Unknown::Kind;
  // KServe creates no workers in this mode.
  if (!workload.may_be_serverless() || workload.component.ends_with("worker")) return;
  workload.unaccepted_by_knative = kserve::unaccepted_fields(
      workload.created.node(), facts.knative_features, is_of_open_data_hub(workload));
  if (workload.never_created) return;
  for (const auto& [gated, verdict] : workload.unaccepted_by_knative) {
    const std::string_view flag = gated.flag->key;
    const std::string_view state =
        verdict.state == kserve::FlagState::allowed ? "only allowed" : "off";
    k8s::Unknown unknown{fmt::format("whether Knative accepts '{}' (flag '{}')", gated.field, flag),
                         Kind::creation, k8s::Unknown::Fact::knative_features};
    if (verdict.accepts == Truth::no) {
      if (workload.mode.mode == kserve::DeploymentMode::knative) {
        workload.never_created = k8s::NeverCreated{
            fmt::format("Knative rejects '{}' when KServe creates the Knative Service: its flag "
                        "'{}' is {}",
                        gated.field, flag, state),
            k8s::NeverCreated::By::knative_webhook};
        return;
      }
      unknown.fact = k8s::Unknown::Fact::deployment_mode;
      unknown.what = fmt::format("the deployment mode (Knative rejects '{}': its flag '{}' is {})",
                                 gated.field, flag, state);
    }
    if (std::ranges::find(workload.unknown, unknown) == workload.unknown.end()) {
      workload.unknown.push_back(std::move(unknown));
    }
  }
}

/// Whether one --cluster file has runtimes of both kinds: it then lists the cluster's.
bool contains_all_runtimes(const std::vector<const k8s::Object*>& facts,
                           const Workspace& workspace) {
  std::map<FileId, std::set<std::string_view>> kinds;
  for (const k8s::Object* object : facts) {
    if (workspace.is_fact(*object) && kserve::is_runtime(*object)) {
      kinds[object->root->span.file].insert(object->kind);
    }
  }
  return std::ranges::any_of(kinds, [](const auto& of_file) { return of_file.second.size() == 2; });
}

bool is_local_queue(const k8s::Object& object) { return object.is("kueue.x-k8s.io", "LocalQueue"); }

/// The namespaces of which a --cluster file has such an object: it then lists all of them.
std::set<std::string_view> listed_namespaces(const std::vector<const k8s::Object*>& facts,
                                             const Workspace& workspace,
                                             bool (*is_such)(const k8s::Object&)) {
  std::set<std::string_view> namespaces;
  for (const k8s::Object* object : facts) {
    if (workspace.is_fact(*object) && is_such(*object) && object->ns.is_known()) {
      namespaces.insert(object->ns.name);
    }
  }
  return namespaces;
}

void add_unread_types(const std::vector<const k8s::Object*>& facts, const Workspace& workspace,
                      facts::ClusterFacts& known) {
  std::set<FileId> files;
  for (const k8s::Object* object : facts) {
    if (workspace.is_fact(*object)) files.insert(object->root->span.file);
  }
  for (const FileId file : files) {
    for (const std::string_view type : k8s::unread_types(workspace.sources[file]->bytes())) {
      known.unread_types.emplace(type);
    }
  }
}

}  // namespace

void ClusterScope::index_objects(std::size_t jobs) {
  for (const k8s::Object& object : objects()) {
    index_.add(object, file_of(object.root->span).path());
  }
  index_.sort(jobs);
  facts_[nullptr] = facts_by(nullptr);
  for (const k8s::Object& object : objects()) {
    const facts::ClusterConfig* config = workspace_.config_of(object.root->span.file);
    if (!facts_.contains(config)) facts_[config] = facts_by(config);
  }
}

facts::ClusterFacts ClusterScope::facts_by(const facts::ClusterConfig* config) const {
  const auto unconfigured = facts_.find(nullptr);
  const bool is_known = unconfigured != facts_.end() && !workspace_.has_facts_of_configs();
  facts::ClusterFacts facts = is_known ? unconfigured->second : facts_in_files(config);
  if (config != nullptr) facts = with_config(std::move(facts), *config);
  return with_releases(std::move(facts), config);
}

/// What the files show whose facts apply to the manifests of the configuration.
facts::ClusterFacts ClusterScope::facts_in_files(const facts::ClusterConfig* config) const {
  std::vector<const k8s::Object*> facts;
  for (const k8s::Object& object : objects()) {
    const bool counts = workspace_.gives_facts(object.root->span.file, config) &&
                        !content_.overridden.contains(&object);
    if (counts) facts.push_back(&object);
  }
  facts::ClusterFacts known = facts::facts_in(facts);
  add_unread_types(facts, workspace_, known);
  add_found_releases(facts, config, known);
  for (kserve::FeatureMap& map : known.knative_features) {
    const k8s::Object* object = object_around(map.place->span);
    map.is_patch = object != nullptr && is_patch(*object);
  }
  known.runtimes_complete = contains_all_runtimes(facts, workspace_);
  known.namespaces_with_profiles =
      listed_namespaces(facts, workspace_, kserve::is_hardware_profile);
  known.namespaces_with_queues = listed_namespaces(facts, workspace_, is_local_queue);
  return known;
}

facts::ClusterFacts ClusterScope::with_releases(facts::ClusterFacts facts,
                                                const facts::ClusterConfig* config) const {
  std::map<Project, facts::StatedRelease> stated;
  for (const Project project : k8s::schema::kProjects) {
    const auto& by_user = workspace_.stated_releases(project, config);
    const auto& all = by_user.empty() ? facts.found_releases.of(project) : by_user;
    if (all.empty()) continue;
    const auto& chosen = content_.releases.of(project);
    const auto found =
        chosen ? std::ranges::find(all, *chosen, &facts::StatedRelease::version) : all.end();
    stated[project] = found == all.end() ? all.front() : *found;
  }
  facts.set_releases(std::move(stated));
  // All rules together take some seconds at most, however hostile they are.
  constexpr std::uint64_t kAllSteps = 50'000'000;
  constexpr std::uint64_t kLeast = 2'000;
  constexpr std::uint64_t kMost = 1'000'000;
  facts.schemas.limit_rule_steps(
      std::clamp(kAllSteps / std::max<std::uint64_t>(objects().size(), 1), kLeast, kMost));
  add_definitions(config, facts);
  return facts;
}

ClusterScope::Merged ClusterScope::add_workloads(std::size_t limit,
                                                 std::span<const ClusterScope* const> earlier) {
  constexpr std::size_t kBatch = 16;  // objects that one thread takes at a time
  struct Share {
    std::vector<Workload> workloads{};
    std::vector<std::size_t> counts{};  ///< of the workloads of each object
    std::vector<std::size_t> used{};    ///< bytes that were merged for each object
    std::vector<std::optional<Build>> builds{};
  };
  std::vector<Share> shares((objects().size() + kBatch - 1) / kBatch);
  arenas_.resize(shares.size());
  const auto fill = [&](std::size_t i) {
    Share& share = shares[i];
    arenas_[i] = std::make_shared<Arena>();
    Arena& arena = *arenas_[i];
    const std::size_t end = std::min(content_.objects.size(), (i + 1) * kBatch);
    for (std::size_t at = i * kBatch; at < end && arena.used() <= limit; ++at) {
      const k8s::Object& object = content_.objects[at];
      const std::size_t used_before = arena.used();
      Built built = workloads_of_earlier(object, earlier);
      if (built.workloads.empty()) built = workloads_built(object, arena);
      share.counts.push_back(built.workloads.size());
      share.used.push_back(arena.used() - used_before);
      share.builds.push_back(std::move(built.build));
      std::ranges::move(built.workloads, std::back_inserter(share.workloads));
      progress().count();
    }
    return arena.used();
  };
  std::size_t used = 0;
  std::size_t taken = 0;
  const auto take = [&](std::size_t i) {
    Share& share = shares[i];
    std::span<Workload> workloads = share.workloads;
    for (std::size_t k = 0; k < share.counts.size() && used <= limit; ++k) {
      const k8s::Object& object = objects()[taken++];
      keep_workloads(object, workloads.first(share.counts[k]));
      if (auto& build = share.builds[k]) builds_.emplace(&object, std::move(*build));
      workloads = workloads.subspan(share.counts[k]);
      used += share.used[k];
    }
    share = {};
  };
  parallel_shares(shares.size(), workspace_.jobs(), limit, fill, take);
  return {used, taken < objects().size() ? &objects()[taken].get() : nullptr};
}

void ClusterScope::keep_workloads(const k8s::Object& object, std::span<Workload> workloads) {
  if (workloads.empty()) return;
  workloads_of_[&object] = {workload_list_.size(), workloads.size()};
  for (Workload& workload : workloads) {
    workloads_.push_back(std::move(workload));
    workload_list_.push_back(&workloads_.back());
    for (const k8s::Base& base : workloads_.back().bases) {
      if (base.object != &object) built_on_.insert(base.object);
    }
  }
}

ClusterScope::Built ClusterScope::workloads_built(const k8s::Object& object, Arena& arena) const {
  const facts::ClusterFacts& known = facts(object);
  const bool kserve_group = kserve::is_kserve_group(object.group());
  kserve::ModeOf mode{kserve::DeploymentMode::standard, nullptr};
  if (kserve_group && (object.kind == "InferenceService" || object.kind == "InferenceGraph")) {
    mode = kserve::deployment_mode_of(object, known.default_mode, known.releases().kserve);
  }
  // Only scopes after this one ask how it has built its pods.
  const bool is_recorded = workspace_.scopes().size() > 1;
  k8s::RecordedIndex recorded(index_);
  const k8s::ObjectIndex& index =
      is_recorded ? static_cast<const k8s::ObjectIndex&>(recorded) : index_;
  const kserve::ControllerContext context = controller_context(object, index, arena);
  const auto rejection = rejection_by_kserve(object, context, known.kserve_webhooks != false);
  Built built;
  std::vector<Workload>& workloads = built.workloads;
  const auto add = [&](std::vector<k8s::PodTemplate> pods) {
    for (k8s::PodTemplate& pod : pods) {
      // A patch may lack what the webhook requires.
      if (is_patch(object) && pod.is_rejected()) pod.never_created.reset();
      workloads.push_back({{std::move(pod)}, this, &object, nullptr, mode});
      add_unknown_of_patches(workspace_, workloads.back());
      add_rejection(rejection, workloads.back());
      add_template_problem(workloads.back());
      add_knative_verdict(known, workloads.back());
      add_admission(known, workloads.back());
    }
  };
  add(k8s::pod_templates(object));
  add(kserve::pod_templates(object, context));
  add(seldon::pod_templates(object, index, known.seldon_config, arena));
  if (is_recorded && !workloads.empty()) {
    built.build = {.lookups = recorded.take_record(), .depends_on_scope = rejection.has_value()};
  }
  return built;
}

bool ClusterScope::builds_like(const ClusterScope& other, const k8s::Object& object) const {
  const auto found = builds_.find(&object);
  if (found == builds_.end() || found->second.depends_on_scope) return false;
  const facts::ClusterFacts& a = facts(object);
  const facts::ClusterFacts& b = other.facts(object);
  const bool as_by_kserve =
      a.releases().kserve == b.releases().kserve && a.default_mode == b.default_mode &&
      a.kserve_config == b.kserve_config && a.open_data_hub == b.open_data_hub &&
      a.namespaces_with_profiles == b.namespaces_with_profiles &&
      a.kserve_webhooks == b.kserve_webhooks && a.knative_features == b.knative_features;
  const bool is_alike =
      kserve::is_kserve_group(object.group()) ? as_by_kserve : a.seldon_config == b.seldon_config;
  return is_alike && a.runtime_classes == b.runtime_classes &&
         std::ranges::all_of(found->second.lookups,
                             [&](const auto& has_answer) { return has_answer(other.index_); });
}

ClusterScope::Built ClusterScope::workloads_of_earlier(
    const k8s::Object& object, std::span<const ClusterScope* const> earlier) const {
  const auto like = std::ranges::find_if(
      earlier, [&](const ClusterScope* scope) { return scope->builds_like(*this, object); });
  Built built;
  if (like == earlier.end()) return built;
  for (const Workload* workload : (*like)->workloads_of(object)) {
    Workload& copy = built.workloads.emplace_back(*workload);
    copy.scope = this;
    copy.like = workload;
  }
  return built;
}

kserve::ControllerContext ClusterScope::controller_context(const k8s::Object& object,
                                                           Arena& arena) const {
  return controller_context(object, index_, arena);
}

kserve::ControllerContext ClusterScope::controller_context(const k8s::Object& object,
                                                           const k8s::ObjectIndex& index,
                                                           Arena& arena) const {
  const facts::ClusterFacts& known = facts(object);
  return {index,
          known.releases().kserve,
          known.default_mode,
          known.kserve_config,
          arena,
          known.open_data_hub,
          &known.namespaces_with_profiles};
}

std::span<const Workload* const> ClusterScope::workloads_of(const k8s::Object& object) const {
  const auto found = workloads_of_.find(&object);
  if (found == workloads_of_.end()) return {};
  return std::span(workload_list_).subspan(found->second.first, found->second.count);
}

const facts::ClusterFacts& ClusterScope::facts(const k8s::Object& object) const {
  return facts_.at(workspace_.config_of(object.root->span.file));
}

/// Only files of facts describe one cluster for sure.
void ClusterScope::add_found_releases(const std::vector<const k8s::Object*>& objects,
                                      const facts::ClusterConfig* config,
                                      facts::ClusterFacts& facts) const {
  std::vector<const k8s::Object*> dumped;
  std::ranges::copy_if(objects, std::back_inserter(dumped),
                       [&](const k8s::Object* object) { return workspace_.is_fact(*object); });
  std::vector<const yaml::Node*> servers;
  std::ranges::copy_if(workspace_.server_versions(), std::back_inserter(servers),
                       [&](const yaml::Node* version) {
                         const FileId file = version->span.file;
                         return workspace_.is_fact(file) && workspace_.gives_facts(file, config);
                       });
  const facts::FoundReleases found = facts::releases_in(dumped, servers);
  facts.found_releases = found.stated;
  facts.knative = found.knative;
}

/// Of several definitions of a version, one in a file of facts decides, or the only one in other
/// files: which of those the cluster has is not known.
void ClusterScope::add_definitions(const facts::ClusterConfig* config,
                                   facts::ClusterFacts& facts) const {
  std::map<std::pair<std::string_view, std::string_view>, std::vector<const PlacedDefinition*>>
      known;
  for (const PlacedDefinition* each : content_.definitions) {
    if (!workspace_.gives_facts(each->file, config)) continue;
    known[{each->definition.api_version, each->definition.kind}].push_back(each);
  }
  for (const auto& [kind, definitions] : known) {
    const auto fact = std::ranges::find_if(
        definitions, [&](const PlacedDefinition* each) { return workspace_.is_fact(each->file); });
    const bool is_sure = fact != definitions.end() || definitions.size() == 1;
    const auto served = std::ranges::find_if(
        definitions, [](const PlacedDefinition* each) { return each->definition.served; });
    const PlacedDefinition& chosen = fact != definitions.end()     ? **fact
                                     : served != definitions.end() ? **served
                                                                   : *definitions.front();
    facts.schemas.define(chosen.definition, is_sure);
  }
}

std::string ClusterScope::why_of_cluster(FileId file, FileId fact) const {
  if (content_.guess == nullptr || file == fact) return {};
  const auto& [paths, used_elsewhere, divided] = *content_.guess;
  if (paths[file].empty() || paths[fact].empty()) return {};
  const auto is_used = [&](FileId each) { return used_elsewhere.contains(each); };
  const auto is_inside = [&](FileId each) {
    return name() == "." || !path_below(content_.name, paths[each]).empty();
  };
  if (!is_used(fact) && !is_inside(fact)) return {};
  std::string why = name() == "." ? "both files are in no other cluster's directory"
                                  : "both files are in that directory";
  if (is_used(file) || is_used(fact)) {
    why =
        fmt::format("a kustomization there uses {}",
                    is_used(file) && is_used(fact) ? "both files"
                                                   : printable(paths[is_used(file) ? file : fact]));
  } else if (!is_inside(file)) {
    why = fmt::format("{} is in no cluster's directory", printable(paths[file]));
  }
  return fmt::format("cluster '{}' is guessed: {}", printable(name()), why);
}

std::vector<const Workload*> all_workloads(const Workspace& workspace) {
  std::vector<const Workload*> all;
  for (const ClusterScope& scope : workspace.scopes()) {
    for (const Workload& workload : scope.workloads()) all.push_back(&workload);
  }
  return all;
}

std::string_view cluster_name(const Workload& workload) {
  const ClusterScope& scope = *workload.scope;
  return scope.workspace().scopes().size() > 1 ? scope.name() : std::string_view();
}

std::string_view variant_name(const Workload& workload) {
  const ClusterScope& scope = *workload.scope;
  return scope.workspace().scopes().size() > 1 ? scope.variant() : std::string_view();
}

std::string describe_releases(const ClusterScope& scope) {
  std::vector<std::string> parts;
  for (const Project project : k8s::schema::kProjects) {
    const auto& release = scope.chosen_releases().of(project);
    if (release) parts.push_back(k8s::schema::describe(project, *release));
  }
  return fmt::format("{}", fmt::join(parts, " with "));
}

std::string describe_scope(const ClusterScope& scope) {
  if (scope.workspace().scopes().size() < 2) return {};
  std::vector<std::string> parts;
  if (!scope.name().empty()) parts.push_back(fmt::format("cluster '{}'", printable(scope.name())));
  if (!scope.variant().empty()) {
    parts.push_back(fmt::format("variant '{}'", printable(scope.variant())));
  }
  if (std::string releases = describe_releases(scope); !releases.empty()) {
    parts.push_back(std::move(releases));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace cnsched
