// Every mistake has its place: a policy that silently never holds would be worse than none. Fields
// of pods are checked against their schema.
#include "rules/policy/policy_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "core/accelerators/product.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/schema/schema.h"
#include "core/k8s/taint.h"
#include "core/kserve/deployment_mode.h"
#include "core/yaml/scalar.h"

namespace cnsched::rules {

namespace {

using k8s::schema::Form;
using SchemaType = k8s::schema::Type;
using yaml::Node;

// Limits of one policy: far above what real ones need.
constexpr std::size_t kMaxDepth = 16;
constexpr std::size_t kMaxConditions = 2000;
constexpr std::size_t kMaxWords = 10'000;
constexpr std::size_t kMaxPatternBytes = 1000;
constexpr std::size_t kMaxPatternSize = 5000;

/// In the order of the enumeration.
constexpr std::array<std::string_view, 14> kOperators = {
    "exists",   "absent", "in",       "notIn", "matches", "notMatches", "atLeast",
    "lessThan", "atMost", "moreThan", "any",   "all",     "none",       "count"};

std::optional<Operator> find_operator(std::string_view name) {
  const auto* found = std::ranges::find(kOperators, name);
  if (found == kOperators.end()) return std::nullopt;
  return static_cast<Operator>(found - kOperators.begin());
}

bool is_of_lists(Operator op) { return is_of_items(op) || op == Operator::count; }

/// What the schema says about a field that a condition names.
struct Described {
  const k8s::schema::Field* field = nullptr;
  const SchemaType* type = nullptr;
};

const SchemaType* element_of(const SchemaType* type) {
  const bool has_elements =
      type != nullptr && (type->form == Form::list || type->form == Form::map);
  return has_elements ? type->element : nullptr;
}

/// What people call a value of the form; empty for those that accept any scalar.
std::string_view name_of(Form form) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"", "a text", "true or false", "a whole number", "a number", "a number", "", "a text",
       "a list", "a mapping", "a mapping"});
  return kWords[static_cast<std::size_t>(form)];
}

bool is_scalar(Form form) {
  return form != Form::any && form != Form::list && form != Form::map && form != Form::object;
}

bool is_numeric(const SchemaType* type) {
  return type != nullptr && (type->form == Form::integer || type->form == Form::number ||
                             type->form == Form::quantity);
}

/// Whether objects of the type describe pods.
bool has_pods(const SchemaType& type) {
  static constexpr std::array<std::string_view, 8> kParts = {
      "containers", "template",  "leaderWorkerTemplate", "jobTemplate",
      "podSpec",    "predictor", "predictors",           "nodes"};
  const k8s::schema::Field* spec = type.find("spec");
  return spec != nullptr && spec->type != nullptr && spec->type->form == Form::object &&
         std::ranges::any_of(
             kParts, [&](std::string_view part) { return spec->type->find(part) != nullptr; });
}

}  // namespace

class ConditionReader::Impl {
 public:
  Impl(yaml::StrictReader& reader, const MatchCriteria::Patterns& kinds) : reader_(reader) {
    for (const NamePattern& each : kinds) add_kind(each.text());
  }

  Condition condition(const Node& node, std::string_view name, const SchemaType* item,
                      bool in_item) {
    Condition whole;
    if (!node.is_mapping()) {
      reader_.error(node, "'{}' must be a mapping of fields to tests, not {}", name,
                    yaml::describe(node));
      return whole;
    }
    if (depth_ == kMaxDepth) {
      reader_.error(node, "conditions are nested more than {} deep", kMaxDepth);
      return whole;
    }
    if (node.entries().empty()) reader_.error(node, "'{}' must not be empty", name);
    ++depth_;
    for (const yaml::Entry& entry : node.entries()) {
      if (reader_.is_full() || !count(*entry.key)) break;
      if (entry.overridden) {
        reader_.error(*entry.key, "'{}' is set twice in '{}'", entry.key->text(), name);
        continue;
      }
      part(*entry.key, *entry.value, item, in_item, whole);
    }
    --depth_;
    if (whole.parts.size() != 1) return whole;
    Condition only = std::move(whole.parts.front());
    return only;
  }

