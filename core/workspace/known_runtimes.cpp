#include "core/workspace/known_runtimes.h"

#include <algorithm>

#include "core/kserve/runtime.h"

namespace cnsched {

namespace {

/// Whether a document that could not be read as objects mentions runtimes.
bool may_hold_runtime(const LoadedDocument& loaded, const ClusterScope& scope) {
  const bool is_unread =
      loaded.status == DocumentStatus::templated || loaded.status == DocumentStatus::broken;
  if (!is_unread || !scope.is_linted(loaded.document.span.file)) return false;
  const SourceFile& file = scope.file_of(loaded.document.span);
  return loaded.document.text(file).find("ServingRuntime") != std::string_view::npos;
}

}  // namespace

KnownRuntimes::KnownRuntimes(const ClusterScope& scope) {
  List patches;
  for (const k8s::Object& object : scope.objects()) {
    if (!kserve::is_runtime(object)) continue;
    if (scope.is_patch(object)) {
      patches.push_back(&object);
      continue;
    }
    all_.push_back(&object);
    by_namespace_[object.kind == "ServingRuntime" ? object.ns.name : ""].push_back(&object);
    by_name_.try_emplace(object.name, &object);
  }
  may_have_others_ =
      std::ranges::any_of(patches,
                          [&](const auto* patch) { return first_named(patch->name) == nullptr; }) ||
      std::ranges::any_of(scope.workspace().documents(),
                          [&](const auto& loaded) { return may_hold_runtime(*loaded, scope); });
}

std::optional<KnownRuntimes::List> KnownRuntimes::visible_to(const k8s::Namespace& ns) const {
  constexpr std::size_t kMax = k8s::Objects::kMaxPerKind;
  if (!ns.is_known()) return all_.size() <= kMax ? std::optional(all_) : std::nullopt;
  List seen;
  for (const std::string_view part : {std::string_view(), ns.name}) {
    const auto found = by_namespace_.find(part);
    if (found == by_namespace_.end()) continue;
    if (seen.size() + found->second.size() > kMax) return std::nullopt;
    seen.insert(seen.end(), found->second.begin(), found->second.end());
  }
  return seen;
}

const k8s::Object* KnownRuntimes::first_named(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

}  // namespace cnsched
