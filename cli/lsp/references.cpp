#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

#include "cli/lsp/requests.h"
#include "cli/lsp/session.h"
#include "core/base/text.h"
#include "core/kserve/hardware_profile.h"
#include "core/kserve/runtime.h"

namespace cnsched::cli::lsp {

namespace {

using k8s::Object;
using yaml::Node;

constexpr std::string_view kTable =
#include "cli/lsp/references.table"
    ;

/// A field that names objects.
struct ReferringField {
  std::string_view group;
  std::string_view kind;  ///< "pod": of each pod spec
  std::string_view path;
  std::span<const NamedKind> kinds;
  bool is_uri = false;  ///< pvc://NAME/...
};

/// references.table.
class ReferenceTable {
 public:
  ReferenceTable() {
    for (const std::string_view line : rows_of(kTable)) {
      const auto words = split(line, ' ');
      if (words[1] == "=") {
        for (const std::string_view word : std::span(words).subspan(2)) {
          const auto [group, kind] = group_and_kind(word.substr(0, word.find('*')));
          kinds_[words[0]].push_back({group, kind, !word.ends_with('*')});
        }
      } else {
        const auto [group, kind] = group_and_kind(words[0]);
        fields_.push_back({group, kind, words[1], kinds_.at(words[2]), words.size() > 3});
      }
    }
  }

  std::span<const NamedKind> kinds(std::string_view name) const { return kinds_.at(name); }
  const std::vector<ReferringField>& fields() const { return fields_; }

 private:
  static std::pair<std::string_view, std::string_view> group_and_kind(std::string_view word) {
    const std::size_t slash = word.find('/');
    if (slash == std::string_view::npos) return {"", word};
    return {word.substr(0, slash), word.substr(slash + 1)};
  }

  std::map<std::string_view, std::vector<NamedKind>> kinds_;
  std::vector<ReferringField> fields_;
};

const ReferenceTable& table() {
  static const ReferenceTable kRead;
  return kRead;
}

/// Calls `visit` with each value at the end of the path.
template <typename Visit>
void each_at(const Node& node, std::string_view path, const Visit& visit) {
  if (path.empty()) return visit(node);
  const std::size_t slash = path.find('/');
  const std::string_view step = path.substr(0, slash);
  const std::string_view rest =
      slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  if (step != "*") {
    if (const Node& next = node.under(step)) each_at(next, rest, visit);
    return;
  }
  for (const Node* item : node.items()) each_at(*item, rest, visit);
  for (const yaml::Entry& entry : node.entries()) {
    if (!entry.overridden) each_at(*entry.value, rest, visit);
  }
}

/// "models" of "pvc://models/llama"; empty for other URIs.
std::string_view claim_in(std::string_view uri) {
  constexpr std::string_view kClaimScheme = "pvc://";
  if (!uri.starts_with(kClaimScheme)) return {};
  uri.remove_prefix(kClaimScheme.size());
  return uri.substr(0, uri.find('/'));
}

/// Whether the object may be the one of that name; which of them the cluster has is not known.
bool is_candidate(const Object& object, const NamedKind& of, const k8s::Objects::Of& ns,
                  std::string_view name) {
  return object.name == name && (!ns || object.ns.may_be(*ns)) && object.is(of.group, of.kind);
}

std::vector<const Object*> objects_of_name(const NamedKind& of, const k8s::Objects::Of& ns,
                                           std::string_view name, const ClusterScope& scope,
                                           std::size_t max) {
  std::vector<const Object*> objects;
  for (const Object& each : scope.objects()) {
    if (objects.size() == max) break;
    if (is_candidate(each, of, ns, name)) objects.push_back(&each);
  }
  return objects;
}

class Collector {
 public:
  Collector(const Object& object, const ClusterScope& scope) : object_(object), scope_(scope) {}

