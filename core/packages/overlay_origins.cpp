// The build is simulated once. A finding is then followed from the root of its object to the key or
// value, in the rendered document and in the simulated object side by side.
#include "core/packages/overlay_origins.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/text.h"
#include "core/packages/overlay/build.h"
#include "core/packages/overlay/find.h"
#include "core/packages/overlay/texts.h"

namespace cnsched {

namespace {

using overlay::Found;
using overlay::Member;
using overlay::NamePart;
using overlay::Object;
using overlay::Texts;
using overlay::Value;
using yaml::Node;

bool is_name_byte(char c) { return is_lower_alphanumeric(c) || c == '-' || c == '.'; }

/// The part that makes the name of an object invalid; null if it is not one part alone.
const NamePart* invalid_part(const std::vector<NamePart>& parts) {
  const NamePart* invalid = nullptr;
  for (const NamePart& part : parts) {
    if (std::ranges::all_of(part.text, is_name_byte)) continue;
    if (invalid != nullptr) return nullptr;
    invalid = &part;
  }
  return invalid;
}

/// The bytes of a hash that kustomize appends to the names of generated objects.
constexpr std::size_t kHashSize = 10;

/// The name without "-" and a hash; empty if it has none.
std::string_view without_hash(std::string_view name) {
  if (name.size() <= kHashSize + 1 || name[name.size() - kHashSize - 1] != '-') return {};
  const std::string_view hash = name.substr(name.size() - kHashSize);
  const bool is_hash = std::ranges::all_of(hash, is_lower_alphanumeric);
  return is_hash ? name.substr(0, name.size() - kHashSize - 1) : std::string_view();
}

std::string key_of(std::string_view api_version, std::string_view kind, std::string_view ns,
                   std::string_view name) {
  std::string key;
  for (const std::string_view part : {api_version, kind, ns, name}) {
    key.append(part).push_back('\0');
  }
  return key;
}

}  // namespace

struct OverlayOrigins::Implementation {
  Implementation(const std::string& root, std::span<const PackageSource> sources)
      : texts(sources), build(texts, root), repeated(build.repeated()) {
    if (build.is_unknown()) return;
    for (const Object& object : build.objects()) {
      if (object.is_deleted) continue;
      const overlay::Id id = object.id();
      const auto [known, is_new] =
          objects.emplace(key_of(id.api_version, id.kind, id.ns, id.name), &object);
      if (!is_new) known->second = nullptr;
    }
  }

  /// The object that the document is rendered from; null if it is not one alone.
  const Object* object_of(const Node& root) const {
    const Node& metadata = root["metadata"];
    const auto find = [&](std::string_view name) {
      const auto found = objects.find(key_of(root["apiVersion"].text(), root["kind"].text(),
                                             metadata["namespace"].text(), name));
      return found == objects.end() ? nullptr : found->second;
    };
    const std::string_view name = metadata["name"].text();
    if (const Object* object = find(name)) return object;
    const std::string_view base = without_hash(name);
    const Object* object = base.empty() ? nullptr : find(base);
    return object != nullptr && object->is_generated ? object : nullptr;
  }

  void set_place(Origin& origin, std::optional<Span> where) const {
    if (!where) return;
    origin.file = texts.path(where->file);
    if (auto place = texts.place(*where)) origin.place = *std::move(place);
  }

  void add_note(Origin& origin, std::optional<Span> where, const char* message) const {
    if (!where || origin.place.path.empty()) return;
    auto place = texts.place(*where);
    if (place && *place != origin.place) origin.notes.push_back({*std::move(place), message});
  }

  Origin of_key(const SourceFile& file, const Found& found, Span where) const {
    Origin origin;
    const Member& member = *found.member;
    set_place(origin, member.key);
    add_note(origin, member.replaced_key, "the key is also here");
    origin.is_literal = !origin.place.path.empty() && !member.is_pointer_step &&
                        !member.replaced_key && !found.value->is_merged &&
                        is_used_once(*found.value, *member.key) &&
                        texts.bytes(*member.key) == file.text(where);
    return origin;
  }

  bool is_used_once(const Value& value, Span where) const {
    if (value.is_shared || texts.is_used_again(where)) return false;
    const auto next = std::ranges::upper_bound(repeated, Span{where.file, where.begin, UINT32_MAX});
    if (next == repeated.begin()) return true;
    const Span before = *std::prev(next);
    return before.file != where.file || before.end < where.end;
  }

