#pragma once

// What most tests need: a test file includes the header that it tests, and this one.

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/workspace/cluster_scope.h"
#include "core/workspace/load_options.h"
#include "core/yaml/document.h"
#include "core/yaml/parse.h"
#include "testdata/manifests.h"

namespace cnsched {

namespace test {

namespace fs = std::filesystem;

/// A document parsed from a text, and the file that its nodes view.
struct Parsed {
  explicit Parsed(std::string text);

  const yaml::Node& root() const { return *document.root; }
  /// The only object of the document.
  const k8s::Object& object() const {
    REQUIRE(objects.size() == 1);
    return objects.front();
  }
  /// The text at a span.
  std::string_view at(Span span) const { return file.text(span); }
  /// "line:column-column" of a span on one line, as output shows it.
  std::string place(Span span) const;

  SourceFile file;
  yaml::Document document;
  std::vector<k8s::Object> objects;
};

/// The node as JSON on one line, keys sorted, without blanks.
std::string compact(const yaml::Node& node);

/// Whether `part`, a text or a character, occurs in `text`.
template <class Part>
bool has(std::string_view text, const Part& part) {
  return text.find(part) != text.npos;
}
/// How often `part` occurs in `text`.
std::size_t count(std::string_view text, std::string_view part);
/// What `text_of` gives for each item, with a separator between the texts.
template <class Items, class TextOf>
std::string joined(const Items& items, TextOf text_of, std::string_view separator = " ") {
  std::string all;
  for (bool first = true; const auto& item : items) {
    if (!std::exchange(first, false)) all += separator;
    all += std::invoke(text_of, item);
  }
  return all;
}

/// A temporary directory, removed at the end of the scope.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory() { std::filesystem::remove_all(root_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& root() const { return root_; }
  std::string path(const std::string& name = "") const { return (root_ / name).string(); }
  /// Writes a file, with the directories above it, and returns its path.
  std::string write(const std::string& name, const std::string& text = "a: b\n") const;
  /// The same with a program, from a script of the shell.
  std::string write_program(const std::string& name, const std::string& script) const;

 private:
  std::filesystem::path root_;
};

/// Changes the working directory until the end of the scope.
class WorkingDirectory {
 public:
  explicit WorkingDirectory(const std::filesystem::path& path)
      : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(path);
  }
  ~WorkingDirectory() { std::filesystem::current_path(before_); }
  WorkingDirectory(const WorkingDirectory&) = delete;
  WorkingDirectory& operator=(const WorkingDirectory&) = delete;

 private:
  std::filesystem::path before_;
};

/// A temporary directory that is the working directory until the end of the scope.
class WorkingTree : public TemporaryDirectory {
  WorkingDirectory here_{root()};
};

/// A repository that is the working directory until the end of the scope: the search for
/// configurations ends there.
struct Repository : WorkingTree {
  explicit Repository(const std::vector<std::pair<std::string, std::string>>& files = {}) {
    write(".git/HEAD");
    for (const auto& [name, text] : files) write(name, text);
  }
};

/// Sets a variable of the environment until the end of the scope.
class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const std::string& value);
  ~EnvironmentVariable();
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// Lets a file be standard input until the end of the scope.
class StandardInput {
 public:
  explicit StandardInput(const std::string& path);
  ~StandardInput();
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  int before_;
};

/// A workspace over texts; the names decide the order of the findings.
std::unique_ptr<Workspace> workspace_of(std::vector<MemoryFile> files,
                                        facts::StatedReleases releases = {});
/// The only scope of a workspace.
const ClusterScope& scope_of(const Workspace& workspace);

/// The path of a file of the project.
std::string project_file(std::string_view relative);
std::string read_all(const std::string& path);
/// The paths of the files below the folder that have one of the endings, sorted; none if there is
/// no such folder. Links to folders are followed.
std::vector<std::string> files_below(const std::string& folder,
                                     const std::vector<std::string_view>& endings = {""});
inline const std::vector<std::string_view> kManifests = {".yaml", ".yml"};
/// The text of a file of the project.
std::string project_text(std::string_view relative);
/// Compares `text` with the file; with CNSCHED_BLESS=1 in the environment, records it instead.
void check_recorded(const std::string& path, const std::string& text);
/// Compares what `result_of` gives for each text of a file of the project. The result follows its
/// text in lines that begin with "=> "; a line that begins with "## " says what the next cases
/// show.
void check_cases(const std::string& file,
                 const std::function<std::string(std::string_view)>& result_of);

/// The output of a run of the program, and its exit code.
struct Ran {
  int exit = 0;
  std::string out;
  std::string err;
};
Ran run_program(std::vector<std::string> arguments, const std::vector<std::string>& more = {});
/// The words of a command line without quotes, separated by single blanks.
std::vector<std::string> words_of(std::string_view line);

}  // namespace test

// Each test file has a namespace of its own, in that of the code it tests, and uses these names.
using namespace test;  // NOLINT(google-build-using-namespace)

}  // namespace cnsched
