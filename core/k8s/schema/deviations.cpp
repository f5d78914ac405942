#include "core/k8s/schema/deviations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/portability.h"
#include "core/base/quantity.h"
#include "core/base/text.h"
#include "core/k8s/api_kinds.h"
#include "core/k8s/label.h"
#include "core/k8s/schema/open_api.h"
#include "core/k8s/schema/schema.h"
#include "core/k8s/struct_merge.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::k8s::schema {

namespace {

using yaml::Node;
using yaml::ScalarType;
using Kind = Deviation::Kind;

/// A scalar as the API server reads it: 0x50 and 80.0 are 80.
std::string value_of(const Node& scalar) {
  const auto number = whole_number(scalar);
  return number ? std::to_string(*number) : std::string(scalar.text());
}

/// Whether the value is one of an enum, which may also have numbers and booleans.
bool is_among(const Node& value, const std::vector<std::string_view>& allowed) {
  if (is_one_of(value_of(value), allowed)) return true;
  if (value.is_string()) return false;
  if (const auto boolean = yaml::boolean_of(value.text());
      boolean && value.type == ScalarType::boolean) {
    return std::ranges::any_of(
        allowed, [&](std::string_view text) { return yaml::boolean_of(text) == boolean; });
  }
  const auto number = number_of(value);
  return number && std::ranges::any_of(allowed, [&](std::string_view text) {
           return parse_double(std::string(text)) == number;
         });
}

/// With the tolerance that binary fractions need.
bool is_multiple(double number, double of) {
  constexpr double kTolerance = 1e-9;
  if (of == 0) return true;
  const double times = number / of;
  return std::abs(times - std::round(times)) <= kTolerance * std::max(1.0, std::abs(times));
}

/// The values of the keys that identify an item of the list; empty if one is absent.
std::string identity_of(const Node& item, const Type& type, const Field& list) {
  std::string identity;
  for (const std::string_view key : list.keys) {
    const Node& value = item.under(key);
    const Field* field = type.find(key);
    if (value.is_scalar()) {
      identity += value_of(value);
    } else if (field != nullptr && preset_of(*field) != nullptr) {
      identity += value_of(*preset_of(*field));
    } else if (key == "protocol") {
      identity += "TCP";  // the default
    } else {
      return {};
    }
    identity += '\0';
  }
  return identity;
}

/// A field with the same meaning in every kind, also in kinds without a table.
struct CommonField {
  std::string_view name;
  std::string_view holder;  ///< the type that has it in the tables
  std::string_view field;   ///< its name there
  bool everywhere = true;   ///< false: only if the value has the YAML kind of the field
};

constexpr auto kCommonFields = std::to_array<CommonField>({
    {"nodeSelector", "PodSpec", "nodeSelector"},
    {"affinity", "PodSpec", "affinity"},
    {"tolerations", "PodSpec", "tolerations"},
    {"topologySpreadConstraints", "PodSpec", "topologySpreadConstraints"},
    {"matchLabels", "LabelSelector", "matchLabels"},
    {"metadata", "Object", "metadata", false},
    {"labels", "ObjectMeta", "labels", false},
    {"annotations", "ObjectMeta", "annotations", false},
    {"taints", "NodeSpec", "taints", false},
    {"requirements", "NodeSelectorTerm", "matchExpressions", false},
    {"env", "Container", "env", false},
    {"command", "Container", "command", false},
    {"args", "Container", "args", false},
    {"replicas", "DeploymentSpec", "replicas", false},
    {"minReplicas", "PredictorSpec", "minReplicas", false},
    {"maxReplicas", "PredictorSpec", "maxReplicas", false},
});

/// The common field that `node` is the value of, or null.
const Field* common_field(const Node& node) {
  if (node.key() == nullptr || node.is_null()) return nullptr;
  const auto* row = std::ranges::find(kCommonFields, node.key()->text(), &CommonField::name);
  if (row == kCommonFields.end()) return nullptr;
  const Field* field = type_named(row->holder)->find(row->field);
  return row->everywhere || has_kind_of(node, field->type->form) ? field : nullptr;
}

bool is_within(const Node& node, const Node& outer) {
  for (const Node* at = &node; at != nullptr; at = at->parent()) {
    if (at == &outer) return true;
  }
  return false;
}

/// Whether the API server evaluates no rules because of the deviation.
/// Source: apiextensions-apiserver, pkg/registry/customresource, hasBlockingErr.
bool prevents_rules(const Deviation& deviation) {
  switch (deviation.kind) {
    case Kind::wrong_type:
    case Kind::missing_field:
    case Kind::not_allowed:
    case Kind::placeholder:
      return true;
    case Kind::bad_length:
      return static_cast<std::int64_t>(code_points(deviation.node->text())) >
             deviation.field->length.most;
    case Kind::bad_count:
      return static_cast<std::int64_t>(deviation.node->items().size()) >
             deviation.field->items.most;
    case Kind::bad_entries:
      return static_cast<std::int64_t>(deviation.node->entries().size()) >
             deviation.field->checks->entries.most;
    default:
      return false;
  }
}

class Walk {
 public:
  explicit Walk(bool native) : native_(native) {}

