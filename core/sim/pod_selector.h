#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/k8s/selector.h"
#include "core/sim/pod.h"

namespace cnsched::sim {

/// Why it is not known whether one pod minds another on some node.
enum class Doubt : unsigned char {
  none,
  namespaces,        ///< that of one of the two
  namespace_labels,  ///< a namespaceSelector asks for them
  added_labels,      ///< a controller sets the label
  node_labels,       ///< the topology key is one of those that a pool does not tell
  tolerations,       ///< whether the pod tolerates a taint decides which nodes count
};
/// What is not known of the pod, in words.
std::string doubt_in_words(Doubt doubt, const Pod& pod);

/// Whether something holds of a pod.
struct Match {
  bool is_possible = false;
  Doubt doubt = Doubt::none;

  bool is_sure() const { return is_possible && doubt == Doubt::none; }
  /// Both hold.
  Match& operator&=(const Match& other);
};

/// Adds to a text that is to tell things apart.
void append_identity(std::string_view part, std::string& identity);
void append_identity(const std::vector<k8s::ValueMatcher>& matchers, std::string& identity);

/// Whether two pods are of one namespace. Two whose manifests leave it to kubectl get the same.
Match in_one_namespace(std::string_view a, std::string_view b);

/// The pods that a podAffinityTerm or a topology spread constraint selects by their labels:
/// labelSelector, and what matchLabelKeys and mismatchLabelKeys add to it from the pod that owns
/// it. The API server adds that when the pod is made, for the labels that it has then; of others it
/// says nothing. A label that only a controller sets has a value by then, but which one is not
/// known before, except that the pods of one template share it. So pods of another rollout may or
/// may not be selected.
class PodSelector {
 public:
  PodSelector(const yaml::Node& holder, const Pod& owner);

  Match matches(const Pod& pod) const;
  /// {}, with nothing added to it.
  bool is_everything() const {
    return selects_ && requirements_.empty() && same_.empty() && other_.empty();
  }
  const std::vector<k8s::ValueMatcher>& requirements() const { return requirements_; }
  /// In the words of kubectl: "app=cache,tier in (a, b)".
  std::string text() const;
  /// The same text for two only if they select the same.
  std::string identity() const;

 private:
  bool is_of_template(const Pod& pod) const { return &pod.spec.node() == template_; }

  bool selects_;
  std::vector<k8s::ValueMatcher> requirements_;
  std::vector<std::string_view> same_;   ///< keys of labels that have the value of the owner's
  std::vector<std::string_view> other_;  ///< or another one; both where that is not known
  const yaml::Node* template_;
};

}  // namespace cnsched::sim
