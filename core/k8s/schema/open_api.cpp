#include "core/k8s/schema/open_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/text.h"
#include "core/k8s/schema/schema.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::k8s::schema {

namespace {

using yaml::Node;

const Type kAnyType{.form = Form::any, .name = "any"};
const Type kQuantity{.form = Form::quantity, .name = "quantity"};
const Type kText{.form = Form::string, .name = "string"};

bool is_true(const Node& node) { return node.is_scalar() && node.text() == "true"; }

/// The bounds of a length or a count.
Bounds range_of(const Node& least, const Node& most) {
  Bounds range;
  if (const auto number = yaml::integer_of(least); number && least) range.least = *number;
  if (const auto number = yaml::integer_of(most); number && most) range.most = *number;
  return range;
}

constexpr std::int64_t kInt32 = std::numeric_limits<std::int32_t>::max();

bool is_int_or_string(const Node& schema) {
  return is_true(schema["x-kubernetes-int-or-string"]) ||
         schema["format"].text() == "int-or-string";
}

/// Whether `anyOf` permits an integer or a string, and nothing else.
bool is_int_string_pair(const Node& any_of) {
  return any_of.items().size() == 2 && any_of.at(0).entries().size() == 1 &&
         any_of.at(1).entries().size() == 1 && any_of.at(0)["type"].text() == "integer" &&
         any_of.at(1)["type"].text() == "string";
}

/// Whether CEL has a type of its own for texts of the format.
bool is_other_in_cel(std::string_view format) {
  return format == "date-time" || format == "date" || format == "duration" || format == "byte";
}

/// The pattern of quantities, which all CRDs have that Go code generates.
bool is_of_quantity(const Node& schema) {
  return schema["pattern"].text() ==
         R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";
}

Form form_of(const Node& schema) {
  if (is_int_or_string(schema)) {
    return is_of_quantity(schema) ? Form::quantity : Form::int_or_string;
  }
  const std::string_view type = schema["type"].text();
  if (type == "string") return schema["format"].text() == "date-time" ? Form::time : Form::string;
  if (type == "boolean") return Form::boolean;
  if (type == "integer") return Form::integer;
  if (type == "number") return Form::number;
  if (type == "array") return Form::list;
  if (type == "object") {
    return schema["additionalProperties"] && !schema["properties"] ? Form::map : Form::object;
  }
  return Form::any;
}

/// Whether the bounds of an integer are whole numbers that are valid themselves.
bool has_whole_bounds(const Type& type, const Node& schema) {
  const auto is_whole = [](const Node& bound) {
    return bound.is_missing() || yaml::integer_of(bound).has_value();
  };
  return type.form == Form::integer && is_whole(schema["minimum"]) && is_whole(schema["maximum"]) &&
         !is_true(schema["exclusiveMinimum"]) && !is_true(schema["exclusiveMaximum"]);
}

/// The type of list items or map values of the tables' type, or null.
const Type* element_of(const Type* like) { return like == nullptr ? nullptr : like->element; }

/// Marks the fields that a schema requires. Within `anyOf` and the like it does not list them all.
void require(const Node& names, bool is_structural, std::vector<Field>& fields) {
  const std::size_t listed = fields.size();
  for (const Node* name : names.items()) {
    const auto end = fields.begin() + static_cast<std::ptrdiff_t>(listed);
    const auto field =
        std::lower_bound(fields.begin(), end, name->text(),
                         [](const Field& each, std::string_view text) { return each.name < text; });
    if (field != end && field->name == name->text()) {
      field->required = true;
    } else if (!is_structural) {
      fields.push_back({.name = name->text(), .type = &kAnyType, .required = true});
    }
  }
  std::ranges::sort(fields, {}, &Field::name);
}

/// The fields of the tables' type that a schema lacks.
std::vector<AbsentField> lacking(const std::vector<Field>& fields, const Type& like) {
  std::vector<AbsentField> absent;
  for (const Field& field : like.fields()) {
    if (!std::ranges::binary_search(fields, field.name, {}, &Field::name)) {
      absent.push_back({field.name, {}});
    }
  }
  return absent;
}

/// What pods must fulfil, where the schema does not demand it of the object.
void add_pod_validation(const Field& like, Field& field) {
  if (!like.is_pod_validation) return;
  const bool is_stated = !field.allowed.empty() || field.range.least != Bounds().least ||
                         field.range.most != Bounds().most;
  if (!is_stated && (!like.allowed.empty() || like.range.least != Bounds().least)) {
    field.allowed = like.allowed;
    field.range = like.range;
    field.is_pod_validation = true;
  }
  const bool is_unique_in_pod =
      like.uniqueness == Uniqueness::rejected_in_pod || like.uniqueness == Uniqueness::rejected;
  if (field.uniqueness == Uniqueness::none && is_unique_in_pod) {
    field.uniqueness = Uniqueness::rejected_in_pod;
    field.keys = like.keys;
  }
}

}  // namespace

