#pragma once

#include <span>
#include <string_view>

namespace cnsched::cli {

/// A shell and the script by which it completes: it runs `cnsched __complete` (complete.h) and
/// offers what that prints.
struct Shell {
  std::string_view name;
  std::string_view file;  ///< the name that the shell's packages expect
  std::string_view script;
};

/// bash, zsh and fish.
std::span<const Shell> shells();

}  // namespace cnsched::cli
