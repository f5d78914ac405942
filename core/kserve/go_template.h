#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/arena.h"
#include "core/k8s/object.h"

namespace cnsched::kserve {

/// What the expressions in a config's strings may name.
struct TemplateValues {
  const k8s::Object& service;  ///< .Name, .Namespace, .ObjectMeta.…, .Spec.…
  bool tls = false;            ///< .GlobalConfig.EnableTLS
};

/// `text` with its `{{ … }}` filled in as Go's text/template does it. Understood are fields, raw
/// strings, `ChildName`, `and`, `or`, and `if`, `else`, `end`; nothing where there is more than
/// that, or a value that is not known [K68]. Source: kserve
/// pkg/controller/v1alpha2/llmisvc/config_merge.go, ReplaceVariables.
std::optional<std::string> fill_template(std::string_view text, const TemplateValues& values);

/// `node` with the expressions in all its strings filled in; others stay unchanged.
const yaml::Node& filled(const yaml::Node& node, const TemplateValues& values, Arena& arena);

}  // namespace cnsched::kserve
