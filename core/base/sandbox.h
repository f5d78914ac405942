#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/descriptor.h"

namespace cnsched {

/// What a confined program may do with files, where the kernel has Landlock.
struct Confinement {
  std::vector<std::string> readable{};    ///< files and directories with all below
  std::vector<std::string> executable{};  ///< the same; they may be read too
  std::string writable{};                 ///< a directory with all below; it may be read too
  bool has_files = false;                 ///< files have no limits
};

/// How the system confines programs here.
struct SandboxSupport {
  bool refuses_sockets = false;  ///< seccomp: neither a network nor a daemon can be reached
  bool limits_files = false;     ///< Landlock
};

/// Asks the kernel, once.
const SandboxSupport& sandbox_support();

/// Confines the process that enters it, and all that it starts, for ever: no sockets, no way out of
/// its process group, no new privileges, and files as the Confinement says. Also a network of its
/// own, where the kernel permits that. Without Landlock files have no limits.
class Sandbox {
 public:
  explicit Sandbox(const Confinement& confinement);

  /// Confines the calling process; false if it cannot. Safe to call between fork and exec.
  bool enter() const;

 private:
  Descriptor rules_{};  ///< of Landlock
};

}  // namespace cnsched
