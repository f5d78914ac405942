#include "testdata/git_repository.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

#include "core/base/process.h"
#include "core/source/path.h"
#include "core/source/trusted_program.h"

namespace cnsched::test {

std::string git_or_skip() {
  const char* path = std::getenv("PATH");
  std::string git = find_program("git", path == nullptr ? "" : path, {});
  if (git.empty()) MESSAGE("skipped: there is no git on PATH");
  return git;
}

GitRepository::GitRepository(const std::string& git) : git_(git) {
  run({"init", "-q", "--initial-branch=main"});
}

std::string GitRepository::run(const std::vector<std::string>& arguments,
                               const std::string& input) const {
  const ProgramCall call{
      .program = git_,
      .arguments = arguments,
      .environment = {"PATH=/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
                      "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a",
                      "GIT_COMMITTER_EMAIL=a@example.com", "GIT_AUTHOR_DATE=2026-01-01T00:00:00Z",
                      "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z"},
      .input = input,
      .directory = root().string(),
      .timeout = std::chrono::seconds(60),
      .max_output = std::size_t{16} << 20U};
  const auto ended = run_process(call);
  if (!ended) throw std::runtime_error(ended.error().message);
  if (!ended->is_success()) {
    throw std::runtime_error(fmt::format("git {}: {}", arguments.front(), ended->errors));
  }
  const std::string& output = ended->output;
  return output.ends_with('\n') ? output.substr(0, output.size() - 1) : output;
}

std::string GitRepository::commit(const std::string& message) const {
  run({"add", "-A"});
  run({"commit", "-q", "--allow-empty", "-m", message});
  return run({"rev-parse", "HEAD"});
}

Git GitRepository::git() const {
  return {.program = git_, .repository = repository_root(root().string())};
}

}  // namespace cnsched::test
