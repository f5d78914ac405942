#include <exception>

#include "cli/app.h"

int main(int argc, char** argv) {
  using namespace cnsched::cli;
  Console console = Console::of_process();
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
    console.err << "error: internal error, please report it: " << bug.what() << '\n';
    return static_cast<int>(Exit::failure);
  }
}
