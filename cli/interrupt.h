#pragma once

#include <string_view>

#include "cli/console.h"

namespace cnsched::cli {

/// Erases the line that the cursor is in.
inline constexpr std::string_view kEraseLine = "\r\x1b[K";

/// Makes Ctrl-C and SIGTERM end the process at once, as they do by themselves, but with a clean
/// terminal. A reader of our output that goes away ends us silently, whatever our parent thinks of
/// that. A limit of the size of files (ulimit -f) makes writing fail, and does not end us.
void end_cleanly_on_signals(const Console& console);

/// While it lives, a line on stderr is drawn or erased: a signal that ends us waits for that, and
/// erases what is left.
class Drawing {
 public:
  /// `stays`: whether the line is there when all is done.
  explicit Drawing(bool stays);
  Drawing(const Drawing&) = delete;
  Drawing& operator=(const Drawing&) = delete;
  ~Drawing();

  /// False if a signal is ending us: nothing may be drawn any more.
  explicit operator bool() const;

 private:
  bool stays_;
};

}  // namespace cnsched::cli
