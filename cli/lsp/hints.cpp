#include "cli/lsp/requests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

#include "cli/lsp/session.h"
#include "core/base/text.h"
#include "core/sim/simulation.h"
#include "core/source/span.h"
#include "core/yaml/scalar.h"

namespace cnsched::cli::lsp {

namespace {

using yaml::Node;

constexpr std::size_t kMaxHints = 1000;

/// A pod and the place of its hint.
struct PlacedPod {
  const Workload* pod = nullptr;
  Span place{};
};

/// What a field of a base has and the effective pod has not.
class Overridden {
 public:
  explicit Overridden(const Workload& pod) : pod_(pod) {}

  std::string tolerations(const k8s::Base& base) const {
    using Key = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view,
                           std::optional<std::int64_t>>;
    const auto key_of = [](const k8s::Toleration& t) {
      return Key(t.key, t.op, t.value, t.effect, t.seconds);
    };
    std::set<Key> kept;
    for (const k8s::Toleration& t : pod_.pod.tolerations()) kept.insert(key_of(t));
    const auto written = base.pod.tolerations();
    return text(
        std::ranges::count_if(written, [&](const auto& t) { return !kept.contains(key_of(t)); }),
        "toleration", base);
  }

  std::string node_selector(const k8s::Base& base) const {
    std::map<std::string_view, std::string_view> kept;
    for (const k8s::Label& label : pod_.pod.node_selector()) kept[label.key] = label.value;
    const auto written = base.pod.node_selector();
    return text(std::ranges::count_if(written,
                                      [&](const k8s::Label& label) {
                                        const auto found = kept.find(label.key);
                                        return found == kept.end() || found->second != label.value;
                                      }),
                "label", base);
  }

  std::string affinity(const k8s::Base& base) const {
    constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
    constexpr const char* kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
    std::ptrdiff_t lost = 0;
    for (const char* kind : {"nodeAffinity", "podAffinity", "podAntiAffinity"}) {
      const Node& before = base.pod["affinity"].under(kind);
      const Node& after = pod_.pod["affinity"].under(kind);
      const bool is_of_nodes = kind == std::string_view("nodeAffinity");
      lost += is_of_nodes ? lost_items(before.under(kRequired)["nodeSelectorTerms"],
                                       after.under(kRequired)["nodeSelectorTerms"])
                          : lost_items(before.under(kRequired), after.under(kRequired));
      lost += lost_items(before.under(kPreferred), after.under(kPreferred));
    }
    return text(lost, "term", base);
  }

 private:
  static std::ptrdiff_t lost_items(const Node& before, const Node& after) {
    constexpr std::size_t kMaxCompared = 100;  // each with each other
    const auto items = before.items();
    const auto kept = after.items();
    if (items.size() > kMaxCompared || kept.size() > kMaxCompared) return 0;
    return std::ranges::count_if(items, [&](const Node* item) {
      return std::ranges::none_of(
          kept, [&](const Node* other) { return yaml::same_value(*item, *other); });
    });
  }

  /// "2 tolerations of ServingRuntime vllm are replaced"; empty for none.
  std::string text(std::ptrdiff_t count, std::string_view noun, const k8s::Base& base) const {
    if (count == 0) return {};
    const std::string owner =
        base.object->root == pod_.object->root
            ? "the stable predictor"
            : fmt::format("{} {}", printable(base.object->kind), printable(base.object->name));
    return fmt::format("{} of {} {} replaced", count_of(static_cast<std::size_t>(count), noun),
                       owner, count == 1 ? "is" : "are");
  }

