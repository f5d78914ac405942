#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/facts/cluster_config.h"
#include "rules/findings.h"
#include "rules/policy/policy.h"
#include "rules/policy/policy_subject.h"

namespace cnsched::rules {

/// An object and its pods, as policies see them.
class PolicySubjects {
 public:
  PolicySubjects(const ClusterScope& scope, const k8s::Object& object,
                 std::span<const Workload* const> pods);

  /// The configuration of the object's file.
  const facts::ClusterConfig* config() const { return config_; }
  /// The pods that are built; of an object without pods, the object.
  std::span<const PolicySubject> pods() const {
    return has_pods_ ? std::span(subjects_).subspan(1) : std::span(subjects_);
  }
  /// The object alone.
  std::span<const PolicySubject> objects() const { return std::span(subjects_).first(1); }
  /// Whether it describes pods that are more than a part of others.
  bool has_whole_pods() const { return has_whole_pods_; }

 private:
  const facts::ClusterConfig* config_;
  std::vector<PolicySubject> subjects_;  ///< the object, then its pods
  bool has_pods_ = false;
  bool has_whole_pods_ = false;
};

/// The policies of one id: a configuration's policy is for its files only.
class PolicyRule {
 public:
  /// `config` is null for files without a configuration.
  void add(const facts::ClusterConfig* config, std::shared_ptr<const Policy> policy) {
    versions_.emplace_back(config, std::move(policy));
  }
  const Policy& first() const { return *versions_.front().second; }
  void check(const PolicySubjects& subjects, Findings& findings) const;

 private:
  const Policy* find(const facts::ClusterConfig* config) const;

  std::vector<std::pair<const facts::ClusterConfig*, std::shared_ptr<const Policy>>> versions_;
};

}  // namespace cnsched::rules
