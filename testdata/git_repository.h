#pragma once

#include "core/source/revision.h"
#include "testdata/support.h"

namespace cnsched::test {

/// The path of git; empty, after a message that the test is skipped, if there is none.
std::string git_or_skip();

/// A repository of git in a temporary directory, with fixed authors and dates and without the
/// user's configuration. Needs git.
class GitRepository {
 public:
  explicit GitRepository(const std::string& git);

  std::string path(const std::string& name) const { return tree_.path(name); }
  std::string root() const { return tree_.root().string(); }
  void write(const std::string& name, const std::string& text) const { tree_.write(name, text); }
  /// Runs git in the repository and returns what it prints, without the line break at its end.
  /// Throws if it fails.
  std::string run(const std::vector<std::string>& arguments, const std::string& input = {}) const;
  /// Commits all files, and returns the id.
  std::string commit(const std::string& message) const;
  /// How the program reads the repository.
  Git git() const;

 private:
  TemporaryDirectory tree_;
  std::string git_;
};

}  // namespace cnsched::test
