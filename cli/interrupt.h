#pragma once

#include <string_view>

#include "cli/console.h"

namespace cnsched::cli {

/// Erases the line of the cursor.
inline constexpr std::string_view kEraseLine = "\r\x1b[K";

/// Ctrl-C, SIGTERM and SIGHUP end the process at once, as by default, after erasing the progress
/// line and what is in `leftovers`. A closed output pipe ends the process silently, even if the
/// parent process ignores SIGPIPE. A file size limit (ulimit -f) makes writing fail instead of
/// ending the process.
void end_cleanly_on_signals(const Console& console);

/// Guards drawing or erasing a line on stderr: a fatal signal waits for the end of the scope, then
/// erases the line.
class Drawing {
 public:
  /// `stays`: whether the line remains after the scope.
  explicit Drawing(bool stays);
  Drawing(const Drawing&) = delete;
  Drawing& operator=(const Drawing&) = delete;
  ~Drawing();

  /// False if a signal is ending the process: do not draw.
  explicit operator bool() const;

 private:
  bool stays_;
};

}  // namespace cnsched::cli
