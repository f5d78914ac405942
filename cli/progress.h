#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <ostream>
#include <stop_token>
#include <streambuf>
#include <string>
#include <string_view>
#include <thread>

#include "cli/console.h"
#include "core/base/progress.h"

namespace cnsched::cli {

/// "checking: rule 12 of 71, 34 findings so far", cut so that it leaves the last column free.
std::string progress_text(const HowFar& how_far, std::size_t columns);

/// Whether there is a terminal that can show progress, and somebody who wants to see it.
bool shows_progress(const Console& console, bool quiet, std::string (*environment)(const char*));

/// Draws one line again and again, and erases it.
class ProgressPainter {
 public:
  using Clock = std::chrono::steady_clock;

  /// Nothing is drawn before `first`. `columns` is asked each time: people change the size of their
  /// windows.
  ProgressPainter(std::ostream& err, Clock::time_point first, std::function<std::size_t()> columns)
      : err_(*err.rdbuf()), first_(first), columns_(std::move(columns)) {}

  void draw(const HowFar& how_far, Clock::time_point now);
  void erase();

 private:
  void put(std::string_view bytes);

  // Not through the stream: what is written to that makes the line go.
  std::streambuf& err_;
  Clock::time_point first_;
  std::function<std::size_t()> columns_;
  std::string drawn_;
};

/// A line on stderr that tells how far the process is, once it takes longer than a second. It is
/// gone before anything else is written to the console, and then stays away.
class ProgressLine {
 public:
  ProgressLine(Console& console, bool quiet);
  ProgressLine(Console& console, std::chrono::milliseconds patience);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { stop(); }

  void stop();

 private:
  /// Streams flush the stream that they are tied to before they write.
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
  void run(const std::stop_token& stopped);

  Console& console_;
  ProgressPainter painter_;
  Tie tie_{*this};
  std::ostream tied_{&tie_};
  std::ostream* tied_to_out_ = nullptr;
  std::ostream* tied_to_err_ = nullptr;
  std::mutex mutex_;
  std::condition_variable_any waker_;
  std::jthread thread_;
};

}  // namespace cnsched::cli
