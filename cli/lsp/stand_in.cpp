#include "cli/lsp/stand_in.h"

#include <algorithm>
#include <utility>

namespace cnsched::cli::lsp {

StandIn::StandIn(const SourceFile& file, std::string good)
    : current_(file.id(), file.path(), std::string(file.bytes())), good_(std::move(good)) {
  const std::string_view before = good_;
  const std::string_view current = current_.bytes();
  const auto [first, unused] = std::ranges::mismatch(before, current);
  same_begin_ = static_cast<std::size_t>(first - before.begin());
  const std::size_t rest = std::min(before.size(), current.size()) - same_begin_;
  while (same_end_ < rest &&
         before[before.size() - same_end_ - 1] == current[current.size() - same_end_ - 1]) {
    ++same_end_;
  }
}

std::optional<std::uint32_t> StandIn::from_current(std::size_t offset) const {
  const std::size_t size = current_.bytes().size();
  if (offset <= same_begin_) return static_cast<std::uint32_t>(offset);
  if (offset + same_end_ < size) return std::nullopt;
  return static_cast<std::uint32_t>(good_.size() - (size - offset));
}

std::uint32_t StandIn::to_current(std::uint32_t offset) const {
  if (offset <= same_begin_) return offset;
  if (offset + same_end_ < good_.size()) return static_cast<std::uint32_t>(same_begin_);
  const std::size_t from_end = good_.size() - offset;
  return static_cast<std::uint32_t>(current_.bytes().size() - from_end);
}

}  // namespace cnsched::cli::lsp
