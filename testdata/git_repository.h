#pragma once

#include "core/source/revision.h"
#include "testdata/support.h"

namespace cnsched::test {

/// The path of git; empty, after a message that the test is skipped, if there is none.
std::string git_or_skip();

/// A repository of git in a temporary directory, with fixed authors and dates and without the
/// user's configuration. Needs git.
class GitRepository : public TemporaryDirectory {
 public:
  explicit GitRepository(const std::string& git);

  /// Runs git in the repository and returns what it prints, without the line break at its end.
  /// Throws if it fails.
  std::string run(const std::vector<std::string>& arguments, const std::string& input = {}) const;
  /// Commits all files, and returns the id.
  std::string commit(const std::string& message) const;
  /// How the program reads the repository.
  Git git() const;

 private:
  std::string git_;
};

}  // namespace cnsched::test
