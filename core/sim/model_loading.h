#pragma once

#include <deque>
#include <string>
#include <vector>

#include "core/sim/diagnosis.h"
#include "core/workspace/model_servers.h"

namespace cnsched::sim {

/// Whether a Server can load a Model.
struct ServerVerdict {
  const ModelServer* server = nullptr;
  Truth verdict = Truth::yes;
  std::vector<std::string> reasons;  ///< why not, or what is unknown
};

/// A Model and the Servers of its namespace.
struct LoadedModel {
  const ClusterScope* scope = nullptr;
  const k8s::Object* object = nullptr;
  std::vector<ServerVerdict> servers;  ///< by name
  /// A Server that Seldon ships and no file defines may load it.
  bool may_be_shipped = false;

  std::size_t feasible() const;
  /// Every Server is infeasible, and no other Server may load the Model.
  bool fits_nowhere() const;
};

/// Which Servers of the workspace can load the Models of the linted files. Models run in the
/// Servers' pods, so nodes are irrelevant [S45, S46, S47, S48, S49]. Source: seldon-core v2
/// scheduler/pkg/scheduler/filters.
class ModelLoading {
 public:
  explicit ModelLoading(const Workspace& workspace);

  const std::vector<LoadedModel>& models() const { return models_; }

 private:
  void add(const ClusterScope& scope);

  std::deque<ModelServers> servers_;  ///< of each scope
  std::vector<LoadedModel> models_;
};

}  // namespace cnsched::sim
