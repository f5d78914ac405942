#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/k8s/objects.h"
#include "core/k8s/pod_template.h"

namespace cnsched::seldon {

/// The tags that the agents of a Server report to the scheduler.
struct Capabilities {
  Capabilities(std::vector<std::string_view> offered, const yaml::Node& from, bool own = false)
      : tags(std::move(offered)), written(&from), shipped(own), set_(tags.begin(), tags.end()) {}

  bool hold(std::string_view tag) const { return set_.contains(tag); }

  std::vector<std::string_view> tags;   ///< in the order of the text
  const yaml::Node* written = nullptr;  ///< what decides them
  bool shipped = false;                 ///< Seldon's shipped ones, which no manifest shows

 private:
  std::unordered_set<std::string_view> set_;
};

/// The memory of one replica of a Server, as its agent counts it, in bytes.
struct ServerMemory {
  std::int64_t request = 0;    ///< of the model server; what can really be used
  std::int64_t percent = 0;    ///< of overcommit
  std::string_view container;  ///< whose request that is; empty where it is a literal
  /// The request or the literal; missing where it is the shipped one.
  const yaml::Node* written = &yaml::missing_node();
  const yaml::Node* percent_written = &yaml::missing_node();  ///< missing: Seldon's, or none

  /// What the scheduler assigns: more than there is, because not all Models are used at once.
  std::int64_t available() const;
};

/// What a Server offers to Models; each part is empty if it is unknown.
struct ServerCapacity {
  std::optional<Capabilities> capabilities;
  std::optional<ServerMemory> memory;
  std::optional<std::int64_t> replicas;
};

/// The capacity of a Server with that effective pod. Agents read only their variables: of repeated
/// ones the last. A pod without them is a mistake of the ServerConfig, and its capacity is unknown.
/// Source: seldon-core v2 scheduler/cmd/agent/cli, scheduler/pkg/agent.
ServerCapacity capacity_of(const k8s::Object& server, const k8s::PodTemplate& pod,
                           const k8s::Objects& objects);

/// "1Gi", "1126.4Mi"; rounded to a tenth where it is not exact.
std::string shown_memory(std::int64_t bytes);
/// The same in the unit of `other`, such as "8.8Gi" beside "14Gi", if that does not make them look
/// equal; for numbers that are compared.
std::string shown_memory_like(std::string_view other, std::int64_t bytes);

}  // namespace cnsched::seldon
