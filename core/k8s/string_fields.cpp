#include "core/k8s/string_fields.h"

namespace cnsched::k8s {

namespace {

using yaml::Node;
using Where = StringField::Where;

bool below_preference(const Node& node) {
  for (const Node* at = &node; at != nullptr; at = at->parent()) {
    if (at->key() != nullptr && at->key()->text() == "preference") return true;
  }
  return false;
}

void add_values(const Node& mapping, Where where, std::vector<StringField>& fields) {
  for (const yaml::Entry& entry : mapping.entries()) {
    if (!entry.overridden && !entry.merged) fields.push_back({where, entry.value});
  }
}

/// The `value` of each item of a list such as tolerations.
void add_item_values(const Node& list, Where where, std::vector<StringField>& fields) {
  for (const Node* item : list.items()) {
    if (const Node& value = (*item)["value"]) fields.push_back({where, &value});
  }
}

void add_requirement_values(const Node& list, std::vector<StringField>& fields) {
  const Where where = below_preference(list) ? Where::preference : Where::requirement;
  for (const Node* requirement : list.items()) {
    for (const Node* value : (*requirement)["values"].items()) fields.push_back({where, value});
  }
}

}  // namespace

bool is_free_form(const Node& node) {
  return node.key() != nullptr && node.key()->text() == "inline" &&
         node.parent()->key() != nullptr && node.parent()->key()->text() == "config";
}

std::vector<StringField> string_fields(const Node& root) {
  std::vector<StringField> fields;
  yaml::walk(root, [&](const Node& node) {
    if (is_free_form(node)) return false;
    if (node.key() == nullptr) return true;
    const std::string_view name = node.key()->text();
    if (node.is_mapping()) {
      if (name == "nodeSelector") add_values(node, Where::node_selector, fields);
      if (name == "labels" || name == "matchLabels") add_values(node, Where::label, fields);
      if (name == "annotations") add_values(node, Where::annotation, fields);
    } else if (node.is_sequence()) {
      if (name == "matchExpressions" || name == "requirements")
        add_requirement_values(node, fields);
      if (name == "tolerations") add_item_values(node, Where::toleration, fields);
      if (name == "taints") add_item_values(node, Where::taint, fields);
      if (name == "env") add_item_values(node, Where::environment, fields);
    }
    return true;
  });
  return fields;
}

}  // namespace cnsched::k8s
