#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/accelerators/label_values.h"
#include "core/k8s/label.h"
#include "rules/affinity/contradictions.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workload& workload, Report& report);

extern constinit const Rule affinity_non_integer_comparison = {
    .id = "non-integer-comparison",
    .severity = Severity::error,
    .summary = "Gt or Lt with something that is not a whole number",
    .why =
        "A required term with a value such as 80Gi matches no node, silently, and the pod stays "
        "Pending; a warning where another term can still match. In a preferred term it is worse: "
        "as soon as two nodes qualify, scheduling fails with reason SchedulerError ('for 'Gt', "
        "'Lt' operators, the value must be an integer'), so the pod runs until a second node "
        "joins. Gt and Lt read their value and the node's label as base-10 integers: no unit, no "
        "decimals and no exponent. The API server does not check that.\n\n"
        "A label whose own values are not integers, such as amd.com/gpu.vram with 64G, never "
        "matches either; in a preference that is a warning, for it only scores nothing. NVIDIA's "
        "and Karpenter's memory labels count MiB, often slightly below the nominal size of the "
        "card.",
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
        "the label counts MiB, often slightly below the nominal size: write \"{}\" for cards {} {} "
        "GB{}",
        accelerators::just_below_cards_of(memory->number), greater ? "with" : "below",
        memory->number, greater ? " or more" : "");
  }
  const std::string whole = whole_number_for(value, greater);
  if (!whole.empty()) return fmt::format("write \"{}\": {} compares whole numbers", whole, r.op);
  if (memory) return "write the number alone, in the unit that the label counts in";
  return "write a whole number in digits, such as \"100\"";
}

static std::string advice_on_label(std::string_view example) {
  return fmt::format("list the values with In: the label has values such as '{}'", example);
}

/// Whether the value is a number, but too large to be read.
static bool is_too_large(std::string_view value) {
  return !value.empty() && std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
}

namespace {

/// What an expression is part of.
enum class Part : unsigned char { only_chance, one_of_several_terms, preference };

/// What is wrong with an expression.
enum class Fault : unsigned char { none, value, label };

}  // namespace

static std::string_view outcome_for(Part part) {
  return part == Part::only_chance ? "the term matches no node, and the pod stays Pending"
                                   : "this term never matches";
}

/// The value is none that the scheduler can read.
static void report_value(const Requirement& r, Part part, Report& report) {
  const Node& value = *r.values.front();
  const std::string_view example = accelerators::example_without_number(r.key);
  const bool too_large = is_too_large(value.text());
  auto finding =
      report.add(value, "{} needs a whole number{}, and '{}' is none: {}", r.op,
                 too_large ? " of 64 bits" : "", value.text(),
                 part == Part::preference ? "as soon as two nodes qualify, the scheduler fails "
                                            "(SchedulerError) and the pod stays Pending"
                                          : outcome_for(part));
  if (part == Part::one_of_several_terms) finding.severity(Severity::warning);
  if (!example.empty()) {
    finding.help("{}", advice_on_label(example));
  } else if (!too_large) {
    finding.help("{}", advice_on(r, value.text()));
  }
}

/// The value is a number, and those of the label are not.
static void report_label(const Requirement& r, Part part, Report& report) {
  const std::string_view example = accelerators::example_without_number(r.key);
  auto finding = report.add(
      (*r.node)["operator"], "{} never holds for '{}', whose values are not numbers ('{}'): {}",
      r.op, r.key, example,
      part == Part::preference ? "the preference scores nothing" : outcome_for(part));
  finding.help("{}", advice_on_label(example));
  if (part != Part::only_chance) finding.severity(Severity::warning);
}

static Fault fault_of(const Requirement& r) {
  if ((r.op != "Gt" && r.op != "Lt") || r.values.size() != 1) return Fault::none;
  const Node& value = *r.values.front();
  if (!value.is_scalar() || k8s::is_placeholder(value.text()) || k8s::is_placeholder(r.key)) {
    return Fault::none;
  }
  // What is not a label value is reported by invalid-label, what is not a string by wrong-type.
  if (!value.is_string() || k8s::label_value_problem(value.text())) return Fault::none;
  if (!k8s::parse_int64(value.text())) return Fault::value;
  return accelerators::example_without_number(r.key).empty() ? Fault::none : Fault::label;
}

static void check_term(const k8s::NodeSelectorTerm& term, Part part, Report& report) {
  for (const Requirement& r : term.expressions) {
    const Fault fault = fault_of(r);
    if (fault == Fault::value) report_value(r, part, report);
    if (fault == Fault::label) report_label(r, part, report);
  }
}

/// Whether the term may match a node, as far as this rule looks at it.
static bool may_match(const k8s::NodeSelectorTerm& term) {
  const auto holds = [](const Requirement& r) { return fault_of(r) == Fault::none; };
  return !term.is_empty() && std::ranges::all_of(term.expressions, holds);
}

static void check(const Workload& workload, Report& report) {
  // What is built on a fragment may add terms, and is looked at itself.
  if (workload.fragment && report.run().is_built_on(*workload.object)) return;
  const auto terms = workload.pod.required_terms();
  const bool others_help = std::ranges::any_of(terms, may_match) || may_get_more_terms(workload);
  for (const k8s::NodeSelectorTerm& term : terms) {
    check_term(term, others_help ? Part::one_of_several_terms : Part::only_chance, report);
  }
  for (const k8s::NodeSelectorTerm& term : workload.pod.preferred_terms()) {
    check_term(term, Part::preference, report);
  }
}

}  // namespace cnsched::rules