  const Workload& pod_;
};

struct FieldOfBase {
  const char* name;
  std::string (Overridden::*replaced)(const k8s::Base&) const;
};
constexpr std::array kFields = {FieldOfBase{"tolerations", &Overridden::tolerations},
                                FieldOfBase{"nodeSelector", &Overridden::node_selector},
                                FieldOfBase{"affinity", &Overridden::affinity}};

/// The clusters, variants and releases that the verdict is for.
std::string name_of_scope(const Workload& pod) {
  std::vector<std::string> parts;
  for (const std::string& part : {std::string(cluster_name(pod)), std::string(variant_name(pod)),
                                  describe_releases(*pod.scope)}) {
    if (!part.empty()) parts.push_back(printable(part));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// "fits 3 of 12 nodes"; empty if no node is known or no pod is created.
std::string fit_text(const sim::Simulated& simulated) {
  const std::size_t all = simulated.cluster->size();
  const bool is_created = simulated.diagnosis && simulated.pod.not_created.reason.empty();
  if (all == 0 || !is_created) return {};
  const sim::Diagnosis& diagnosis = *simulated.diagnosis;
  const std::string nodes = count_of(all, "node");
  if (simulated.preempts()) return fmt::format("fits no node of {} without preemption", all);
  if (diagnosis.fits_nowhere()) return fmt::format("fits no node of {}", all);
  const std::size_t feasible = diagnosis.feasible().count();
  if (feasible > 0) return fmt::format("fits {} of {}", feasible, nodes);
  return fmt::format("may fit {} of {}", diagnosis.unknown().count(), nodes);
}

class HintList {
 public:
  HintList(const SourceFile& file, const Question& question, const Session& session)
      : file_(file), session_(session) {
    const auto offset = [&](Place place) { return session.offset_at(file, place).value_or(0); };
    shown_ = {file.id(), offset(question.range.start), offset(question.range.end)};
  }

  void add(const k8s::Object& object) {
    const Span root = object.root->span;
    if (root.end < shown_.begin || root.begin > shown_.end) return;
    for (const ClusterScope* scope : scopes_of(object, session_)) {
      for (const Workload* pod : scope->workloads_of(object)) {
        if (pod->fragment) continue;
        add_replaced(*pod, root);
        const Span place = place_of_fit(*pod);
        if (is_shown(place)) pods_.push_back({pod, place});
      }
    }
  }

  Json take() {
    add_fits();
    Json hints = Json::array();
    for (const auto& [hint, tooltip] : hints_) {
      const auto& [place, label] = hint;
      Json json = {{"position", json_of(session_.range_of(place))["start"]},
                   {"label", label},
                   {"paddingLeft", true}};
      if (!tooltip.empty()) json["tooltip"] = tooltip;
      hints.push_back(std::move(json));
    }
    return hints;
  }

 private:
  bool is_shown(Span place) const {
    return place.file == shown_.file && shown_.begin <= place.begin && place.begin <= shown_.end;
  }

  void add_hint(Span place, const std::string& label, const std::string& tooltip) {
    if (hints_.size() < kMaxHints) hints_.emplace(std::pair(place, label), tooltip);
  }

  void add_replaced(const Workload& pod, Span object) {
    if (pod.never_created && !pod.is_built()) return;
    const Overridden replaced(pod);
    for (const FieldOfBase& field : kFields) {
      const Node& own = pod.own.node().under(field.name);
      const Node* key = own.key();
      if (own.is_empty() || key == nullptr || key->span.file != object.file) continue;
      const bool is_own = object.begin <= key->span.begin && key->span.end <= object.end;
      const Span place = behind_colon(*key);
      if (!is_own || !is_shown(place)) continue;
      for (const k8s::Base& base : pod.bases) {
        const std::string text = (replaced.*field.replaced)(base);
        if (!text.empty()) add_hint(place, text, {});
      }
    }
  }

  Span behind_colon(const Node& key) const {
    const std::string_view text = file_.bytes();
    const std::size_t next = text.find_first_not_of(" \t", key.span.end);
    const bool has_colon = next != std::string_view::npos && text[next] == ':';
    const std::uint32_t end = has_colon ? static_cast<std::uint32_t>(next + 1) : key.span.end;
    return {file_.id(), end, end};
  }

  Span place_of_fit(const Workload& pod) const {
    const Span root = pod.object->root->span;
    Span place = span_of_component(pod);
    const bool is_in_object = contains(root, place) && place.end > place.begin;
    if (!is_in_object) {
      const Node* key = pod.object->spec().key();
      place = key != nullptr ? key->span : root;
    }
    return end_of_line(file_, place.begin);
  }

  /// Pods that share a line are distinguished by their components, verdicts by their clusters.
  void add_fits() {
    if (pods_.empty()) return;
    if (pods_.size() > kMaxHints) pods_.resize(kMaxHints);
    std::unordered_set<const Workload*> asked;
    for (const PlacedPod& each : pods_) asked.insert(each.pod);
    const sim::Simulation simulation(
        session_.checker.workspace(),
        {.without_nodes = false, .is_simulated = [&](const Workload& pod) {
           return asked.contains(&pod) && !session_.is_cancelled();
         }});
    std::map<const Workload*, const sim::Simulated*> verdicts;
    for (const sim::Simulated& each : simulation.workloads()) verdicts[each.workload] = &each;
    using Component = std::pair<Span, std::string_view>;
    std::map<Component, std::vector<const sim::Simulated*>> components;
    std::map<Span, std::set<std::string_view>> by_line;
    for (const PlacedPod& each : pods_) {
      const auto verdict = verdicts.find(each.pod);
      if (verdict == verdicts.end() || fit_text(*verdict->second).empty()) continue;
      components[{each.place, each.pod->component}].push_back(verdict->second);
      by_line[each.place].insert(each.pod->component);
    }
    for (const auto& [component, judged] : components) {
      const bool is_alone = by_line[component.first].size() == 1;
      add_fit(component.first, is_alone ? std::string_view() : component.second, judged);
    }
  }

  void add_fit(Span place, std::string_view component,
               const std::vector<const sim::Simulated*>& judged) {
    constexpr std::size_t kMaxNamed = 4;
    std::vector<std::string> labels;
    std::vector<std::string> events;
    for (const sim::Simulated* each : judged) {
      if (labels.size() == kMaxNamed) {
        labels.push_back(fmt::format("{} more", judged.size() - kMaxNamed));
        break;
      }
      const std::string scope = judged.size() > 1 ? name_of_scope(*each->workload) + ": " : "";
      labels.push_back(scope + fit_text(*each));
      events.push_back(scope + each->event());
    }
    const std::string who = component.empty() ? "" : printable(component) + ": ";
    add_hint(place, fmt::format("{}{}", who, fmt::join(labels, "; ")),
             fmt::format("{}", fmt::join(events, "\n")));
  }

  const SourceFile& file_;
  const Session& session_;
  Span shown_;
  std::vector<PlacedPod> pods_;
  std::map<std::pair<Span, std::string>, std::string> hints_;  ///< tooltips by place and label
};

}  // namespace

Json inlay_hints(const Question& question, const Session& session) {
  const Checker::File* file = session.checker.find(question.path);
  if (file == nullptr) return Json::array();
  HintList hints(*file->source, question, session);
  for (const k8s::Object* object : objects_of(file->source->id(), session)) hints.add(*object);
  return hints.take();
}

}  // namespace cnsched::cli::lsp
