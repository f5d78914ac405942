#include "core/packages/overlay/generators.h"

#include <algorithm>
#include <optional>

#include "core/base/text.h"
#include "core/source/path.h"
#include "core/yaml/tree.h"

namespace cnsched::overlay {

namespace {

/// The part of a scalar's bytes that is `text.substr(at, size)`.
std::optional<Span> part_of(const Texts& texts, const yaml::Node& scalar, std::size_t at,
                            std::size_t size) {
  const ScalarBytes bytes(texts.bytes(scalar.span.file), scalar.span, scalar.text());
  const auto begin = bytes.in_file(at);
  const auto end = bytes.in_file(at + size);
  if (!begin || !end) return std::nullopt;
  return Span{scalar.span.file, *begin, *end};
}

class Generator {
 public:
  Generator(const GeneratorContext& context, const yaml::Node& node, std::string_view kind)
      : context_(context), node_(node), is_secret_(kind == "Secret") {
    object_.root = context.maker.mapping();
    object_.is_generated = true;
    set({}, "apiVersion", std::nullopt, "v1", std::nullopt);
    set({}, "kind", std::nullopt, kind, std::nullopt);
    const yaml::Node& name = node["name"];
    if (name) set({"metadata"}, "name", name.key()->span, name.text(), name.span);
    if (const yaml::Node& ns = node["namespace"]) {
      set({"metadata"}, "namespace", ns.key()->span, ns.text(), ns.span);
    }
    if (const yaml::Node& type = node["type"]) {
      set({}, "type", type.key()->span, type.text(), type.span);
    }
  }

  bool read() {
    for (const yaml::Node* env : node_["envs"].items()) {
      if (!add_variables(env->text())) return false;
    }
    if (node_["env"] && !add_variables(node_["env"].text())) return false;
    for (const yaml::Node* literal : node_["literals"].items()) {
      if (!add_literal(*literal)) return false;
    }
    for (const yaml::Node* file : node_["files"].items()) {
      if (!add_file(*file)) return false;
    }
    for (const std::string_view field : {"labels", "annotations"}) {
      for (const yaml::Node* options : {&context_.options, &node_["options"]}) {
        for (const yaml::Entry& entry : yaml::entries_of((*options)[field])) {
          set({"metadata", field}, entry.key->text(), entry.key->span, entry.value->text(),
              entry.value->span);
        }
      }
    }
    return true;
  }

  Object take() { return std::move(object_); }

 private:
  void set(std::initializer_list<std::string_view> path, std::string_view key,
           std::optional<Span> key_where, std::string_view text, std::optional<Span> where) {
    const std::vector<std::string_view> steps(path);
    Value* mapping = mapping_at(context_.maker, *object_.root, steps);
    if (mapping == nullptr) return;
    set_member(context_.maker, *mapping, key, key_where, text, where);
    mapping->find(key)->is_shared = true;
  }

  void add(std::string_view key, std::optional<Span> key_where, std::string_view text,
           std::optional<Span> where) {
    set({"data"}, key, key_where, text, where);
    Value* data = object_.root->find("data");
    // Secrets are encoded.
    if (is_secret_ && data != nullptr && data->find(key) != nullptr) {
      data->find(key)->is_unknown = true;
    }
  }

  bool add_literal(const yaml::Node& literal) {
    const std::string_view text = literal.text();
    const std::size_t sign = text.find('=');
    if (sign == std::string_view::npos || sign == 0) return false;
    std::size_t begin = sign + 1;
    std::size_t size = text.size() - begin;
    const bool is_quoted =
        size >= 2 && text[begin] == text.back() && (text.back() == '"' || text.back() == '\'');
    if (is_quoted) {
      ++begin;
      size -= 2;
    }
    add(text.substr(0, sign), part_of(context_.texts, literal, 0, sign), text.substr(begin, size),
        part_of(context_.texts, literal, begin, size));
    return true;
  }

