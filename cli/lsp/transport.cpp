#include "cli/lsp/transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "core/base/process.h"
#include "core/base/text.h"

namespace cnsched::cli::lsp {

namespace {

Json message() { return {{"jsonrpc", "2.0"}}; }

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

/// Of the texts of waiting messages; a single one may be larger.
constexpr std::size_t kMaxWaiting = std::size_t{32} << 20U;
/// What a message takes besides its text.
constexpr std::size_t kOverhead = 512;

}  // namespace

bool is_request_id(const Json& id) { return id.is_string() || id.is_number_integer(); }

Json response_to(const Json& id, Reply reply) {
  Json json = message();
  json["id"] = id;
  if (const auto* error = std::get_if<RpcError>(&reply)) {
    json["error"] = {{"code", static_cast<int>(error->code)}, {"message", error->message}};
  } else {
    json["result"] = std::get<Json>(std::move(reply));
  }
  return json;
}

Json notification(const std::string& method, Json params) {
  Json json = message();
  json["method"] = method;
  if (!params.is_null()) json["params"] = std::move(params);
  return json;
}

Json request(std::uint64_t id, const std::string& method, Json params) {
  Json json = notification(method, std::move(params));
  json["id"] = id;
  return json;
}

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

Inbox::Inbox(std::istream& in, FrameLimits limits) : reader_(in, limits) {
  // The handler of a fatal signal runs on the main thread.
  const BlockedSignals blocked;
  thread_ = std::thread([this] { read(); });
}

Inbox::~Inbox() { thread_.join(); }

Incoming Inbox::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !waiting_.empty(); });
  Waiting first = std::move(waiting_.front());
  waiting_.pop_front();
  bytes_ -= first.bytes;
  taken_id_ = member(first.incoming.json, "id");
  taken_is_cancelled_ = first.incoming.is_cancelled;
  changed_.notify_all();
  return std::move(first.incoming);
}

bool Inbox::empty() const {
  const std::lock_guard lock(mutex_);
  return waiting_.empty();
}

void Inbox::read() {
  while (read_one()) {
  }
}

bool Inbox::read_one() {
  Frame frame = reader_.next();
  switch (frame.kind) {
    case Frame::Kind::end:
      put({}, 0);
      return false;
    case Frame::Kind::broken:
      put({.kind = Incoming::Kind::end, .problem = std::move(frame.text)}, 0);
      return false;
    case Frame::Kind::too_large:
      put({.kind = Incoming::Kind::invalid, .problem = std::move(frame.text)}, 0);
      return true;
    case Frame::Kind::body:
      break;
  }
  auto json = parse_json(frame.text);
  if (!json) {
    put({.kind = Incoming::Kind::invalid, .problem = "the message is not valid JSON"}, 0);
    return true;
  }
  const std::string method = string_of(member(*json, "method"));
  if (method == "$/cancelRequest") {
    cancel(member(*json, {"params", "id"}));
    return true;
  }
  Incoming incoming{.kind = Incoming::Kind::message, .json = *std::move(json)};
  if (!method.empty() && incoming.json.contains("id")) {
    incoming.is_cancelled = std::make_shared<std::atomic<bool>>(false);
  }
  put(std::move(incoming), frame.text.size());
  return method != "exit";
}

void Inbox::put(Incoming incoming, std::size_t bytes) {
  bytes += kOverhead;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.empty() || bytes_ + bytes <= kMaxWaiting; });
  bytes_ += bytes;
  waiting_.push_back({std::move(incoming), bytes});
  changed_.notify_all();
}

void Inbox::cancel(const Json& id) {
  const std::lock_guard lock(mutex_);
  if (taken_is_cancelled_ && taken_id_ == id) *taken_is_cancelled_ = true;
  for (Waiting& each : waiting_) {
    const auto& is_cancelled = each.incoming.is_cancelled;
    if (is_cancelled && member(each.incoming.json, "id") == id) *is_cancelled = true;
  }
}

}  // namespace cnsched::cli::lsp