 private:
  void add_kind(std::string_view text) {
    const std::string_view name = text.substr(text.find('/') + 1);
    std::vector<const SchemaType*> types;
    if (!Glob::is_special(name)) types = k8s::schema::types_of_kind(name);
    if (types.empty()) has_unknown_kind_ = true;
    kinds_.insert(kinds_.end(), types.begin(), types.end());
  }

  bool count(const Node& at) {
    if (count_ == kMaxConditions) {
      reader_.error(at, "the policy has more than {} conditions", kMaxConditions);
    }
    return count_++ < kMaxConditions;
  }

  void part(const Node& key, const Node& value, const SchemaType* item, bool in_item,
            Condition& whole) {
    const std::string_view name = key.text();
    if ((name == "any" || name == "all") && !(in_item && value.is_mapping())) {
      return combination(key, value, item, in_item, whole);
    }
    if (name == "not") {
      Condition negation{.kind = Condition::Kind::negation};
      negation.parts.push_back(condition(value, name, item, in_item));
      whole.parts.push_back(std::move(negation));
      return;
    }
    if (in_item && find_operator(name)) return item_test(key, value, item, whole);
    if (name == "or" || name == "and") {
      return reader_.error(key, "unknown field '{}', did you mean '{}'?", name,
                           name == "or" ? "any" : "all");
    }
    ParsedField parsed = parse_field(name, in_item);
    if (!parsed.mistake.empty()) return reader_.error(key, "{}", parsed.mistake);
    const Described described = describe(key, parsed.field, item);
    Condition field{.kind = Condition::Kind::field, .field = std::move(parsed.field)};
    for (Test& test : tests(key, value, field.field, described)) field.add(std::move(test));
    whole.parts.push_back(std::move(field));
  }

  void combination(const Node& key, const Node& value, const SchemaType* item, bool in_item,
                   Condition& whole) {
    const std::string_view name = key.text();
    if (!value.is_sequence() || value.items().empty()) {
      return reader_.error(value.is_missing() ? key : value,
                           "'{}' must be a list of conditions, not {}", name,
                           value.is_sequence() ? "an empty list" : yaml::describe(value));
    }
    Condition combined{.kind = name == "any" ? Condition::Kind::any : Condition::Kind::all};
    for (const Node* each : value.items()) {
      if (reader_.is_full() || !count(*each)) break;
      combined.parts.push_back(condition(*each, name, item, in_item));
    }
    whole.parts.push_back(std::move(combined));
  }

  /// An operator on the item itself, as in `args: {any: {matches: …}}`.
  void item_test(const Node& key, const Node& value, const SchemaType* item, Condition& whole) {
    const FieldRef self{.id = FieldId::item, .text = "the item"};
    for (Condition& each : whole.parts) {
      if (each.kind != Condition::Kind::field || each.field.id != FieldId::item) continue;
      if (auto test = this->test(key, value, self, {nullptr, item})) {
        each.add(*std::move(test));
      }
      return;
    }
    Condition condition{.kind = Condition::Kind::field, .field = self};
    if (auto test = this->test(key, value, self, {nullptr, item})) {
      condition.add(*std::move(test));
    }
    whole.parts.push_back(std::move(condition));
  }

  Described describe(const Node& key, const FieldRef& field, const SchemaType* item) {
    switch (field.id) {
      case FieldId::tolerations:
      case FieldId::containers:
      case FieldId::init_containers: {
        const SchemaType* spec = k8s::schema::type_named("PodSpec");
        const auto* found = spec == nullptr ? nullptr : spec->find(field.text);
        return {found, found == nullptr ? nullptr : found->type};
      }
      case FieldId::pod_pointer:
        return described_pointer(key, field);
      case FieldId::object_pointer:
        return described_object(key, field);
      case FieldId::item_path:
        return item == nullptr ? Described{} : walk(key, item, field.path);
      default:
        return {};
    }
  }

  Described described_pointer(const Node& key, const FieldRef& field) {
    const std::vector<std::string>& path = field.path;
    if (has_unknown_kind_ || path.front() == "metadata") return {};
    // Without pods, the pointer leads into the object.
    const bool has_objects =
        !std::ranges::all_of(kinds_, [](const SchemaType* type) { return has_pods(*type); });
    if (has_objects) return described_object(key, field);
    if (path.front() != "spec") {
      reader_.error(key,
                    "'{}' is not in a pod: a JSON Pointer begins with '/spec/' or '/metadata/'; "
                    "write 'object{}' for the object as it is written",
                    field.text, field.text);
      return {};
    }
    const SchemaType* spec = k8s::schema::type_named("PodSpec");
    return spec == nullptr ? Described{} : walk(key, spec, std::span(path).subspan(1));
  }

