#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/accelerators/vocabulary.h"
#include "core/k8s/label.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule label_unknown_accelerator_label = {
    .id = "unknown-accelerator-label",
    .severity = Severity::warning,
    .summary = "a misspelt label of accelerator nodes, or a value that its tool never writes",
    .why =
        "Labels are case-sensitive and compared exactly, so a selector with a slip matches no "
        "node and the pod stays Pending with 'node(s) didn't match Pod's node affinity/selector'; "
        "a preference or a NotIn does nothing. Each tool has a spelling of its own: a T4 is "
        "Tesla-T4 to GPU feature discovery, nvidia-tesla-t4 on GKE and t4 to Karpenter.\n\n"
        "The rule reports a slip of a known key or value, the spelling of another tool, and what "
        "is known to be invented. It never reports labels of one's own, products that it does not "
        "know, and what a Node or node pool of the linted files, of those given by --cluster or "
        "of the configuration carries.",
    .bad = R"(
nodeSelector:
  nvidia.com/gpu.product: NVIDIA-T4
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
nodeSelector:
  nvidia.com/gpu.product: Tesla-T4
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .source =
        "https://github.com/NVIDIA/k8s-device-plugin/blob/main/docs/gpu-feature-discovery/"
        "README.md",
    .check = check,
    .fix = Safety::unsafe,
};

using accelerators::Meant;
using yaml::Node;

constexpr std::string_view kAnnotation = "serving.kserve.io/gke-accelerator";
constexpr std::string_view kGkeLabel = "cloud.google.com/gke-accelerator";

/// Whether a node or pool of the run carries the label; with any value, if `value` is null.
static bool is_carried(std::string_view key, const Node* value, const Report& report) {
  return std::ranges::any_of(report.facts().pools, [&](const NodePool& pool) {
    return std::ranges::any_of(pool.labels, [&](const k8s::Label& label) {
      return label.key == key && (value == nullptr || label.value == value->text());
    });
  });
}

namespace {

/// What the slip does to the pod.
enum class Demand : unsigned char { required, preferred, avoided };

}  // namespace

static std::string_view effect_of(Demand demand) {
  switch (demand) {
    case Demand::required:
      return "it selects no node";
    case Demand::preferred:
      return "it prefers no node";
    case Demand::avoided:
      return "it excludes no node";
  }
  return {};
}

/// What a key is a slip of, if that has to be told.
static std::optional<Meant> meant_key(const Node& key, const Report& report) {
  if (!key.is_scalar() || k8s::is_placeholder(key.text())) return std::nullopt;
  if (k8s::label_key_problem(key.text())) return std::nullopt;  // invalid-label
  if (is_carried(key.text(), nullptr, report)) return std::nullopt;
  return accelerators::label_key_slip(key.text());
}

static Report::Finding report_key(const Node& key, const Meant& meant, Demand demand,
                                  Report& report) {
  auto finding =
      report.add(key, "nobody labels nodes with '{}', so {}", key.text(), effect_of(demand));
  finding.help("{}", meant.why);
  return finding;
}

/// The key of a label of a nodeSelector, which may ask for the right one as well.
static void check_label_key(const Node& label, const Node& selector, Report& report) {
  const auto meant = meant_key(*label.key(), report);
  if (!meant) return;
  auto finding = report_key(*label.key(), *meant, Demand::required, report);
  const Node& right = selector[meant->instead];
  if (!right) {
    finding.fix(Safety::unsafe, fmt::format("write '{}'", meant->instead),
                {yaml::to_rename(label, meant->instead)});
  } else if (right.text() == label.text()) {
    finding.fix(Safety::unsafe, fmt::format("remove it: '{}' is asked for already", meant->instead),
                {yaml::to_erase(label)});
  }
}

static void check_key(const Node& key, Demand demand, Report& report) {
  const auto meant = meant_key(key, report);
  if (!meant) return;
  report_key(key, *meant, demand, report)
      .fix(Safety::unsafe, fmt::format("write '{}'", meant->instead),
           {yaml::to_set(key, report.make_string(meant->instead))});
}

namespace {

/// The values that a label may have.
struct Listed {
  explicit Listed(std::string_view of_key, const std::vector<const Node*>& values) : key(of_key) {
    for (const Node* value : values) texts.insert(value->text());
    const auto known = accelerators::known_values(key);
    has_known = std::ranges::any_of(known, [&](auto value) { return texts.contains(value); });
  }

  /// Whether the right spelling is listed as well: who is not sure writes both.
  bool hedges(const Meant& meant) const {
    return meant.instead.empty() ? has_known : texts.contains(meant.instead);
  }

  std::string_view key;
  std::unordered_set<std::string_view> texts{};
  bool has_known = false;
  std::unordered_set<std::string> written{};  ///< by fixes
};

}  // namespace

static void check_value(Listed& listed, const Node& value, Demand demand, Report& report) {
  if (!value.is_string() || k8s::is_placeholder(value.text())) return;
  const auto meant = accelerators::label_value_slip(listed.key, value.text());
  if (!meant || listed.hedges(*meant) || is_carried(listed.key, &value, report)) return;
  auto finding = report.add(value, "'{}' is no value of '{}', so {}", value.text(), listed.key,
                            effect_of(demand));
  finding.help("{}", meant->why);
  if (meant->instead.empty() || meant->says_less) return;
  if (!listed.written.insert(meant->instead).second) return;  // once is enough
  finding.fix(Safety::unsafe, fmt::format("write '{}'", meant->instead),
              {yaml::to_set(value, report.make_string(meant->instead))});
}

static void check_label_value(std::string_view key, const Node& value, Report& report) {
  Listed alone(key, {});
  check_value(alone, value, Demand::required, report);
}

/// Exists and DoesNotExist have no values, and those of Gt and Lt have to be numbers anyway.
static void check_terms(const std::vector<k8s::NodeSelectorTerm>& terms, bool preferred,
                        Report& report) {
  for (const k8s::NodeSelectorTerm& term : terms) {
    for (const k8s::Requirement& r : term.expressions) {
      const Demand demand = !r.asks_for_label() ? Demand::avoided
                            : preferred         ? Demand::preferred
                                                : Demand::required;
      check_key((*r.node)["key"], demand, report);
      if (r.op != "In" && r.op != "NotIn") continue;
      Listed listed(r.key, r.values);
      for (const Node* value : r.values) check_value(listed, *value, demand, report);
    }
  }
}

static void check(const Workload& workload, Report& report) {
  for (const k8s::Label& label : workload.own.node_selector()) {
    check_label_key(*label.node, workload.own["nodeSelector"], report);
    check_label_value(label.key, *label.node, report);
  }
  check_terms(workload.own.required_terms(), false, report);
  check_terms(workload.own.preferred_terms(), true, report);
  // KServe's webhook makes a selector of the annotation.
  for (const k8s::Label& label : workload.pod.node_selector()) {
    if (label.node->key() != nullptr && label.node->key()->text() == kAnnotation) {
      check_label_value(kGkeLabel, *label.node, report);
    }
  }
}

}  // namespace cnsched::rules
