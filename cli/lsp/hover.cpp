#include "cli/lsp/hover.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "cli/lsp/requests.h"
#include "cli/output/safe_text.h"
#include "core/accelerators/card.h"
#include "core/accelerators/catalogue.h"
#include "core/accelerators/node_trait.h"
#include "core/accelerators/platform.h"
#include "core/accelerators/product.h"
#include "core/accelerators/records.h"
#include "core/base/text.h"
#include "core/facts/known_pools.h"
#include "core/k8s/taint.h"
#include "core/yaml/tree.h"

namespace cnsched::cli::lsp {

namespace {

using accelerators::Naming;
using yaml::Node;

/// A label or a resource, and its value, as a manifest writes them in different forms.
struct NamedValue {
  std::string_view key;
  std::string_view value;
};

NamedValue named_at(const Node& node) {
  if (node.key() != nullptr) {
    const std::string_view key = node.key()->text();
    // An item of matchExpressions or tolerations.
    if (key == "key") return {node.text(), {}};
    if (key == "value") return {(*node.parent())["key"].text(), node.text()};
    if (key == "values" && node.parent() != nullptr) return {(*node.parent())["key"].text(), {}};
    return {key, node.text()};
  }
  const Node* list = node.parent();
  const bool is_of_values = list != nullptr && list->key() != nullptr &&
                            list->key()->text() == "values" && list->parent() != nullptr;
  if (is_of_values) return {(*list->parent())["key"].text(), node.text()};
  return {node.text(), {}};
}

void add_resource(const accelerators::Resource& resource, std::string_view name, HoverText& text) {
  std::string sentence = fmt::format("{}: accelerators of {}", text.code(name),
                                     accelerators::name_of(resource.vendor));
  const accelerators::DevicePlugin* plugin = accelerators::find_plugin(resource.vendor);
  if (plugin != nullptr && plugin->resource == name) {
    sentence += fmt::format(", which {} advertises", plugin->name);
    if (!plugin->tolerated_taint.empty()) {
      sentence +=
          fmt::format(". Its default manifest tolerates the taint {}",
                      text.code(fmt::format("{}:{}", plugin->tolerated_taint, k8s::kNoSchedule)));
    }
  }
  text.add_paragraph(sentence + '.');
}

std::string_view meaning_of(accelerators::LabelMeaning meaning) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"the node has an accelerator", "the model of the node's accelerators",
       "the number of the node's accelerators", "the memory of the node's accelerators",
       "a property of nodes with accelerators"});
  return kWords[static_cast<std::size_t>(meaning)];
}

void add_label(const accelerators::NodeLabel& label, std::string_view key, HoverText& text) {
  text.add_paragraph(fmt::format("{}: {} ({}). {} sets this node label.", text.code(key),
                                 meaning_of(label.meaning), accelerators::name_of(label.vendor),
                                 label.set_by));
}

std::string names_in(const accelerators::Card& card, Naming naming, const HoverText& text) {
  std::vector<std::string> names;
  for (const accelerators::CardName* name : accelerators::spellings_of(card, naming)) {
    names.push_back(text.code(name->value));
  }
  return join_words(names, "or");
}

void add_machines(std::string_view accelerator, HoverText& text) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> types;
  for (const accelerators::Machine& machine : accelerators::records().machines) {
    if (machine.accelerator != accelerator) continue;
    types.push_back(fmt::format("{} ({})", text.code(machine.type), machine.devices));
  }
  if (types.empty()) return;
  text.add_item(fmt::format("machine types, with the number of devices: {}",
                            join_words(types, "and", kMost)));
}

void add_mig_profiles(const accelerators::Card& card, HoverText& text) {
  const accelerators::CardSize* size = card.model->find_size(card.gigabytes);
  if (size == nullptr || size->mig_profiles.empty()) return;
  std::vector<std::string> profiles;
  for (const accelerators::MigProfile& profile : size->mig_profiles) {
    profiles.push_back(fmt::format("{} ({})", text.code(profile.name), profile.per_card));
  }
  text.add_item(fmt::format("MIG profiles, with the slices of a card: {}", join_words(profiles)));
}

