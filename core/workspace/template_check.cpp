#include "core/workspace/template_check.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/kserve/fields.h"
#include "core/kserve/go_template.h"

namespace cnsched {

std::vector<k8s::TemplateProblem> template_problems(const Workload& workload) {
  const k8s::Object& object = *workload.object;
  if (!kserve::is_kserve_group(object.group()) || workload.fragment) return {};
  // The webhook's reason is often that of the template too: two model servers, for instance.
  if (!workload.is_built() || workload.is_rejected() || workload.is_incomplete()) return {};
  using Kind = k8s::Unknown::Kind;
  const bool images_known = object.kind == "InferenceService" &&
                            !workload.has_unknown(Kind::image) &&
                            !workload.has_unknown(Kind::chosen);
  auto problems = k8s::template_problems(workload.created, images_known);
  // KServe fills placeholders in containers only [K28].
  for (const k8s::Label& label : workload.created.node_selector()) {
    if (!kserve::has_placeholder(label.value)) continue;
    problems.push_back(
        {label.node, nullptr,
         fmt::format("KServe does not substitute '{}' in a node selector", printable(label.value)),
         "write the value of the label"});
  }
  return problems;
}

}  // namespace cnsched
