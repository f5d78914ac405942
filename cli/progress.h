#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>
#include <thread>

#include "cli/console.h"
#include "core/base/parallel.h"

namespace cnsched::cli {

/// "checking: rule 12 of 71, 34 findings so far", cut so that it leaves the last column free.
std::string progress_text(const ProgressSample& sample, std::size_t columns);

/// Whether stderr is a terminal that can show progress, and --quiet is not given.
bool shows_progress(const Console& console, bool quiet, std::string (*environment)(const char*));

/// Redraws one line, and erases it.
class ProgressPainter {
 public:
  using Clock = std::chrono::steady_clock;

  /// Draws nothing before `first`. Calls `columns` each time, because a window may be resized.
  ProgressPainter(std::ostream& err, Clock::time_point first, std::function<std::size_t()> columns)
      : err_(*err.rdbuf()), first_(first), columns_(std::move(columns)) {}

  void draw(const ProgressSample& sample, Clock::time_point now);
  void erase();

 private:
  void put(std::string_view bytes);

  // Not through the stream, because writing to it erases the line.
  std::streambuf& err_;
  Clock::time_point first_;
  std::function<std::size_t()> columns_;
  std::string drawn_;
};

/// A line on stderr that shows the progress of the process after one second. It is erased before
/// anything else is written to the console, and does not come back.
class ProgressLine {
 public:
  ProgressLine(Console& console, bool quiet);
  ProgressLine(Console& console, std::chrono::milliseconds delay);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { stop(); }

  void stop();

 private:
  /// A stream flushes the stream that it is tied to before it writes.
  class Tie : public std::streambuf {
   public:
    explicit Tie(ProgressLine& line) : line_(line) {}

   protected:
    int sync() override {
      line_.stop();
      return 0;
    }

   private:
    ProgressLine& line_;
  };

  void start();
  void run();

  Console& console_;
  ProgressPainter painter_;
  Tie tie_{*this};
  std::ostream tied_{&tie_};
  std::ostream* tied_to_out_ = nullptr;
  std::ostream* tied_to_err_ = nullptr;
  std::mutex mutex_;
  std::condition_variable waker_;
  bool is_stopped_ = false;  ///< guarded by the mutex
  std::thread thread_;
};

}  // namespace cnsched::cli
