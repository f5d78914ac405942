#include "cli/lsp/hover.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/accelerators/card.h"
#include "core/accelerators/catalogue.h"
#include "core/accelerators/node_trait.h"
#include "core/accelerators/platform.h"
#include "core/accelerators/product.h"
#include "core/accelerators/records.h"
#include "core/base/text.h"
#include "core/k8s/taint.h"

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
  using Meaning = accelerators::LabelMeaning;
  switch (meaning) {
    case Meaning::present:
      return "the node has an accelerator";
    case Meaning::product:
      return "the model of the node's accelerators";
    case Meaning::count:
      return "the number of the node's accelerators";
    case Meaning::memory:
      return "the memory of the node's accelerators";
    case Meaning::detail:
      break;
  }
  return "a property of nodes with accelerators";
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

}  // namespace

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

}  // namespace cnsched::cli::lsp
