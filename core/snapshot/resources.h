#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/arena.h"
#include "core/k8s/object.h"

namespace cnsched::snapshot {

/// The command that reads all of them, as help, messages and documentation show it.
inline constexpr std::string_view kReadCluster = "cnsched snapshot --write cluster.yaml";

/// A kind whose objects in a cluster are facts for rules and simulation.
struct Resource {
  std::string_view group;
  std::string_view kind;
  std::string_view plural;  ///< as kubectl names the kind
  std::string_view why;     ///< what is read, a phrase
  /// The fields that are kept besides apiVersion, kind, name and namespace: paths separated by
  /// blanks. A path keeps all below it, except environment values and most annotations; lists are
  /// no step of their own.
  std::string_view fields;
  bool namespaced = false;
  std::string_view selection{};  ///< further arguments of kubectl, separated by blanks
  std::string_view name{};       ///< only objects of that name; empty: all
  std::string_view key{};        ///< the key of `cluster:` that states the facts instead; or empty

  /// "runtimeclasses.node.k8s.io"; with the name, "configmaps/config-features".
  std::string full_name() const;
  /// Whether the object is of that kind and name.
  bool matches(const k8s::Object& object) const;
};

/// All rows of resources.yaml, the only list of what is read from a cluster.
std::span<const Resource> resources();

/// One command of kubectl.
struct Fetch {
  const Resource* resource = nullptr;  ///< null: `kubectl version`
  std::vector<std::string> arguments;

  std::string what() const;  ///< "pods"
};

/// The key of `cluster:` that states the release of Kubernetes, so that `kubectl version` need not.
inline constexpr std::string_view kVersionKey = "kubernetes";

/// The commands that read a cluster, a command for each type: kubectl prints nothing at all if one
/// of several types does not exist. `is_stated`: whether the configuration states a key of
/// `cluster:`. `context` of the kubeconfig; empty: the current one.
std::vector<Fetch> fetches(const std::function<bool(std::string_view)>& is_stated,
                           const std::string& context);

/// The command for a POSIX shell, on lines of at most `width` columns where words permit.
std::string shell_command(const Fetch& fetch, std::size_t indent, std::size_t width);
/// A script that writes everything into the file.
std::string shell_script(std::span<const Fetch> fetches, std::string_view file);

/// Whether the object is a fact: of the kind and name, and no pod without a node, pod that has
/// ended or DaemonSet without a device plugin.
bool is_fact(const k8s::Object& object, const Resource& resource);

/// The object with only the fields that the resource keeps, the names first. Values of environment
/// variables are dropped unless rules read them, and so are most annotations; values that arguments
/// give to flags for credentials are masked. The tree is made in `arena`.
const yaml::Node& reduced(const k8s::Object& object, const Resource& resource, Arena& arena);

/// `text`, a word or a command line, with the values of flags such as --api-key masked. `is_value`:
/// the text follows such a flag; afterwards: the next word does.
std::string masked(std::string_view text, bool& is_value);

}  // namespace cnsched::snapshot
