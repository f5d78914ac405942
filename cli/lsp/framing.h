#pragma once

#include <cstddef>
#include <istream>
#include <ostream>
#include <string>

#include "cli/lsp/json.h"

namespace cnsched::cli::lsp {

/// What a client may send at most. An open document of the largest size fits, with its escapes.
struct FrameLimits {
  std::size_t header = 8192;
  std::size_t body = std::size_t{64} << 20U;
};

/// The next part of the input.
struct Frame {
  enum class Kind : std::uint8_t {
    body,       ///< of a message
    too_large,  ///< a body that was skipped
    broken,     ///< a header that does not say where the next message begins
    end,        ///< of the input, perhaps within a message
  };
  Kind kind = Kind::end;
  std::string text{};  ///< the body, or what is wrong
};

/// Reads messages with the headers of the base protocol (LSP 3.17, "Base Protocol"). After `broken`
/// and `end` there is nothing more to read.
class FrameReader {
 public:
  explicit FrameReader(std::istream& in, FrameLimits limits = {}) : in_(in), limits_(limits) {}

  Frame next();

 private:
  std::istream& in_;
  FrameLimits limits_;
};

/// Writes a message and flushes.
void write_message(const Json& message, std::ostream& out);

}  // namespace cnsched::cli::lsp
