#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/accelerators/label_values.h"
#include "core/k8s/label.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule affinity_non_integer_comparison = {
    .id = "non-integer-comparison",
    .severity = Severity::error,
    .summary = "Gt or Lt with something that is no whole number",
    .why =
        "Gt and Lt read their value and the node's label as base-10 integers: no unit, no decimals "
        "and no exponent. The API server does not check that. In a required term a value such as "
        "80Gi makes the term match no node, in silence. In a preferred term it is worse: as soon "
        "as two nodes are feasible the pod stops scheduling with reason SchedulerError ('for "
        "'Gt', 'Lt' operators, the value must be an integer'), so it works until a second node "
        "joins. A label whose own values are no integers, such as amd.com/gpu.vram with 64G, "
        "never matches either; in a preference that is a warning, for it only scores nothing. "
        "NVIDIA's and Karpenter's memory labels count MiB, a little less than the card is sold "
        "with.",
    .bad = R"(
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
      - matchExpressions:
        - {key: nvidia.com/gpu.memory, operator: Gt, values: ["40Gi"]}
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .good = R"(
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
      - matchExpressions:
        - {key: nvidia.com/gpu.memory, operator: Gt, values: ["38000"]}
model:
  modelFormat: {name: onnx}
  resources:
    limits: {nvidia.com/gpu: 1}
)",
    .source = "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#operators",
    .check = check,
};

using k8s::Requirement;
using yaml::Node;

/// The whole number that divides the integers as `text` does, where that is a decimal: "15.5".
static std::string whole_number_for(std::string_view text, bool greater) {
  constexpr std::size_t kMostDigits = 15;
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos || point == 0 || point > kMostDigits) return {};
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::string_view fraction = text.substr(point + 1);
  const auto whole = k8s::parse_int64(text.substr(0, point));
  if (!whole || !is_digit(text.front()) || !std::ranges::all_of(fraction, is_digit)) return {};
  const bool has_fraction = fraction.find_first_not_of('0') != std::string_view::npos;
  return std::to_string(*whole + (!greater && has_fraction ? 1 : 0));
}

/// What to write in place of a value with a unit or decimals.
static std::string advice_on(const Requirement& r, std::string_view value) {
  const bool greater = r.op == "Gt";
  const auto memory = accelerators::memory_amount_in(value);
  if (memory && accelerators::counts_mebibytes(r.key)) {
    if (!memory->in_gigabytes) {
      return fmt::format("the label counts MiB: write \"{}\"", memory->number);
    }
    return fmt::format(
        "the label counts MiB, and cards have a little less than they are sold with: write "
        "\"{}\" for those {} {} GB",
        accelerators::just_below_cards_of(memory->number), greater ? "from" : "below",
        memory->number);
  }
  const std::string whole = whole_number_for(value, greater);
  if (!whole.empty()) return fmt::format("write \"{}\": {} compares whole numbers", whole, r.op);
  return "write the number alone, in the unit that the label counts in";
}

static std::string advice_on_label(std::string_view example) {
  return fmt::format("list the values with In: the label has values such as '{}'", example);
}

/// The value is none that the scheduler can read.
static void report_value(const Requirement& r, const Node& value, bool preferred, Report& report) {
  const std::string_view example = accelerators::example_without_number(r.key);
  report
      .add(value, "{} on '{}' takes a base-10 integer of 64 bits, which '{}' is not: {}", r.op,
           r.key, value.text,
           preferred ? "the pod stops scheduling as soon as two nodes are feasible"
                     : "the term matches no node")
      .help("{}", example.empty() ? advice_on(r, value.text) : advice_on_label(example));
}

/// The value is a number, and those of the label are not.
static void report_label(const Requirement& r, std::string_view example, bool preferred,
                         Report& report) {
  auto finding =
      report.add((*r.node)["operator"],
                 "{} never holds for '{}', whose values are no integers ('{}'): {}", r.op, r.key,
                 example, preferred ? "the preference scores nothing" : "the term matches no node");
  finding.help("{}", advice_on_label(example));
  if (preferred) finding.severity(Severity::warning);
}

static void check_requirement(const Requirement& r, bool preferred, Report& report) {
  if ((r.op != "Gt" && r.op != "Lt") || r.values.size() != 1) return;
  const Node& value = *r.values.front();
  if (!value.is_scalar() || k8s::is_placeholder(value.text) || k8s::is_placeholder(r.key)) return;
  // What is no label value is told by invalid-label, what is no string by wrong-type.
  if (!value.is_string() || k8s::label_value_problem(value.text)) return;
  const std::string_view example = accelerators::example_without_number(r.key);
  if (!k8s::parse_int64(value.text)) {
    report_value(r, value, preferred, report);
  } else if (!example.empty()) {
    report_label(r, example, preferred, report);
  }
}

static void check(const Workload& workload, Report& report) {
  for (const k8s::NodeSelectorTerm& term : workload.pod.required_terms()) {
    for (const Requirement& r : term.expressions) check_requirement(r, false, report);
  }
  for (const k8s::NodeSelectorTerm& term : workload.pod.preferred_terms()) {
    for (const Requirement& r : term.expressions) check_requirement(r, true, report);
  }
}

}  // namespace cnsched::rules
