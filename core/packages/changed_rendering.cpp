#include "core/packages/changed_rendering.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/yaml/parse.h"
#include "core/yaml/scalar.h"
#include "core/yaml/split.h"

namespace cnsched::packages {

using yaml::Node;

namespace {

/// The text without the signs that changes add to texts.
std::string without_signs(std::string_view text, const std::string& sign) {
  std::string result;
  for (std::size_t at = text.find(sign); at != std::string_view::npos; at = text.find(sign)) {
    std::string_view rest = text.substr(at + sign.size());
    const bool is_marker = take_number(rest) && rest.starts_with('z');
    result += text.substr(0, is_marker ? at : at + sign.size());
    text = is_marker ? rest.substr(1) : text.substr(at + sign.size());
  }
  return result += text;
}

}  // namespace

ChangedRendering::ChangedRendering(const MarkedEdits& all, std::span<const std::size_t> changes,
                                   std::span<const yaml::Document> before, std::string text)
    : all_(all), before_(before), file_(0, "", std::move(text)), spans_(yaml::split(file_)) {
  for (const std::size_t i : changes) {
    if (all[i].is_number) numbers_.push_back(&all[i]);
  }
}

bool ChangedRendering::is_explained(std::string_view text, std::string_view before) const {
  if (text == before) return true;
  // What an action printed is not known.
  if (text.find(all_.sign() + "a") != std::string_view::npos) return true;
  std::string restored = without_signs(text, all_.sign());
  for (const MarkedEdit* each : numbers_) {
    const std::size_t at = restored.find(each->marker);
    if (at == std::string::npos || !shows(restored, *each)) continue;
    restored.replace(at, each->marker.size(), each->original);
  }
  return restored == before;
}

const Node& ChangedRendering::parsed(std::size_t document) {
  const auto [known, is_new] = documents_.try_emplace(document);
  if (is_new) known->second = yaml::parse(file_, spans_[document]);
  return *known->second.root;
}

const Node* ChangedRendering::root_of(std::size_t document) {
  constexpr std::size_t kMaxDocuments = 2'000;
  const Node& before = *before_[document].root;
  if (spans_.size() == before_.size() && is_same_object(parsed(document), before, true)) {
    return &parsed(document);
  }
  const Node* found = nullptr;
  for (std::size_t i = 0; i < std::min(spans_.size(), kMaxDocuments); ++i) {
    if (!is_same_object(parsed(i), before, false)) continue;
    if (found != nullptr) return nullptr;
    found = &parsed(i);
  }
  return found;
}

/// By kind and name. kustomize appends a hash of its content to the name of a generated object.
bool ChangedRendering::is_same_object(const Node& root, const Node& before,
                                      bool may_be_hashed) const {
  const auto is_same = [&](const Node& a, const Node& b) {
    return is_explained(a.text(), b.text());
  };
  const Node& a = root["metadata"];
  const Node& b = before["metadata"];
  if (!is_same(root["apiVersion"], before["apiVersion"])) return false;
  if (!is_same(root["kind"], before["kind"])) return false;
  if (!is_same(a["namespace"], b["namespace"])) return false;
  const auto start = [](std::string_view name) { return name.substr(0, name.rfind('-')); };
  return is_same(a["name"], b["name"]) ||
         (may_be_hashed && is_explained(start(a["name"].text()), start(b["name"].text())));
}

std::vector<const Node*> ChangedRendering::counterparts(std::size_t document, const Node& node) {
  const Node* root = root_of(document);
  return root == nullptr ? std::vector<const Node*>() : below(*root, node);
}

std::vector<const Node*> ChangedRendering::below(const Node& root, const Node& node) const {
  if (node.parent() == nullptr) return {&root};
  const std::vector<const Node*> outer = below(root, *node.parent());
  if (outer.size() != 1) return {};
  if (node.key() != nullptr) return values(*outer.front(), *node.parent(), *node.key());
  if (!has_same_items(*outer.front(), *node.parent())) return {};
  const auto items = node.parent()->items();
  return {outer.front()
              ->items()[static_cast<std::size_t>(std::ranges::find(items, &node) - items.begin())]};
}

/// Whether a list has the same items in the same order, as far as their scalars tell.
bool ChangedRendering::has_same_items(const Node& list, const Node& before) const {
  if (list.items().size() != before.items().size()) return false;
  for (std::size_t i = 0; i < before.items().size(); ++i) {
    const Node& a = *list.items()[i];
    const Node& b = *before.items()[i];
    if (b.is_scalar() && !is_explained(a.text(), b.text())) return false;
    std::size_t count = 0;
    for (const yaml::Entry& each : b.entries()) {
      const std::vector<const Node*> same = values(a, b, *each.key);
      count += same.size();
      const bool is_same = !each.value->is_scalar() || std::ranges::any_of(same, [&](auto value) {
        return is_explained(value->text(), each.value->text());
      });
      if (same.empty() || !is_same) return false;
    }
    if (count != a.entries().size()) return false;
  }
  return true;
}

/// The values of the key that was `key` of `before`. A change may have renamed it, perhaps in one
/// of several sources; of equal keys the same one is meant.
std::vector<const Node*> ChangedRendering::values(const Node& mapping, const Node& before,
                                                  const Node& key) const {
  const std::string wanted = yaml::key_text(key);
  std::size_t number = 0;
  std::size_t count = 0;
  for (const yaml::Entry& each : before.entries()) {
    if (each.key == &key) number = count;
    if (yaml::key_text(*each.key) == wanted) ++count;
  }
  std::vector<const Node*> found;
  for (const yaml::Entry& each : mapping.entries()) {
    if (is_explained(yaml::key_text(*each.key), wanted)) found.push_back(each.value);
  }
  if (count < 2) return found;
  return found.size() == count ? std::vector<const Node*>{found[number]}
                               : std::vector<const Node*>();
}

}  // namespace cnsched::packages
