#include "core/kserve/filled_tree.h"

#include <algorithm>
#include <vector>

#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using yaml::Node;

class TreeFiller {
 public:
  TreeFiller(const TemplateValues& values, Arena& arena) : values_(values), arena_(arena) {}

  const Node& fill(const Node& node, std::size_t depth) {
    // Aliases nest deeper than the parser's limit, and than the stack.
    constexpr std::size_t kDeepest = 100;
    if (depth == kDeepest) return node;
    if (node.is_scalar()) return scalar(node);
    return node.is_sequence() ? sequence(node, depth) : mapping(node, depth);
  }

 private:
  const Node& scalar(const Node& node) {
    if (node.text().find("{{") == std::string_view::npos) return node;
    const std::optional<std::string> text = fill_template(node.text(), values_);
    return text ? yaml::string_like(arena_, node, *text) : node;
  }

  const Node& sequence(const Node& node, std::size_t depth) {
    std::vector<const Node*> items;
    for (const Node* item : node.items()) items.push_back(&fill(*item, depth + 1));
    const bool same = std::ranges::equal(items, node.items());
    return same ? node : yaml::sequence_like(arena_, node, items);
  }

  const Node& mapping(const Node& node, std::size_t depth) {
    std::vector<yaml::Entry> entries = yaml::entries_of(node);
    bool same = true;
    for (yaml::Entry& entry : entries) {
      const Node& value = fill(*entry.value, depth + 1);
      same = same && &value == entry.value;
      entry.value = &value;
    }
    return same ? node : yaml::mapping_like(arena_, node, entries);
  }

  const TemplateValues& values_;
  Arena& arena_;
};

}  // namespace

const Node& filled(const Node& node, const TemplateValues& values, Arena& arena) {
  return TreeFiller(values, arena).fill(node, 0);
}

}  // namespace cnsched::kserve
