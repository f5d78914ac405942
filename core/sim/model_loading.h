#pragma once

#include <string>
#include <vector>

#include "core/sim/diagnosis.h"
#include "core/workloads/model_servers.h"

namespace cnsched::sim {

/// Whether a Server could load a Model.
struct ServerVerdict {
  const ModelServer* server = nullptr;
  Verdict verdict = Verdict::ok;
  std::vector<std::string> reasons;  ///< why not, or what is not known
};

/// A Model and the Servers that its namespace holds.
struct LoadedModel {
  const k8s::Object* object = nullptr;
  std::vector<ServerVerdict> servers;  ///< by name
  bool may_be_shipped =
      false;  ///< a Server that comes with Seldon may load it, which no file shows

  std::size_t feasible() const;
  /// No Server of the run loads it, nor may any other.
  bool fits_nowhere() const;
};

/// The Models of the linted files on the Servers of the run. Models run in Servers' pods: no node
/// is asked. Source: seldon-core v2 scheduler/pkg/scheduler/filters.
class ModelLoading {
 public:
  explicit ModelLoading(const Workspace& run);

  const std::vector<LoadedModel>& models() const { return models_; }

 private:
  ModelServers servers_;
  std::vector<LoadedModel> models_;
};

}  // namespace cnsched::sim
