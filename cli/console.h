#pragma once

#include <cstddef>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace cnsched::cli {

/// What the process tells its caller.
enum class Exit : int {
  clean = 0,
  findings = 1,
  usage = 2,    ///< bad arguments or configuration
  failure = 3,  ///< something could not be processed, or our own bug
};

/// Where a command writes, and what it knows of its terminal. Results go to `out`, talk to `err`.
struct Console {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  std::size_t width = 80;
  std::istream* in = nullptr;  ///< answers to questions; null where nobody can be asked
  bool in_is_terminal = false;
  bool out_is_log = false;  ///< of a CI system, as far as can be told

  /// Whether people read `out`, or what obeys it: then nothing in it may be steered by manifests.
  bool out_is_looked_at() const { return out_is_terminal || out_is_log; }

  /// Makes something that would take long to be given back, a large run's trees: it goes with the
  /// console, and the one of the process never goes.
  template <typename T>
  T& keep() {
    const auto made = std::make_shared<T>();
    kept.push_back(made);
    return *made;
  }
  std::vector<std::shared_ptr<void>> kept{};

  /// The streams of the process.
  static Console of_process();
};

/// --color, in its three forms.
enum class ColorChoice : unsigned char { automatic, always, never };

/// Whether to colour what goes to a stream: the flag, then NO_COLOR, then CLICOLOR_FORCE and
/// FORCE_COLOR, then whether it is a terminal that can. `environment` looks a variable up (an empty
/// string: not set).
bool decide_color(ColorChoice choice, bool is_terminal, std::string (*environment)(const char*));
std::string environment_variable(const char* name);

}  // namespace cnsched::cli