  bool add_variables(std::string_view name) {
    const auto file = context_.texts.find(path_in(context_.directory, name));
    if (!file) return false;
    const std::string_view bytes = context_.texts.bytes(*file);
    std::size_t at = bytes.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    while (at < bytes.size()) {
      const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
      add_variable(*file, bytes, at, end);
      at = end + 1;
    }
    return true;
  }

  void add_variable(FileId file, std::string_view bytes, std::size_t begin, std::size_t end) {
    std::string_view line = bytes.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t first = line.find_first_not_of(" \t\v\f\r");
    if (first == std::string_view::npos || line[first] == '#') return;
    const std::size_t sign = std::min(line.find('=', first), line.size());
    const std::size_t value = std::min(sign + 1, line.size());
    const auto span = [&](std::size_t from, std::size_t to) {
      return Span{file, static_cast<std::uint32_t>(begin + from),
                  static_cast<std::uint32_t>(begin + to)};
    };
    add(line.substr(first, sign - first), span(first, sign), line.substr(value),
        span(value, line.size()));
  }

  bool add_file(const yaml::Node& entry) {
    const std::string_view text = entry.text();
    const std::size_t sign = text.find('=');
    const bool has_key = sign != std::string_view::npos;
    const std::string_view name = has_key ? text.substr(sign + 1) : text;
    const auto file = context_.texts.find(path_in(context_.directory, name));
    if (!file) return false;
    const std::string_view key = has_key ? text.substr(0, sign) : file_name_of(text);
    const std::size_t key_at = has_key ? 0 : text.size() - key.size();
    const std::string_view bytes = context_.texts.bytes(*file);
    add(key, part_of(context_.texts, entry, key_at, key.size()), bytes,
        Span{*file, 0, static_cast<std::uint32_t>(bytes.size())});
    return true;
  }

  const GeneratorContext& context_;
  const yaml::Node& node_;
  bool is_secret_;
  Object object_;
};

void move_members(Value& from, Value& to) {
  for (auto& [key, member] : from.members) {
    Member& target = to.members[key];
    if (target.value != nullptr) member.value->replaced = target.value->where;
    member.replaced_key = target.key;
    target = std::move(member);
  }
  to.is_merged = true;
}

/// The generated object over one that exists.
void merge_into(Maker& maker, Object& below, Object& above, bool replaces) {
  const auto move_at = [&](std::span<const std::string_view> path) {
    Value* from = find_at(*above.root, path);
    Value* to = from == nullptr ? nullptr : mapping_at(maker, *below.root, path);
    if (to != nullptr) move_members(*from, *to);
  };
  const std::string_view labels[] = {"metadata", "labels"};
  const std::string_view annotations[] = {"metadata", "annotations"};
  const std::string_view data[] = {"data"};
  if (replaces) {
    below.root->members.erase("data");
    below.root->members.erase("binaryData");
  }
  move_at(labels);
  move_at(annotations);
  move_at(data);
  below.is_generated = true;
}

}  // namespace

bool apply_generator(const GeneratorContext& context, Objects& objects, const yaml::Node& generator,
                     std::string_view kind) {
  Generator made(context, generator, kind);
  if (!made.read()) return false;
  Object above = made.take();
  const std::string_view behavior = generator["behavior"].text();
  if (behavior != "merge" && behavior != "replace") {
    objects.push_back(std::move(above));
    return true;
  }
  Object* below = nullptr;
  for (Object& object : objects) {
    context.maker.spend(kCostOfObject);
    if (object.is_deleted) continue;
    const std::vector<Id> ids = object.ids();
    const bool is_same =
        std::ranges::any_of(ids, [&](const Id& id) { return id.is_same(above.id()); });
    if (is_same && below != nullptr) return false;
    if (is_same) below = &object;
  }
  if (below == nullptr) return false;
  merge_into(context.maker, *below, above, behavior == "replace");
  return true;
}

}  // namespace cnsched::overlay
