#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/api_kinds.h"
#include "core/k8s/object.h"
#include "core/source/discover.h"
#include "core/workspace/load_options.h"

namespace cnsched {

/// Something to read: a file, standard input, or what is in memory.
struct Input {
  std::string path;
  bool linted = true;
  bool fact = false;      ///< given as a file of facts, though it may be linted as well
  bool rendered = false;  ///< see MemoryFile
  bool source = false;    ///< see MemoryFile
  RenderedVariant variant{};
  const std::string* text = nullptr;            ///< instead of that on the disk
  std::shared_ptr<const FileContent> parsed{};  ///< instead of a text
  /// Of a file that configurations name; otherwise null.
  const std::vector<const facts::ClusterConfig*>* only_for = nullptr;
};

/// A document, and the objects in scope that it holds.
struct LoadedObjects {
  std::unique_ptr<LoadedDocument> document;
  std::vector<k8s::Object> objects;
};

/// What decides, besides the path and the bytes of a file, what is read of it.
struct ReadSettings {
  bool linted = true;
  bool fact = false;
  bool source = false;
  bool only_counts = false;  ///< documents out of scope
  Limits limits{};

  friend bool operator==(const ReadSettings&, const ReadSettings&) = default;
};

/// What was read of an input.
struct FileContent {
  ReadSettings settings;
  std::shared_ptr<const SourceFile> file;          ///< empty if it could not be read
  bool is_cut = false;                             ///< `file` has only the head of the text
  std::vector<std::vector<LoadedObjects>> pieces;  ///< its documents in order, as threads read them
  std::size_t out_of_scope = 0;                    ///< documents that are only counted
  std::vector<k8s::schema::Definition> definitions{};
  std::vector<const yaml::Node*> server_versions{};               ///< of `kubectl version -o yaml`
  std::vector<std::unique_ptr<LoadedDocument>> kept_documents{};  ///< trees of the two
  std::vector<Unfollowed> unfollowed{};                           ///< objects, see deployer_kind
  std::set<std::string> policy_manifests{};  ///< real paths, see policy_manifests
  std::set<std::string> spark_templates;     ///< names of files, see add_spark_templates
  bool may_be_of_chart = false;
  std::string chart{};  ///< of which the file's documents are templates, see chart_of_template
  std::optional<Unreadable> failure;
};

/// Reads and parses all inputs, on all threads; the first becomes file number `first_id`.
ParsedFiles read_inputs(std::span<const Input> inputs, FileId first_id, const LoadOptions& options);

/// Adds the names, without directories, of the files that `text` names as Spark's pod templates:
/// the values of `spark.kubernetes.driver.podTemplateFile` and `….executor.podTemplateFile`, in
/// YAML, JSON or properties [P62].
void add_spark_templates(std::string_view text, std::set<std::string>& names);

/// Whether the file has a usual name of such a template: executor-pod-template.yaml.
bool is_named_as_spark_template(std::string_view file);

}  // namespace cnsched