  std::vector<Reference> result() && {
    for (const ReferringField& field : table().fields()) {
      if (object_.kind == field.kind && object_.group() == field.group) add(*object_.root, field);
    }
    add_by_metadata();
    for (const Workload* workload : scope_.workloads_of(object_)) {
      for (const ReferringField& field : table().fields()) {
        if (field.kind == "pod") add(workload->own.node(), field);
      }
      add((*workload->labels).under(kserve::kQueueLabel), table().kinds("local-queues"),
          object_.ns);
      add_choice(*workload);
    }
    return std::move(found_);
  }

 private:
  /// A value that a controller or another object sets is not a field of this object. Several pods
  /// may have the same field.
  bool is_new(const Node& node) {
    const Span root = object_.root->span;
    const Span span = node.span;
    return node.is_scalar() && !node.made && span.file == root.file && span.begin >= root.begin &&
           span.end <= root.end && seen_.insert(span.begin).second;
  }

  void add(const Node& root, const ReferringField& field) {
    const bool is_of_pipelines =
        object_.kind == "Experiment" && object_.spec()["resourceType"].text() == "pipeline";
    each_at(root, field.path, [&](const Node& node) {
      const std::string_view name = field.is_uri ? claim_in(node.text()) : node.text();
      add(node, is_of_pipelines ? table().kinds("pipelines") : field.kinds, object_.ns, name);
    });
  }

  void add(const Node& node, std::span<const NamedKind> kinds, const k8s::Namespace& ns) {
    add(node, kinds, ns, node.text());
  }
  void add(const Node& node, std::span<const NamedKind> kinds, const k8s::Namespace& ns,
           std::string_view name) {
    if (name.empty() || !is_new(node)) return;
    found_.push_back({.object = &object_, .field = &node, .name = name, .ns = ns, .kinds = kinds});
  }

  void add_by_metadata() {
    add(object_.labels().under(kserve::kQueueLabel), table().kinds("local-queues"), object_.ns);
    if (kserve::is_hardware_profile(object_)) {
      add(*kserve::read_profile(object_).queue, table().kinds("local-queues"), {});
    }
    if (!kserve::reads_hardware_profiles(object_)) return;
    const kserve::ProfileReference profile = kserve::profile_reference(object_);
    add(*profile.name, table().kinds("profiles"), profile.ns);
  }

  /// The runtime that serves the model format.
  void add_choice(const Workload& workload) {
    if (object_.kind != "InferenceService" || workload.written == nullptr) return;
    const auto base = std::ranges::find_if(
        workload.bases, [](const k8s::Base& each) { return kserve::is_runtime(*each.object); });
    const Node& predictor = *workload.written;
    if (base == workload.bases.end() || !kserve::framework_block(predictor)) return;
    const kserve::RuntimeRequirements required = kserve::runtime_requirements(predictor, {});
    if (!is_new(*required.format)) return;
    found_.push_back({.object = &object_,
                      .field = required.format,
                      .chosen = base->object,
                      .is_named = required.named});
  }

  const Object& object_;
  const ClusterScope& scope_;
  std::vector<Reference> found_;
  std::unordered_set<std::uint32_t> seen_;
};

constexpr std::size_t kMaxLocations = 1000;
/// Objects of one name; each costs a look-up per reference.
constexpr std::size_t kMaxTargets = 16;

/// A model format counts as a whole, and the key of its block.
bool is_on_reference(const Reference& reference, std::uint32_t offset) {
  const Node& field = *reference.field;
  if (is_on(field, offset)) return true;
  if (reference.chosen == nullptr || field.parent() == nullptr) return false;
  const Node& format = *field.parent();
  if (format.key() == nullptr || format.key()->text() != "modelFormat") return false;
  return is_on(format, offset) ||
         (format.parent() != nullptr && is_on_key(*format.parent(), offset));
}

class Targets {
 public:
  Targets(const Question& question, const Session& session) {
    const auto cursor = cursor_at(question.path, question.place, session);
    if (!cursor || cursor->object == nullptr) return;
    const k8s::Object& object = *cursor->object;
    for (const ClusterScope* scope : scopes_of(object, session)) {
      for (const Reference& reference : references_of(object, *scope)) {
        if (!is_on_reference(reference, cursor->offset)) continue;
        for (const k8s::Object* target : reference.targets(*scope, kMaxTargets)) add(*target);
      }
    }
    const bool is_on_object = is_on((*object.root)["kind"], cursor->offset) ||
                              is_on((*object.root)["metadata"]["name"], cursor->offset);
    if (objects_.empty() && is_on_object && !object.name.empty()) add(object);
  }

