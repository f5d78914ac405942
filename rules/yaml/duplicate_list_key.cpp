#include <string>

#include "core/base/text.h"
#include "core/k8s/schema/schema.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const k8s::Object& object, Deviations deviations, Report& report);

extern constinit const Rule yaml_duplicate_list_key = {
    .id = "duplicate-list-key",
    .severity = Severity::error,
    .summary = "two items of a list that the API takes for one",
    .why =
        "The API server tells containers, volumes, environment variables, mounts and ports apart "
        "by their names (ports by number and protocol, mounts by their paths) and refuses an "
        "object in which two are alike.\n\n"
        "Of environment variables, ports, host aliases and pull secrets in Kubernetes' own kinds "
        "it only warns: the last one wins, and 'kubectl apply' may drop either. And KServe's "
        "CRDs let containers and volumes of one name pass; the pods that are made of them are "
        "refused. Both are a warning.",
    .bad = R"(
model:
  modelFormat: {name: onnx}
  env:
  - {name: HF_HOME, value: /tmp/hf}
  - {name: HF_HOME, value: /mnt/models}
)",
    .good = R"(
model:
  modelFormat: {name: onnx}
  env:
  - {name: HF_HOME, value: /mnt/models}
)",
    .source = "https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy",
    .check = check,
};

using k8s::schema::Deviation;
using k8s::schema::Uniqueness;
using yaml::Node;

/// "name 'HF_HOME'", "containerPort '8080' and protocol 'TCP'".
static std::string identity_of(const Node& item, const Deviation& deviation) {
  std::vector<std::string> words;
  for (const std::string_view key : deviation.field->keys) {
    const Node& value = item[key];
    words.push_back(fmt::format("{} '{}'", key, value ? value.text() : "TCP"));
  }
  return join_words(words);
}

static const Node& place_in(const Node& item, const Deviation& deviation) {
  const Node& value = item[deviation.field->keys.front()];
  return value ? value : item;
}

static void check(const k8s::Object& object, Deviations deviations, Report& report) {
  const bool native = k8s::schema::is_native(object);
  for (const Deviation& deviation : deviations) {
    if (deviation.kind != Deviation::Kind::repeated_item) continue;
    const bool wins = native && deviation.field->uniqueness == Uniqueness::refused_if_custom;
    auto finding =
        report.add(place_in(*deviation.node, deviation), "a second item of '{}' with {}: {}",
                   deviation.field->name, identity_of(*deviation.node, deviation),
                   wins                   ? "this one wins, and 'kubectl apply' may drop either"
                   : deviation.in_the_pod ? "the API server refuses the pods that are made of it"
                                          : "the API server refuses the object");
    finding.note(place_in(*deviation.first, deviation), "the first one is here")
        .help("keep one of them");
    if (wins || deviation.in_the_pod) finding.severity(Severity::warning);
  }
}

}  // namespace cnsched::rules
