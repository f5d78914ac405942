#include "cli/lsp/inbox.h"

#include "core/base/signals.h"

namespace cnsched::cli::lsp {

namespace {

/// Of the texts of waiting messages; a single one may be larger.
constexpr std::size_t kMaxWaiting = std::size_t{32} << 20U;
/// What a message takes besides its text.
constexpr std::size_t kOverhead = 512;

}  // namespace

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