  const std::vector<const k8s::Object*>& objects() const { return objects_; }

 private:
  void add(const k8s::Object& object) {
    const bool is_known = is_one_of(&object, objects_);
    if (!is_known && objects_.size() < kMaxTargets) objects_.push_back(&object);
  }

  std::vector<const k8s::Object*> objects_;
};

/// Places in the order of the paths.
class Locations {
 public:
  explicit Locations(const Session& session) : session_(session) {}

  void add(Span where) { places_.push_back(where); }
  void add_name(const k8s::Object& object) { add((*object.root)["metadata"]["name"].span); }

  Json take() {
    std::ranges::sort(places_, {}, [&](Span where) {
      return std::tuple<const std::string&, std::uint32_t, std::uint32_t>(
          session_.checker.path_of(where.file), where.begin, where.end);
    });
    places_.erase(std::ranges::unique(places_).begin(), places_.end());
    if (places_.size() > kMaxLocations) places_.resize(kMaxLocations);
    Json all = Json::array();
    for (const Span where : places_) all.push_back(session_.location_of(where));
    return all;
  }

 private:
  const Session& session_;
  std::vector<Span> places_;
};

}  // namespace

std::vector<Reference> references_of(const Object& object, const ClusterScope& scope) {
  return Collector(object, scope).result();
}

std::vector<const Object*> Reference::targets(const ClusterScope& scope, std::size_t max) const {
  if (chosen != nullptr) return {chosen};
  const k8s::Objects& index = scope.index();
  for (const NamedKind& of : kinds) {
    const k8s::Objects::Of in = of.has_namespace ? k8s::Objects::Of(ns) : std::nullopt;
    if (const Object* found = index.find(of.group, of.kind, in, name, *object)) return {found};
    if (index.contains(of.group, of.kind, in, name))
      return objects_of_name(of, in, name, scope, max);
  }
  return {};
}

bool Reference::is_to(const Object& target, const ClusterScope& scope) const {
  if (chosen != nullptr) return chosen->root == target.root;
  if (name != target.name) return false;
  const k8s::Objects& index = scope.index();
  for (const NamedKind& of : kinds) {
    const k8s::Objects::Of in = of.has_namespace ? k8s::Objects::Of(ns) : std::nullopt;
    if (const Object* found = index.find(of.group, of.kind, in, name, *object)) {
      return found->root == target.root;
    }
    if (index.contains(of.group, of.kind, in, name)) return is_candidate(target, of, in, name);
  }
  return false;
}

Json definition(const Question& question, const Session& session) {
  const Targets targets(question, session);
  Locations locations(session);
  for (const k8s::Object* target : targets.objects()) locations.add_name(*target);
  return locations.take();
}

Json references(const Question& question, const Session& session) {
  const Targets targets(question, session);
  Locations locations(session);
  if (targets.objects().empty()) return locations.take();
  if (is_true(member(question.params, {"context", "includeDeclaration"}))) {
    for (const k8s::Object* target : targets.objects()) locations.add_name(*target);
  }
  for (const ClusterScope& scope : session.checker.workspace().scopes()) {
    for (const k8s::Object& object : scope.objects()) {
      if (!scope.is_linted(object) || session.is_cancelled()) continue;
      for (const Reference& reference : references_of(object, scope)) {
        const bool is_there =
            !reference.is_named && std::ranges::any_of(targets.objects(), [&](const auto* target) {
              return reference.is_to(*target, scope);
            });
        if (is_there) locations.add(reference.field->span);
      }
    }
  }
  return locations.take();
}

}  // namespace cnsched::cli::lsp
