#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/arena.h"
#include "core/k8s/object.h"

namespace cnsched::kserve {

/// The values that expressions in a config's strings may use.
struct TemplateValues {
  const k8s::Object& service;  ///< .Name, .Namespace, .ObjectMeta.…, .Spec.…
  bool tls = false;            ///< .GlobalConfig.EnableTLS
};

/// `text` with its `{{ … }}` evaluated as by Go's text/template. Supports fields, strings,
/// `ChildName`, `and`, `or`, and `if`, `else`, `end`. Nothing if an expression is not supported or
/// a value is unknown [K68]. Source: kserve pkg/controller/v1alpha2/llmisvc/config_merge.go,
/// ReplaceVariables.
std::optional<std::string> fill_template(std::string_view text, const TemplateValues& values);

/// `node` with the expressions in its strings evaluated. Strings for which `fill_template` returns
/// nothing stay unchanged.
const yaml::Node& filled(const yaml::Node& node, const TemplateValues& values, Arena& arena);

/// `container` with the values of {{.Name}}, {{.Namespace}}, {{.Labels.team}} and
/// {{.Annotations.team}} of `object` in every string. KServe does this for the model server and the
/// transformer in its pod, not for workers [K28]. Source: kserve
/// pkg/controller/v1beta1/inferenceservice/utils/utils.go, ReplacePlaceholders.
const yaml::Node& with_placeholders_filled(const yaml::Node& container, const k8s::Object& object,
                                           Arena& arena);
/// Whether the text has such a placeholder.
bool has_placeholder(std::string_view text);

}  // namespace cnsched::kserve