  /// A field that at least one of the kinds has.
  Described described_object(const Node& key, const FieldRef& field) {
    if (has_unknown_kind_ || kinds_.empty() || field.path.front() != "spec") return {};
    std::optional<Described> found;
    for (const SchemaType* type : kinds_) {
      std::string mistake;
      const Described at = walk(key, type, field.path, mistake);
      if (mistake.empty() && !found) found = at;
    }
    // The first kind's mistake, if all have one.
    return found ? *found : walk(key, kinds_.front(), field.path);
  }

  Described walk(const Node& key, const SchemaType* type, std::span<const std::string> path) {
    std::string mistake;
    const Described at = walk(key, type, path, mistake);
    if (!mistake.empty()) reader_.error(key, "{}", mistake);
    return at;
  }

  /// Follows the path in the schema; a field that it does not have is a mistake.
  static Described walk(const Node& key, const SchemaType* type, std::span<const std::string> path,
                        std::string& mistake) {
    Described at{nullptr, type};
    for (const std::string& step : path) {
      if (at.type == nullptr) return {};
      if (at.type->form == Form::list) {
        if (step != "*" && !whole_number(step)) {
          mistake = fmt::format("'{}' in '{}' is a step into a list: write '*' for each item", step,
                                key.text());
          return {};
        }
        at = {nullptr, at.type->element};
      } else if (at.type->form == Form::map) {
        at = {nullptr, at.type->element};
      } else if (at.type->form == Form::object) {
        const k8s::schema::Field* found = at.type->find(step);
        if (found == nullptr) {
          if (!at.type->open && step != "*") mistake = no_field(*at.type, step);
          return {};
        }
        at = {found, found->type};
      } else {
        if (is_scalar(at.type->form) && at.type->form != Form::int_or_string) {
          mistake = fmt::format("'{}' in '{}' is below {}, which has no fields", step, key.text(),
                                name_of(at.type->form));
        }
        return {};
      }
    }
    return at;
  }

  static std::string no_field(const SchemaType& type, const std::string& step) {
    std::vector<std::string_view> names;
    for (const k8s::schema::Field& field : type.fields()) names.push_back(field.name);
    return fmt::format("{} has no field '{}'{}", type.name.empty() ? "the value" : type.name, step,
                       did_you_mean(step, names));
  }

  std::vector<Test> tests(const Node& key, const Node& value, const FieldRef& field,
                          const Described& described) {
    std::vector<Test> all;
    if (value.is_null() || value.is_missing()) {
      reader_.error(key, "'{}' needs a test, such as {{exists: true}}", key.text());
      return all;
    }
    if (!value.is_mapping()) {
      if (is_list_only(field)) {
        needs_list_operator(key, field);
      } else if (described.type != nullptr && !is_scalar(described.type->form) &&
                 described.type->form != Form::any) {
        needs_scalar(key, field, described.type->form);
      } else if (auto test = in_test(Operator::in, value, field, described)) {
        all.push_back(*std::move(test));
      }
      return all;
    }
    if (value.entries().empty()) reader_.error(value, "'{}' has no test", key.text());
    for (const yaml::Entry& entry : value.entries()) {
      if (reader_.is_full() || !count(*entry.key)) break;
      if (entry.overridden) {
        reader_.error(*entry.key, "'{}' is set twice in '{}'", entry.key->text(), key.text());
      } else if (auto test = this->test(*entry.key, *entry.value, field, described)) {
        all.push_back(*std::move(test));
      }
    }
    return all;
  }

  static bool is_list_only(const FieldRef& field) {
    return field_of(field.id).kind == FieldKind::items;
  }

  void needs_list_operator(const Node& key, const FieldRef& field) {
    reader_.error(key,
                  "'{}' is a list: test its items with 'any', 'all', 'none' or 'count', such as "
                  "{{any: {{…}}}}",
                  field.text);
  }

