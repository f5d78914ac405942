#pragma once

#include "testdata/manifests.h"

namespace cnsched::test {

/// What every cluster has, so that nothing else exists but what is given.
inline std::string whole_cluster() {
  return object("v1", "Namespace", "ml", "spec: {}") +
         object("scheduling.k8s.io/v1", "PriorityClass", "none", "value: 0");
}

/// A volume of 10Gi for one pod, by default of class "local" and without a claim.
inline std::string volume(std::string_view name, std::string_view spec = "storageClassName: local",
                          std::string_view phase = "Available", std::string_view metadata = "") {
  return object("v1", "PersistentVolume", name,
                fmt::format("spec: {{capacity: {{storage: 10Gi}}, accessModes: [ReadWriteOnce], "
                            "{}}}, status: {{phase: {}}}",
                            spec, phase),
                metadata);
}

/// Node affinity of a volume, for a label.
inline std::string affinity(std::string_view key, std::string_view values) {
  return fmt::format(
      "nodeAffinity: {{required: {{nodeSelectorTerms: [{{matchExpressions: [{{key: {}, operator: "
      "In, values: [{}]}}]}}]}}}}",
      key, values);
}

/// A claim of 5Gi in namespace ml.
inline std::string claim(std::string_view name, std::string_view spec,
                         std::string_view metadata = "", std::string_view phase = "Pending") {
  return object(
      "v1", "PersistentVolumeClaim", name,
      fmt::format("spec: {{accessModes: [ReadWriteOnce], resources: {{requests: "
                  "{{storage: 5Gi}}}}, {}}}, status: {{phase: {}}}",
                  spec, phase),
      fmt::format("namespace: ml, uid: {}{}{}", name, metadata.empty() ? "" : ", ", metadata));
}

/// A claim that is bound to the volume.
inline std::string bound_claim(std::string_view name, std::string_view to,
                               std::string_view spec = "storageClassName: local") {
  return claim(name, fmt::format("volumeName: {}, {}", to, spec),
               "annotations: {pv.kubernetes.io/bind-completed: 'yes'}", "Bound");
}

/// A StorageClass that waits for the first consumer.
inline std::string storage_class(std::string_view name,
                                 std::string_view provisioner = "kubernetes.io/no-provisioner",
                                 std::string_view more = "",
                                 std::string_view mode = "WaitForFirstConsumer") {
  return object("storage.k8s.io/v1", "StorageClass", name,
                fmt::format("provisioner: {}, volumeBindingMode: {}{}{}", provisioner, mode,
                            more.empty() ? "" : ", ", more));
}

/// The field `volumes` with claims of these names, separated by commas.
inline std::string volumes_of_claims(std::string_view names) {
  std::string list;
  for (std::size_t i = 0; !names.empty(); ++i) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    list += fmt::format("{}{{name: v{}, persistentVolumeClaim: {{claimName: {}}}}}",
                        i == 0 ? "" : ", ", i, name);
  }
  return fmt::format("volumes: [{}]", list);
}

}  // namespace cnsched::test
