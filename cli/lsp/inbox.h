#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <istream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "cli/lsp/framing.h"

namespace cnsched::cli::lsp {

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
