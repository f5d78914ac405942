#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "core/k8s/label.h"
#include "core/k8s/taint.h"
#include "rules/rule.h"

namespace cnsched::rules::duplicate_toleration {

using k8s::Toleration;

/// Key, operator, value, effect and time: equal for identical tolerations.
using TolerationKey = std::tuple<std::string_view, std::string_view, std::string_view,
                                 std::string_view, std::optional<std::int64_t>>;

static TolerationKey key_of(const Toleration& t) {
  return {t.key, t.op, t.value, t.effect, t.seconds};
}

/// Whether the API server accepts the toleration and all its values are known. A toleration without
/// a key is left to toleration-of-everything.
static bool is_comparable(const Toleration& t) {
  const yaml::Node& seconds = (*t.node)["tolerationSeconds"];
  const bool known_time = !seconds || seconds.is_null() || t.seconds;
  return known_time && !t.key.empty() && !k8s::is_placeholder(t.key) &&
         !k8s::is_placeholder(t.value) && (t.effect.empty() || k8s::is_taint_effect(t.effect)) &&
         (t.op == "Equal" || (t.op == "Exists" && t.value.empty()));
}

namespace {

/// A toleration that matches all taints that another one matches, and more.
struct Broader {
  const yaml::Node* node = nullptr;  ///< null if there is none
  std::string_view of;               ///< what it matches: "any value"
};

/// Index of the tolerations of one list.
class TolerationIndex {
 public:
  explicit TolerationIndex(const std::vector<Toleration>& tolerations) {
    for (const Toleration& t : tolerations) {
      if (is_comparable(t)) first_.try_emplace(key_of(t), t.node);
    }
  }

  /// The first identical toleration, or null if that is `t` itself.
  const yaml::Node* same(const Toleration& t) const {
    const yaml::Node* found = first_.at(key_of(t));
    return found == t.node ? nullptr : found;
  }
  Broader broader(const Toleration& t) const {
    const auto find = [&](bool any_value, bool any_effect) -> const yaml::Node* {
      Toleration other = t;
      if (any_value) other.op = "Exists";
      if (any_value) other.value = {};
      if (any_effect) other.effect = {};
      if (key_of(other) == key_of(t)) return nullptr;
      const auto found = first_.find(key_of(other));
      return found == first_.end() ? nullptr : found->second;
    };
    if (const yaml::Node* node = find(true, false)) return {node, "any value"};
    if (const yaml::Node* node = find(false, true)) return {node, "any effect"};
    return {find(true, true), "any value and effect"};
  }

 private:
  std::map<TolerationKey, const yaml::Node*> first_;
};

}  // namespace

static void check(const Workload& workload, Findings& findings) {
  const std::vector<Toleration> tolerations = workload.own.tolerations();
  const TolerationIndex index(tolerations);
  for (const Toleration& t : tolerations) {
    if (!is_comparable(t)) continue;
    if (const yaml::Node* same = index.same(t)) {
      findings
          .add((*t.node)["key"], "toleration of '{}' repeats another toleration of the list", t.key)
          .note((*same)["key"], "the first one")
          .help("remove one of the two")
          .fix(Safety::safe, "remove the toleration", {yaml::to_erase(*t.node)});
    } else if (const Broader broader = index.broader(t); broader.node != nullptr) {
      findings
          .add((*t.node)["key"],
               "toleration of '{}' is redundant: another toleration of the list matches the same "
               "taints and more",
               t.key)
          .note((*broader.node)["key"], "this toleration matches {}", broader.of)
          .help("remove this toleration, or the other one if it matches too much")
          .fix(Safety::safe, "remove the toleration", {yaml::to_erase(*t.node)});
    }
  }
}

extern constinit const Rule rule = {
    .id = "duplicate-toleration",
    .severity = Severity::info,
    .decided_by_subject = true,
    .of = Domain::placed,
    .fix = Safety::safe,
    .check = check,
};

}  // namespace cnsched::rules::duplicate_toleration
