#include "core/k8s/label.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/k8s/object.h"

namespace cnsched::k8s {

namespace {

using Owner = DeprecatedNodeLabel::Owner;

constexpr std::size_t kNameLimit = 63;
constexpr std::size_t kPrefixLimit = 253;

/// The rule for values, and for the part of a key after its prefix.
std::optional<std::string> name_problem(std::string_view name) {
  if (name.size() > kNameLimit) {
    return fmt::format("has {} characters, and {} are the limit", name.size(), kNameLimit);
  }
  for (const char c : name) {
    if (is_alphanumeric(c) || c == '-' || c == '_' || c == '.') continue;
    if (c == ' ') return "contains a space";
    if (static_cast<unsigned char>(c) >= 0x80) return "contains a non-ASCII character";
    return fmt::format("contains '{}'", printable(std::string_view(&c, 1)));
  }
  if (!is_alphanumeric(name.front())) {
    return fmt::format("begins with '{}', not with a letter or digit", name.front());
  }
  if (!is_alphanumeric(name.back())) {
    return fmt::format("ends with '{}', not with a letter or digit", name.back());
  }
  return std::nullopt;
}

std::optional<std::string> prefix_problem(std::string_view prefix) {
  if (prefix.empty()) return "begins with '/'";
  if (prefix.size() > kPrefixLimit) return "has a prefix of more than 253 characters";
  for (const std::string_view part : split(prefix, '.')) {
    if (part.empty()) return fmt::format("has an empty part in its prefix '{}'", prefix);
    if (!is_dns_part(part)) {
      return fmt::format("has a prefix '{}' that is not a lowercase RFC 1123 subdomain",
                         printable(prefix));
    }
  }
  return std::nullopt;
}

constexpr auto kDeprecated = std::to_array<DeprecatedNodeLabel>({
    {"beta.kubernetes.io/arch", "kubernetes.io/arch"},
    {"beta.kubernetes.io/os", "kubernetes.io/os"},
    {"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"},
    {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
    {"node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane", Owner::kubernetes,
     false},
    {"agentpool", "kubernetes.azure.com/agentpool", Owner::aks},
    {"accelerator", "kubernetes.azure.com/accelerator", Owner::aks},
    {"storageprofile", "kubernetes.azure.com/storageprofile", Owner::aks},
    {"storagetier", "kubernetes.azure.com/storagetier", Owner::aks},
    {"node-role.kubernetes.io/agent", "", Owner::aks, false},
    {"kubernetes.io/role", "", Owner::aks, false},
});

}  // namespace

std::optional<std::string> label_key_problem(std::string_view key) {
  if (key.empty()) return "is empty";
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return name_problem(key);
  if (key.find('/', slash + 1) != std::string_view::npos) return "contains more than one '/'";
  if (auto problem = prefix_problem(key.substr(0, slash))) return problem;
  if (slash + 1 == key.size()) return "has no name after the '/'";
  return name_problem(key.substr(slash + 1));
}

std::optional<std::string> label_value_problem(std::string_view value) {
  return value.empty() ? std::nullopt : name_problem(value);
}

/// Whether the text has a word as scripts replace it with sed: "__MODEL_NAME__".
static bool has_marked_word(std::string_view text) {
  constexpr std::string_view kMark = "__";
  const std::size_t open = text.find(kMark);
  if (open == std::string_view::npos) return false;
  const std::size_t close = text.find(kMark, open + kMark.size());
  if (close == std::string_view::npos || close == open + kMark.size()) return false;
  return std::ranges::all_of(text.substr(open, close - open), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// Whether the text has what any placeholder has: most texts do not.
static bool has_mark(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '$' || c == '{' || c == '<') return true;
    if ((c == '.' || c == '_') && i + 1 < text.size() && text[i + 1] == c) return true;
  }
  return false;
}

bool is_placeholder(std::string_view text) {
  if (!has_mark(text)) return false;
  const auto contains = [&](std::string_view mark) {
    return text.find(mark) != std::string_view::npos;
  };
  const auto encloses = [&](char opener, char closer) {
    const std::size_t open = text.find(opener);
    return open != std::string_view::npos && text.find(closer, open) != std::string_view::npos;
  };
  return text.starts_with('$') || contains("${") || contains("$(") || contains("{{") ||
         contains("...") || encloses('{', '}') || encloses('<', '>') || has_marked_word(text);
}

std::span<const DeprecatedNodeLabel> deprecated_node_labels() { return kDeprecated; }

const DeprecatedNodeLabel* find_deprecated_node_label(std::string_view key) {
  const auto* found = std::ranges::find(kDeprecated, key, &DeprecatedNodeLabel::key);
  return found == kDeprecated.end() ? nullptr : found;
}

std::string_view current_node_label(std::string_view key) {
  const DeprecatedNodeLabel* label = find_deprecated_node_label(key);
  const bool renamed =
      label != nullptr && label->owner == Owner::kubernetes && label->beside_current;
  return renamed ? label->current : key;
}

bool is_instance_type_label(std::string_view key) {
  return current_node_label(key) == "node.kubernetes.io/instance-type";
}

bool is_instance_family_label(std::string_view key) {
  return key == "karpenter.k8s.aws/instance-family" || key == "eks.amazonaws.com/instance-family";
}

bool is_instance_label(std::string_view key) {
  return is_instance_type_label(key) || is_instance_family_label(key) ||
         key == "karpenter.k8s.aws/instance-category" ||
         key == "eks.amazonaws.com/instance-category";
}

}  // namespace cnsched::k8s
