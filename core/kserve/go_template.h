#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/k8s/object.h"

namespace cnsched::kserve {

/// What the expressions in a config's strings may name.
struct TemplateValues {
  const k8s::Object& service;  ///< .Name, .Namespace, .ObjectMeta.…, .Spec.…
  bool tls = false;            ///< .GlobalConfig.EnableTLS
};

/// `text` with its `{{ … }}` filled in as Go's text/template does it. Understood are fields, raw
/// strings, `ChildName`, `and`, `or`, and `if`, `else`, `end`; nothing where there is more than
/// that, or a value that is not known. Source: kserve
/// pkg/controller/v1alpha2/llmisvc/config_merge.go, ReplaceVariables.
std::optional<std::string> fill_template(std::string_view text, const TemplateValues& values);

}  // namespace cnsched::kserve
