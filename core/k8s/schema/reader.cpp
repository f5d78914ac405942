#include "core/k8s/schema/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "core/base/text.h"

namespace cnsched::k8s::schema {

namespace {

constexpr Range range_of_width(unsigned bits) {
  const std::int64_t most = static_cast<std::int64_t>((std::uint64_t{1} << (bits - 1U)) - 1);
  return {-most - 1, most};
}

const std::array<Type, 9> kSimple = {{
    {.form = Form::any, .name = "any"},
    {.form = Form::string, .name = "string"},
    {.form = Form::boolean, .name = "bool"},
    {.form = Form::integer, .name = "int"},
    {.form = Form::integer, .name = "int32", .width = range_of_width(32)},
    {.form = Form::integer, .name = "int64"},
    {.form = Form::quantity, .name = "quantity"},
    {.form = Form::int_or_string, .name = "int-or-string"},
    {.form = Form::time, .name = "time"},
}};

[[noreturn]] void mistake(std::string_view what, std::string_view where) {
  throw std::logic_error(fmt::format("schema table: {} in '{}'", what, where));
}

/// Takes the first word off `text`.
std::string_view next_word(std::string_view& text) {
  text = trim(text);
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

/// The same where there has to be one; `by` is what needs it.
std::string_view needed_word(std::string_view& text, std::string_view by) {
  const std::string_view word = next_word(text);
  if (word.empty()) mistake("nothing behind the last word", by);
  return word;
}

/// Takes the type off a row: up to the first blank that no bracket holds.
std::string_view next_type(std::string_view& text) {
  text = trim(text);
  int depth = 0;
  std::size_t end = 0;
  for (; end < text.size() && (depth > 0 || text[end] != ' '); ++end) {
    if (text[end] == '[' || text[end] == '{') ++depth;
    if (text[end] == ']' || text[end] == '}') --depth;
  }
  const std::string_view type = text.substr(0, end);
  text.remove_prefix(end);
  return type;
}

/// What is left of `text` between an opener of that length and its closer.
std::string_view within(std::string_view text, std::size_t opener, char closer) {
  if (!text.ends_with(closer)) mistake("a bracket that nothing closes", text);
  return text.substr(opener, text.size() - opener - 1);
}

void sort_by_name(std::vector<Field>& fields) {
  std::ranges::sort(fields, {}, &Field::name);
  const auto twin = std::ranges::adjacent_find(fields, {}, &Field::name);
  if (twin != fields.end()) mistake("a twin", twin->name);
}

std::int64_t number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) mistake("no number", text);
  return number;
}

/// A field that its name's '*' calls required.
Field named_field(std::string_view name) {
  Field field;
  field.required = name.ends_with('*');
  field.name = name.substr(0, name.size() - (field.required ? 1 : 0));
  return field;
}

/// Reads what a row says of a field behind its type.
void add_constraint(std::string_view word, std::string_view& rest, Field& field) {
  const auto keys = [&](Uniqueness uniqueness) {
    field.uniqueness = uniqueness;
    field.keys = split(needed_word(rest, word), '|');
  };
  if (word == "enum") {
    field.allowed = split(needed_word(rest, word), '|');
  } else if (word == "is") {
    field.format = needed_word(rest, word);
  } else if (word == "templated") {
    field.templated = true;
  } else if (word == "keys") {
    keys(Uniqueness::refused);
  } else if (word == "merge-keys") {
    keys(Uniqueness::refused_if_custom);
  } else if (word == "pod-keys") {
    keys(Uniqueness::refused_in_the_pod);
  } else if (word == "min") {
    field.range.least = number_in(next_word(rest));
  } else if (word == "max") {
    field.range.most = number_in(next_word(rest));
  } else if (word == "min-length") {
    field.length.least = number_in(next_word(rest));
  } else if (word == "max-length") {
    field.length.most = number_in(next_word(rest));
  } else if (word == "min-items") {
    field.items.least = number_in(next_word(rest));
  } else if (word == "max-items") {
    field.items.most = number_in(next_word(rest));
  } else {
    mistake("an unknown word", word);
  }
}

}  // namespace

const Field* Type::find(std::string_view field) const {
  const auto found = std::ranges::lower_bound(fields, field, {}, &Field::name);
  return found != fields.end() && found->name == field ? &*found : nullptr;
}

