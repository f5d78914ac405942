// InferenceService 'llama', predictor (svc.yaml:4)
//   nodeSelector['pool']: l4 (svc.yaml:12) → a100 (from runtime.yaml:20)
//   nvidia-l4 ×1 → nvidia-a100-80gb ×2
//   fits 4 of 12 nodes → fits nowhere: taint 'dedicated=training:NoSchedule' is not tolerated
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "cli/output/diff.h"
#include "cli/output/output.h"
#include "cli/output/pods.h"
#include "cli/output/style.h"
#include "core/base/text.h"
#include "core/k8s/pod_resources.h"

namespace cnsched::cli {

namespace {

using change::FactChange;
using change::Place;
using change::PodChange;
using change::PodVerdict;

constexpr std::string_view kArrow = " → ";

/// A value for readers: a claim or a term may have any length.
std::string shown_value(std::string_view value) {
  constexpr std::size_t kMaxValue = 200;
  return printable(shortened(value, kMaxValue));
}

/// "svc.yaml:12"; empty if there is no place.
std::string place_text(const Place& place, const Workspace& workspace) {
  if (place.kind == Place::Kind::none) return {};
  if (!place.rendered_from.empty()) return "from " + printable(place.rendered_from);
  const std::string line = describe_line(place.where, workspace.sources);
  switch (place.kind) {
    case Place::Kind::cause:
      return "from " + line;
    case Place::Kind::around:
      return "in " + line;
    case Place::Kind::value:
    case Place::Kind::none:
      break;
  }
  return line;
}

std::string with_place(const std::string& text, const std::string& place) {
  return place.empty() ? text : fmt::format("{} ({})", text, place);
}

/// Of pods that differ in nothing else, the namespace.
std::string named(const sim::Simulated& pod, const Workspace& workspace, bool with_namespace) {
  std::string text = described(*pod.workload, workspace);
  if (with_namespace) {
    text += fmt::format(" in namespace '{}'", printable(pod.workload->object->ns.name));
  }
  return text;
}

std::string joined_devices(const std::vector<change::Devices>& devices) {
  std::vector<std::string> texts;
  for (const change::Devices& each : devices) texts.push_back(to_string(each));
  return texts.empty() ? "no accelerator" : fmt::format("{}", fmt::join(texts, ", "));
}

std::string number_text(double value) {
  std::string text = fmt::format("{:.3f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string memory_text(double bytes) {
  constexpr auto kMost = static_cast<double>(std::numeric_limits<std::int64_t>::max() / 2);
  return k8s::shown_amount("memory", static_cast<std::int64_t>(std::min(bytes, kMost)));
}

std::string money(double amount) { return fmt::format("{:.2f}", amount); }

std::string range_text(const change::AmountRange& range, std::string (*text)(double)) {
  return range.min == range.max ? text(range.min)
                                : fmt::format("{} to {}", text(range.min), text(range.max));
}

std::string kind_text(const change::AcceleratorKind& kind) {
  std::string text = kind.product.empty() ? printable(kind.resource)
                                          : fmt::format("{} ({})", printable(kind.product),
                                                        printable(kind.resource));
  if (!kind.pool.empty()) text += fmt::format(" in pool {}", printable(kind.pool));
  return text;
}

std::string cost_text(const change::Cost& cost) {
  std::string text = range_text(cost.per_hour, money);
  if (cost.unpriced.empty()) return text;
  std::set<std::string> names;
  for (const change::AcceleratorKind& kind : cost.unpriced) {
    names.insert(printable(kind.product.empty() ? kind.resource : kind.product));
  }
  return text + fmt::format(" (no price for {})", fmt::join(names, ", "));
}

class DiffPage {
 public:
  DiffPage(const DiffOutcome& outcome, std::size_t width, bool colored, std::ostream& out)
      : outcome_(outcome), width_(width), style_(colored), out_(out) {}

  void write() {
    for (const PodChange* pod : ordered_pods(outcome_.difference)) write(*pod);
    totals();
    findings("new findings", outcome_.new_findings, outcome_.after.workspace);
    findings("resolved findings", outcome_.resolved_findings, outcome_.before.workspace);
    for (const std::string& line : wrap(describe(outcome_.difference), width_)) {
      out_ << style_(outcome_.difference.is_worse() ? Paint::error : Paint::strong, line) << '\n';
    }
    for (const std::string& failure : outcome_.failures) {
      for (const std::string& line : wrap(printable(failure), width_)) {
        out_ << style_(Paint::error, line) << '\n';
      }
    }
  }

 private:
  void write(const PodChange& pod) {
    for (const std::string& line : wrap(heading_of(pod, outcome_), width_)) {
      out_ << style_(Paint::strong, line) << '\n';
    }
    for (const std::string& line : change_lines(pod, outcome_)) item(line);
    if (pod.facts.empty() || names_products(pod)) item(devices_text(pod));
    const Paint paint = pod.is_worse() ? Paint::error : Paint::note;
    item(verdict_text(pod), pod.has_other_verdict() ? &paint : nullptr);
    out_ << '\n';
  }

  /// An indented line, and its rest indented by more.
  void item(const std::string& text, const Paint* paint = nullptr) {
    constexpr std::size_t kIndent = 4;
    bool is_first = true;
    for (const std::string& line : wrap(text, width_ - kIndent)) {
      if (line.empty()) continue;
      out_ << (is_first ? "  " : "    ") << (paint != nullptr ? style_(*paint, line) : line)
           << '\n';
      is_first = false;
    }
  }

  void totals() {
    const std::vector<TotalRow> rows = total_rows(outcome_);
    if (rows.empty()) return;
    out_ << style_(Paint::strong, "totals") << '\n';
    for (const TotalRow& row : rows) {
      item(fmt::format("{}: {} → {}", row.name, row.before, row.after));
    }
    out_ << '\n';
  }

  void findings(std::string_view title, const std::vector<const Diagnostic*>& findings,
                const Workspace& workspace) {
    if (findings.empty()) return;
    out_ << style_(Paint::strong, title) << '\n';
    for (const Diagnostic* finding : findings) {
      item(fmt::format("{}: {}", name_of(finding->severity), finding_text(*finding, workspace)));
    }
    out_ << '\n';
  }

  const DiffOutcome& outcome_;
  std::size_t width_;
  Style style_;
  std::ostream& out_;
};

}  // namespace

std::string describe(const change::Difference& difference) {
  if (difference.is_empty()) return "no change in placement";
  std::map<PodChange::Kind, std::size_t> counts;
  std::size_t lost = 0;
  std::size_t short_of = 0;
  for (const PodChange& pod : difference.pods) {
    ++counts[pod.kind];
    if (pod.lost_last_node()) {
      ++lost;
    } else if (pod.lost_replicas()) {
      ++short_of;
    }
  }
  std::vector<std::string> parts;
  const auto add = [&](PodChange::Kind kind, std::string_view word) {
    if (counts[kind] > 0) parts.push_back(fmt::format("{} {}", counts[kind], word));
  };
  add(PodChange::Kind::changed, "changed");
  add(PodChange::Kind::renamed, "renamed");
  add(PodChange::Kind::added, "new");
  add(PodChange::Kind::removed, "removed");
  std::string text =
      parts.empty() ? "other totals" : fmt::format("pods: {}", fmt::join(parts, ", "));
  if (lost > 0)
    text +=
        fmt::format("; {} lost {} last node", count_of(lost, "pod"), lost == 1 ? "its" : "their");
  if (short_of > 0) {
    text += fmt::format("; {} found room for fewer replicas", count_of(short_of, "pod"));
  }
  return text;
}

std::vector<const PodChange*> ordered_pods(const change::Difference& difference) {
  std::vector<const PodChange*> pods;
  for (const PodChange& pod : difference.pods) pods.push_back(&pod);
  std::ranges::stable_partition(pods, &PodChange::is_worse);
  return pods;
}

std::string heading_of(const PodChange& pod, const DiffOutcome& outcome) {
  const bool is_moved =
      pod.kind == PodChange::Kind::renamed &&
      pod.before->workload->object->ns.name != pod.after->workload->object->ns.name;
  const std::string before =
      pod.before == nullptr ? "" : named(*pod.before, outcome.before.workspace, is_moved);
  const std::string after =
      pod.after == nullptr ? "" : named(*pod.after, outcome.after.workspace, is_moved);
  switch (pod.kind) {
    case PodChange::Kind::renamed:
      return fmt::format("renamed: {}{}{}", before, kArrow, after);
    case PodChange::Kind::added:
      return "new: " + after;
    case PodChange::Kind::removed:
      return "removed: " + before;
    case PodChange::Kind::changed:
      break;
  }
  return after;
}

std::string values_of(const FactChange& change, const DiffOutcome& outcome) {
  const std::string before = change.before ? shown_value(*change.before) : "none";
  const std::string after = change.after ? shown_value(*change.after) : "none";
  const std::string old_place = place_text(change.before_at, outcome.before.workspace);
  const std::string new_place = place_text(change.after_at, outcome.after.workspace);
  if (old_place == new_place) return with_place(before + std::string(kArrow) + after, new_place);
  return with_place(before, old_place) + std::string(kArrow) + with_place(after, new_place);
}

std::vector<std::string> change_lines(const PodChange& pod, const DiffOutcome& outcome) {
  std::vector<std::string> lines;
  for (const FactChange& change : pod.facts) {
    lines.push_back(fmt::format("{}: {}", printable(change.name), values_of(change, outcome)));
  }
  for (const FactChange& change : pod.causes) {
    lines.push_back(
        fmt::format("because of {}: {}", printable(change.name), values_of(change, outcome)));
  }
  return lines;
}

bool names_products(const PodChange& pod) {
  const auto is_named = [](const change::Devices& devices) { return !devices.products.empty(); };
  return std::ranges::any_of(pod.devices_before, is_named) ||
         std::ranges::any_of(pod.devices_after, is_named);
}

std::string devices_text(const PodChange& pod) {
  if (pod.devices_before.empty() && pod.devices_after.empty()) return {};
  const std::string before = joined_devices(pod.devices_before);
  const std::string after = joined_devices(pod.devices_after);
  if (pod.before == nullptr || before == after) return after;
  if (pod.after == nullptr) return before;
  return before + std::string(kArrow) + after;
}

std::string verdict_text(const PodChange& pod) {
  const auto is_known = [](const PodVerdict& verdict) {
    return verdict.kind != PodVerdict::Kind::none;
  };
  if (!is_known(pod.verdict_before) && !is_known(pod.verdict_after)) return {};
  const std::string before = to_string(pod.verdict_before);
  const std::string after = to_string(pod.verdict_after);
  if (pod.before == nullptr) return after;
  if (pod.after == nullptr) return before;
  if (!pod.has_other_verdict()) return after + ", as before";
  if (before == after) return after + ", but on other nodes";
  return before + std::string(kArrow) + after;
}

std::vector<TotalRow> total_rows(const DiffOutcome& outcome) {
  const change::Totals& before = outcome.difference.before;
  const change::Totals& after = outcome.difference.after;
  std::vector<TotalRow> rows;
  const auto add = [&](std::string name, const change::AmountRange& a, const change::AmountRange& b,
                       std::string (*text)(double)) {
    if (a != b) rows.push_back({std::move(name), range_text(a, text), range_text(b, text)});
  };
  add("pods", before.pods, after.pods, number_text);
  add("CPU", before.cpu, after.cpu, number_text);
  add("memory", before.memory, after.memory, memory_text);
  std::map<change::AcceleratorKind, std::pair<change::AmountRange, change::AmountRange>> kinds;
  for (const auto& [kind, range] : before.accelerators) kinds[kind].first = range;
  for (const auto& [kind, range] : after.accelerators) kinds[kind].second = range;
  for (const auto& [kind, ranges] : kinds) {
    add(kind_text(kind), ranges.first, ranges.second, number_text);
  }
  const auto old_cost = cost_of(before, outcome.prices);
  const auto new_cost = cost_of(after, outcome.prices);
  if (old_cost && new_cost && cost_text(*old_cost) != cost_text(*new_cost)) {
    rows.push_back({"cost per hour", cost_text(*old_cost), cost_text(*new_cost)});
  }
  return rows;
}

std::string finding_text(const Diagnostic& finding, const Workspace& workspace) {
  const ReportedFile shown = reported_file(workspace, finding);
  std::string place = printable(shown.path);
  if (shown.has_line) {
    place += fmt::format(":{}", workspace.file_of(finding.where).line_of(finding.where.begin));
  }
  return fmt::format("{}: {} [{}]", place, printable(finding.message), finding.rule);
}

void write_diff(const DiffOutcome& outcome, std::size_t width, bool colored, std::ostream& out) {
  DiffPage(outcome, width, colored, out).write();
}

}  // namespace cnsched::cli