  std::optional<Test> test(const Node& key, const Node& value, const FieldRef& field,
                           const Described& described) {
    const auto found = find_operator(key.text());
    if (!found) {
      if (is_list_only(field)) {
        needs_list_operator(key, field);
      } else {
        reader_.error(key, "unknown operator '{}' of '{}'{}", key.text(), field.text,
                      suggested_operator(key.text()));
      }
      return std::nullopt;
    }
    const bool is_existence = *found == Operator::exists || *found == Operator::absent;
    if (is_list_only(field) && !is_of_lists(*found) && !is_existence) {
      needs_list_operator(key, field);
      return std::nullopt;
    }
    if (!is_existence && !fits(*found, key, field, described.type)) return std::nullopt;
    switch (*found) {
      case Operator::exists:
      case Operator::absent:
        return existence(*found, value, key);
      case Operator::in:
      case Operator::not_in:
        return in_test(*found, value, field, described);
      case Operator::matches:
      case Operator::not_matches:
        return pattern_test(*found, value, key);
      case Operator::any:
      case Operator::all:
      case Operator::none:
      case Operator::count:
        return list_test(*found, key, value, field, described);
      default:
        return range_test(*found, key, value);
    }
  }

  /// Whether the operator can apply to values of the field; reports it if not.
  bool fits(Operator op, const Node& key, const FieldRef& field, const SchemaType* type) {
    const NamedField& named = field_of(field.id);
    // Labels and variables may have numbers.
    const bool is_plain_text =
        named.kind == FieldKind::product || (named.kind == FieldKind::text && !named.has_key);
    if (is_range(op) && is_plain_text) {
      reader_.error(key, "'{}' is a text: '{}' compares numbers", field.text, key.text());
      return false;
    }
    if (type == nullptr || type->form == Form::any || type->form == Form::int_or_string) {
      return true;
    }
    const Form form = type->form;
    if (is_of_lists(op)) {
      if (form == Form::list || form == Form::map) return true;
      reader_.error(key, "'{}' is {}, not a list: '{}' does not apply", field.text, name_of(form),
                    key.text());
      return false;
    }
    if (!is_scalar(form)) return needs_scalar(key, field, form);
    const bool is_named_text = form == Form::string && !field.text.ends_with("value");
    if (is_range(op) && (is_named_text || form == Form::boolean || form == Form::time)) {
      reader_.error(key, "'{}' is {}: '{}' compares numbers", field.text, name_of(form),
                    key.text());
      return false;
    }
    return true;
  }

  bool needs_scalar(const Node& key, const FieldRef& field, Form form) {
    if (form == Form::list) {
      needs_list_operator(key, field);
    } else {
      reader_.error(key, "'{}' is {}: test one of its fields, or {{exists: true}}", field.text,
                    name_of(form));
    }
    return false;
  }

