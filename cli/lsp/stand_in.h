#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/diff.h"
#include "core/source/source_file.h"

namespace cnsched::cli::lsp {

/// The last text of a document without syntax errors, which stands in for the text that the client
/// has, and how the two correspond: they begin and end with the same bytes.
class StandIn {
 public:
  StandIn(const SourceFile& current, std::string good);

  const std::string& text() const { return good_; }
  /// The text that the client has.
  const SourceFile& current() const { return current_; }
  /// An offset of the client's text in this one; nothing if it lies in what differs.
  std::optional<std::uint32_t> from_current(std::size_t offset) const;
  /// The reverse; what differs is the end of what is the same.
  std::uint32_t to_current(std::uint32_t offset) const;

 private:
  SourceFile current_;
  std::string good_;
  CommonEnds same_;
};

}  // namespace cnsched::cli::lsp
