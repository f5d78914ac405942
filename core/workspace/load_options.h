#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/facts/cluster_config.h"
#include "core/packages/origin.h"
#include "core/packages/variant.h"
#include "core/source/discover.h"
#include "core/source/read_file.h"
#include "core/workspace/workspace.h"

namespace cnsched {

/// The bytes of a file that is not on the disk: an example, a test.
struct MemoryFile {
  std::string path;
  std::string bytes;
  bool linted = true;
  bool fact = false;          ///< see Input::fact
  bool rendered = false;      ///< by an engine: not to be edited
  bool source = false;        ///< of a rendered file: not read as manifests
  RenderedVariant variant{};  ///< of a rendered file
  std::vector<const facts::ClusterConfig*> only_for{};  ///< see FactFile; empty: for all
};

/// A file of facts that some configurations name: its facts hold only for their manifests.
struct FactFile {
  std::string path;
  std::vector<const facts::ClusterConfig*> only_for;
};

/// What is kept of linted documents that are out of scope.
enum class OutOfScope : std::uint8_t {
  kept,     ///< as others are, with their texts
  counted,  ///< their number; of files that hold no others also the head
};

/// What is only known after the other files have been read.
struct LateFiles {
  std::vector<MemoryFile> files{};
  std::vector<std::string> on_disk{};  ///< sources of packages that were not rendered
  std::vector<Unreadable> unreadable{};
};

/// A cluster that the configuration names, and which files are for it.
struct DeclaredCluster {
  std::string name;
  std::function<bool(const std::string& path)> holds;
};

/// What findings call standard input, unless the user names it.
inline constexpr const char* kStdinName = "<stdin>";

struct LoadOptions {
  std::vector<std::string> files;          ///< to be linted; "-" is standard input
  std::vector<std::string> cluster_files;  ///< for facts
  std::vector<FactFile> config_files{};    ///< the same, as configurations name them
  std::vector<MemoryFile> memory_files{};
  /// The text of a file that an editor has open, instead of that on the disk, and within the same
  /// limits; nothing for the others. Several threads call it.
  std::function<std::optional<std::string>(const std::string& path)> text_of{};
  /// Waits for engines that run while files are read; may be empty.
  std::function<LateFiles()> late_files{};
  std::vector<Unreadable> unreadable{};  ///< what the search for files could not read
  std::vector<Unfollowed> unfollowed{};  ///< what it found in other languages
  IgnoredPaths ignored{};                ///< what .gitignore left out of it
  std::vector<std::string> walked{};     ///< directories below which it found all files
  packages::RenderKinds rendered{};      ///< what engines were asked to render
  std::string stdin_name = kStdinName;
  std::string ns{};  ///< of objects that no file puts into a namespace; empty: not known
  Limits limits{};   ///< of what is read, but not of the size of a rendered file
  OutOfScope out_of_scope = OutOfScope::kept;
  std::size_t jobs = 0;  ///< threads; 0: one per core
  /// Bytes that merged pods may take; 0: as many as honest manifests of that size could need.
  std::size_t merge_limit = 0;
  /// The configuration that applies to a file; may return null.
  std::function<const facts::ClusterConfig*(const std::string& path)> config_for{};
  /// Finds the sources of what the rendered files hold.
  std::shared_ptr<packages::OriginFinder> origins{};
  /// The clusters of the configuration. Empty: directories show which there are.
  std::vector<DeclaredCluster> clusters{};
  /// The releases that flags state, before those of configurations.
  facts::StatedReleases releases{};
  /// What another workspace has parsed, or null: the file of the same number is not parsed again if
  /// its path and bytes are the same. Used only by `load`.
  const ParsedFiles* parsed = nullptr;
};

}  // namespace cnsched
