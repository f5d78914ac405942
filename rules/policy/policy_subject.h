#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/accelerators/product.h"
#include "core/accelerators/resource_name.h"
#include "core/base/quantity.h"
#include "core/workspace/cluster_scope.h"
#include "rules/policy/policy_field.h"

namespace cnsched::rules {

/// One value of a field.
struct FieldValue {
  const yaml::Node* node = nullptr;  ///< that decides it; missing if it is written nowhere
  std::optional<Quantity> number{};  ///< of a computed value
  std::string_view text{};           ///< of a computed value
  /// Whether the pod accepts any value; `node` is the requirement.
  bool is_any = false;
  const accelerators::Accelerator* product = nullptr;  ///< that it names
};

/// The values of a field.
struct FieldValues {
  /// An amount in a sum.
  struct Summand {
    const yaml::Node* container = nullptr;
    const yaml::Node* amount = nullptr;
  };
  std::vector<FieldValue> values{};
  std::vector<Summand> summands{};  ///< of the only value
  /// Whether something unknown may add values, or set one where there is none.
  bool is_open = false;
  /// Whether the number may be higher.
  bool is_lower_bound = false;
  const yaml::Node* near = nullptr;  ///< where a missing value belongs, if that is written
};

/// An object, or one of its pods, as the policies see it. Computes what several policies need once.
class PolicySubject {
 public:
  /// `pod` is null for an object without pods.
  PolicySubject(const ClusterScope& scope, const k8s::Object& object, const Workload* pod);

  const ClusterScope& scope() const { return *scope_; }
  const k8s::Object& object() const { return *object_; }
  const Workload* pod() const { return pod_; }
  /// Whether the object is a patch, which may lack anything.
  bool is_patch() const { return is_patch_; }
  /// Whether the pod may have fields that are not known.
  bool is_open() const { return is_open_; }
  /// What is unknown about the pod.
  std::vector<std::string> unknowns() const;

  const std::string& real_path() const;
  bool requests_accelerators() const { return !devices().empty(); }
  /// The values of a field that was read before; null if none are kept.
  const FieldValues* known(const FieldRef& field) const {
    return field.number && *field.number < known_.size() ? known_[*field.number].get() : nullptr;
  }
  /// Of the pod, or of the object. `storage` may hold them.
  const FieldValues& values(const FieldRef& field, FieldValues& storage) const;
  /// At a path in an item of a list.
  FieldValues item_values(const yaml::Node& item, std::span<const std::string> path) const;
  /// "apps/Deployment".
  const std::string& qualified_kind() const;

  /// Takes from what may be spent on one object; false if nothing is left.
  bool spend(std::size_t steps) const {
    left_ -= steps < left_ ? steps : left_;
    return left_ > 0;
  }

 private:
  const std::vector<accelerators::DeviceRequest>& devices() const;
  FieldValues computed_values(const FieldRef& field) const;
  FieldValues scalar(const yaml::Node& node) const;
  FieldValues items(const yaml::Node& list) const;
  FieldValues pod_scalar(std::string_view name) const;
  FieldValues label(const yaml::Node& labels, const std::string& key, bool is_open) const;
  FieldValues count() const;
  FieldValues total() const;
  FieldValues node_labels(std::string_view key) const;
  FieldValues products() const;
  FieldValues memory() const;
  FieldValues resources() const;
  FieldValues amount(const std::string& resource, bool limits) const;
  FieldValues images() const;
  FieldValues scheduler() const;
  FieldValues replicas() const;
  FieldValues mode() const;
  FieldValues pod_pointer(const std::vector<std::string>& path) const;

  const ClusterScope* scope_;
  const k8s::Object* object_;
  const Workload* pod_;
  bool is_patch_;
  bool is_open_;
  mutable std::optional<std::vector<accelerators::DeviceRequest>> devices_;
  mutable std::string real_path_;
  mutable std::string qualified_kind_{};
  /// The values of fields, which other policies read again.
  mutable std::vector<std::unique_ptr<const FieldValues>> known_{};  ///< by FieldRef::number
  mutable std::size_t left_;
};

/// The value as the API server reads it: "true" for `yes`. `storage` may hold it.
std::string_view text_of(const FieldValue& value, std::string& storage);

}  // namespace cnsched::rules
