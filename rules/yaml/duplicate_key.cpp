#include <algorithm>

#include "core/yaml/scalar.h"
#include "core/yaml/walk.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const k8s::Object& object, Report& report);

extern constinit const Rule yaml_duplicate_key = {
    .id = "duplicate-key",
    .severity = Severity::error,
    .summary = "the same key twice in one mapping",
    .why =
        "Only the last value of a repeated key counts, and everything under the others is "
        "lost: kubectl turns the manifest into JSON before it sends it and silently keeps the "
        "last one, so that the server's strict check never sees the rest. Often two documents "
        "have run together because the line '---' between them is missing.",
    .bad = R"(
nodeSelector:
  cloud.google.com/gke-accelerator: nvidia-l4
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
nodeSelector:
  pool: inference
)",
    .good = R"(
nodeSelector:
  cloud.google.com/gke-accelerator: nvidia-l4
  pool: inference
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .source =
        "https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/apimachinery/"
        "pkg/util/yaml/decoder.go",
    .check = check,
};

/// The value that counts: of the last entry with the key.
static const yaml::Entry& last_of(const yaml::Node& mapping, const yaml::Node& key) {
  auto entry = mapping.entries().rbegin();
  while (!yaml::is_same_key(*entry->key, key)) ++entry;
  return *entry;
}

/// Two objects without a '---' between them: every key of the first is there twice.
static bool holds_second_object(const yaml::Node& root) {
  const auto repeated = [&](std::string_view key) {
    return std::ranges::any_of(root.entries(), [&](const yaml::Entry& entry) {
      return entry.overridden && entry.key->text() == key;
    });
  };
  return repeated("apiVersion") && repeated("kind");
}

/// Two items of a list that ran together, because the second has lost its '-'.
static bool holds_second_item(const yaml::Node& node) {
  return node.parent() != nullptr && node.parent()->is_sequence() && !node.entries().empty() &&
         node.entries().front().overridden &&
         std::ranges::count(node.entries(), true, &yaml::Entry::overridden) > 1;
}

static void check(const k8s::Object& object, Report& report) {
  const bool second_object = holds_second_object(*object.root);
  if (second_object) {
    const yaml::Node& second = (*object.root)["apiVersion"];
    report
        .add_at_key(second,
                    "a second object begins here, in the same document: kubectl applies this "
                    "one and silently drops the one above")
        .note(*object.root->entries().front().key, "the first object begins here")
        .help("put a line '---' between the two");
  }
  yaml::walk(*object.root, [&](const yaml::Node& node) {
    if (second_object && &node == object.root) return;
    if (holds_second_item(node)) {
      const yaml::Entry& first = node.entries().front();
      const yaml::Entry& second = last_of(node, *first.key);
      report
          .add_at_key(*second.value,
                      "'{}' is set again within one item of a list, which silently "
                      "drops what is above",
                      second.key->text())
          .note(*first.key, "the item begins here")
          .help("begin a second item with '- ', or keep one of them");
      return;
    }
    for (const yaml::Entry& entry : node.entries()) {
      if (!entry.overridden || entry.merged) continue;
      const yaml::Entry& winner = last_of(node, *entry.key);
      auto finding = report.add_at_key(*entry.value,
                                       "'{}' is set again below, which silently drops this value",
                                       entry.key->text());
      if (winner.key->text() == entry.key->text()) {
        finding.note(*winner.key, "this one wins").help("keep one of them");
      } else {
        finding
            .note(*winner.key, "this one wins: both are '{}' in JSON", yaml::key_text(*winner.key))
            .help("quote both, or keep one of them");
      }
    }
  });
}

}  // namespace cnsched::rules
