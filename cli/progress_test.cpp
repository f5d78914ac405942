#include "cli/progress.h"

#include <atomic>
#include <thread>

#include "testdata/support.h"

namespace cnsched::cli::progress_test {

using namespace std::chrono_literals;

constexpr ProgressSample kReading{.step = Step::reading, .done = 7, .all = 40};

/// A painter with a simulated clock and window.
struct Painted {
  std::ostringstream err;
  std::size_t columns = 80;
  ProgressPainter::Clock::time_point start{};
  ProgressPainter painter{err, start + 1s, [this] { return columns; }};

  /// What is written when `time` has passed.
  std::string after(std::chrono::milliseconds time, const ProgressSample& sample) {
    err.str("");
    painter.draw(sample, start + time);
    return err.str();
  }
};

/// A simulated terminal. `wait` blocks until it is drawn on.
struct Terminal {
  struct Screen : std::stringbuf {
    std::atomic<bool> shown = false;
    int sync() override {
      shown = true;
      return std::stringbuf::sync();
    }
  };

  void wait() const {
    while (!screen.shown) std::this_thread::sleep_for(1ms);
  }

  Screen screen;
  std::ostringstream out;
  std::ostream err{&screen};
  Console console{.out = out, .err = err, .err_is_terminal = true};
};

std::string xterm(const char* /*name*/) { return "xterm"; }
std::string dumb(const char* /*name*/) { return "dumb"; }
std::string nothing(const char* /*name*/) { return {}; }

TEST_CASE("progress shows the step, its progress and the number of findings") {
  CHECK(progress_text({.done = 12}, 80) == "looking for manifests: 12 found");
  CHECK(progress_text(kReading, 80) == "reading: 7 of 40 files");
  CHECK(progress_text({.step = Step::merging, .done = 1, .all = 1}, 80) ==
        "building pods: 1 of 1 object");
  CHECK(progress_text({.step = Step::checking, .done = 3, .all = 71, .findings = 1}, 80) ==
        "checking: 3 of 71 objects, 1 finding so far");
  CHECK(progress_text({.step = Step::checking, .done = 3, .all = 71, .findings = 2, .again = true},
                      80) == "checking again: 3 of 71 objects, 2 findings left");
}

TEST_CASE("progress never fills the last column, where a terminal would wrap") {
  CHECK(progress_text(kReading, 23) == "reading: 7 of 40 files");
  CHECK(progress_text(kReading, 22) == "reading: 7 of 40 file");
  CHECK(progress_text(kReading, 1).empty());
  CHECK(progress_text(kReading, 0).empty());
}

TEST_CASE("draws nothing in the first second, and no unchanged line") {
  Painted painted;
  CHECK(painted.after(999ms, kReading).empty());
  CHECK(painted.after(1000ms, kReading) == "\r\x1b[Kreading: 7 of 40 files");
  CHECK(painted.after(1100ms, kReading).empty());
  painted.columns = 10;
  CHECK(painted.after(1200ms, kReading) == "\r\x1b[Kreading: ");
}

TEST_CASE("erases a line once, and only if it was drawn") {
  Painted painted;
  painted.painter.erase();
  CHECK(painted.err.str().empty());
  painted.after(1s, kReading);
  painted.err.str("");
  painted.painter.erase();
  painted.painter.erase();
  CHECK(painted.err.str() == "\r\x1b[K");
}

TEST_CASE("shows progress only on terminals that can erase, and not with --quiet") {
  Terminal terminal;
  CHECK(shows_progress(terminal.console, false, xterm));
  CHECK_FALSE(shows_progress(terminal.console, true, xterm));
  CHECK_FALSE(shows_progress(terminal.console, false, dumb));
  CHECK_FALSE(shows_progress(terminal.console, false, nothing));
  terminal.console.err_is_terminal = false;
  CHECK_FALSE(shows_progress(terminal.console, false, xterm));
}

TEST_CASE("writing to either stream ends the progress line") {
  for (const bool to_err : {false, true}) {
    Terminal terminal;
    ProgressLine line(terminal.console, 0ms);
    terminal.wait();
    (to_err ? terminal.console.err : terminal.console.out) << "error: x\n";
    const std::string err = terminal.screen.str();
    CHECK(err.ends_with(to_err ? "\r\x1b[Kerror: x\n" : "\r\x1b[K"));
    CHECK(terminal.out.str() == (to_err ? "" : "error: x\n"));
    terminal.console.err << "more";
    CHECK(terminal.screen.str() == err + "more");
  }
}

TEST_CASE("an exception erases the progress line") {
  Terminal terminal;
  try {
    const ProgressLine line(terminal.console, 0ms);
    terminal.wait();
    throw 1;
  } catch (int) {
    CHECK(terminal.screen.str().ends_with("\r\x1b[K"));
  }
}

}  // namespace cnsched::cli::progress_test
