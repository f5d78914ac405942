#include "cli/lsp/hover.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <vector>

#include "core/base/text.h"
#include "core/facts/pool_fit.h"
#include "core/yaml/tree.h"

namespace cnsched::cli::lsp {

namespace {

using yaml::Node;

constexpr std::size_t kMaxShown = 5;

bool is_under(const Node* node, std::string_view key) {
  return node != nullptr && node->key() != nullptr && node->key()->text() == key;
}

/// `node`, or the nearest value around it, that is an item of the list `key`.
const Node* item_around(const Node& node, std::string_view key) {
  for (const Node* each = &node; each != nullptr; each = each->parent()) {
    if (each->key() == nullptr && is_under(each->parent(), key)) return each;
  }
  return nullptr;
}

/// `node`, or the nearest value around it, that is under `key`.
const Node* value_around(const Node& node, std::string_view key) {
  for (const Node* each = &node; each != nullptr; each = each->parent()) {
    if (is_under(each, key)) return each;
  }
  return nullptr;
}

/// Requirements on nodes as a pod spec of their own.
struct Requirements {
  std::string subject;  ///< "This label", "This term"
  const Node* spec = nullptr;
};

const Node& with_terms(Arena& arena, const Node& terms) {
  const Node& selector = yaml::with(arena, yaml::missing_node(), "nodeSelectorTerms"_key, terms);
  const Node& affinity = yaml::with(arena, yaml::missing_node(),
                                    "requiredDuringSchedulingIgnoredDuringExecution"_key, selector);
  const Node& of_nodes = yaml::with(arena, yaml::missing_node(), "nodeAffinity"_key, affinity);
  return yaml::with(arena, yaml::missing_node(), "affinity"_key, of_nodes);
}

const Node& with_term(Arena& arena, const Node& term) {
  return with_terms(arena, yaml::with_item(arena, yaml::missing_node(), term));
}

/// What is written around the node, if it is a requirement on nodes.
std::optional<Requirements> requirements_around(const Node& node, Arena& arena) {
  if (const Node* selector = value_around(node, "nodeSelector")) {
    if (selector == &node) {
      return Requirements{"This selector",
                          &yaml::with(arena, yaml::missing_node(), "nodeSelector"_key, node)};
    }
    const Node& one = yaml::with(
        arena, yaml::missing_node(),
        node.key() == nullptr ? yaml::Key(std::string_view()) : yaml::Key(*node.key()), node);
    return Requirements{"This label",
                        &yaml::with(arena, yaml::missing_node(), "nodeSelector"_key, one)};
  }
  if (value_around(node, "nodeAffinity") == nullptr) return std::nullopt;
  if (const Node* item = item_around(node, "matchExpressions")) {
    const Node& list = yaml::with_item(arena, yaml::missing_node(), *item);
    return Requirements{
        "This requirement",
        &with_term(arena, yaml::with(arena, yaml::missing_node(), "matchExpressions"_key, list))};
  }
  if (const Node* term = item_around(node, "nodeSelectorTerms")) {
    return Requirements{"This term", &with_term(arena, *term)};
  }
  if (const Node* terms = value_around(node, "nodeSelectorTerms")) {
    return Requirements{"This list of terms", &with_terms(arena, *terms)};
  }
  return std::nullopt;
}

/// "12 known nodes and pools", in which cluster if the workspace has several.
std::string known_pools(std::size_t count, const ClusterScope& scope) {
  const std::string place = describe_scope(scope);
  return fmt::format("{} known nodes and pools{}{}", count, place.empty() ? "" : " of ", place);
}

void add_selected(const Requirements& requirements, const ClusterScope& scope,
                  const std::vector<facts::NodePool>& pools, HoverText& text) {
  const facts::NodeDemands demands{k8s::PodSpec(*requirements.spec)};
  std::vector<std::string> sure;
  std::vector<std::string> perhaps;
  for (const facts::NodePool& pool : pools) {
    const facts::Fit fit = demands.fit(pool);
    if (fit == facts::Fit::yes) sure.push_back(text.words(described(pool)));
    if (fit == facts::Fit::perhaps) perhaps.push_back(text.words(described(pool)));
  }
  const std::string all = known_pools(pools.size(), scope);
  text.add_paragraph(sure.empty()
                         ? fmt::format("{} matches none of {}.", requirements.subject, all)
                         : fmt::format("{} matches {} ({} of {}).", requirements.subject,
                                       join_words(sure, "and", kMaxShown), sure.size(), all));
  if (perhaps.empty()) return;
  text.add_paragraph(fmt::format("It may match {}: not all labels of nodes of {} are known.",
                                 join_words(perhaps, "and", kMaxShown),
                                 perhaps.size() == 1 ? "this pool" : "these pools"));
}

void add_tolerated(const k8s::Toleration& toleration, const ClusterScope& scope,
                   const std::vector<facts::NodePool>& pools, HoverText& text) {
  std::map<std::string, std::vector<std::string>> pools_by_taint;
  for (const facts::NodePool& pool : pools) {
    for (const k8s::Taint& taint : pool.taints) {
      if (!toleration.tolerates(taint)) continue;
      pools_by_taint[to_string(taint)].push_back(text.words(described(pool)));
    }
  }
  const std::string all = known_pools(pools.size(), scope);
  if (pools_by_taint.empty()) {
    text.add_paragraph(fmt::format("This toleration matches no taint of {}.", all));
  }
  for (const auto& [taint, carriers] : pools_by_taint) {
    text.add_paragraph(fmt::format("This toleration matches the taint {} of {} ({} of {}).",
                                   text.code(taint), join_words(carriers, "and", kMaxShown),
                                   carriers.size(), all));
  }
}

}  // namespace

void add_matching_pools(const Cursor& cursor, const Session& session, HoverText& text) {
  if (cursor.object == nullptr || cursor.node == nullptr) return;
  Arena arena;
  const Node* item = item_around(*cursor.node, "tolerations");
  const auto requirements = requirements_around(*cursor.node, arena);
  if (item == nullptr && !requirements) return;
  for (const ClusterScope* scope : scopes_of(*cursor.object, session)) {
    const std::vector<facts::NodePool>& pools = scope->facts(*cursor.object).pools;
    if (pools.empty()) {
      const std::string place = describe_scope(*scope);
      text.add_paragraph(fmt::format(
          "No node or pool{}{} is known: start the server with --cluster nodes.yaml, or name the "
          "file in cluster.files of .cnsched.yaml.",
          place.empty() ? "" : " of ", place));
    } else if (requirements) {
      add_selected(*requirements, *scope, pools, text);
    } else {
      const Node& list = yaml::with_item(arena, yaml::missing_node(), *item);
      for (const k8s::Toleration& toleration : k8s::tolerations_in(list)) {
        add_tolerated(toleration, *scope, pools, text);
      }
    }
  }
}

}  // namespace cnsched::cli::lsp
