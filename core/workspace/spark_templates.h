#pragma once

#include <set>
#include <string>
#include <string_view>

namespace cnsched {

/// Adds the names, without directories, of the files that `text` names as Spark's pod templates:
/// the values of `spark.kubernetes.driver.podTemplateFile` and `….executor.podTemplateFile`, in
/// YAML, JSON or properties [P62].
void add_spark_templates(std::string_view text, std::set<std::string>& names);

/// Whether the file has a usual name of such a template: executor-pod-template.yaml.
bool is_named_as_spark_template(std::string_view file);

}  // namespace cnsched
