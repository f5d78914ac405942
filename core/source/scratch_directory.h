#pragma once

#include <string>

namespace cnsched {

/// An empty directory for temporary files, which is removed at the end with all it contains.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory();

  const std::string& path() const { return path_; }  ///< empty if it cannot be made

 private:
  std::string path_;
};

}  // namespace cnsched
