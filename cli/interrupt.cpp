// A handler may interrupt any code, so it only accesses atomic flags and calls functions that
// signal-safety(7) lists.
#include "cli/interrupt.h"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "core/base/leftovers.h"

namespace cnsched::cli {

namespace {

std::atomic<bool> is_ending = false;
std::atomic<bool> is_drawing = false;
std::atomic<bool> line_is_there = false;
std::atomic<bool> out_is_colorable = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void put(int descriptor, std::string_view bytes) {
  [[maybe_unused]] const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
}

extern "C" void end(int signal) {
  constexpr int kMaxMilliseconds = 100;  // a terminal stopped by Ctrl-S does not draw
  is_ending = true;
  for (int i = 0; is_drawing && i < kMaxMilliseconds; ++i) ::poll(nullptr, 0, 1);
  if (line_is_there) put(STDERR_FILENO, kEraseLine);
  if (out_is_colorable) put(STDOUT_FILENO, "\x1b[0m");
  leftovers::clear_and_raise(signal);
  // The handler is reset: on return, the signal has its default effect.
  ::raise(signal);
}

void end_on(int signal) {
  struct sigaction action {};
  // Signals that the parent process ignores, as nohup does, stay ignored.
  if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = end;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

void end_cleanly_on_signals(const Console& console) {
  out_is_colorable = console.out_is_terminal && environment_variable("TERM") != "dumb";
  end_on(SIGINT);
  end_on(SIGTERM);
  end_on(SIGHUP);
  // A file size limit is reported as a write error, like a full disk.
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(SIGXFSZ, &ignored, nullptr);
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  ::sigaction(SIGPIPE, &plain, nullptr);
}

Drawing::Drawing(bool stays) : stays_(stays) {
  is_drawing = true;
  if (stays) line_is_there = true;
}

Drawing::~Drawing() {
  if (!stays_) line_is_there = false;
  is_drawing = false;
}

Drawing::operator bool() const { return !is_ending; }

}  // namespace cnsched::cli
