#include "core/kserve/knative_flags.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "core/base/suggest.h"
#include "core/base/text.h"

namespace cnsched::kserve {

namespace {

constexpr FlagState kOn = FlagState::enabled;

// Rules report the fields of a pod in this order.
constexpr auto kFlags = std::to_array<KnativeFlag>({
    {.key = "kubernetes.podspec-nodeselector",
     .since = {0, 17, 0},
     .gate = Gate::pod_field,
     .field = "nodeSelector",
     .open_data_hub = true},
    {.key = "kubernetes.podspec-tolerations",
     .since = {0, 17, 0},
     .gate = Gate::pod_field,
     .field = "tolerations",
     .open_data_hub = true},
    {.key = "kubernetes.podspec-affinity",
     .since = {0, 17, 0},
     .gate = Gate::pointer,
     .field = "affinity",
     .open_data_hub = true},
    {.key = "kubernetes.podspec-topologyspreadconstraints",
     .since = {1, 4, 0},
     .gate = Gate::pod_field,
     .field = "topologySpreadConstraints"},
    {.key = "kubernetes.podspec-runtimeclassname",
     .since = {0, 18, 0},
     .gate = Gate::pointer,
     .field = "runtimeClassName"},
    {.key = "kubernetes.podspec-priorityclassname",
     .since = {0, 25, 0},
     .gate = Gate::pod_field,
     .field = "priorityClassName"},
    {.key = "kubernetes.podspec-schedulername",
     .since = {0, 27, 0},
     .gate = Gate::pod_field,
     .field = "schedulerName"},
    {.key = "kubernetes.podspec-securitycontext",
     .since = {0, 17, 0},
     .gate = Gate::pointer,
     .field = "securityContext"},
    {.key = "kubernetes.podspec-shareprocessnamespace",
     .since = {1, 12, 0},
     .gate = Gate::pointer,
     .field = "shareProcessNamespace"},
    {.key = "kubernetes.podspec-hostipc",
     .since = {1, 16, 0},
     .gate = Gate::pod_field,
     .field = "hostIPC"},
    {.key = "kubernetes.podspec-hostpid",
     .since = {1, 16, 0},
     .gate = Gate::pod_field,
     .field = "hostPID"},
    {.key = "kubernetes.podspec-hostnetwork",
     .since = {1, 16, 0},
     .gate = Gate::pod_field,
     .field = "hostNetwork"},
    {.key = "kubernetes.podspec-hostaliases",
     .since = {0, 20, 0},
     .gate = Gate::pod_field,
     .field = "hostAliases"},
    {.key = "kubernetes.podspec-dnspolicy",
     .since = {1, 5, 0},
     .gate = Gate::pod_field,
     .field = "dnsPolicy"},
    {.key = "kubernetes.podspec-dnsconfig",
     .since = {1, 5, 0},
     .gate = Gate::pointer,
     .field = "dnsConfig"},
    {.key = "kubernetes.podspec-fieldref", .since = {0, 16, 0}, .gate = Gate::other},
    {.key = "kubernetes.podspec-init-containers",
     .since = {0, 27, 0},
     .gate = Gate::pod_field,
     .field = "initContainers",
     .allowed_suffices = false},
    {.key = "kubernetes.podspec-volumes-emptydir",
     .since = {0, 25, 0},
     .gate = Gate::volume,
     .field = "emptyDir",
     .by_default = kOn,
     .allowed_suffices = false},
    {.key = "kubernetes.podspec-persistent-volume-claim",
     .since = {1, 2, 0},
     .gate = Gate::volume,
     .field = "persistentVolumeClaim",
     .allowed_suffices = false,
     .open_data_hub = true},
    {.key = "kubernetes.podspec-persistent-volume-write",
     .since = {1, 2, 0},
     .gate = Gate::other,
     .allowed_suffices = false,
     .open_data_hub = true},
    {.key = "kubernetes.podspec-volumes-hostpath",
     .since = {1, 17, 0},
     .gate = Gate::volume,
     .field = "hostPath",
     .allowed_suffices = false},
    {.key = "kubernetes.podspec-volumes-csi",
     .since = {1, 18, 0},
     .gate = Gate::volume,
     .field = "csi",
     .allowed_suffices = false},
    {.key = "kubernetes.podspec-volumes-mount-propagation",
     .since = {1, 18, 0},
     .gate = Gate::other,
     .allowed_suffices = false},
    {.key = "kubernetes.podspec-volumes-image",
     .since = {1, 19, 0},
     .gate = Gate::volume,
     .field = "image",
     .allowed_suffices = false},
    {.key = "kubernetes.podspec-volumes-ephemeral",
     .since = {1, 23, 0},
     .gate = Gate::volume,
     .field = "ephemeral",
     .allowed_suffices = false},
    {.key = "kubernetes.podspec-dryrun",
     .since = {0, 16, 0},
     .by_default = FlagState::allowed,
     .is_removed = true},
    {.key = "kubernetes.containerspec-addcapabilities",
     .since = {0, 24, 0},
     .gate = Gate::other,
     .allowed_suffices = false},
    {.key = "multi-container",
     .since = {0, 16, 0},
     .gate = Gate::other,
     .by_default = kOn,
     .allowed_suffices = false},
    {.key = "multi-container-probing",
     .since = {1, 14, 0},
     .gate = Gate::other,
     .allowed_suffices = false},
    {.key = "secure-pod-defaults", .since = {1, 9, 0}, .tri_state = false},
    {.key = "queueproxy.mount-podinfo", .since = {1, 7, 0}},
    {.key = "queueproxy.resource-defaults", .since = {1, 11, 0}},
    {.key = "tag-header-based-routing", .since = {0, 18, 0}},
    {.key = "autodetect-http2", .since = {0, 22, 0}},
});

bool is_one_of(std::string_view value, std::span<const std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return equals_ignoring_case(value, word); });
}

