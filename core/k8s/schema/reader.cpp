#include "core/k8s/schema/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "core/base/text.h"

namespace cnsched::k8s::schema {

namespace {

constexpr Bounds range_of_width(unsigned bits) {
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

/// Removes the first word from `text` and returns it.
std::string_view next_word(std::string_view& text) {
  text = trim(text);
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

/// The same for a required word; `by` is the word that requires it.
std::string_view required_word(std::string_view& text, std::string_view by) {
  const std::string_view word = next_word(text);
  if (word.empty()) mistake("a word without its argument", by);
  return word;
}

/// Removes the type from a row: the text up to the first blank outside brackets.
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

/// The part of `text` between an opening of length `opener` and the closing bracket.
std::string_view within(std::string_view text, std::size_t opener, char closer) {
  if (!text.ends_with(closer)) mistake("an unclosed bracket", text);
  return text.substr(opener, text.size() - opener - 1);
}

void sort_by_name(std::vector<Field>& fields) {
  std::ranges::sort(fields, {}, &Field::name);
  const auto duplicate = std::ranges::adjacent_find(fields, {}, &Field::name);
  if (duplicate != fields.end()) mistake("a duplicate", duplicate->name);
}

std::int64_t number_in(std::string_view text) {
  const auto number = cnsched::whole_number<std::int64_t>(text);
  if (!number) mistake("an invalid number", text);
  return *number;
}

/// A field with its name; a '*' at the end makes it required.
Field named_field(std::string_view name) {
  Field field;
  field.required = name.ends_with('*');
  field.name = name.substr(0, name.size() - (field.required ? 1 : 0));
  return field;
}

/// Reads a constraint of a field.
void add_constraint(std::string_view word, std::string_view& rest, Field& field) {
  const auto keys = [&](Uniqueness uniqueness) {
    field.uniqueness = uniqueness;
    field.keys = split(required_word(rest, word), '|');
  };
  if (word == "enum") {
    field.allowed = split(required_word(rest, word), '|');
  } else if (word == "is") {
    field.format = required_word(rest, word);
  } else if (word == "templated") {
    field.templated = true;
  } else if (word == "keys") {
    keys(Uniqueness::rejected);
  } else if (word == "merge-keys") {
    keys(Uniqueness::rejected_if_custom);
  } else if (word == "pod-keys") {
    keys(Uniqueness::rejected_in_pod);
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

/// A row of a type.
struct Row {
  std::string_view name;
  std::string_view text;      ///< without its releases
  std::string_view releases;  ///< "0.14-|kubernetes:1.30-"; empty: all
};

/// The only word of `text`.
std::string_view required_word_in(std::string_view text, std::string_view row) {
  const std::string_view word = trim(text);
  if (word.empty() || word.find(' ') != std::string_view::npos) mistake("no releases", row);
  return word;
}

Row parts_of(std::string_view text) {
  constexpr std::string_view kIn = " in ";
  Row row{.text = trim(text)};
  if (const std::size_t in = row.text.rfind(kIn); in != std::string_view::npos) {
    row.releases = required_word_in(row.text.substr(in + kIn.size()), text);
    row.text = row.text.substr(0, in);
  }
  std::string_view rest = row.text;
  row.name = named_field(next_word(rest)).name;
  return row;
}

Project project_named(std::string_view word) {
  for (const Project project : kProjects) {
    if (word == key_of(project)) return project;
  }
  mistake("an unknown project", word);
}

/// The releases of a project in a list such as "0.14-|kubernetes:1.30-", in the table of `owner`.
ReleaseRanges releases_in(std::string_view list, Project owner, Project project) {
  if (list.empty()) return {};
  ReleaseRanges found = ReleaseRanges::none();
  for (const std::string_view item : split(list, '|')) {
    const std::size_t colon = item.find(':');
    const bool is_named =
        !item.empty() && item.front() >= 'a' && item.front() <= 'z' && !item.starts_with("head");
    const bool is_all = is_named && colon == std::string_view::npos;
    const auto ranges =
        is_all ? ReleaseRanges() : ReleaseRanges::parse(is_named ? item.substr(colon + 1) : item);
    if (!ranges) mistake("no releases", list);
    if ((is_named ? project_named(item.substr(0, colon)) : owner) == project) found = *ranges;
  }
  return found;
}

void add_absent(std::string_view name, const ReleaseRanges& releases,
                std::vector<AbsentField>& absent) {
  const auto known = std::ranges::find(absent, name, &AbsentField::name);
  if (known != absent.end()) {
    known->releases.add(releases);
  } else {
    absent.push_back({name, releases});
  }
}

template <typename Named>
std::size_t erase_named(std::vector<Named>& fields, std::string_view name) {
  return std::erase_if(fields, [&](const Named& field) { return field.name == name; });
}

}  // namespace

const std::vector<Field>& Type::fields() const {
  if (source != nullptr && !is_filled) source->fill(*this);
  return filled;
}

const Field* Type::find(std::string_view field) const {
  const std::vector<Field>& all = fields();
  const auto found = std::ranges::lower_bound(all, field, {}, &Field::name);
  return found != all.end() && found->name == field ? &*found : nullptr;
}

const Field* Type::find(const yaml::Entry& entry) const {
  fields();
  constexpr auto kNumber = &std::pair<yaml::KeyNumber, const Field*>::first;
  for (auto found = std::ranges::lower_bound(by_number, entry.number, {}, kNumber);
       found != by_number.end() && found->first == entry.number; ++found) {
    if (entry.number.is_exact() || found->second->name == entry.key->text()) return found->second;
  }
  return nullptr;
}

void Type::fill(std::vector<Field> fields) const {
  filled = std::move(fields);
  by_number.clear();
  for (const Field& field : filled) by_number.emplace_back(yaml::KeyNumber(field.name), &field);
  std::ranges::sort(by_number);
  is_filled = true;
}

const AbsentField* Type::find_absent(std::string_view field) const {
  fields();
  const auto found = std::ranges::find(absent, field, &AbsentField::name);
  return found == absent.end() || found->releases.is_none() ? nullptr : &*found;
}

Reader::Reader(Project project, std::optional<Version> release)
    : project_(project),
      release_(release || project == Project::without_release ? release : newest(project)) {}

void Reader::add(std::string_view table, Project owner) {
  const auto is_heading = [&](std::size_t line) {
    return table[line] != ' ' && table[line] != '#' && table[line] != '\n';
  };
  const auto next_line = [&](std::size_t line) {
    return std::min(table.find('\n', line), table.size() - 1) + 1;
  };
  std::size_t line = 0;
  while (line < table.size() && !is_heading(line)) {
    if (table[line] == ' ') mistake("a row without a type", table.substr(line));
    line = next_line(line);
  }
  while (line < table.size()) {
    const std::size_t rows = next_line(line);
    std::size_t end = rows;
    while (end < table.size() && !is_heading(end)) end = next_line(end);
    begin(trim(table.substr(line, rows - line)), table.substr(rows, end - rows), owner);
    line = end;
  }
}

void Reader::begin(std::string_view heading, std::string_view rows, Project owner) {
  Type& type = types_.emplace_back();
  type.form = Form::object;
  type.source = this;
  type.owner = owner;
  type.project = project_ == Project::without_release ? owner : project_;
  type.index = headings_.size();
  Heading& described = headings_.emplace_back(Heading{.rows = rows});
  std::string_view rest = heading;
  type.name = next_word(rest);
  const bool is_kind = type.name == "kind";
  Kind kind{.type = &type};
  std::string_view api_version;
  if (is_kind) {
    api_version = required_word(rest, heading);
    type.name = required_word(rest, heading);
  }
  while (!trim(rest).empty()) {
    const std::string_view word = next_word(rest);
    if (word == "open") {
      type.open = true;
    } else if (word == "=") {
      described.base = required_word(rest, heading);
    } else if (word == "-") {
      described.without = std::exchange(rest, {});
    } else if (word == "in" && is_kind) {
      kind.releases = releases_in(required_word(rest, heading), owner, owner);
    } else {
      mistake("an unknown word", heading);
    }
  }
  const bool is_new = is_kind ? kinds_.try_emplace({api_version, type.name}, kind).second
                              : by_name_.try_emplace(type.name, &type).second;
  if (!is_new) mistake("a duplicate", heading);
}

void Reader::finish() {
  // `fill` adds types in braces, which are complete.
  const std::size_t count = types_.size();
  for (std::size_t i = 0; i < count; ++i) fill(types_[i]);
}

void Reader::fill(const Type& type) {
  const std::lock_guard lock(filling_);
  if (type.is_filled) return;
  if (is_one_of(&type, bases_)) mistake("a cycle of bases", type.name);
  bases_.push_back(&type);
  Fields fields = fields_of(type);
  type.absent = std::move(fields.absent);
  bases_.pop_back();
  type.fill(std::move(fields.present));
}

/// The fields that the type inherits from its base.
Reader::Fields Reader::base_of(const Heading& heading) {
  Fields fields;
  if (!heading.base.empty()) {
    const auto base = by_name_.find(heading.base);
    if (base == by_name_.end()) mistake("an unknown type", heading.base);
    fields = {base->second->fields(), base->second->absent};
  }
  std::string_view rest = heading.without;
  while (!trim(rest).empty()) {
    const std::string_view name = next_word(rest);
    if (erase_named(fields.present, name) + erase_named(fields.absent, name) == 0) {
      mistake("an unknown field", name);
    }
  }
  return fields;
}

Reader::Fields Reader::fields_of(const Type& type) {
  const Heading& heading = headings_[type.index];
  Fields fields = base_of(heading);
  std::vector<std::string_view> own;
  for (const std::string_view row : split(heading.rows, '\n')) {
    if (trim(row).empty() || row.front() == '#') continue;
    const Row parts = parts_of(row);
    if (!is_one_of(parts.name, own)) {
      own.push_back(parts.name);
      erase_named(fields.present, parts.name);
      erase_named(fields.absent, parts.name);
    }
    const ReleaseRanges releases = releases_in(parts.releases, type.owner, type.project);
    if (releases.contains(release_.value_or(newest(type.project)))) {
      fields.present.push_back(field_in(parts.text, type.owner));
    } else {
      add_absent(parts.name, releases, fields.absent);
    }
  }
  std::erase_if(fields.absent, [&](const AbsentField& absent) {
    return std::ranges::find(fields.present, absent.name, &Field::name) != fields.present.end();
  });
  sort_by_name(fields.present);
  return fields;
}

Field Reader::field_in(std::string_view row, Project owner) {
  std::string_view rest = row;
  Field field = named_field(next_word(rest));
  field.type = type_in(next_type(rest));
  field.is_pod_validation = owner == Project::kubernetes;
  while (!trim(rest).empty()) {
    const std::string_view word = next_word(rest);
    add_constraint(word, rest, field);
  }
  return field;
}

const Type* Reader::type_in(std::string_view text) {
  if (text.starts_with('{')) return object_of(within(text, 1, '}'));
  if (text.starts_with('[')) return collection_of(Form::list, type_in(within(text, 1, ']')));
  if (constexpr std::string_view kMap = "map["; text.starts_with(kMap)) {
    return collection_of(Form::map, type_in(within(text, kMap.size(), ']')));
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
  std::vector<Field> found;
  for (const std::string_view text : split(fields, ',')) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) mistake("a field without a type", fields);
    Field field = named_field(trim(text.substr(0, colon)));
    field.type = type_in(trim(text.substr(colon + 1)));
    found.push_back(std::move(field));
  }
  sort_by_name(found);
  type.fill(std::move(found));
  return &type;
}

const Type* Reader::collection_of(Form form, const Type* element) {
  const Type*& collection = collections_[{form, element}];
  if (collection == nullptr) {
    Type& type = types_.emplace_back();
    type.form = form;
    type.element = element;
    collection = &type;
  }
  return collection;
}

const Type* Reader::kind(std::string_view api_version, std::string_view name) const {
  const auto found = kinds_.find({api_version, name});
  if (found == kinds_.end()) return nullptr;
  const auto& [type, releases] = found->second;
  return releases.contains(release_.value_or(newest(type->owner))) ? type : nullptr;
}

const ReleaseRanges* Reader::releases_of(std::string_view api_version,
                                         std::string_view name) const {
  const auto found = kinds_.find({api_version, name});
  return found == kinds_.end() ? nullptr : &found->second.releases;
}

const Type* Reader::type(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

}  // namespace cnsched::k8s::schema