  Origin of_collection(const Found& found) const {
    Origin origin;
    const Value& value = *found.value;
    if (value.is_merged || value.kind != found.node->kind) return origin;
    const bool has_same_keys =
        value.items.size() == found.node->items().size() &&
        value.members.size() == found.node->entries().size() &&
        std::ranges::all_of(found.node->entries(), [&](const yaml::Entry& entry) {
          return value.members.contains(entry.key->text());
        });
    if (has_same_keys) set_place(origin, value.where);
    return origin;
  }

  Origin of_name(const Object& object) const {
    Origin origin;
    if (const NamePart* invalid = invalid_part(object.name_parts)) {
      set_place(origin, invalid->where);
    }
    return origin;
  }

  Origin of_scalar(const SourceFile& file, const Object& object, const Found& found,
                   Span where) const {
    const Value& value = *found.value;
    Origin origin;
    const bool is_hashed =
        found.is_name && object.is_generated && without_hash(found.node->text()) == value.text;
    if (value.kind != found.node->kind || (value.text != found.node->text() && !is_hashed)) {
      return origin;
    }
    if (found.is_name && value.is_derived && !value.copied_by) return of_name(object);
    if (!value.where) return origin;
    if (value.is_vague) {
      origin.file = texts.path(value.where->file);
      return origin;
    }
    set_place(origin, part_of(file, value, *found.node, where));
    origin.file = texts.path(value.where->file);
    if (value.copied_by) {
      add_note(origin, value.copied_by, "a replacement copies it to here");
    } else {
      add_note(origin, value.replaced, "it replaces this value");
    }
    origin.is_literal = !origin.place.path.empty() && !value.is_derived && !value.copied_by &&
                        !is_hashed && is_used_once(value, *value.where) &&
                        where == found.node->span && texts.bytes(*value.where) == file.text(where);
    return origin;
  }

  /// The bytes of a scalar that are rendered at `where`, a part of the node: all of them if it is
  /// on one line; nothing if it has several lines and they cannot be compared.
  std::optional<Span> part_of(const SourceFile& file, const Value& value, const Node& node,
                              Span where) const {
    const Span whole = *value.where;
    if (where == node.span || value.is_derived) return whole;
    const std::string_view bytes = texts.bytes(whole.file);
    const bool is_file = value.text == bytes;
    const overlay::ScalarBytes rendered(file.bytes(), node.span, node.text());
    const overlay::ScalarBytes written(bytes, whole, value.text);
    const auto position = [&](std::uint32_t at) -> std::optional<std::uint32_t> {
      const auto in_text = rendered.in_text(at);
      if (!in_text) return std::nullopt;
      return is_file ? whole.begin + *in_text : written.in_file(*in_text);
    };
    const auto begin = position(where.begin);
    const auto end = position(where.end);
    if (begin && end && *begin <= *end) return Span{whole.file, *begin, *end};
    if (texts.bytes(whole).find('\n') == std::string_view::npos) return whole;
    return std::nullopt;
  }

  Origin of(const SourceFile& file, const yaml::Document& document, Span where) const {
    const Object* object = object_of(*document.root);
    if (object == nullptr || object->is_unknown) return {};
    const auto found = overlay::find_in(*document.root, *object, where);
    if (!found) return {};
    if (found->is_key) return of_key(file, *found, where);
    if (found->node->is_mapping() || found->node->is_sequence()) return of_collection(*found);
    return of_scalar(file, *object, *found, where);
  }

  Texts texts;
  overlay::Build build;
  std::vector<Span> repeated;                              ///< by aliases
  std::unordered_map<std::string, const Object*> objects;  ///< by identity; null: ambiguous
};

OverlayOrigins::OverlayOrigins(const std::string& root, std::span<const PackageSource> sources)
    : implementation_(std::make_unique<const Implementation>(root, sources)) {}

OverlayOrigins::~OverlayOrigins() = default;

Origin OverlayOrigins::of(const SourceFile& file, const yaml::Document& document,
                          Span where) const {
  return implementation_->of(file, document, where);
}

}  // namespace cnsched
