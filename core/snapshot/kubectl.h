#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/snapshot/resources.h"

namespace cnsched::snapshot {

/// How kubectl is started.
struct Kubectl {
  std::string program{};                             ///< its path
  std::vector<std::string> environment{};            ///< "NAME=VALUE"
  std::chrono::seconds timeout{60};                  ///< of one command
  std::size_t max_output = std::size_t{256} << 20U;  ///< bytes of one command
  std::size_t max_memory = std::size_t{4} << 30U;    ///< bytes of data of one command
  std::size_t jobs = 4;                              ///< commands at a time
};

/// What kubectl needs of the environment `all`: the home with its kubeconfig, proxies, and what
/// credential plugins read. Of PATH the directories that `find_program` would search.
std::vector<std::string> kubectl_environment(std::span<const std::string> all,
                                             std::span<const std::string> checked);

/// Why a command read nothing.
enum class Cause : unsigned char {
  missing,    ///< the cluster does not have the type
  forbidden,  ///< the user may not read it
  failed,
};

/// A type that was not read.
struct Unread {
  std::string what;
  Cause cause = Cause::failed;
  std::string reason;  ///< printable; may name the user
};

/// What was read from a cluster.
struct Snapshot {
  std::string documents;  ///< YAML, each after a line "---", by kind, namespace and name
  std::size_t objects = 0;
  std::vector<Unread> unread;
};

/// Runs the commands. Keeps only objects of the type that a command names: no other output of
/// kubectl, such as a Secret, gets into the snapshot. Fails if nothing can be read.
Result<Snapshot> read_cluster(std::span<const Fetch> fetches, const Kubectl& kubectl);

}  // namespace cnsched::snapshot
