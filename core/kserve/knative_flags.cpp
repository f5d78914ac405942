#include "core/kserve/knative_features.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "core/base/suggest.h"
#include "core/base/text.h"

namespace cnsched::kserve {

namespace {

constexpr std::string_view kTable =
#include "core/kserve/knative_flags.table"
    ;

KnativeFlag flag_in(std::string_view line) {
  constexpr auto kGates =
      std::to_array<std::string_view>({"none", "pod_field", "pointer", "volume", "other"});
  const auto words = split(line, ' ');
  const auto has = [&](std::string_view word) { return is_one_of(word, words); };
  return {.key = words[0],
          .since = Version::parse(words[1]).value(),
          .gate = static_cast<Gate>(std::ranges::find(kGates, words[2]) - kGates.begin()),
          .field = words[3] == "-" ? std::string_view() : words[3],
          .by_default = has("enabled")   ? FlagState::enabled
                        : has("allowed") ? FlagState::allowed
                                         : FlagState::disabled,
          .allowed_suffices = !has("strict"),
          .tri_state = !has("own-values"),
          .is_removed = has("removed"),
          .open_data_hub = has("odh")};
}

std::vector<KnativeFlag> read_flags() {
  std::vector<KnativeFlag> flags;
  for (const std::string_view line : rows_of(kTable)) flags.push_back(flag_in(line));
  return flags;
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

std::span<const KnativeFlag> knative_flags() {
  static const std::vector<KnativeFlag> kFlags = read_flags();
  return kFlags;
}

const KnativeFlag* find_knative_flag(std::string_view key) {
  const auto flag = std::ranges::find(knative_flags(), key, &KnativeFlag::key);
  return flag == knative_flags().end() ? nullptr : &*flag;
}

const KnativeFlag* intended_knative_flag(std::string_view key) {
  constexpr std::size_t kLongest = 60;
  if (key.size() > kLongest || find_knative_flag(key) != nullptr) return nullptr;
  const std::string word = core_of(key);
  if (word.empty()) return nullptr;
  static const std::vector<std::string> kCores = [] {
    std::vector<std::string> cores;
    for (const KnativeFlag& flag : knative_flags()) cores.push_back(core_of(flag.key));
    return cores;
  }();
  // Short names that differ in two letters are different names.
  const auto is_near = [&](const std::string& name) {
    const Nearness nearness{.max_edits = std::min<std::size_t>(2, name.size() / 6)};
    return edits_if_near(word, name, nearness).has_value();
  };
  const auto same = std::ranges::find(kCores, word);
  const auto near = same != kCores.end() ? same : std::ranges::find_if(kCores, is_near);
  return near == kCores.end() ? nullptr
                              : &knative_flags()[static_cast<std::size_t>(near - kCores.begin())];
}

std::span<const std::string_view> values_of(const KnativeFlag& flag) {
  static constexpr auto kSecure =
      std::to_array<std::string_view>({"enabled", "AllowRootBounded", "disabled"});
  return flag.tri_state ? kStates : kSecure;
}

bool reads_value(const KnativeFlag& flag, std::string_view value) {
  return std::ranges::any_of(
      values_of(flag), [&](std::string_view word) { return equals_ignoring_case(value, word); });
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
