// Terms of a required node affinity are ORed, expressions within one term are ANDed. A term that a
// Server adds therefore permits further nodes, or has no effect if it requires more than a term of
// the ServerConfig. Neither is the purpose of an override. The rule accepts a term that repeats one
// of the ServerConfig, perhaps with more values.
#include <algorithm>
#include <vector>

#include "core/k8s/label.h"
#include "rules/rule.h"
#include "rules/seldon/config_layers.h"

namespace cnsched::rules::seldon_affinity_widened {

using k8s::NodeSelectorTerm;
using k8s::Requirement;
using yaml::Node;
using Terms = std::vector<NodeSelectorTerm>;

/// Limit for comparing each value with each: aliases can make terms very large.
static constexpr std::size_t kMaxValues = 300;

/// Whether all values of the terms are known, and not too many.
static bool is_comparable(const Terms& terms) {
  std::size_t values = 0;
  for (const NodeSelectorTerm& term : terms) {
    for (const auto* requirements : {&term.expressions, &term.fields}) {
      for (const Requirement& r : *requirements) {
        values += 1 + r.values.size();
        if (values > kMaxValues || k8s::is_placeholder(r.key)) return false;
        const auto is_unknown = [](const Node* v) { return k8s::is_placeholder(v->text()); };
        if (std::ranges::any_of(r.values, is_unknown)) return false;
      }
    }
  }
  return true;
}

using Labels = std::vector<k8s::Label>;

/// The labels of the merged nodeSelector, which apply in addition to any term.
static Labels selector_of(const k8s::PodSpec& pod) {
  Labels labels = pod.node_selector();
  std::erase_if(labels, [](const k8s::Label& l) { return k8s::is_placeholder(l.value); });
  return labels;
}

/// Whether nodes with `labels` cannot satisfy all of `requirements`.
static bool excludes(const Labels& labels, const std::vector<Requirement>& requirements) {
  return std::ranges::any_of(requirements, [&](const Requirement& r) {
    return std::ranges::find(labels, r.key, &k8s::Label::key) != labels.end() && !r.matches(labels);
  });
}

/// Removes terms that no node with `labels` can satisfy, and empty ones, which match no node.
static void remove_impossible(Terms& terms, const Labels& labels) {
  std::erase_if(terms, [&](const NodeSelectorTerm& term) {
    return term.is_empty() || excludes(labels, term.expressions);
  });
}

static bool lists_all(const Requirement& r, const std::vector<const Node*>& values) {
  return std::ranges::all_of(values, [&](const Node* value) {
    return std::ranges::find(r.values, value->text(), &Node::text) != r.values.end();
  });
}

/// Whether every node that satisfies `a` satisfies `b`, judging by the operators and values.
static bool implies(const Requirement& a, const Requirement& b) {
  if (a.key != b.key) return false;
  if (b.op == "Exists") return a.requires_label();
  if (b.op == "NotIn" && a.op == "DoesNotExist") return true;
  if (a.op != b.op) return false;
  if (b.op == "In") return lists_all(b, a.values);
  if (b.op == "NotIn") return lists_all(a, b.values);
  return lists_all(a, b.values) && lists_all(b, a.values);
}

static bool implies(const std::vector<Requirement>& all, const std::vector<Requirement>& wanted) {
  return std::ranges::all_of(wanted, [&](const Requirement& w) {
    return std::ranges::any_of(all, [&](const Requirement& r) { return implies(r, w); });
  });
}

static bool implies(const NodeSelectorTerm& a, const NodeSelectorTerm& b) {
  return implies(a.expressions, b.expressions) && implies(a.fields, b.fields);
}

namespace {
enum class Effect : unsigned char { repeats, nothing, widens };
}  // namespace

/// Whether `term` has the keys of `other` and only adds values, which is certainly intended.
static bool extends(const NodeSelectorTerm& term, const NodeSelectorTerm& other) {
  const auto lists = [](const NodeSelectorTerm& t) {
    return std::ranges::all_of(t.expressions, [](const Requirement& r) { return r.op == "In"; });
  };
  return term.fields.empty() && other.fields.empty() &&
         term.expressions.size() == other.expressions.size() && lists(term) && lists(other) &&
         implies(other, term);
}

/// The effect of `term` in addition to `others`, on nodes that have the labels of `selector`.
static Effect effect_of(const NodeSelectorTerm& term, const Terms& others,
                        const std::vector<Requirement>& selector) {
  const auto implied_by = [](const NodeSelectorTerm& a) {
    return [&a](const NodeSelectorTerm& b) { return implies(a, b); };
  };
  NodeSelectorTerm with_selector = term;
  with_selector.expressions.insert(with_selector.expressions.end(), selector.begin(),
                                   selector.end());
  if (std::ranges::any_of(others, [&](const auto& other) { return extends(term, other); })) {
    return Effect::repeats;
  }
  if (std::ranges::none_of(others, implied_by(with_selector))) return Effect::widens;
  const bool is_repeated = std::ranges::any_of(others, [&](const NodeSelectorTerm& other) {
    return implies(term, other) && implies(other, term);
  });
  return is_repeated ? Effect::repeats : Effect::nothing;
}

static std::vector<Requirement> requirements_of(const Labels& labels) {
  std::vector<Requirement> requirements;
  for (const k8s::Label& label : labels) {
    requirements.push_back(k8s::requirement_of(label));
  }
  return requirements;
}

static const Node& terms_node(const k8s::PodSpec& pod) {
  return pod.node_affinity()["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"];
}

static void add_finding(const ConfigLayers& layers, Effect effect, Findings& findings) {
  const Node& written = terms_node(layers.above);
  const Node& config = terms_node(layers.below);
  auto finding =
      effect == Effect::widens
          ? findings.add_at_key(written,
                                "'nodeSelectorTerms' are ORed with those of {0}: the pod "
                                "may run on nodes that the terms of {0} exclude",
                                layers.config)
          : findings.add_at_key(written,
                                "'nodeSelectorTerms' have no effect: they are ORed with "
                                "those of {}, which already match the same nodes",
                                layers.config);
  finding
      .note_at((config.key() == nullptr ? config : *config.key()).span,
               "a node has to match only one of these")
      .help("write required labels in nodeSelector; the terms of {} can only be changed there",
            layers.config);
}

static void check(const Workload& workload, Findings& findings) {
  const auto layers = config_layers_of(workload);
  if (!layers) return;
  Terms below = layers->below.required_terms();
  Terms above = layers->above.required_terms();
  const Labels labels = selector_of(workload.pod);
  if (labels.size() > kMaxValues || !is_comparable(below) || !is_comparable(above)) return;
  remove_impossible(below, labels);
  remove_impossible(above, labels);
  if (below.empty() || above.empty()) return;
  Effect most = Effect::repeats;
  for (const NodeSelectorTerm& term : above) {
    most = std::max(most, effect_of(term, below, requirements_of(labels)));
  }
  if (most != Effect::repeats) add_finding(*layers, most, findings);
}

extern constinit const Rule rule = {
    .id = "seldon-affinity-widened",
    .severity = Severity::warning,
    .depends_on_workspace = true,
    .of = Domain::merged_by_seldon,
    .check = check,
};

}  // namespace cnsched::rules::seldon_affinity_widened
