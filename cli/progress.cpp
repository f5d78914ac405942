#include "cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "core/base/process.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

constexpr std::chrono::milliseconds kDelay{1000};
constexpr std::chrono::milliseconds kPause{100};

std::size_t columns_of_stderr() {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

/// Whether the process is in the foreground of the terminal. After '&', the shell's prompt is
/// there.
bool in_foreground() {
  const pid_t group = ::tcgetpgrp(STDERR_FILENO);
  return group < 0 || group == ::getpgrp();
}

std::string findings_so_far(const ProgressSample& sample) {
  return fmt::format("{} {}", count_of(sample.findings, "finding"),
                     sample.again ? "left" : "so far");
}

std::string whole_text(const ProgressSample& sample) {
  const std::string_view again = sample.again ? " again" : "";
  switch (sample.step) {
    case Step::reading:
      return fmt::format("reading{}: {} of {}", again, sample.done, count_of(sample.all, "file"));
    case Step::merging:
      return fmt::format("building pods{}: {} of {}", again, sample.done,
                         count_of(sample.all, "object"));
    case Step::checking:
      return fmt::format("checking{}: {} of {}, {}", again, sample.done,
                         count_of(sample.all, "object"), findings_so_far(sample));
    case Step::discovering:
      break;
  }
  return fmt::format("looking for manifests: {} found", sample.done);
}

}  // namespace

std::string progress_text(const ProgressSample& sample, std::size_t columns) {
  return whole_text(sample).substr(0, columns > 0 ? columns - 1 : 0);
}

bool shows_progress(const Console& console, bool quiet, std::string (*environment)(const char*)) {
  const std::string terminal = environment("TERM");
  return console.err_is_terminal && !quiet && !terminal.empty() && terminal != "dumb";
}

void ProgressPainter::draw(const ProgressSample& sample, Clock::time_point now) {
  if (now < first_) return;
  std::string text = progress_text(sample, columns_());
  if (text == drawn_) return;
  const Drawing drawing(true);
  if (!drawing) return;
  put(fmt::format("{}{}", kEraseLine, text));
  drawn_ = std::move(text);
}

void ProgressPainter::erase() {
  if (drawn_.empty()) return;
  const Drawing drawing(false);
  put(kEraseLine);
  drawn_.clear();
}

void ProgressPainter::put(std::string_view bytes) {
  err_.sputn(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  err_.pubsync();
}

ProgressLine::ProgressLine(Console& console, std::chrono::milliseconds delay)
    : console_(console),
      painter_(console.err, ProgressPainter::Clock::now() + delay, columns_of_stderr) {
  start();
}

ProgressLine::ProgressLine(Console& console, bool quiet)
    : console_(console),
      painter_(console.err, ProgressPainter::Clock::now() + kDelay, columns_of_stderr) {
  if (shows_progress(console, quiet, environment_variable)) start();
}

void ProgressLine::start() {
  const BlockedSignals blocked;  // the handler waits for drawing, so the thread must not run it
  thread_ = std::thread([this] { run(); });
  tied_to_out_ = console_.out.tie(&tied_);
  tied_to_err_ = console_.err.tie(&tied_);
}

void ProgressLine::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  waker_.notify_one();
  thread_.join();
  console_.out.tie(tied_to_out_);
  console_.err.tie(tied_to_err_);
  painter_.erase();
  if (tied_to_err_ != nullptr) tied_to_err_->flush();
}

void ProgressLine::run() {
  std::unique_lock lock(mutex_);
  while (!waker_.wait_for(lock, kPause, [this] { return is_stopped_; })) {
    if (in_foreground()) painter_.draw(progress().sample(), ProgressPainter::Clock::now());
  }
}

}  // namespace cnsched::cli
