#include "core/kserve/knative_flags.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "core/base/suggest.h"
#include "core/base/text.h"

namespace cnsched::kserve {

namespace {

constexpr auto kFlags = std::to_array<KnativeFlag>({
    {"kubernetes.podspec-nodeselector", {0, 17, 0}},
    {"kubernetes.podspec-tolerations", {0, 17, 0}},
    {"kubernetes.podspec-affinity", {0, 17, 0}},
    {"kubernetes.podspec-topologyspreadconstraints", {1, 4, 0}},
    {"kubernetes.podspec-runtimeclassname", {0, 18, 0}},
    {"kubernetes.podspec-priorityclassname", {0, 25, 0}},
    {"kubernetes.podspec-schedulername", {0, 27, 0}},
    {"kubernetes.podspec-securitycontext", {0, 17, 0}},
    {"kubernetes.podspec-shareprocessnamespace", {1, 12, 0}},
    {"kubernetes.podspec-hostipc", {1, 16, 0}},
    {"kubernetes.podspec-hostpid", {1, 16, 0}},
    {"kubernetes.podspec-hostnetwork", {1, 16, 0}},
    {"kubernetes.podspec-hostaliases", {0, 20, 0}},
    {"kubernetes.podspec-dnspolicy", {1, 5, 0}},
    {"kubernetes.podspec-dnsconfig", {1, 5, 0}},
    {"kubernetes.podspec-fieldref", {0, 16, 0}},
    {"kubernetes.podspec-init-containers", {0, 27, 0}},
    {"kubernetes.podspec-volumes-emptydir", {0, 25, 0}},
    {"kubernetes.podspec-persistent-volume-claim", {1, 2, 0}},
    {"kubernetes.podspec-persistent-volume-write", {1, 2, 0}},
    {"kubernetes.podspec-volumes-hostpath", {1, 17, 0}},
    {"kubernetes.podspec-volumes-csi", {1, 18, 0}},
    {"kubernetes.podspec-volumes-mount-propagation", {1, 18, 0}},
    {"kubernetes.podspec-volumes-image", {1, 19, 0}},
    {"kubernetes.podspec-volumes-ephemeral", {1, 23, 0}},
    {"kubernetes.podspec-dryrun", {0, 16, 0}, true, true},
    {"kubernetes.containerspec-addcapabilities", {0, 24, 0}},
    {"multi-container", {0, 16, 0}},
    {"multi-container-probing", {1, 14, 0}},
    {"secure-pod-defaults", {1, 9, 0}, false},
    {"queueproxy.mount-podinfo", {1, 7, 0}},
    {"queueproxy.resource-defaults", {1, 11, 0}},
    {"tag-header-based-routing", {0, 18, 0}},
    {"autodetect-http2", {0, 22, 0}},
});

const Feature* feature_of(const KnativeFlag& flag) {
  const auto feature = std::ranges::find(features(), flag.key, &Feature::flag);
  return feature == features().end() ? nullptr : &*feature;
}

bool is_one_of(std::string_view value, std::span<const std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return equals_ignoring_case(value, word); });
}

constexpr auto kStates = std::to_array<std::string_view>({"enabled", "allowed", "disabled"});

/// The key without what people get wrong: case, separators, and the prefix before a field's name.
std::string core_of(std::string_view key) {
  std::string letters = lower(key);
  std::erase_if(letters,
                [](char c) { return std::string_view(".-_/ ").find(c) != std::string_view::npos; });
  std::string_view rest = letters;
  for (const std::string_view prefix : {"kubernetes", "podspec", "containerspec"}) {
    if (rest.starts_with(prefix)) rest.remove_prefix(prefix.size());
  }
  return std::string(rest);
}

/// One letter in six may be wrong, and two at most: short names with two others are other names.
bool is_slip(const std::string& word, const std::string& name) {
  const std::size_t most = std::min<std::size_t>(2, name.size() / 6);
  const std::size_t longer = std::max(word.size(), name.size());
  if (longer - std::min(word.size(), name.size()) > most) return false;
  return edit_distance(word, name) <= most;
}

std::string_view unquoted(std::string_view text) {
  text = trim(text.substr(0, text.find('#')));
  for (const char quote : {'"', '\''}) {
    if (text.size() >= 2 && text.front() == quote && text.back() == quote) {
      return text.substr(1, text.size() - 2);
    }
  }
  return text;
}

}  // namespace

std::span<const KnativeFlag> knative_flags() { return kFlags; }

const KnativeFlag* find_knative_flag(std::string_view key) {
  const auto flag = std::ranges::find(kFlags, key, &KnativeFlag::key);
  return flag == kFlags.end() ? nullptr : &*flag;
}

const KnativeFlag* meant_knative_flag(std::string_view key) {
  constexpr std::size_t kLongest = 60;
  if (key.size() > kLongest || find_knative_flag(key) != nullptr) return nullptr;
  const std::string word = core_of(key);
  if (word.empty()) return nullptr;
  static const std::vector<std::string> kCores = [] {
    std::vector<std::string> cores;
    for (const KnativeFlag& flag : kFlags) cores.push_back(core_of(flag.key));
    return cores;
  }();
  const auto same = std::ranges::find(kCores, word);
  const auto near = same != kCores.end() ? same : std::ranges::find_if(kCores, [&](auto& name) {
    return is_slip(word, name);
  });
  return near == kCores.end() ? nullptr : &kFlags[static_cast<std::size_t>(near - kCores.begin())];
}

FlagState default_state(const KnativeFlag& flag) {
  if (const Feature* feature = feature_of(flag)) return feature->by_default;
  return flag.is_removed ? FlagState::allowed : FlagState::disabled;
}

bool reads_value(const KnativeFlag& flag, std::string_view value) {
  constexpr auto kSecure =
      std::to_array<std::string_view>({"disabled", "allowrootbounded", "enabled"});
  return flag.tri_state ? is_one_of(value, kStates) : is_one_of(value, kSecure);
}

bool is_too_weak(const KnativeFlag& flag, std::string_view value) {
  const Feature* feature = feature_of(flag);
  return feature != nullptr && !feature->allowed_suffices && equals_ignoring_case(value, "allowed");
}

std::vector<EditedExample> edited_examples(std::string_view example) {
  std::vector<EditedExample> edited;
  for (const std::string_view whole : split(example, '\n')) {
    const std::string_view line = trim(whole);
    const std::size_t colon = line.find(':');
    if (line.starts_with('#') || colon == std::string_view::npos) continue;
    const KnativeFlag* flag = find_knative_flag(trim(line.substr(0, colon)));
    // A later release may well ship other defaults for what gates no field of the pod.
    if (flag == nullptr || !flag->key.starts_with("kubernetes.")) continue;
    if (default_state(*flag) != FlagState::disabled) continue;
    const std::string_view value = unquoted(line.substr(colon + 1));
    if (value.empty() || equals_ignoring_case(value, "disabled")) continue;
    if (std::ranges::find(edited, flag, &EditedExample::flag) != edited.end()) continue;
    edited.push_back({line, flag, value});
  }
  return edited;
}

}  // namespace cnsched::kserve
