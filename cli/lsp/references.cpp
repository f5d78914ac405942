#include "cli/lsp/requests.h"

#include <algorithm>
#include <tuple>

#include "cli/lsp/session.h"
#include "core/workspace/references.h"

namespace cnsched::cli::lsp {

namespace {

using yaml::Node;

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
    const bool is_known = std::ranges::find(objects_, &object) != objects_.end();
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
  for (const ClusterScope& scope : session.checker.project()->workspace.scopes()) {
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
