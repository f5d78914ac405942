// Every built-in template on every platform, with every accelerator that the catalogue offers
// there, in every mode: what comes out has to lint clean where the cluster is as it should be, and
// without errors where nothing is known of it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/accelerators/platform.h"
#include "core/base/text.h"
#include "rules/engine/run.h"
#include "templates/command.h"
#include "templates/library.h"
#include "templates/render.h"
#include "templates/settings.h"
#include "testdata/support.h"

namespace cnsched {

namespace {

using accelerators::LabelDemand;
using accelerators::Platform;
using templates::Parameter;
using templates::Settings;
using templates::Template;

/// The program's own, read once.
const templates::Library& library() {
  static const templates::Library all = *templates::Library::open({});
  return all;
}

bool has(const Template& model, std::string_view parameter) {
  return model.parameter(parameter) != nullptr;
}

/// The values of one case, which take the place of examples.
using Case = std::map<std::string, std::string>;

/// `--set` for a case: what is required and not said has its example.
std::vector<std::string> sets_of(const Template& model, const Case& values) {
  std::vector<std::string> sets;
  for (const auto& [name, value] : values) sets.push_back(name + "=" + value);
  // What a value makes required is found by asking.
  const Settings asked(model, {.sets = sets});
  for (const auto& setting : asked.mended()) {
    if (!values.contains(setting.name)) sets.push_back(setting.name + "=" + setting.text);
  }
  return sets;
}

std::string node_with(const accelerators::Placement& placement, std::int64_t count) {
  std::string node =
      "apiVersion: v1\nkind: Node\nmetadata:\n  name: gpu-1\n  labels:\n"
      "    kubernetes.io/hostname: gpu-1\n";
  for (const LabelDemand& demand : placement.demands) {
    const bool above = demand.op == LabelDemand::Operator::greater_than;
    node += fmt::format("    {}: \"{}{}\"\n", demand.key, above ? "9" : "", demand.values.front());
  }
  node += fmt::format("spec:\n  taints:\n  - {{key: {}, value: \"{}\", effect: {}}}\n",
                      placement.taint.key, placement.taint.value, placement.taint.effect);
  node += fmt::format(
      "status:\n  allocatable: {{cpu: \"192\", memory: 2000Gi, pods: \"110\", {}: \"{}\"}}\n",
      placement.resource, count);
  return node;
}

constexpr std::string_view kKnativeFlags =
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config-features, namespace: "
    "knative-serving}\ndata:\n"
    "  kubernetes.podspec-affinity: enabled\n"
    "  kubernetes.podspec-nodeselector: enabled\n"
    "  kubernetes.podspec-tolerations: enabled\n"
    "  kubernetes.podspec-persistent-volume-claim: enabled\n";

/// The findings at or above a severity, a line each.
std::string findings_in(std::vector<MemoryFile> files, const ClusterConfig* config,
                        Severity least) {
  Workspace workspace;
  workspace.load({.memory_files = std::move(files),
                  .jobs = 1,
                  .config_for = [&](const std::string&) { return config; }});
  std::string lines;
  for (const Diagnostic& finding : rules::run(workspace, rules::Selection::everything())) {
    if (finding.severity < least) continue;
    lines += fmt::format("{}: {} [{}]\n", name_of(finding.severity), finding.message,
                         finding.rule);
  }
  return lines;
}

struct Counts {
  int rendered = 0;
  int refused = 0;
};

void check_case(const Template& model, Platform platform, const Case& values, Counts& counts) {
  const Settings settings(model, {.sets = sets_of(model, values)});
  const std::string command = command_for(model, settings.said());
  CAPTURE(command);
  if (!settings.problems().empty()) {
    ++counts.refused;
    for (const std::string& problem : settings.problems()) CHECK_FALSE(problem.empty());
    return;
  }
  ++counts.rendered;
  const auto text = render(model, settings.values());
  REQUIRE(text);
  const MemoryFile file{"out.yaml", *text};
  CHECK(findings_in({file}, nullptr, Severity::error) == "");

  accelerators::Wanted wanted;
  for (const char* name : {"accelerator", "accelerators"}) {
    const auto accelerator = values.find(name);
    if (accelerator != values.end()) wanted.accelerators = {accelerator->second};
  }
  std::vector<MemoryFile> files = {file, {"knative.yaml", std::string(kKnativeFlags), false}};
  ClusterConfig config;
  if (!wanted.accelerators.empty()) {
    const auto placement = place(platform, wanted);
    REQUIRE(placement);
    files.push_back({"nodes.yaml", node_with(*placement, wanted.count), false});
    config.extended_resource_toleration =
        platform != Platform::gpu_operator && platform != Platform::generic;
  }
  CHECK(findings_in(std::move(files), &config, Severity::info) == "");
}

/// Every value of an enumeration that changes much of the output, or one empty string.
std::vector<Case> forms_of(const Template& model) {
  for (const char* name : {"mode", "form"}) {
    const Parameter* parameter = model.parameter(name);
    if (parameter == nullptr) continue;
    std::vector<Case> forms;
    for (const std::string& value : parameter->values) forms.push_back({{name, value}});
    return forms;
  }
  return {{}};
}

}  // namespace

TEST_CASE("every template lints clean wherever it may be used") {
  Counts counts;
  for (const templates::Listed& listed : library().all()) {
    const Template& model = *listed.model;
    for (const Case& form : forms_of(model)) {
      if (!has(model, "platform")) {
        check_case(model, Platform::generic, form, counts);
        continue;
      }
      for (const Platform platform : accelerators::platforms()) {
        for (const accelerators::Product& product : accelerators::products()) {
          Case values = form;
          values["platform"] = name_of(platform);
          values[has(model, "accelerators") ? "accelerators" : "accelerator"] = product.name;
          check_case(model, platform, values, counts);
        }
      }
    }
  }
  MESSAGE("rendered " << counts.rendered << ", refused " << counts.refused);
  CHECK(counts.rendered > 1000);
}

}  // namespace cnsched
