#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/k8s/schema/type.h"

namespace cnsched::k8s::schema {

/// Types as the tables (*.table) describe them, in lines such as
///
///     # a comment
///     kind apps/v1 Deployment = Object    the type of a kind: Object with
///       spec*  DeploymentSpec             a required field
///
///     WorkerSpec = PodSpec - hostIPC      PodSpec without a field and with
///       containers  [Container]           this row instead of PodSpec's
///
///     KnativeServingSpec open             may have unlisted fields
///
/// The type of a field is `any string bool int int32 int64 quantity int-or-string time`, `[T]` for
/// a list, `map[T]`, `{name*: T, ...}` or the name of a type. Constraints follow it:
/// `enum a|b`, `is FORMAT`, `min N`, `max N`, `min-length N`, `max-length N`, `min-items N`,
/// `max-items N`, `templated`, and the fields that identify an item: `keys a|b`,
/// `merge-keys a|b` (Uniqueness::rejected_if_custom), `pod-keys a|b` (rejected_in_pod).
///
/// A row may end with the releases that have it, `in LIST`: `in 0.14-|kubernetes:1.30-` are KServe
/// 0.14 and later, if the table is KServe's, and Kubernetes 1.30 and later. Ranges are separated by
/// commas (`0.11-0.13,0.15-`, `head`); a project that is not named lacks the field. Rows of one
/// name may follow each other, for different releases. So may `in LIST` follow the name of a kind.
///
/// A mistake in a table is a bug of cnsched and throws std::logic_error.
class Reader : public FieldSource {
 public:
  /// Reads the rows of that release of the project, or of the newest. `without_release`: each type
  /// as in the newest release of the project whose table has it.
  explicit Reader(Project project = Project::without_release, std::optional<Version> release = {});

  /// Adds the types of a project's table, which must outlive this.
  void add(std::string_view table, Project owner);
  /// Reads the fields of all types.
  void finish();
  void fill(const Type& type) override;

  /// The type of the kind, or null.
  const Type* kind(std::string_view api_version, std::string_view name) const;
  /// The releases of its project that have the kind; null if no table has it.
  const ReleaseRanges* releases_of(std::string_view api_version, std::string_view name) const;
  const Type* type(std::string_view name) const;

  struct Kind {
    const Type* type = nullptr;
    ReleaseRanges releases{};
  };
  /// The kinds of all releases, by apiVersion and name.
  const std::map<std::pair<std::string_view, std::string_view>, Kind>& kinds() const {
    return kinds_;
  }

 private:
  /// A type in a table.
  struct Heading {
    std::string_view base{};
    std::string_view without{};
    std::string_view rows{};
  };
  /// The fields of a type, and those that it has in other releases.
  struct Fields {
    std::vector<Field> present{};
    std::vector<AbsentField> absent{};
  };

  void begin(std::string_view heading, std::string_view rows, Project owner);
  Fields fields_of(const Type& type);
  Fields base_of(const Heading& heading);
  Field field_in(std::string_view row, Project owner);
  const Type* type_in(std::string_view text);
  const Type* object_of(std::string_view fields);
  const Type* collection_of(Form form, const Type* element);

  Project project_;
  std::optional<Version> release_;
  std::recursive_mutex filling_;    ///< recursive, because filling a type fills its base
  std::vector<const Type*> bases_;  ///< types that are being filled
  std::deque<Type> types_;
  std::deque<Heading> headings_;  ///< by the types' index
  std::unordered_map<std::string_view, const Type*> by_name_;
  std::map<std::pair<std::string_view, std::string_view>, Kind> kinds_;
  std::map<std::pair<Form, const Type*>, const Type*> collections_;
};

}  // namespace cnsched::k8s::schema