void add_card(const accelerators::Card& named, std::string_view value, HoverText& text) {
  const accelerators::Card card = accelerators::with_only_size(named);
  text.add_paragraph(fmt::format("{}: NVIDIA {}", text.code(value), accelerators::name_of(card)));
  struct Tool {
    Naming naming;
    std::string_view text;
  };
  for (const Tool& tool :
       {Tool{Naming::feature_discovery, "GPU feature discovery"}, Tool{Naming::gke, "GKE"},
        Tool{Naming::karpenter, "Karpenter for AWS"}}) {
    const std::string names = names_in(card, tool.naming, text);
    if (!names.empty()) text.add_item(fmt::format("in labels of {}: {}", tool.text, names));
  }
  add_mig_profiles(card, text);
  add_machines(accelerators::product_name(accelerators::records(), card), text);
}

void add_device(const accelerators::Device& device, HoverText& text) {
  text.add_paragraph(text.words(device.title));
  text.add_item(fmt::format("resource: {}", text.code(device.resource)));
  if (!device.label_key.empty()) {
    text.add_item(fmt::format(
        "node label: {}", text.code(fmt::format("{}: {}", device.label_key, device.label_value))));
  }
  add_machines(device.name, text);
}

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
  const k8s::NodeRequirements required{k8s::PodSpec(*requirements.spec)};
  std::vector<std::string> sure;
  std::vector<std::string> perhaps;
  for (const facts::NodePool& pool : pools) {
    const Truth fit = pool.meets(required);
    if (fit == Truth::yes) sure.push_back(text.words(described(pool)));
    if (fit == Truth::unknown) perhaps.push_back(text.words(described(pool)));
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

/// Describes the accelerator that a value of a manifest, or its key, names: a resource, a node
/// label or a label's value. Adds nothing if it names none.
void add_accelerator_record(const Node& node, HoverText& text) {
  const NamedValue named = named_at(node);
  if (const auto* resource = accelerators::find_resource(named.key)) {
    add_resource(*resource, named.key, text);
  } else if (const auto* label = accelerators::find_label(named.key)) {
    add_label(*label, named.key, text);
  }
  if (named.value.empty()) return;
  if (const auto card = accelerators::card_from_label(named.key, named.value)) {
    return add_card(*card, named.value, text);
  }
  const auto& devices = accelerators::records().devices;
  const auto device = std::ranges::find_if(devices, [&](const accelerators::Device& each) {
    return each.label_key == named.key && each.label_value == named.value;
  });
  if (device != devices.end()) add_device(*device, text);
}

/// For a toleration or a requirement on nodes: which of the known nodes and pools match. Adds
/// nothing for other values.
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

}  // namespace

void HoverText::add_paragraph(std::string_view text) {
  if (!text_.empty()) text_ += '\n';
  text_ += fmt::format("{}\n", text);
}

void HoverText::add_item(std::string_view text) { text_ += fmt::format("- {}\n", text); }

void HoverText::add_yaml(std::string_view yaml) {
  const std::vector<std::string_view> lines = split(yaml, '\n');
  text_ += is_markdown_ ? "\n```yaml\n" : "\n";
  for (std::size_t i = 0; i < std::min(lines.size(), kMaxLines); ++i) {
    // No line of YAML that is written here begins with a backtick.
    text_ += fmt::format("{}{}\n", is_markdown_ ? "" : "  ", lines[i]);
  }
  if (lines.size() > kMaxLines) {
    text_ += fmt::format("# {} more\n", count_of(lines.size() - kMaxLines, "line"));
  }
  if (is_markdown_) text_ += "```\n";
}

std::string HoverText::code(std::string_view text) const {
  std::string shown = printable(text);
  if (!is_markdown_) return fmt::format("'{}'", shown);
  std::ranges::replace(shown, '`', '\'');  // the only character that ends a code span
  return fmt::format("`{}`", shown);
}

std::string HoverText::words(std::string_view text) const {
  return is_markdown_ ? markdown_text(text) : printable(text);
}

Json hover(const Question& question, const Session& session) {
  const auto cursor = cursor_at(question.path, question.place, session);
  if (!cursor || cursor->node == nullptr) return nullptr;
  HoverText text(session.client.hovers_in_markdown);
  add_effective_values(*cursor, session, text);
  add_matching_pools(*cursor, session, text);
  add_accelerator_record(*cursor->node, text);
  if (text.empty()) return nullptr;
  const Span where = cursor->is_on_key ? cursor->node->key()->span : cursor->node->span;
  return {{"contents",
           {{"kind", session.client.hovers_in_markdown ? "markdown" : "plaintext"},
            {"value", text.text()}}},
          {"range", json_of(session.range_of(where))}};
}

}  // namespace cnsched::cli::lsp