  /// Checks the common fields below `root`, where no other fields are known.
  void common_fields(const Node& root) {
    yaml::walk(root, [&](const Node& node) {
      const Field* field = common_field(node);
      if (field == nullptr) return true;
      const std::size_t before = found_.size();
      value(node, *field->type, *field);
      const auto other = [](const Deviation& d) { return d.kind != Kind::wrong_type; };
      found_.erase(
          std::remove_if(found_.begin() + static_cast<std::ptrdiff_t>(before), found_.end(), other),
          found_.end());
      return false;
    });
  }

  /// Checks a value that the field has.
  void value(const Node& node, const Type& type, const Field& field) {
    const bool is_repeated = node.anchored() != nullptr && !node.is_scalar();
    if (is_repeated && was_checked(*node.anchored(), type, &field)) return;
    if (!is_of_type(node, type)) return report(Kind::wrong_type, node, type, field);
    if (node.is_scalar()) {
      scalar(node, type, field);
    } else if (node.is_mapping() && structural_ != nullptr) {
      combined_object(node, type);
    } else if (node.is_mapping() && type.form != Form::map) {
      if (type.form == Form::any && type.source == nullptr) return;
      object(node, type);
    } else if (node.is_sequence()) {
      list(node, type, field);
    } else if (type.form == Form::map) {
      for (const yaml::Entry& entry : node.entries()) {
        if (!entry.overridden && !entry.value->is_null())
          value(*entry.value, *type.element, elements_of(type, field));
      }
    }
    if (field.checks != nullptr) checks(node, type, field);
  }

  void object(const Node& node, const Type& type) {
    for (const yaml::Entry& entry : node.entries()) {
      if (!entry.overridden) entry_of(entry, node, type);
    }
    for (const Field& field : type.fields()) {
      if (field.required && stored_value(node, field) == nullptr) {
        found_.push_back({Kind::missing_field, &node, &type, &field, &type});
      }
    }
  }

  std::vector<Deviation> take() {
    if (!checked_.empty()) drop_repeated();
    return std::move(found_);
  }

 private:
  void entry_of(const yaml::Entry& entry, const Node& mapping, const Type& type) {
    const Field* field = entry.key->is_scalar() ? type.find(entry) : nullptr;
    if (entry.merged && entry.value->parent() != &mapping && was_checked(*entry.value, type, field))
      return;
    if (field == nullptr) {
      if (type.open) return common_fields(*entry.value);
      if (is_patch_directive(entry.key->text())) return;
      if (is_placeholder(entry.key->text())) {
        found_.push_back({Kind::placeholder, entry.key, &type, nullptr, &type});
        return;
      }
      found_.push_back({Kind::unknown_field, entry.value, &type, nullptr, &type});
      return;
    }
    if (entry.value->is_null()) return;
    const bool was_templated = std::exchange(templated_, templated_ || field->templated);
    const Type* was_holder = std::exchange(holder_, &type);
    value(*entry.value, *field->type, *field);
    holder_ = was_holder;
    templated_ = was_templated;
  }

  /// Whether the node was already checked as this field and type: aliases and `<<` repeat nodes.
  bool was_checked(const Node& node, const Type& type, const Field* field) {
    return !checked_.insert({&node, &type, field}).second;
  }

  /// Drops deviations of repeated nodes that are also found where the node is written.
  void drop_repeated() {
    std::set<std::tuple<Kind, const Node*, const Type*, const Field*>> known;
    std::erase_if(found_, [&](const Deviation& d) {
      const bool of_alias = d.node->anchored() != nullptr && d.kind == Kind::missing_field;
      const Node* node = of_alias ? d.node->anchored() : d.node;
      return !known.insert({d.kind, node, d.type, d.field}).second;
    });
  }

  /// What only schemas of OpenAPI demand.
  void checks(const Node& node, const Type& type, const Field& field) {
    const Checks& checks = *field.checks;
    if (node.is_scalar()) scalar_checks(node, type, field);
    if (node.is_mapping() && !checks.entries.contains(stored_entries(node, type))) {
      report(Kind::bad_entries, node, type, field);
    }
    if (node.is_sequence() && checks.unique_items) find_repeated_scalars(node, type, field);
    if (!are_junctors_fulfilled(node, type, checks)) report(Kind::not_combined, node, type, field);
  }

