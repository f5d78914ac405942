#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/accelerators/vocabulary.h"
#include "core/k8s/label.h"
#include "rules/rule.h"

namespace cnsched::rules::unknown_accelerator_label {

using accelerators::Correction;
using yaml::Node;

constexpr std::string_view kAnnotation = "serving.kserve.io/gke-accelerator";
constexpr std::string_view kGkeLabel = "cloud.google.com/gke-accelerator";

/// Whether a known node or pool has the label; with any value, if `value` is null.
static bool is_on_known_node(std::string_view key, const Node* value, const Findings& findings) {
  return std::ranges::any_of(findings.facts().pools, [&](const facts::NodePool& pool) {
    return std::ranges::any_of(pool.labels, [&](const k8s::Label& label) {
      return label.key == key && (value == nullptr || label.value == value->text());
    });
  });
}

namespace {

/// How the pod uses the label.
enum class Demand : unsigned char { required, preferred, avoided };

}  // namespace

static std::string_view effect_of(Demand demand) {
  switch (demand) {
    case Demand::required:
      return "it matches no node";
    case Demand::preferred:
      return "it prefers no node";
    case Demand::avoided:
      return "it excludes no node";
  }
  return {};
}

/// The correct spelling of a key that has to be reported.
static std::optional<Correction> correct_key(const Node& key, const Findings& findings) {
  if (!key.is_scalar() || k8s::is_placeholder(key.text())) return std::nullopt;
  if (k8s::label_key_problem(key.text())) return std::nullopt;  // invalid-label
  if (is_on_known_node(key.text(), nullptr, findings)) return std::nullopt;
  return accelerators::corrected_label_key(key.text());
}

static Findings::Finding report_key(const Node& key, const Correction& correction, Demand demand,
                                    Findings& findings) {
  auto finding =
      findings.add(key, "no tool sets the node label '{}', so {}", key.text(), effect_of(demand));
  finding.help("{}", correction.reason);
  return finding;
}

/// Checks a key of a nodeSelector, which may also have the correct key.
static void check_label_key(const Node& label, const Node& selector, Findings& findings) {
  const auto correction = correct_key(*label.key(), findings);
  if (!correction) return;
  auto finding = report_key(*label.key(), *correction, Demand::required, findings);
  const Node& right = selector.under(correction->replacement);
  if (!right) {
    finding.fix(Safety::unsafe, fmt::format("write '{}'", correction->replacement),
                {yaml::to_rename(label, correction->replacement)});
  } else if (right.text() == label.text()) {
    finding.fix(Safety::unsafe,
                fmt::format("remove it: the pod already selects '{}'", correction->replacement),
                {yaml::to_erase(label)});
  }
}

static void check_key(const Node& key, Demand demand, Findings& findings) {
  const auto correction = correct_key(key, findings);
  if (!correction) return;
  report_key(key, *correction, demand, findings)
      .fix(Safety::unsafe, fmt::format("write '{}'", correction->replacement),
           {yaml::to_set(key, findings.make_string(correction->replacement))});
}

namespace {

/// The values of one expression.
struct Listed {
  explicit Listed(std::string_view of_key, const std::vector<const Node*>& values) : key(of_key) {
    for (const Node* value : values) texts.insert(value->text());
    const auto known = accelerators::known_values(key);
    has_known = std::ranges::any_of(known, [&](auto value) { return texts.contains(value); });
  }

  /// Whether the correct spelling is listed as well, so that the expression matches.
  bool lists(const Correction& correction) const {
    return correction.replacement.empty() ? has_known : texts.contains(correction.replacement);
  }

  std::string_view key;
  std::unordered_set<std::string_view> texts{};
  bool has_known = false;
  std::unordered_set<std::string> written{};  ///< corrections by fixes
};

}  // namespace

static void check_value(Listed& listed, const Node& value, Demand demand, Findings& findings) {
  if (!value.is_string() || k8s::is_placeholder(value.text())) return;
  if (k8s::label_value_problem(value.text())) return;  // invalid-label
  const auto correction = accelerators::corrected_label_value(listed.key, value.text());
  if (!correction || listed.lists(*correction) || is_on_known_node(listed.key, &value, findings))
    return;
  auto finding = findings.add(value, "no tool sets '{}' to '{}', so {}", listed.key, value.text(),
                              effect_of(demand));
  finding.help("{}", correction->reason);
  if (correction->replacement.empty() || correction->is_broader) return;
  if (!listed.written.insert(correction->replacement).second) return;
  finding.fix(Safety::unsafe, fmt::format("write '{}'", correction->replacement),
              {yaml::to_set(value, findings.make_string(correction->replacement))});
}

static void check_label_value(std::string_view key, const Node& value, Findings& findings) {
  Listed alone(key, {});
  check_value(alone, value, Demand::required, findings);
}

/// Only In and NotIn have values that can be labels.
static void check_terms(const std::vector<k8s::NodeSelectorTerm>& terms, bool preferred,
                        Findings& findings) {
  for (const k8s::NodeSelectorTerm& term : terms) {
    for (const k8s::Requirement& r : term.expressions) {
      const Demand demand = !r.requires_label() ? Demand::avoided
                            : preferred         ? Demand::preferred
                                                : Demand::required;
      check_key((*r.node)["key"], demand, findings);
      if (r.op != "In" && r.op != "NotIn") continue;
      Listed listed(r.key, r.values);
      for (const Node* value : r.values) check_value(listed, *value, demand, findings);
    }
  }
}

static void check(const Workload& workload, Findings& findings) {
  for (const k8s::Label& label : workload.own.node_selector()) {
    check_label_key(*label.node, workload.own["nodeSelector"], findings);
    check_label_value(label.key, *label.node, findings);
  }
  check_terms(workload.own.required_terms(), false, findings);
  check_terms(workload.own.preferred_terms(), true, findings);
  // KServe's webhook turns the annotation into a node selector.
  for (const k8s::Label& label : workload.pod.node_selector()) {
    if (label.node->key() != nullptr && label.node->key()->text() == kAnnotation) {
      check_label_value(kGkeLabel, *label.node, findings);
    }
  }
}

extern constinit const Rule rule = {
    .id = "unknown-accelerator-label",
    .severity = Severity::warning,
    .fix = Safety::unsafe,
    .check = check,
};

}  // namespace cnsched::rules::unknown_accelerator_label