constexpr auto kStates = std::to_array<std::string_view>({"enabled", "allowed", "disabled"});

/// The key in lower case, without separators and prefixes, which are common mistakes.
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

const KnativeFlag* intended_knative_flag(std::string_view key) {
  constexpr std::size_t kLongest = 60;
  if (key.size() > kLongest || find_knative_flag(key) != nullptr) return nullptr;
  const std::string word = core_of(key);
  if (word.empty()) return nullptr;
  static const std::vector<std::string> kCores = [] {
    std::vector<std::string> cores;
    for (const KnativeFlag& flag : kFlags) cores.push_back(core_of(flag.key));
    return cores;
  }();
  // Short names that differ in two letters are different names.
  const auto is_near = [&](const std::string& name) {
    const Nearness nearness{.max_edits = std::min<std::size_t>(2, name.size() / 6)};
    return edits_if_near(word, name, nearness).has_value();
  };
  const auto same = std::ranges::find(kCores, word);
  const auto near = same != kCores.end() ? same : std::ranges::find_if(kCores, is_near);
  return near == kCores.end() ? nullptr : &kFlags[static_cast<std::size_t>(near - kCores.begin())];
}

std::span<const std::string_view> values_of(const KnativeFlag& flag) {
  static constexpr auto kSecure =
      std::to_array<std::string_view>({"enabled", "AllowRootBounded", "disabled"});
  return flag.tri_state ? kStates : kSecure;
}

bool reads_value(const KnativeFlag& flag, std::string_view value) {
  return is_one_of(value, values_of(flag));
}

bool is_too_weak(const KnativeFlag& flag, std::string_view value) {
  return !flag.allowed_suffices && equals_ignoring_case(value, "allowed");
}

std::vector<ExampleFlag> example_flags(std::string_view example) {
  std::vector<ExampleFlag> edited;
  for (const std::string_view whole : split(example, '\n')) {
    const std::string_view line = trim(whole);
    const std::size_t colon = line.find(':');
    if (line.starts_with('#') || colon == std::string_view::npos) continue;
    const KnativeFlag* flag = find_knative_flag(trim(line.substr(0, colon)));
    // A later release may ship other defaults for flags that gate no field of the pod.
    if (flag == nullptr || !flag->key.starts_with("kubernetes.")) continue;
    if (flag->by_default != FlagState::disabled) continue;
    const std::string_view value = unquoted(line.substr(colon + 1));
    if (value.empty() || equals_ignoring_case(value, "disabled")) continue;
    if (std::ranges::find(edited, flag, &ExampleFlag::flag) != edited.end()) continue;
    edited.push_back({line, flag, value});
  }
  return edited;
}

}  // namespace cnsched::kserve
