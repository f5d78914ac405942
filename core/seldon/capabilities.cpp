#include "core/seldon/capabilities.h"

#include <string>
#include <vector>

#include "core/seldon/agent.h"
#include "core/yaml/tree.h"

namespace cnsched::seldon {

namespace {

using yaml::Node;

/// Limits long texts that aliases repeat; no server has as many capabilities.
constexpr std::size_t kLongestList = 100'000;

std::string joined(const Node& list) {
  std::string text;
  for (std::size_t i = 0; i < list.items().size() && text.size() < kLongestList; ++i) {
    if (i > 0) text += ',';
    text += list.items()[i]->text().substr(0, kLongestList);
  }
  return text;
}

/// Rewrites the variable. The total length of new values is limited.
class Rewriter {
 public:
  Rewriter(Arena& arena, const Node& replacing, const Node& extra)
      : arena_(arena),
        source_(replacing.items().empty() ? extra : replacing),
        extends_(replacing.items().empty()),
        text_(joined(source_)),
        whole_(yaml::string_like(arena, source_, text_)) {}

  const Node& containers(const Node& list) {
    std::vector<const Node*> changed;
    for (const Node* container : list.items()) changed.push_back(&this->container(*container));
    return yaml::sequence_like(arena_, list, changed);
  }

 private:
  const Node& container(const Node& node) {
    const Node& list = node["env"];
    std::vector<const Node*> changed;
    bool any = false;
    for (const Node* variable : list.items()) {
      const Node& now = this->variable(*variable);
      any = any || &now != variable;
      changed.push_back(&now);
    }
    return any ? yaml::with(arena_, node, "env"_key, yaml::sequence_like(arena_, list, changed))
               : node;
  }

  /// Like the operator, drops valueFrom.
  const Node& variable(const Node& node) {
    const Node& name = node["name"];
    if (name.text() != kCapabilitiesVariable) return node;
    return yaml::mapping_like(arena_, node,
                              {yaml::entry_of(arena_, "name"_key, name),
                               yaml::entry_of(arena_, "value"_key, value(node["value"].text()))});
  }

  const Node& value(std::string_view before) {
    if (!extends_ || before.size() + text_.size() > remaining_) return whole_;
    remaining_ -= before.size() + text_.size();
    return yaml::string_like(arena_, source_, std::string(before) + "," + text_);
  }

  Arena& arena_;
  const Node& source_;
  bool extends_;
  std::string text_;
  const Node& whole_;
  std::size_t remaining_ = 10 * kLongestList;
};

}  // namespace

const Node& with_capabilities(Arena& arena, const Node& containers, const Node& server_spec) {
  const Node& replacing = server_spec["capabilities"];
  const Node& extra = server_spec["extraCapabilities"];
  if (containers.items().empty() || (replacing.items().empty() && extra.items().empty())) {
    return containers;
  }
  return Rewriter(arena, replacing, extra).containers(containers);
}

}  // namespace cnsched::seldon
