#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/workspace/load_options.h"
#include "core/yaml/document.h"

/// libFuzzer calls this with each input. A violated property aborts the process.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace cnsched::fuzz {

/// A copy of the input as text, so that the sanitizer detects reads beyond its end.
std::string text_of(const std::uint8_t* data, std::size_t size);

/// Aborts the process with the message `failure` unless `condition` is true.
void require(bool condition, std::string_view failure);

/// Requires UTF-8 without control characters other than line ends, as for a terminal.
void require_harmless(std::string_view output, std::string_view name);
/// The same for YAML, whose block scalars may contain tabs.
void require_harmless_yaml(std::string output, std::string_view name);
/// Requires harmless text that is one JSON document.
void require_json(std::string_view output, std::string_view name);
/// Requires harmless XML with closed elements and without markup in texts.
void require_xml(std::string_view output, std::string_view name);

/// A part of an input that is split at lines "=== NAME". The part before the first such line has
/// the name `first`.
struct Part {
  std::string name;
  std::string text;
};
std::vector<Part> parts_of(std::string_view input, std::string_view first);

/// The parts as files. Those with names that begin with "cluster" only give facts. Of parts with
/// the same name, the first is used.
std::vector<MemoryFile> files_of(std::string_view input);

/// The documents of a text, and the file that their nodes view.
struct Documents {
  explicit Documents(std::string text, std::string path = "in.yaml");

  SourceFile file;
  std::vector<yaml::Document> all;
};

/// The number of values in the tree with expanded aliases, at most `most`.
std::size_t values_in(const yaml::Node& node, std::size_t most);

/// Whether the file has a document in scope that is not valid YAML.
bool is_broken(const Workspace& workspace, std::string_view path);

}  // namespace cnsched::fuzz

namespace cnsched::fuzz {

/// A temporary directory, removed when the process ends normally. Configurations above it have no
/// effect.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory() { std::filesystem::remove_all(root_); }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  std::string root() const { return root_.string(); }
  std::string path(std::string_view name) const { return (root_ / name).string(); }
  /// Removes what was written.
  void clear() const;
  /// Ignores names with directories: an input must not write anywhere else.
  void write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path root_;
  mutable std::set<std::filesystem::path> written_;
};

}  // namespace cnsched::fuzz
