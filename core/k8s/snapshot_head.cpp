#include "core/k8s/snapshot_head.h"

#include <algorithm>

namespace cnsched::k8s {

std::vector<std::string_view> unread_types(std::string_view text) {
  if (!text.starts_with(kSnapshotLine)) return {};
  constexpr std::string_view kTitle = "# ";
  constexpr std::string_view kName = "#   ";
  std::vector<std::string_view> types;
  bool are_unread = false;
  while (text.starts_with('#')) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (!line.starts_with(kName)) {
      are_unread = line.starts_with(kTitle) && line.substr(kTitle.size()).starts_with(kNotRead);
    } else if (are_unread) {
      types.push_back(line.substr(kName.size()));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return types;
}

}  // namespace cnsched::k8s
