#include "cli/lsp/framing.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "core/base/text.h"

namespace cnsched::cli::lsp {

namespace {

constexpr std::string_view kLength = "content-length";

/// Reads the header lines up to the empty one, which ends with LF or CRLF like the others.
class HeaderReader {
 public:
  HeaderReader(std::istream& in, std::size_t limit) : in_(in), left_(limit) {}

  /// Where the body begins, `body` with its length as text; otherwise what the reader returns.
  Frame read() {
    std::string length;
    bool is_first = true;
    for (std::string line; next_line(line); line.clear(), is_first = false) {
      if (line.empty() && is_first) continue;  // between two messages
      if (line.empty()) {
        if (length.empty()) return broken("the header has no Content-Length");
        return {Frame::Kind::body, length};
      }
      const std::size_t colon = line.find(':');
      if (colon == std::string::npos) return broken("a line of the header has no ':'");
      if (lower(trim(std::string_view(line).substr(0, colon))) != kLength) continue;
      length = std::string(trim(std::string_view(line).substr(colon + 1)));
      if (!whole_number(length)) return broken("Content-Length is not a number");
    }
    return is_too_long_ ? broken("the header is too long") : Frame{};
  }

 private:
  static Frame broken(std::string reason) { return {Frame::Kind::broken, std::move(reason)}; }

  /// Appends the next line without its line end. False at the end of the input or of the limit.
  bool next_line(std::string& line) {
    constexpr int kEnd = std::istream::traits_type::eof();
    for (int c = in_.get(); c != kEnd; c = in_.get()) {
      if (left_-- == 0) {
        is_too_long_ = true;
        return false;
      }
      if (c == '\n') {
        if (line.ends_with('\r')) line.pop_back();
        return true;
      }
      line += static_cast<char>(c);
    }
    return false;
  }

  std::istream& in_;
  std::size_t left_;
  bool is_too_long_ = false;
};

/// Reads `size` bytes in blocks, so that a wrong length does not allocate them all at once.
std::optional<std::string> read_bytes(std::istream& in, std::size_t size) {
  constexpr std::size_t kBlock = std::size_t{1} << 20U;
  std::string text;
  while (text.size() < size) {
    const std::size_t before = text.size();
    const std::size_t block = std::min(kBlock, size - before);
    text.resize(before + block);
    in.read(text.data() + before, static_cast<std::streamsize>(block));
    if (static_cast<std::size_t>(in.gcount()) != block) return std::nullopt;
  }
  return text;
}

}  // namespace

Frame FrameReader::next() {
  Frame header = HeaderReader(in_, limits_.header).read();
  if (header.kind != Frame::Kind::body) return header;
  const std::size_t size = *whole_number(header.text);
  if (size > limits_.body) {
    constexpr std::size_t kMost = std::numeric_limits<std::streamsize>::max() / 2;
    in_.ignore(static_cast<std::streamsize>(std::min(size, kMost)));
    if (static_cast<std::size_t>(in_.gcount()) != size) return {};
    return {Frame::Kind::too_large,
            fmt::format("the message has {} bytes, more than {}", size, limits_.body)};
  }
  auto body = read_bytes(in_, size);
  if (!body) return {};
  return {Frame::Kind::body, *std::move(body)};
}

void write_message(const Json& message, std::ostream& out) {
  const std::string body = text_of(message);
  out << "Content-Length: " << body.size() << "\r\n\r\n" << body << std::flush;
}

}  // namespace cnsched::cli::lsp
