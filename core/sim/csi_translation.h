#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/k8s/object.h"
#include "core/k8s/pod_spec.h"

namespace cnsched::sim {

/// The zones in a label of a PersistentVolume: "a" and "b" of "a__b".
std::vector<std::string_view> zones_in(std::string_view label);

/// A volume as its CSI driver identifies it.
struct CsiVolume {
  std::string_view driver;
  std::string handle;
};

/// The CSI driver that replaces the in-tree plugin "kubernetes.io/aws-ebs"; empty for a name of
/// another kind, and for plugins whose volumes kube-scheduler does not translate.
std::string_view driver_of_plugin(std::string_view plugin);
/// Whether csi-translation-lib knows the plugin, and kube-scheduler translates it or not.
bool is_in_tree_plugin(std::string_view plugin);

/// The in-tree plugin of a PersistentVolume's spec or of a pod's volume; empty if it is none that
/// kube-scheduler translates.
std::string_view plugin_of(const yaml::Node& source);

/// The volume of a PersistentVolume's `csi`, or of the in-tree plugin that CSI replaces. Both are
/// empty for other volumes. The error is csi-translation-lib's.
Result<CsiVolume> csi_volume_of(const k8s::Object& volume);
/// The same for a pod's volume of an in-tree plugin.
Result<CsiVolume> csi_volume_of_disk(const yaml::Node& volume);

/// The node affinity of a PersistentVolume of an in-tree plugin after translation to CSI.
class TranslatedAffinity {
 public:
  explicit TranslatedAffinity(const k8s::Object& volume);
  TranslatedAffinity(const TranslatedAffinity&) = delete;
  TranslatedAffinity& operator=(const TranslatedAffinity&) = delete;

  /// Whether the volume has node affinity.
  bool is_required() const { return is_required_; }
  const std::vector<k8s::NodeSelectorTerm>& terms() const { return terms_; }

 private:
  void add_zones(std::string_view zones, std::string_view driver_key);

  bool is_required_ = false;
  std::vector<k8s::NodeSelectorTerm> terms_;
  std::deque<yaml::Node> values_;  ///< those of `terms_` that no manifest has
};

}  // namespace cnsched::sim
