#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/facts/cluster_facts.h"
#include "rules/admission/admission_policy.h"

namespace cnsched::rules {

/// The facts that policies read, as data of a ConfigMap. A fact that is not known has no key.
std::map<std::string, std::string> fact_parameters(const facts::ClusterFacts& facts);

/// The ConfigMaps of facts, and each policy with its binding, as a stream of YAML.
std::string vap_documents(const std::vector<ExportedRule>& rules, const facts::ClusterFacts& facts,
                          const VapOptions& options);

}  // namespace cnsched::rules
