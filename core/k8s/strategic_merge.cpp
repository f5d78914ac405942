// A recursive walk over both trees. The order of a merged list is upstream's: the patch's items in
// their order, interleaved with what only the base has wherever the base's order allows it.
#include "core/k8s/strategic_merge.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/k8s/places.h"
#include "core/yaml/tree.h"

namespace cnsched::k8s {

namespace {

using yaml::Entry;
using yaml::Node;

/// What becomes of a field of a type.
struct FieldRow {
  MergeType type;
  std::string_view field;
  MergeType inner;             ///< of the value, or of the list's items
  std::string_view merge_key;  ///< empty: no list, or one that is replaced
};

constexpr auto kFields = std::to_array<FieldRow>({
    {MergeType::pod_spec, "containers", MergeType::container, "name"},
    {MergeType::pod_spec, "initContainers", MergeType::container, "name"},
    {MergeType::pod_spec, "ephemeralContainers", MergeType::container, "name"},
    {MergeType::pod_spec, "volumes", MergeType::plain, "name"},
    {MergeType::pod_spec, "imagePullSecrets", MergeType::plain, "name"},
    {MergeType::pod_spec, "hostAliases", MergeType::plain, "ip"},
    {MergeType::pod_spec, "topologySpreadConstraints", MergeType::plain, "topologyKey"},
    {MergeType::pod_spec, "schedulingGates", MergeType::plain, "name"},
    {MergeType::pod_spec, "resourceClaims", MergeType::plain, "name"},
    {MergeType::container, "ports", MergeType::plain, "containerPort"},
    {MergeType::container, "env", MergeType::plain, "name"},
    {MergeType::container, "volumeMounts", MergeType::plain, "mountPath"},
    {MergeType::container, "volumeDevices", MergeType::plain, "devicePath"},
    {MergeType::llm_inference_service_spec, "template", MergeType::pod_spec, ""},
    {MergeType::llm_inference_service_spec, "worker", MergeType::pod_spec, ""},
    {MergeType::llm_inference_service_spec, "prefill", MergeType::llm_inference_service_spec, ""},
    {MergeType::llm_inference_service_spec, "router", MergeType::llm_inference_service_spec, ""},
    {MergeType::llm_inference_service_spec, "scheduler", MergeType::llm_inference_service_spec, ""},
    {MergeType::llm_inference_service_spec, "tokenizer", MergeType::llm_inference_service_spec, ""},
});

const FieldRow& row_of(MergeType type, std::string_view field) {
  static constexpr FieldRow kPlain{MergeType::plain, "", MergeType::plain, ""};
  const auto* row = std::ranges::find_if(
      kFields, [&](const FieldRow& r) { return r.type == type && r.field == field; });
  return row == kFields.end() ? kPlain : *row;
}

/// Fields that are Go maps: every entry counts, be its value empty.
bool is_map(std::string_view field) {
  constexpr auto kMaps = std::to_array<std::string_view>(
      {"nodeSelector", "limits", "requests", "overhead", "labels", "annotations", "matchLabels"});
  return std::ranges::find(kMaps, field) != kMaps.end();
}

/// Booleans and numbers that are no pointers in Go, so that zero means "not set".
bool loses_zero(std::string_view field) {
  constexpr auto kZeroIsUnset = std::to_array<std::string_view>(
      {"hostNetwork", "hostPID", "hostIPC", "stdin", "stdinOnce", "tty", "readOnly", "hostPort",
       "initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold",
       "failureThreshold", "weight"});
  return std::ranges::find(kZeroIsUnset, field) != kZeroIsUnset.end();
}

bool is_zero(const Node& value) {
  return value.is_scalar() && !value.quoted && (value.text() == "0" || value.text() == "false");
}

/// Whether Go leaves the entry out when it writes the patch.
bool is_omitted(const Entry& entry, bool in_map) {
  const Node& value = *entry.value;
  if (value.is_null()) return true;
  if (in_map) return false;
  if (value.is_sequence()) return value.items().empty();
  if (value.is_mapping()) return false;
  return value.text().empty() || (is_zero(value) && loses_zero(entry.key->text()));
}

class Merger {
 public:
  explicit Merger(Arena& arena) : arena_(arena) {}