  void scalar_checks(const Node& node, const Type& type, const Field& field) {
    const Checks& checks = *field.checks;
    if (checks.pattern && node.is_string() && !checks.pattern->matches(node.text())) {
      report(Kind::no_match, node, type, field);
    }
    const auto number = node.is_string() ? std::nullopt : number_of(node);
    if (!number) return;
    const bool is_low = checks.minimum && (checks.above_minimum ? *number <= *checks.minimum
                                                                : *number < *checks.minimum);
    const bool is_high = checks.maximum && (checks.below_maximum ? *number >= *checks.maximum
                                                                 : *number > *checks.maximum);
    const bool is_no_multiple = checks.multiple_of && !is_multiple(*number, *checks.multiple_of);
    if (is_low || is_high || is_no_multiple) report(Kind::bad_number, node, type, field);
  }

  void find_repeated_scalars(const Node& list, const Type& type, const Field& field) {
    std::unordered_map<std::string, const Node*> known;
    for (const Node* item : list.items()) {
      if (!item->is_scalar()) continue;
      const auto [first, is_new] =
          known.try_emplace((item->is_string() ? "'" : "") + value_of(*item), item);
      if (is_new) continue;
      found_.push_back({Kind::repeated_item, item, type.element, &field, holder_, first->second});
    }
  }

  /// `allOf` and the like see what is stored: with defaults, and without null.
  void combined_object(const Node& node, const Type& type) {
    const Type* structural = structural_;
    for (const Field& field : type.fields()) {
      const Field* real = structural->find(field.name);
      const Node& written = node.under(field.name);
      const Node* stored = real != nullptr ? stored_value(node, *real) : nullptr;
      if (real == nullptr && written && !written.is_null()) stored = &written;
      if (stored == nullptr) {
        if (field.required) found_.push_back({Kind::missing_field, &node, &type, &field, &type});
      } else if (!stored->is_null()) {
        structural_ = real != nullptr ? real->type : field.type;
        value(*stored, *field.type, field);
      }
    }
    structural_ = structural;
  }

  /// How many entries a mapping has when it is stored.
  static std::int64_t stored_entries(const Node& node, const Type& type) {
    const auto is_stored = [&](const Field& field) { return stored_value(node, field) != nullptr; };
    std::int64_t count = std::ranges::count_if(type.fields(), is_stored);
    if (type.form == Form::object && !type.open) return count;
    for (const yaml::Entry& entry : yaml::entries_of(node)) {
      if (!entry.value->is_null() && type.find(entry.key->text()) == nullptr) ++count;
    }
    return count;
  }

  bool are_junctors_fulfilled(const Node& node, const Type& type, const Checks& checks) const {
    const auto fulfils = [&](const Field& part) {
      Walk walk(native_);
      walk.structural_ = structural_ != nullptr ? structural_ : &type;
      walk.value(node, *part.type, part);
      return walk.found_.empty();
    };
    if (!std::ranges::all_of(checks.all_of, fulfils)) return false;
    if (!checks.any_of.empty() && std::ranges::none_of(checks.any_of, fulfils)) return false;
    if (!checks.one_of.empty() && std::ranges::count_if(checks.one_of, fulfils) != 1) return false;
    return std::ranges::none_of(checks.none_of, fulfils);
  }

  bool is_of_type(const Node& node, const Type& type) const {
    if (type.form == Form::any) return true;
    return has_kind_of(node, type.form) &&
           (!node.is_scalar() || is_of_scalar_type(node, type.form));
  }

  bool is_of_scalar_type(const Node& node, Form form) const {
    switch (form) {
      case Form::boolean:
        return node.type == ScalarType::boolean;
      case Form::integer:
        return node.type == ScalarType::integer || (!node.is_string() && whole_number(node));
      case Form::number:
        return !node.is_string() && number_of(node);
      case Form::int_or_string:
        return node.is_string() || node.type == ScalarType::integer || whole_number(node);
      case Form::quantity:
        if (node.type == ScalarType::boolean) return false;
        return native_ || node.is_string() || node.type == ScalarType::integer ||
               whole_number(node);
      default:
        return node.is_string() || (node.type == ScalarType::floating && !yaml::json_literal(node));
    }
  }