  static std::string suggested_operator(std::string_view word) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kOthers = {
        {{"equals", "in"},
         {"equal", "in"},
         {"eq", "in"},
         {"is", "in"},
         {"oneOf", "in"},
         {"regex", "matches"},
         {"pattern", "matches"},
         {"max", "atMost"},
         {"maximum", "atMost"},
         {"min", "atLeast"},
         {"minimum", "atLeast"},
         {"notExists", "absent"}}};
    for (const auto& [other, ours] : kOthers) {
      if (equals_ignoring_case(word, other)) return fmt::format(", did you mean '{}'?", ours);
    }
    std::string near = did_you_mean(word, {kOperators.begin(), kOperators.end()});
    if (!near.empty()) return near;
    return fmt::format(": use {}", join_words({kOperators.begin(), kOperators.end()}, "or"));
  }

  std::optional<Test> existence(Operator op, const Node& value, const Node& key) {
    const auto wanted =
        value.is_scalar() && !value.quoted ? yaml::boolean_of(value.text()) : std::nullopt;
    if (!wanted) {
      reader_.error(value.is_missing() ? key : value, "'{}' must be true or false", key.text());
      return std::nullopt;
    }
    if (*wanted) return Test{.op = op};
    return Test{.op = op == Operator::exists ? Operator::absent : Operator::exists};
  }

  /// The scalars of a list, or the one value.
  std::vector<const Node*> scalars(const Node& value, std::string_view name) {
    std::vector<const Node*> found;
    if (value.is_scalar()) found.push_back(&value);
    if (value.items().size() > kMaxWords) {
      reader_.error(value, "'{}' has more than {} values", name, kMaxWords);
      return found;
    }
    for (const Node* each : value.items()) {
      if (each->is_scalar()) {
        found.push_back(each);
      } else {
        reader_.error(*each, "'{}' must have texts or numbers, not {}", name,
                      yaml::describe(*each));
      }
    }
    if (found.empty() && !reader_.is_full()) {
      reader_.error(value, "'{}' must be a value or a list of values, not {}", name,
                    value.is_sequence() ? "an empty list" : yaml::describe(value));
    }
    return found;
  }

  std::optional<Test> in_test(Operator op, const Node& value, const FieldRef& field,
                              const Described& described) {
    Test test{.op = op};
    for (const Node* each : scalars(value, field.text)) {
      test.words.push_back(yaml::json_literal(*each).value_or(std::string(each->text())));
      check_word(*each, test.words.back(), field, described);
      add_meaning(field, described, test);
    }
    return test;
  }

  /// Of the last word.
  static void add_meaning(const FieldRef& field, const Described& described, Test& test) {
    std::string& word = test.words.back();
    const FieldKind kind = field_of(field.id).kind;
    if (kind == FieldKind::number || is_numeric(described.type)) {
      const auto number = Quantity::parse(word);
      test.numbers.push_back(number ? std::optional(*number) : std::nullopt);
    }
    if (kind == FieldKind::product) {
      const auto product = accelerators::find_accelerator(word);
      test.products.push_back(product ? *product : nullptr);
    }
    if (field.id == FieldId::mode) word = name_of_mode(word);
  }

  /// The newest spelling of the mode.
  static std::string name_of_mode(const std::string& word) {
    const kserve::ModeName* mode = kserve::find_mode_name(word);
    return mode == nullptr ? word : std::string(kserve::name_of(mode->mode));
  }

  /// The values that the API server accepts; empty: any.
  static std::vector<std::string_view> allowed_words(const k8s::schema::Field* field) {
    if (field == nullptr) return {};
    if (field->name != "effect") return field->allowed;
    return {k8s::kNoSchedule, k8s::kPreferNoSchedule, k8s::kNoExecute, ""};
  }

  void check_word(const Node& at, const std::string& word, const FieldRef& field,
                  const Described& described) {
    const std::vector<std::string_view> allowed = allowed_words(described.field);
    if (!allowed.empty()) {
      if (!is_one_of(word, allowed)) {
        reader_.error(at, "'{}' is never a value of '{}'{}", word, field.text,
                      did_you_mean(word, allowed));
      }
    }
    const Form form = described.type == nullptr ? Form::any : described.type->form;
    const bool is_boolean = word == "true" || word == "false";
    const bool is_possible = form == Form::boolean        ? is_boolean
                             : is_numeric(described.type) ? static_cast<bool>(Quantity::parse(word))
                                                          : true;
    if (!is_possible) {
      reader_.error(at, "'{}' is never a value of '{}', which is {}", word, field.text,
                    name_of(form));
    }
    if (field.id == FieldId::mode && kserve::find_mode_name(word) == nullptr) {
      std::vector<std::string_view> names;
      for (const kserve::ModeName& each : kserve::mode_names()) names.push_back(each.name);
      reader_.error(at, "'{}' is not a deployment mode{}", word, did_you_mean(word, names));
    }
    if (field_of(field.id).kind == FieldKind::product) {
      const auto found = accelerators::find_accelerator(word);
      if (!found && found.error().message.find("did you mean") != std::string::npos) {
        reader_.error(at, "{}", found.error().message);
      }
    }
    if (field_of(field.id).kind == FieldKind::number) {
      const auto number = Quantity::parse(word);
      if (!number) reader_.error(at, "{}", number.error().message);
    }
  }

  std::optional<Test> pattern_test(Operator op, const Node& value, const Node& key) {
    Test test{.op = op};
    for (const Node* each : scalars(value, key.text())) {
      if (each->text().size() > kMaxPatternBytes) {
        reader_.error(*each, "the pattern is longer than {} bytes", kMaxPatternBytes);
        continue;
      }
      auto pattern = Pattern::compile(each->text());
      if (!pattern) {
        reader_.error(*each, "invalid pattern: {}{}", pattern.error().message,
                      advice_on(each->text()));
      } else if (pattern->size() > kMaxPatternSize) {
        reader_.error(*each,
                      "the pattern is too complex: repetitions such as {{1000}} multiply it");
      } else {
        test.patterns.push_back(*std::move(pattern));
        test.written.emplace_back(each->text());
      }
    }
    return test;
  }

  /// How to write what people mean by a pattern that is none.
  static std::string_view advice_on(std::string_view pattern) {
    if (pattern.starts_with('*'))
      return " ('matches' takes a regular expression: write '.*' for '*')";
    const bool looks_around = pattern.find("(?=") != std::string_view::npos ||
                              pattern.find("(?!") != std::string_view::npos ||
                              pattern.find("(?<") != std::string_view::npos;
    return looks_around ? " (RE2 has no look-ahead and no look-behind)" : "";
  }

  std::optional<Test> range_test(Operator op, const Node& key, const Node& value) {
    if (!value.is_scalar()) {
      reader_.error(value.is_missing() ? key : value, "'{}' must be a number or a quantity, not {}",
                    key.text(), yaml::describe(value));
      return std::nullopt;
    }
    const std::string text = yaml::json_literal(value).value_or(std::string(value.text()));
    const auto bound = Quantity::parse(text);
    if (!bound) {
      reader_.error(value, "{}", bound.error().message);
      return std::nullopt;
    }
    return Test{.op = op, .bound = *bound, .bound_text = text};
  }

  std::optional<Test> list_test(Operator op, const Node& key, const Node& value,
                                const FieldRef& field, const Described& described) {
    const NamedField& named = field_of(field.id);
    const bool is_list = named.kind == FieldKind::items || named.kind == FieldKind::any ||
                         (named.several && named.kind != FieldKind::number);
    if (!is_list) {
      reader_.error(key, "'{}' is not a list: '{}' does not apply", field.text, key.text());
      return std::nullopt;
    }
    Test test{.op = op};
    if (op == Operator::count) {
      const FieldRef number{.id = FieldId::replicas, .text = "count"};
      test.counted = tests(key, value, number, {});
      return test;
    }
    const SchemaType* element = element_of(described.type);
    if (value.is_mapping()) {
      test.item.push_back(condition(value, key.text(), element, true));
      return test;
    }
    const FieldRef self{.id = FieldId::item, .text = "the item"};
    const bool has_conditions =
        !value.items().empty() &&
        std::ranges::all_of(value.items(), [](const Node* each) { return each->is_mapping(); });
    if (has_conditions) {
      reader_.error(value,
                    "'{}' takes one condition of an item: write {{any: [...]}} in it for "
                    "alternatives",
                    key.text());
      return std::nullopt;
    }
    Condition item{.kind = Condition::Kind::field, .field = self};
    if (auto in = in_test(Operator::in, value, self, {described.field, element})) {
      item.add(*std::move(in));
    }
    test.item.push_back(std::move(item));
    return test;
  }

  yaml::StrictReader& reader_;
  std::vector<const SchemaType*> kinds_{};  ///< that the policy names
  bool has_unknown_kind_ = false;           ///< or a pattern of kinds
  std::size_t depth_ = 0;
  std::size_t count_ = 0;
};

ConditionReader::ConditionReader(yaml::StrictReader& reader, const MatchCriteria::Patterns& kinds)
    : impl_(std::make_unique<Impl>(reader, kinds)) {}

ConditionReader::~ConditionReader() = default;

std::optional<Condition> ConditionReader::read(const Node& node, std::string_view name) {
  if (!node.is_mapping()) return std::nullopt;  // its shape is reported already
  return impl_->condition(node, name, nullptr, false);
}

std::vector<Condition> ConditionReader::read_all(const Node& node, std::string_view name) {
  std::vector<Condition> all;
  if (node.is_sequence()) {
    for (const Node* each : node.items()) {
      if (auto condition = read(*each, name)) all.push_back(*std::move(condition));
    }
  } else if (auto condition = read(node, name)) {
    all.push_back(*std::move(condition));
  }
  return all;
}

}  // namespace cnsched::rules
