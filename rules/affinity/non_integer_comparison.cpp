#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/accelerators/node_trait.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "rules/affinity/selector_conflicts.h"
#include "rules/rule.h"

namespace cnsched::rules::non_integer_comparison {

using k8s::Requirement;
using yaml::Node;

/// The integer that Gt or Lt can use instead of the decimal fraction `text`, such as "15.5"; empty
/// if it is none.
static std::string integer_for(std::string_view text, bool greater) {
  constexpr std::size_t kMaxDigits = 15;
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos || point == 0 || point > kMaxDigits) return {};
  const std::string_view fraction = text.substr(point + 1);
  const auto whole = k8s::parse_int64(text.substr(0, point));
  if (!whole || !is_digit(text.front()) || !std::ranges::all_of(fraction, is_digit)) return {};
  const bool has_fraction = fraction.find_first_not_of('0') != std::string_view::npos;
  return std::to_string(*whole + (!greater && has_fraction ? 1 : 0));
}

/// The help for a value with a unit or a fraction.
static std::string advice_on(const Requirement& r, std::string_view value) {
  const bool greater = r.op == "Gt";
  const auto memory = accelerators::memory_amount_in(value);
  if (memory && accelerators::counts_mebibytes(r.key)) {
    if (!memory->in_gigabytes) {
      return fmt::format("the label is in MiB: write \"{}\"", memory->number);
    }
    return fmt::format(
        "the label is in MiB, often slightly below the nominal size: write \"{}\" for cards {} {} "
        "GB{}",
        accelerators::just_below_cards_of(memory->number), greater ? "with" : "below",
        memory->number, greater ? " or more" : "");
  }
  const std::string whole = integer_for(value, greater);
  if (!whole.empty()) return fmt::format("write \"{}\": {} compares integers", whole, r.op);
  if (memory) return "write only the number, in the unit of the label";
  return "write an integer, such as \"100\"";
}

static std::string advice_on_label(std::string_view example) {
  return fmt::format("use In with a list of values: the label has values such as '{}'", example);
}

/// Whether the value is an integer, but too large for 64 bits.
static bool is_too_large(std::string_view value) {
  return !value.empty() && std::ranges::all_of(value, is_digit);
}

namespace {

/// The part of the affinity that an expression belongs to.
enum class Part : unsigned char { only_term, one_of_several_terms, preference };

/// What is wrong with an expression.
enum class Fault : unsigned char { none, value, label };

}  // namespace

static std::string_view outcome_for(Part part) {
  return part == Part::only_term ? "the term matches no node, and the pod stays Pending"
                                 : "this term never matches";
}

/// The scheduler cannot read the value.
static void report_value(const Requirement& r, Part part, Findings& findings) {
  const Node& value = *r.values.front();
  const std::string_view example = accelerators::example_without_number(r.key);
  const bool too_large = is_too_large(value.text());
  auto finding =
      findings.add(value, "value '{}' of operator {} must be an integer{}: {}", value.text(), r.op,
                   too_large ? " of 64 bits" : "",
                   part == Part::preference ? "as soon as two nodes are feasible, scheduling fails "
                                              "with SchedulerError and the pod stays Pending"
                                            : outcome_for(part));
  if (part == Part::one_of_several_terms) finding.severity(Severity::warning);
  if (!example.empty()) {
    finding.help("{}", advice_on_label(example));
  } else if (!too_large) {
    finding.help("{}", advice_on(r, value.text()));
  }
}

/// The value is an integer, but the values of the label are not.
static void report_label(const Requirement& r, Part part, Findings& findings) {
  const std::string_view example = accelerators::example_without_number(r.key);
  auto finding = findings.add(
      (*r.node)["operator"],
      "operator {} never matches '{}', whose values are not integers ('{}'): {}", r.op, r.key,
      example,
      part == Part::preference ? "the preference does not affect the score" : outcome_for(part));
  finding.help("{}", advice_on_label(example));
  if (part != Part::only_term) finding.severity(Severity::warning);
}

static Fault fault_of(const Requirement& r) {
  if ((r.op != "Gt" && r.op != "Lt") || r.values.size() != 1) return Fault::none;
  const Node& value = *r.values.front();
  if (!value.is_scalar() || k8s::is_placeholder(value.text()) || k8s::is_placeholder(r.key)) {
    return Fault::none;
  }
  // invalid-label reports a value that is not a label value, wrong-type one that is not a string.
  if (!value.is_string() || k8s::label_value_problem(value.text())) return Fault::none;
  if (!k8s::parse_int64(value.text())) return Fault::value;
  return accelerators::example_without_number(r.key).empty() ? Fault::none : Fault::label;
}

static void check_term(const k8s::NodeSelectorTerm& term, Part part, Findings& findings) {
  for (const Requirement& r : term.expressions) {
    const Fault fault = fault_of(r);
    if (fault == Fault::value) report_value(r, part, findings);
    if (fault == Fault::label) report_label(r, part, findings);
  }
}

/// Whether the term may match a node, as far as this rule checks it.
static bool may_match(const k8s::NodeSelectorTerm& term) {
  const auto holds = [](const Requirement& r) { return fault_of(r) == Fault::none; };
  return !term.is_empty() && std::ranges::all_of(term.expressions, holds);
}

static void check(const Workload& workload, Findings& findings) {
  const auto terms = workload.pod.required_terms();
  const bool others_match = std::ranges::any_of(terms, may_match) || may_get_more_terms(workload);
  for (const k8s::NodeSelectorTerm& term : terms) {
    check_term(term, others_match ? Part::one_of_several_terms : Part::only_term, findings);
  }
  for (const k8s::NodeSelectorTerm& term : workload.pod.preferred_terms()) {
    check_term(term, Part::preference, findings);
  }
}

extern constinit const Rule rule = {
    .id = "non-integer-comparison",
    .severity = Severity::error,
    .decided_by_subject = true,
    .of = Domain::unused_parts,
    .check = check,
};

}  // namespace cnsched::rules::non_integer_comparison