bool states_fields(const Node& schema) {
  const auto states = [](const Node& field) {
    return field["properties"] || form_of(field) != Form::object ||
           !is_true(field["x-kubernetes-preserve-unknown-fields"]);
  };
  if (const Node& spec = schema["properties"]["spec"]) return states(spec);
  return std::ranges::any_of(schema["properties"].entries(), [&](const yaml::Entry& entry) {
    const std::string_view name = entry.key->text();
    if (name == "apiVersion" || name == "kind" || name == "metadata" || name == "status") {
      return false;
    }
    return states(*entry.value);
  });
}

DefinedTypes::DefinedTypes(const Node& schema, const Type* like, bool drops_status)
    : drops_status_(drops_status) {
  const Origin origin{.schema = &schema, .like = like, .is_resource = true};
  root_ = field_of(origin, nullptr);
}

DefinedTypes::DefinedTypes(const Node& schema, const Node& definitions, const Type& like)
    : definitions_(&definitions) {
  root_ = native_field({.schema = &schema, .like = &like}, nullptr);
}

/// The schema that `$ref` names. A document may refer to itself without end.
DefinedTypes::Origin DefinedTypes::referred(Origin origin) const {
  constexpr std::string_view kPrefix = "#/definitions/";
  constexpr int kMost = 8;
  for (int i = 0; i < kMost && definitions_ != nullptr; ++i) {
    const std::string_view reference = (*origin.schema)["$ref"].text();
    if (!reference.starts_with(kPrefix)) break;
    origin.schema = &definitions_->under(reference.substr(kPrefix.size()));
  }
  return origin;
}

Field DefinedTypes::native_field(const Origin& origin, const Field* like) {
  Field field;
  if (like != nullptr) field = *like;
  field.name = origin.name;
  const Type* known = origin.like;
  const bool has_parts = known == nullptr || known->form == Form::object ||
                         known->form == Form::list || known->form == Form::map;
  if (known == nullptr && (*origin.schema)["$ref"].text().ends_with(".resource.Quantity")) {
    field.type = &kQuantity;
  } else {
    field.type = has_parts ? &type_of(referred(origin)) : known;
  }
  return field;
}

Type& DefinedTypes::make(Form form, const Origin& origin) {
  Type& type = types_.emplace_back();
  type.form = form;
  type.source = this;
  type.index = origins_.size();
  if (origin.like != nullptr) {
    type.name = origin.like->name;
    type.owner = origin.like->owner;
    type.project = origin.like->project;
  }
  origins_.push_back(origin);
  return type;
}

const Type& DefinedTypes::type_of(const Origin& origin) {
  // A recursive document would nest lists without end.
  constexpr std::size_t kMostNested = 32;
  if (depth_ >= kMostNested) return kAnyType;
  const Node& schema = *origin.schema;
  const Form form = form_of(schema);
  Type& type = make(form, origin);
  const bool is_opaque = definitions_ != nullptr && !schema["properties"];
  type.open =
      !origin.is_structural || is_opaque || is_true(schema["x-kubernetes-preserve-unknown-fields"]);
  if (form == Form::integer) {
    type.name = schema["format"].text() == "int32" ? "int32" : "int";
    if (schema["format"].text() == "int32") type.width = {-kInt32 - 1, kInt32};
  }
  ++depth_;
  if (form == Form::list || (form == Form::any && schema["items"])) {
    const Origin element{&schema["items"], element_of(origin.like), origin.name,
                         origin.is_structural};
    type.element_field = &elements_.emplace_back(field_of(element, nullptr));
    type.element = type.element_field->type;
  }
  if (form == Form::map) {
    const Node& values = schema["additionalProperties"];
    const Origin element{&values, element_of(origin.like), origin.name, origin.is_structural};
    if (values.is_mapping()) {
      type.element_field = &elements_.emplace_back(field_of(element, nullptr));
      type.element = type.element_field->type;
    } else {
      type.element = &kAnyType;
    }
  }
  --depth_;
  return type;
}