  void scalar(const Node& node, const Type& type, const Field& field) {
    if (type.form == Form::any && field.checks == nullptr && field.allowed.empty()) return;
    if (type.form == Form::quantity && node.is_string() && !templated_ &&
        !Quantity::parse(node.text())) {
      report(Kind::invalid_quantity, node, type, field);
    }
    if (type.form == Form::integer) {
      const auto number = whole_number(node);
      if (!number || !type.width.contains(*number)) {
        found_.push_back({Kind::out_of_range, &node, &type, &field, holder_});
        return;
      }
      if (!field.range.contains(*number)) report(Kind::out_of_range, node, type, field);
    }
    if (!field.allowed.empty() && !is_among(node, field.allowed)) {
      report(Kind::not_allowed, node, type, field);
    }
    const bool may_be_text = type.form == Form::any || type.form == Form::int_or_string;
    if (type.form == Form::string || (may_be_text && node.is_string())) {
      text(node, type, field);
    }
  }

  void text(const Node& node, const Type& type, const Field& field) {
    const auto bytes = static_cast<std::int64_t>(node.text().size());
    const bool is_bounded = field.length.least > 0 || bytes > field.length.most;
    const auto length = is_bounded ? static_cast<std::int64_t>(code_points(node.text())) : bytes;
    const bool long_enough = templated_ || length >= field.length.least;
    if (!long_enough || length > field.length.most) {
      report(Kind::bad_length, node, type, field);
    } else if (!field.format.empty() && !templated_ && field.checks == nullptr &&
               !find_format(field.format)->fits(node.text())) {
      report(Kind::bad_format, node, type, field);
    }
  }

  void list(const Node& node, const Type& type, const Field& field) {
    const auto count = static_cast<std::int64_t>(node.items().size());
    if ((count < field.items.least && !templated_) || count > field.items.most) {
      report(Kind::bad_count, node, type, field);
    }
    if (type.element == nullptr) return;
    const Type* structural = structural_;
    if (structural != nullptr && structural->element != nullptr) structural_ = structural->element;
    for (const Node* item : node.items()) {
      // Built-in kinds read null as the empty string.
      if (item->is_null() && native_ && type.element->form == Form::string) continue;
      if (item->is_null() && is_nullable(elements_of(type, field))) continue;
      value(*item, *type.element, elements_of(type, field));
    }
    structural_ = structural;
    if (field.uniqueness != Uniqueness::none) find_repeated(node, type, field);
  }

  void find_repeated(const Node& node, const Type& type, const Field& field) {
    std::unordered_map<std::string, const Node*> known;
    for (const Node* item : node.items()) {
      const std::string identity = identity_of(*item, *type.element, field);
      if (identity.empty()) continue;
      const auto [first, is_new] = known.try_emplace(identity, item);
      if (is_new) continue;
      const bool rejected_in_pod = field.uniqueness == Uniqueness::rejected_in_pod;
      found_.push_back({Kind::repeated_item, item, type.element, &field, holder_, first->second,
                        rejected_in_pod});
    }
  }

  void report(Kind kind, const Node& node, const Type& type, const Field& field) {
    const bool rejected_in_pod = field.is_pod_validation && !native_ &&
                                 (kind == Kind::not_allowed || kind == Kind::out_of_range);
    if (node.is_scalar() && is_placeholder(node.text())) {
      // The value after substitution is unknown.
      if (rejected_in_pod) return;
      kind = Kind::placeholder;
    }
    found_.push_back({kind, &node, &type, &field, holder_, nullptr, rejected_in_pod});
  }

  bool native_;
  bool templated_ = false;
  const Type* holder_ = nullptr;
  /// Within `allOf` and the like: the type that the schema itself gives the value.
  const Type* structural_ = nullptr;
  std::vector<Deviation> found_;
  std::set<std::tuple<const Node*, const Type*, const Field*>> checked_;
};

}  // namespace

std::vector<Deviation> deviations(const Object& object, const Schemas& schemas) {
  Walk walk(is_native(object));
  if (const auto* defined = schemas.defined_types(object.api_version, object.kind)) {
    const DefinedTypes& types = *defined;
    walk.value(*object.root, *types.root().type, types.root());
    std::vector<Deviation> found = walk.take();
    if (types.drops_status()) {
      const Node& status = (*object.root)["status"];
      std::erase_if(found, [&](const Deviation& each) {
        return each.kind != Kind::unknown_field && is_within(*each.node, status);
      });
    }
    if (types.has_rules() && std::ranges::none_of(found, prevents_rules)) {
      add_violations(*object.root, types, schemas.rule_steps(), found);
    }
    return found;
  }
  if (const Type* type = schemas.type_of(object)) {
    walk.object(*object.root, *type);
  } else {
    // The kinds that are facts hold maps of any text, such as the parameters of a StorageClass.
    walk.common_fields(scheduling_kind_of(object) ? object["metadata"] : *object.root);
  }
  return walk.take();
}

}  // namespace cnsched::k8s::schema
