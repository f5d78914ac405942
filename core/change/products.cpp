#include "core/change/products.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/accelerators/machine_type.h"
#include "core/accelerators/mig.h"
#include "core/accelerators/node_trait.h"
#include "core/accelerators/product.h"
#include "core/k8s/node_label.h"

namespace cnsched::change {

namespace {

using accelerators::Card;
using accelerators::LabelMeaning;

std::string name_of_card(Card card, std::string_view value) {
  if (card.model->sizes.size() == 1) card.gigabytes = card.model->sizes.front().gigabytes;
  const std::size_t mig = value.find("-MIG-");
  const std::string_view profile =
      mig == std::string_view::npos
          ? std::string_view()
          : accelerators::mig_profile_in(value.substr(mig + std::string_view("-MIG-").size()));
  if (const auto* known = accelerators::any_card(card, profile)) return known->product.name;
  const std::string name = accelerators::product_name(accelerators::records(), card);
  return profile.empty() ? name : fmt::format("{}-mig-{}", name, profile);
}

/// The products that a requirement admits; nothing if it does not name any.
std::set<std::string> products_in(const k8s::Requirement& r) {
  std::set<std::string> products;
  if (r.op != "In") return products;
  for (const yaml::Node* value : r.values) {
    std::string product = product_in(r.key, value->text());
    if (product.empty()) return {};
    products.insert(std::move(product));
  }
  return products;
}

}  // namespace

std::string product_in(std::string_view label, std::string_view value) {
  const accelerators::NodeLabel* known = accelerators::find_label(label);
  if (known == nullptr || known->meaning != LabelMeaning::product || value.empty()) return {};
  if (const auto card = accelerators::card_from_label(label, value)) {
    return name_of_card(*card, value);
  }
  const accelerators::Product* product = accelerators::product_named(value);
  return product == nullptr ? std::string(value) : product->name;
}

std::string product_of(const facts::NodePool& node) {
  for (const k8s::Label& label : node.labels) {
    std::string product = product_in(label.key, label.value);
    if (!product.empty()) return product;
  }
  for (const k8s::Label& label : node.labels) {
    if (k8s::is_instance_type_label(label.key)) return product_of_type(label.value);
  }
  const auto& types = node.scaling.instance_types;
  return types.size() == 1 ? product_of_type(types.front()) : std::string();
}

std::string product_of_type(std::string_view type) {
  const accelerators::MachineType* known = accelerators::find_machine_type(type);
  return known == nullptr ? std::string() : known->accelerators->accelerator;
}

std::set<std::string> products_required_by(const sim::Pod& pod) {
  for (const auto* labels : {&pod.node_selector, &pod.class_selector}) {
    for (const k8s::Label& label : *labels) {
      std::string product = product_in(label.key, label.value);
      if (!product.empty()) return {std::move(product)};
    }
  }
  std::set<std::string> products;
  for (const k8s::NodeSelectorTerm& term : pod.required_terms) {
    const std::size_t before = products.size();
    bool is_named = false;
    for (const k8s::Requirement& r : term.expressions) {
      std::set<std::string> of_term = products_in(r);
      is_named = is_named || !of_term.empty();
      products.merge(of_term);
      if (is_named) break;
    }
    if (!is_named && products.size() == before) return {};
  }
  return products;
}

std::string_view pool_of(const facts::NodePool& node) {
  for (const std::string_view key : k8s::kPoolLabels) {
    const auto label = std::ranges::find(node.labels, key, &k8s::Label::key);
    if (label != node.labels.end() && !label->value.empty()) return label->value;
  }
  const bool is_node = node.object != nullptr && node.object->is("", "Node");
  return is_node ? std::string_view() : std::string_view(node.name);
}

}  // namespace cnsched::change