void Reader::add(std::string_view table, Of of) {
  Draft* draft = nullptr;
  for (const std::string_view line : split(table, '\n')) {
    if (trim(line).empty() || line.front() == '#') continue;
    if (line.front() != ' ') {
      draft = &begin(line);
      draft->of = of;
    } else if (draft != nullptr) {
      draft->rows.push_back(line);
    } else {
      mistake("a row without a type", line);
    }
  }
}

Reader::Draft& Reader::begin(std::string_view heading) {
  Type& type = types_.emplace_back();
  type.form = Form::object;
  std::string_view rest = heading;
  type.name = next_word(rest);
  if (type.name == "kind") {
    const std::string_view api_version = needed_word(rest, heading);
    type.name = needed_word(rest, heading);
    if (!kinds_.try_emplace({api_version, type.name}, &type).second) mistake("a twin", heading);
  } else if (!by_name_.try_emplace(type.name, &type).second) {
    mistake("a twin", heading);
  }
  Draft& draft = drafts_[&type];
  while (!trim(rest).empty()) {
    const std::string_view word = next_word(rest);
    if (word == "open") {
      type.open = true;
    } else if (word == "=") {
      draft.base = needed_word(rest, heading);
    } else if (word == "-") {
      while (!trim(rest).empty()) draft.without.push_back(next_word(rest));
    } else {
      mistake("an unknown word", heading);
    }
  }
  return draft;
}

void Reader::finish() {
  // Types that rows describe in braces are added meanwhile, and need nothing.
  const std::size_t count = types_.size();
  for (std::size_t i = 0; i < count; ++i) finish(types_[i]);
}

void Reader::finish(Type& type) {
  Draft& draft = drafts_.at(&type);
  if (draft.finished) return;
  if (std::exchange(draft.begun, true)) mistake("a circle of bases", type.name);
  if (!draft.base.empty()) {
    const auto base = by_name_.find(draft.base);
    if (base == by_name_.end()) mistake("an unknown type", draft.base);
    finish(*base->second);
    type.fields = base->second->fields;
  }
  for (const std::string_view name : draft.without) {
    if (std::erase_if(type.fields, [&](const Field& f) { return f.name == name; }) == 0) {
      mistake("a field that is not there", name);
    }
  }
  std::vector<Field> own;
  for (const std::string_view row : draft.rows) own.push_back(field_in(row, draft.of));
  std::erase_if(type.fields, [&](const Field& f) {
    return std::ranges::find(own, f.name, &Field::name) != own.end();
  });
  type.fields.insert(type.fields.end(), own.begin(), own.end());
  sort_by_name(type.fields);
  draft.finished = true;
}

Field Reader::field_in(std::string_view row, Of of) {
  std::string_view rest = row;
  Field field = named_field(next_word(rest));
  field.type = type_in(next_type(rest));
  field.of_pods = of == Of::kubernetes;
  while (!trim(rest).empty()) {
    const std::string_view word = next_word(rest);
    add_constraint(word, rest, field);
  }
  return field;
}

const Type* Reader::type_in(std::string_view text) {
  if (text.starts_with('{')) return object_of(within(text, 1, '}'));
  if (text.starts_with('[')) return holder_of(Form::list, type_in(within(text, 1, ']')));
  if (constexpr std::string_view kMap = "map["; text.starts_with(kMap)) {
    return holder_of(Form::map, type_in(within(text, kMap.size(), ']')));
  }
  const auto* simple = std::ranges::find(kSimple, text, &Type::name);
  if (simple != kSimple.end()) return simple;
  const auto named = by_name_.find(text);
  if (named == by_name_.end()) mistake("an unknown type", text);
  return named->second;
}

const Type* Reader::object_of(std::string_view fields) {
  Type& type = types_.emplace_back();
  type.form = Form::object;
  for (const std::string_view text : split(fields, ',')) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) mistake("a field without a type", fields);
    Field field = named_field(trim(text.substr(0, colon)));
    field.type = type_in(trim(text.substr(colon + 1)));
    type.fields.push_back(std::move(field));
  }
  sort_by_name(type.fields);
  return &type;
}

const Type* Reader::holder_of(Form form, const Type* element) {
  const Type*& holder = holders_[{form, element}];
  if (holder == nullptr) {
    Type& type = types_.emplace_back();
    type.form = form;
    type.element = element;
    holder = &type;
  }
  return holder;
}

const Type* Reader::kind(std::string_view api_version, std::string_view name) const {
  const auto found = kinds_.find({api_version, name});
  return found == kinds_.end() ? nullptr : found->second;
}

const Type* Reader::type(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

}  // namespace cnsched::k8s::schema
