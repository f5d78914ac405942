#include <exception>

#include "cli/app.h"
#include "cli/interrupt.h"
#include "core/base/text.h"

int main(int argc, char** argv) {
  using namespace cnsched::cli;
  // Never destroyed: the operating system frees all memory at once.
  static Console& console = *new Console(Console::of_process());
  end_cleanly_on_signals(console);
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const Exit exit = run_app(arguments, console);
    console.out.flush();
    if (!console.out) {
      console.err << "error: standard output cannot be written to\n";
      return static_cast<int>(Exit::failure);
    }
    return static_cast<int>(exit);
  } catch (const std::exception& bug) {
    console.err << "error: internal error, please report it: " << cnsched::printable(bug.what())
                << '\n';
    return static_cast<int>(Exit::failure);
  }
}
