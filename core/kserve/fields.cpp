#include "core/kserve/fields.h"

#include <array>

namespace cnsched::kserve {

namespace {

constexpr auto kPodFields = std::to_array<std::string_view>({"volumes",
                                                             "initContainers",
                                                             "containers",
                                                             "ephemeralContainers",
                                                             "restartPolicy",
                                                             "terminationGracePeriodSeconds",
                                                             "activeDeadlineSeconds",
                                                             "dnsPolicy",
                                                             "nodeSelector",
                                                             "serviceAccountName",
                                                             "serviceAccount",
                                                             "automountServiceAccountToken",
                                                             "nodeName",
                                                             "hostNetwork",
                                                             "hostPID",
                                                             "hostIPC",
                                                             "shareProcessNamespace",
                                                             "securityContext",
                                                             "imagePullSecrets",
                                                             "hostname",
                                                             "subdomain",
                                                             "affinity",
                                                             "schedulerName",
                                                             "tolerations",
                                                             "hostAliases",
                                                             "priorityClassName",
                                                             "priority",
                                                             "dnsConfig",
                                                             "readinessGates",
                                                             "runtimeClassName",
                                                             "enableServiceLinks",
                                                             "preemptionPolicy",
                                                             "overhead",
                                                             "topologySpreadConstraints",
                                                             "setHostnameAsFQDN",
                                                             "os",
                                                             "hostUsers",
                                                             "schedulingGates",
                                                             "resourceClaims",
                                                             "resources",
                                                             "hostnameOverride"});

constexpr auto kRuntimePodFields = std::to_array<std::string_view>(
    {"containers", "volumes", "nodeSelector", "affinity", "tolerations", "imagePullSecrets",
     "hostIPC", "schedulerName", "resourceClaims"});

constexpr auto kContainerFields = std::to_array<std::string_view>({"name",
                                                                   "image",
                                                                   "command",
                                                                   "args",
                                                                   "workingDir",
                                                                   "ports",
                                                                   "envFrom",
                                                                   "env",
                                                                   "resources",
                                                                   "resizePolicy",
                                                                   "restartPolicy",
                                                                   "restartPolicyRules",
                                                                   "volumeMounts",
                                                                   "volumeDevices",
                                                                   "livenessProbe",
                                                                   "readinessProbe",
                                                                   "startupProbe",
                                                                   "lifecycle",
                                                                   "terminationMessagePath",
                                                                   "terminationMessagePolicy",
                                                                   "imagePullPolicy",
                                                                   "securityContext",
                                                                   "stdin",
                                                                   "stdinOnce",
                                                                   "tty"});

constexpr auto kFrameworkKeys = std::to_array<std::string_view>(
    {"model", "sklearn", "xgboost", "tensorflow", "pytorch", "triton", "onnx", "huggingface",
     "pmml", "lightgbm", "paddle"});

}  // namespace

bool is_kserve_group(std::string_view group) {
  return group == "serving.kserve.io" || group == "serving.kubeflow.org";
}

std::span<const std::string_view> pod_fields() { return kPodFields; }
std::span<const std::string_view> runtime_pod_fields() { return kRuntimePodFields; }
std::span<const std::string_view> container_fields() { return kContainerFields; }
std::span<const std::string_view> framework_keys() { return kFrameworkKeys; }

}  // namespace cnsched::kserve
