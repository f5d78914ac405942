#include <algorithm>

#include "core/yaml/scalar.h"
#include "rules/rule.h"

namespace cnsched::rules::duplicate_key {

/// The last entry with the key: its value is the one that counts.
static const yaml::Entry& last_of(const yaml::Node& mapping, const yaml::Node& key) {
  auto entry = mapping.entries().rbegin();
  while (!yaml::is_same_key(*entry->key, key)) ++entry;
  return *entry;
}

/// Whether two objects have no '---' between them, so that every key of the first occurs twice.
static bool holds_second_object(const yaml::Node& root) {
  const auto repeated = [&](std::string_view key) {
    return std::ranges::any_of(root.entries(), [&](const yaml::Entry& entry) {
      return entry.overridden && entry.key->text() == key;
    });
  };
  return repeated("apiVersion") && repeated("kind");
}

/// Whether two items of a list became one because the second lacks its '-'.
static bool holds_second_item(const yaml::Node& node) {
  return node.parent() != nullptr && node.parent()->is_sequence() && !node.entries().empty() &&
         node.entries().front().overridden &&
         std::ranges::count(node.entries(), true, &yaml::Entry::overridden) > 1;
}

static void check(const k8s::Object& object, Findings& findings) {
  const bool second_object = holds_second_object(*object.root);
  if (second_object) {
    const yaml::Node& second = (*object.root)["apiVersion"];
    findings
        .add_at_key(second,
                    "a second object begins here without a '---' line: kubectl applies this object "
                    "and silently drops the one above")
        .note(*object.root->entries().front().key, "the first object begins here")
        .help("add a '---' line between the two objects");
  }
  yaml::walk(*object.root, [&](const yaml::Node& node) {
    if (second_object && &node == object.root) return;
    if (holds_second_item(node)) {
      const yaml::Entry& first = node.entries().front();
      const yaml::Entry& second = last_of(node, *first.key);
      findings
          .add_at_key(
              *second.value,
              "key '{}' occurs twice in one list item: kubectl silently drops the value above",
              second.key->text())
          .note(*first.key, "the item begins here")
          .help("begin the second item with '- ', or keep one of the values");
      return;
    }
    for (const yaml::Entry& entry : node.entries()) {
      if (!entry.overridden || entry.merged) continue;
      const yaml::Entry& last = last_of(node, *entry.key);
      if (yaml::same_value(*entry.value, *last.value)) {
        findings
            .add_at_key(*entry.value, "key '{}' occurs twice with the same value",
                        entry.key->text())
            .note(*last.key, "it is repeated here")
            .help("keep one of the two")
            .severity(Severity::warning);
        continue;
      }
      auto finding = findings.add_at_key(*entry.value,
                                         "key '{}' occurs twice: kubectl silently drops this value",
                                         entry.key->text());
      if (last.key->text() == entry.key->text()) {
        finding.note(*last.key, "kubectl uses this value").help("keep one of the values");
      } else {
        finding
            .note(*last.key, "kubectl uses this value: both keys are '{}' in JSON",
                  yaml::key_text(*last.key))
            .help("quote both keys, or keep one of the values");
      }
    }
  });
}

extern constinit const Rule rule = {
    .id = "duplicate-key",
    .severity = Severity::error,
    .decided_by_subject = true,
    .check = check,
};

}  // namespace cnsched::rules::duplicate_key
