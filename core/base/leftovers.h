#pragma once

#include <sys/types.h>

#include <string>

#include "core/base/descriptor.h"

namespace cnsched {

/// What a signal that ends this process must not leave behind: groups of processes and directories.
/// Safe to use from several threads.
namespace leftovers {

/// Starts a process, and notes its group: `start` returns its id, or a negative number. No signal
/// comes between the two.
pid_t start_group(pid_t (*start)(const void* argument), const void* argument);
/// The group has ended.
void forget_group(pid_t group);

/// For a handler of a signal: kills the groups, removes the directories and raises the signal
/// again, in another thread, and does not return. Returns if there is nothing to do.
void clear_and_raise(int signal);

}  // namespace leftovers

/// An empty directory for temporary files, which is removed at the end with all that it contains,
/// also if a signal ends the process. The first one that is made removes those of processes that
/// were killed.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory();

  const std::string& path() const { return path_; }  ///< absolute; empty if it cannot be made

 private:
  std::string path_;
  Descriptor lock_{};  ///< held as long as the process lives
};

}  // namespace cnsched
