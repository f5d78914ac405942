#include "core/packages/overlay/find.h"

#include <algorithm>
#include <iterator>

namespace cnsched::overlay {

namespace {

using yaml::Node;

/// Lists that are searched by key, rather than by index, at most.
constexpr std::size_t kMaxSearched = 1'000;

bool contains(Span outer, Span inner) {
  return outer.begin <= inner.begin && inner.end <= outer.end;
}

/// The last of the nodes that begins at or before `begin`, or the end. They are in file order.
template <typename Range, typename BeginOf>
auto last_before(const Range& range, std::uint32_t begin, BeginOf begin_of) {
  const auto next = std::partition_point(range.begin(), range.end(),
                                         [&](const auto& each) { return begin_of(each) <= begin; });
  return next == range.begin() ? range.end() : std::prev(next);
}

/// Follows a span through an object. Nothing if both sides do not agree on the way.
class PathSearch {
 public:
  PathSearch(const Node& root, const Object& object, Span where)
      : root_(root), object_(object), where_(where) {}

  std::optional<Found> find() {
    Found found{.node = &root_, .value = object_.root.get()};
    while (found.node->span != where_ && !found.is_key && !found.node->is_scalar()) {
      if (found.value->is_unknown || found.node->kind != found.value->kind) return std::nullopt;
      if (!(found.node->is_mapping() ? enter_mapping(found) : enter_list(found))) {
        return std::nullopt;
      }
    }
    if (found.value->is_unknown) return std::nullopt;
    return found;
  }

 private:
  bool enter_mapping(Found& found) const {
    const auto entries = found.node->entries();
    const auto entry = last_before(entries, where_.begin,
                                   [](const yaml::Entry& each) { return each.key->span.begin; });
    if (entry == entries.end()) return false;
    const auto member = found.value->members.find(entry->key->text());
    if (member == found.value->members.end()) return false;
    const Value* metadata = object_.root->find("metadata");
    found.is_name = found.value == metadata && member->first == "name";
    found.is_key = contains(entry->key->span, where_);
    found.node = entry->value;
    found.member = &member->second;
    found.value = member->second.value.get();
    return found.is_key || contains(entry->value->span, where_);
  }

  bool enter_list(Found& found) const {
    const auto items = found.node->items();
    const auto item =
        last_before(items, where_.begin, [](const Node* each) { return each->span.begin; });
    if (item == items.end() || !contains((*item)->span, where_)) return false;
    const auto index = static_cast<std::size_t>(item - items.begin());
    if (items.size() != found.value->items.size()) return false;
    found.value = same_item(*found.value, **item, index);
    found.node = *item;
    found.member = nullptr;
    return found.value != nullptr;
  }

  static const Value* same_item(const Value& list, const Node& item, std::size_t index) {
    const auto fits = [&](const Value& value) {
      return std::ranges::all_of(list.merge_keys, [&](std::string_view key) {
        return value.text_of(key) == item[key].text();
      });
    };
    if (fits(*list.items[index])) return list.items[index].get();
    if (list.items.size() > kMaxSearched) return nullptr;
    const Value* same = nullptr;
    for (const auto& value : list.items) {
      if (!fits(*value)) continue;
      if (same != nullptr) return nullptr;
      same = value.get();
    }
    return same;
  }

  const Node& root_;
  const Object& object_;
  Span where_;
};

}  // namespace

std::optional<Found> find_in(const yaml::Node& root, const Object& object, Span where) {
  return PathSearch(root, object, where).find();
}

}  // namespace cnsched::overlay
