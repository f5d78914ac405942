#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/packages/overlay/value.h"
#include "core/yaml/node.h"

namespace cnsched::overlay {

/// The names by which patches and other transformers may refer to an object. kustomize keeps those
/// that it had before each change. Source: kustomize api/resource/resource.go, StorePreviousId.
struct Id {
  std::string_view api_version;
  std::string_view kind;
  std::string_view ns;
  std::string_view name;

  std::string_view group() const;
  std::string_view version() const;
  /// "default" if there is none; empty for a kind without namespaces.
  std::string_view effective_namespace() const;
  /// Whether kustomize takes both for the same object (kyaml resid.go, Equals).
  bool is_same(const Id& other) const;
};

/// Whether kustomize knows the kind as one without namespaces: kinds of Kubernetes only.
bool is_cluster_scoped(std::string_view kind, std::string_view group);

/// A part of the name of an object, such as a prefix.
struct NamePart {
  std::string_view text;
  std::optional<Span> where;
};

/// An object during the build of an overlay.
struct Object {
  std::unique_ptr<Value> root{};
  std::vector<Id> previous{};          ///< oldest first
  std::vector<NamePart> name_parts{};  ///< those of the last name that a prefix or suffix made
  bool is_unknown = false;             ///< something that is not simulated may have changed it
  bool is_generated = false;           ///< its name may get a hash
  bool is_deleted = false;

  Id id() const;
  /// All its ids, the present one last.
  std::vector<Id> ids() const;
  void store_id() { previous.push_back(id()); }
};

/// The answer of a test that not every input decides.
enum class Match : unsigned char { no, yes, unknown };

/// Both are needed.
constexpr Match both(Match a, Match b) {
  if (a == Match::no || b == Match::no) return Match::no;
  return a == Match::yes && b == Match::yes ? Match::yes : Match::unknown;
}
/// One is enough.
constexpr Match either(Match a, Match b) {
  if (a == Match::yes || b == Match::yes) return Match::yes;
  return a == Match::no && b == Match::no ? Match::no : Match::unknown;
}

/// Whether the regular expression matches all of `text`; unknown if it is invalid or too large. An
/// empty one matches. Takes its time off the budget.
Match match_pattern(Maker& maker, std::string_view pattern, std::string_view text);

/// Whether a label selector as a text ("a=b,c!=d,e,!f") selects the labels, a mapping or null.
Match match_labels(std::string_view selector, const Value* labels);

/// Whether the `target` of a patch selects the object. Source: kustomize api/resmap/reswrangler.go,
/// Select.
Match selects(Maker& maker, const yaml::Node& target, const Object& object);
/// Whether a target of `replacements` selects the object. Source: api/types/replacement.go.
Match selects_any_id(Maker& maker, const yaml::Node& select, const Object& object);
/// Whether an item of its `reject` rejects the object.
Match rejects(Maker& maker, const yaml::Node& reject, const Object& object);

}  // namespace cnsched::overlay
