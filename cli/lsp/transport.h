#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <istream>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "cli/lsp/json.h"

namespace cnsched::cli::lsp {

/// Of JSON-RPC 2.0 and of the protocol.
enum class ErrorCode : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  server_not_initialized = -32002,
  request_cancelled = -32800,
};

/// Why a request failed.
struct RpcError {
  ErrorCode code = ErrorCode::internal_error;
  std::string message{};
};

inline RpcError invalid_params(std::string message) {
  return {ErrorCode::invalid_params, std::move(message)};
}

/// The answer to a request.
using Reply = std::variant<Json, RpcError>;

/// Whether the value can be the id of a request.
bool is_request_id(const Json& id);
Json response_to(const Json& id, Reply reply);
Json notification(const std::string& method, Json params);
Json request(std::uint64_t id, const std::string& method, Json params);

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

/// A message of the client, or why there is none.
struct Incoming {
  enum class Kind : std::uint8_t {
    message,
    invalid,  ///< not JSON, or too large
    end,      ///< nothing more will come
  };
  Kind kind = Kind::end;
  Json json{};
  std::string problem{};  ///< of an invalid one, or why the input cannot be read further
  /// Of a request: becomes true when the client withdraws it, also while it is answered.
  std::shared_ptr<std::atomic<bool>> is_cancelled{};
};

/// The messages that wait. A thread reads them, so that a cancellation reaches the request in front
/// of it. If too many bytes wait, it stops to read until some are taken.
class Inbox {
 public:
  explicit Inbox(std::istream& in, FrameLimits limits = {});
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;
  /// The messages up to `exit` or to the end of the input must have been taken.
  ~Inbox();

  /// Waits for a message and takes it.
  Incoming take();
  /// Whether no message waits.
  bool empty() const;

 private:
  struct Waiting {
    Incoming incoming;
    std::size_t bytes = 0;
  };

  void read();
  /// Whether more can come.
  bool read_one();
  void put(Incoming incoming, std::size_t bytes);
  void cancel(const Json& id);

  FrameReader reader_;
  mutable std::mutex mutex_;  ///< guards the members below
  std::condition_variable changed_;
  std::deque<Waiting> waiting_;
  Json taken_id_{};  ///< of the message that was taken last
  std::shared_ptr<std::atomic<bool>> taken_is_cancelled_{};
  std::size_t bytes_ = 0;
  std::thread thread_;
};

}  // namespace cnsched::cli::lsp
