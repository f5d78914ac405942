#include "cli/lsp/stand_in.h"

#include <utility>

namespace cnsched::cli::lsp {

StandIn::StandIn(const SourceFile& file, std::string good)
    : current_(file.id(), file.path(), std::string(file.bytes())),
      good_(std::move(good)),
      same_(common_ends(std::string_view(good_), current_.bytes())) {}

std::optional<std::uint32_t> StandIn::from_current(std::size_t offset) const {
  const std::size_t size = current_.bytes().size();
  if (offset <= same_.begin) return static_cast<std::uint32_t>(offset);
  if (offset + same_.end < size) return std::nullopt;
  return static_cast<std::uint32_t>(good_.size() - (size - offset));
}

std::uint32_t StandIn::to_current(std::uint32_t offset) const {
  if (offset <= same_.begin) return offset;
  if (offset + same_.end < good_.size()) return static_cast<std::uint32_t>(same_.begin);
  const std::size_t from_end = good_.size() - offset;
  return static_cast<std::uint32_t>(current_.bytes().size() - from_end);
}

}  // namespace cnsched::cli::lsp