Field DefinedTypes::field_of(const Origin& origin, const Field* like) {
  if (definitions_ != nullptr) return native_field(origin, like);
  const Node& schema = *origin.schema;
  Field field;
  field.name = origin.name;
  field.type = &type_of(origin);
  add_choices(schema["enum"], field);
  if (has_whole_bounds(*field.type, schema)) {
    field.range = range_of(schema["minimum"], schema["maximum"]);
  }
  field.length = range_of(schema["minLength"], schema["maxLength"]);
  field.items = range_of(schema["minItems"], schema["maxItems"]);
  if (schema["x-kubernetes-list-type"].text() == "map") {
    field.uniqueness = Uniqueness::rejected;
    for (const Node* key : schema["x-kubernetes-list-map-keys"].items()) {
      field.keys.push_back(key->text());
    }
  }
  add_checks(origin, field);
  if (like != nullptr) {
    if (field.checks != nullptr && field.checks->pattern) field.format = like->format;
    add_pod_validation(*like, field);
  }
  return field;
}

void DefinedTypes::add_choices(const Node& list, Field& field) const {
  constexpr std::size_t kMost = 10'000;  // they are compared one by one
  if (list.items().size() > kMost) {
    note_unevaluated(fmt::format("the {} values of the enum of '{}'", list.items().size(),
                                 printable(field.name)));
    return;
  }
  for (const Node* value : list.items()) field.allowed.push_back(value->text());
}

void DefinedTypes::add_checks(const Origin& origin, Field& field) {
  const Node& schema = *origin.schema;
  Checks checks;
  checks.nullable = is_true(schema["nullable"]);
  if (const Node& preset = schema["default"]) checks.preset = &preset;
  if (field.type->form != Form::quantity) add_pattern(schema["pattern"], checks);
  checks.above_minimum = is_true(schema["exclusiveMinimum"]);
  checks.below_maximum = is_true(schema["exclusiveMaximum"]);
  if (!has_whole_bounds(*field.type, schema)) {
    checks.minimum = number_of(schema["minimum"]);
    checks.maximum = number_of(schema["maximum"]);
  }
  if (is_other_in_cel(schema["format"].text())) checks.cel_format = schema["format"].text();
  checks.multiple_of = number_of(schema["multipleOf"]);
  checks.entries = range_of(schema["minProperties"], schema["maxProperties"]);
  checks.unique_items =
      schema["x-kubernetes-list-type"].text() == "set" || is_true(schema["uniqueItems"]);
  add_junctors(origin, checks);
  add_rules(schema["x-kubernetes-validations"], checks);
  const bool is_empty =
      !checks.pattern && !checks.nullable && checks.preset == nullptr && !checks.minimum &&
      !checks.maximum && !checks.multiple_of && checks.entries.least == Bounds().least &&
      checks.entries.most == Bounds().most && !checks.unique_items && checks.cel_format.empty() &&
      checks.all_of.empty() && checks.any_of.empty() && checks.one_of.empty() &&
      checks.none_of.empty() && checks.rules.empty();
  if (!is_empty) field.checks = &checks_.emplace_back(std::move(checks));
}

void DefinedTypes::add_junctors(const Origin& origin, Checks& checks) {
  const Node& schema = *origin.schema;
  constexpr std::size_t kMost = 200;  // of a definition: each costs a walk over the value
  const std::size_t parts = schema["anyOf"].items().size() + schema["allOf"].items().size() +
                            schema["oneOf"].items().size() + (schema["not"] ? 1 : 0);
  const bool is_pair = is_int_or_string(schema) && is_int_string_pair(schema["anyOf"]);
  if (parts == 0 || (is_pair && parts == 2)) return;
  junctors_ += parts;
  if (junctors_ > kMost) {
    note_unevaluated(
        fmt::format("'allOf', 'anyOf', 'oneOf' and 'not' of '{}': more than {} schemas",
                    printable(origin.name), kMost));
    return;
  }
  const auto add = [&](const Node& part, std::vector<Field>& fields) {
    if (!part.is_mapping()) return;
    fields.push_back(field_of({&part, nullptr, origin.name, /*is_structural=*/false}, nullptr));
  };
  // `anyOf` of an integer and a string says the same as int-or-string.
  if (!is_pair) {
    for (const Node* part : schema["anyOf"].items()) add(*part, checks.any_of);
  }
  for (const Node* part : schema["allOf"].items()) add(*part, checks.all_of);
  for (const Node* part : schema["oneOf"].items()) add(*part, checks.one_of);
  add(schema["not"], checks.none_of);
}