  const Node& mapping(const Node& base, const Node& patch, MergeType type, bool map) {
    if (!may_go_on(base, patch)) return patch;
    const Deeper deeper(depth_);
    std::vector<Entry> entries = yaml::entries_of(base);
    Places places;
    for (const Entry& entry : entries) places.add(entry.key->text());
    for (const Entry& change : yaml::entries_of(patch)) {
      if (is_omitted(change, map)) continue;
      const std::string_view field = change.key->text();
      const std::size_t place = places.find(field);
      if (place == Places::kNone) {
        entries.push_back(change);
        continue;
      }
      const Node& merged = value(*entries[place].value, *change.value, row_of(type, field), field);
      // A value that the patch has whole brings its own key along.
      if (&merged == change.value) entries[place].key = change.key;
      entries[place].value = &merged;
    }
    return yaml::mapping_like(arena_, base ? base : patch, entries);
  }

 private:
  const Node& value(const Node& base, const Node& patch, const FieldRow& row,
                    std::string_view field) {
    if (base.is_mapping() && patch.is_mapping()) {
      return mapping(base, patch, row.inner, is_map(field));
    }
    if (base.is_sequence() && patch.is_sequence() && !row.merge_key.empty()) {
      return keyed_list(base, patch, row);
    }
    return patch;
  }

  /// Aliases make trees that are endlessly deep or wide; no manifest of use is.
  bool may_go_on(const Node& base, const Node& patch) {
    values_ +=
        base.entries().size() + base.items().size() + patch.entries().size() + patch.items().size();
    return values_ <= kMostValues && depth_ < kDeepest;
  }

  const Node& keyed_list(const Node& base, const Node& patch, const FieldRow& row) {
    if (!may_go_on(base, patch)) return patch;
    const auto name = [&](const Node* item) { return (*item)[row.merge_key].text(); };
    Places in_base;
    for (const Node* item : base.items()) in_base.add(name(item));
    Places in_patch;
    std::vector<const Node*> changed;  // the patch's items, merged with what they are merged into
    std::vector<bool> taken(base.items().size());
    for (const Node* item : patch.items()) {
      if (const std::size_t same = in_patch.find(name(item)); same != Places::kNone) {
        changed[same] = &mapping(*changed[same], *item, row.inner, false);
        continue;
      }
      const std::size_t below = in_base.find(name(item));
      if (below != Places::kNone) taken[below] = true;
      changed.push_back(
          below == Places::kNone ? item : &mapping(*base.items()[below], *item, row.inner, false));
      in_patch.add(name(item));
    }
    std::vector<const Node*> merged;
    std::size_t next = 0;
    const auto add_base_items_before = [&](std::size_t end) {
      for (; next < end; ++next) {
        if (!taken[next]) merged.push_back(base.items()[next]);
      }
    };
    for (const Node* item : changed) {
      const std::size_t place = in_base.find(name(item));
      if (place != Places::kNone) add_base_items_before(place);
      merged.push_back(item);
    }
    add_base_items_before(base.items().size());
    return yaml::sequence_like(arena_, patch, merged);
  }

  struct Deeper {
    explicit Deeper(std::size_t& count) : depth(count) { ++depth; }
    ~Deeper() { --depth; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    std::size_t& depth;
  };
  static constexpr std::size_t kDeepest = 100;
  static constexpr std::size_t kMostValues = 2'000'000;

  Arena& arena_;
  std::size_t depth_ = 0;
  std::size_t values_ = 0;
};

}  // namespace

const Node& strategic_merge(Arena& arena, const Node& base, const Node& patch, MergeType type) {
  return Merger(arena).mapping(base, patch, type, false);
}

}  // namespace cnsched::k8s