void DefinedTypes::add_pattern(const Node& node, Checks& checks) {
  if (!node.is_scalar() || node.text().empty()) return;
  auto pattern = Pattern::compile(node.text());
  if (!pattern) {
    note_unevaluated(fmt::format("the pattern '{}' ({})", printable(node.text()),
                                 printable(pattern.error().message)));
    return;
  }
  checks.pattern_text = node.text();
  checks.pattern = *std::move(pattern);
}

void DefinedTypes::add_rules(const Node& list, Checks& checks) {
  for (const Node* item : list.items()) {
    const Node& rule = *item;
    auto compiled = cel::compile(rule["rule"].text());
    if (!compiled) {
      note_unevaluated(fmt::format("the rule '{}' ({})", printable(rule["rule"].text()),
                                   printable(compiled.error.message)));
      continue;
    }
    // Rules about changes are for updates. The others may read the old object where there is one.
    if (compiled.program->mentions("oldSelf") && !is_true(rule["optionalOldSelf"])) continue;
    auto message = cel::compile(rule["messageExpression"].text());
    checks.rules.push_back({.text = rule["rule"].text(),
                            .program = *std::move(compiled.program),
                            .message = rule["message"].text(),
                            .make_message = rule["messageExpression"].text().empty()
                                                ? std::nullopt
                                                : std::move(message.program),
                            .path = rule["fieldPath"].text()});
    has_rules_ = true;
  }
}

void DefinedTypes::fill(const Type& type) {
  const std::lock_guard lock(filling_);
  if (type.is_filled) return;
  const Origin origin = origins_[type.index];
  const Node& schema = *origin.schema;
  std::vector<Field> fields;
  if (type.form == Form::object || type.form == Form::any) {
    for (const yaml::Entry& entry : yaml::entries_of(schema["properties"])) {
      const std::string_view name = entry.key->text();
      const Field* like = origin.like == nullptr ? nullptr : origin.like->find(name);
      const Origin of_field{entry.value, like == nullptr ? nullptr : like->type, name,
                            origin.is_structural};
      fields.push_back(field_of(of_field, like));
    }
    const bool is_resource =
        origin.is_resource || is_true(schema["x-kubernetes-embedded-resource"]);
    if (is_resource) add_resource_fields(origin, fields);
    std::ranges::stable_sort(fields, {}, &Field::name);
    const auto [first, last] = std::ranges::unique(fields, {}, &Field::name);
    fields.erase(first, last);
    // Code of the API server requires fields of Kubernetes' kinds.
    if (definitions_ == nullptr) {
      require(schema["required"], origin.is_structural && !type.open, fields);
    }
    if (origin.like != nullptr && !type.open) type.absent = lacking(fields, *origin.like);
  }
  type.fill(std::move(fields));
}

/// The fields of every object, which its schema need not have.
void DefinedTypes::add_resource_fields(const Origin& origin, std::vector<Field>& fields) {
  const auto add = [&](std::string_view name, const Type* type) {
    std::erase_if(fields, [&](const Field& field) { return field.name == name; });
    fields.push_back({.name = name, .type = type, .required = !origin.is_resource});
  };
  add("apiVersion", &kText);
  add("kind", &kText);
  std::erase_if(fields, [](const Field& field) { return field.name == "metadata"; });
  fields.push_back({.name = "metadata", .type = type_named("ObjectMeta")});
}

std::vector<std::string> DefinedTypes::unevaluated() const {
  const std::lock_guard lock(noting_);
  return {unevaluated_.begin(), unevaluated_.end()};
}

void DefinedTypes::note_unevaluated(std::string what) const {
  constexpr std::size_t kMost = 100;
  const std::lock_guard lock(noting_);
  if (unevaluated_.size() < kMost) unevaluated_.insert(std::move(what));
}

}  // namespace cnsched::k8s::schema
