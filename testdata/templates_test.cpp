// Renders every built-in template on every platform, with every accelerator of the catalogue, in
// every mode. The output has no findings with the facts of a suitable cluster, and no errors
// without facts.
#include <cstdlib>

#include "core/accelerators/platform.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/sim/simulation.h"
#include "core/yaml/parse.h"
#include "core/yaml/scalar.h"
#include "core/yaml/split.h"
#include "rules/engine/run.h"
#include "templates/library.h"
#include "templates/settings.h"
#include "templates/template.h"
#include "testdata/support.h"

namespace cnsched::templates_test {

using accelerators::LabelDemand;
using accelerators::Platform;
using templates::Parameter;
using templates::Settings;
using templates::Template;

/// The built-in templates, read once.
const templates::Library& library() {
  static const templates::Library all = *templates::Library::open({});
  return all;
}

bool has(const Template& model, std::string_view parameter) {
  return model.form().find(parameter) != nullptr;
}

/// The values of one case, which replace the examples.
using Case = std::map<std::string, std::string>;

/// The accelerators of a case; empty if the template has none. The count is the least that the
/// platform permits: for some accelerators it assigns whole hosts.
accelerators::PlacementRequest wanted_by(Platform platform, const Case& values) {
  accelerators::PlacementRequest wanted;
  for (const char* name : {"accelerator", "accelerators"}) {
    const auto accelerator = values.find(name);
    if (accelerator != values.end()) wanted.accelerators = {accelerator->second};
  }
  if (wanted.accelerators.empty()) return wanted;
  for (const std::int64_t count : {1, 4, 8}) {
    wanted.count = count;
    if (place(platform, wanted)) break;
  }
  return wanted;
}

/// `--set` arguments for a case. Required parameters that it does not set have their examples.
std::vector<std::string> sets_of(const Template& model, const Case& values) {
  std::vector<std::string> sets;
  for (const auto& [name, value] : values) sets.push_back(name + "=" + value);
  // The second round adds parameters that the values of the first one require.
  for (int round = 0; round < 2; ++round) {
    const Settings settings(model, {.sets = sets});
    sets.clear();
    for (const auto& setting : settings.corrected_settings())
      sets.push_back(setting.name + "=" + setting.text);
  }
  return sets;
}

/// A node with eight devices that the placement selects.
std::string node_with(Platform platform, const accelerators::Placement& placement) {
  constexpr int kDevices = 8;
  std::string node =
      "apiVersion: v1\nkind: Node\nmetadata:\n  name: gpu-1\n  labels:\n"
      "    kubernetes.io/hostname: gpu-1\n";
  // Only a label of EKS shows that admission is configured as on EKS.
  if (platform == Platform::karpenter) node += "    eks.amazonaws.com/nodegroup: gpu\n";
  for (const LabelDemand& demand : placement.demands) {
    const bool above = demand.op == LabelDemand::Operator::greater_than;
    node += fmt::format("    {}: \"{}{}\"\n", demand.key, above ? "9" : "", demand.values.front());
  }
  node += fmt::format("spec:\n  taints:\n  - {{key: {}, value: \"{}\", effect: {}}}\n",
                      placement.taint.key, placement.taint.value, placement.taint.effect);
  node += fmt::format(
      "status:\n  allocatable: {{cpu: \"192\", memory: 2000Gi, ephemeral-storage: "
      "1000Gi, pods: \"110\", {}: \"{}\"}}\n",
      placement.resource, kDevices);
  return node;
}

constexpr std::string_view kKnativeFlags =
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config-features, namespace: "
    "knative-serving}\ndata:\n"
    "  kubernetes.podspec-affinity: enabled\n"
    "  kubernetes.podspec-nodeselector: enabled\n"
    "  kubernetes.podspec-tolerations: enabled\n"
    "  kubernetes.podspec-persistent-volume-claim: enabled\n";

/// A device plugin with a toleration. The default manifests of AMD and Intel have none, so a
/// cluster with tainted nodes has changed ones.
std::string plugin_that_tolerates(std::string_view image, std::string_view key) {
  return fmt::format(
      "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {{name: plugin, namespace: kube-system}}\n"
      "spec:\n  selector: {{matchLabels: {{app: plugin}}}}\n  template:\n"
      "    metadata: {{labels: {{app: plugin}}}}\n    spec:\n"
      "      tolerations: [{{key: {}, operator: Exists}}]\n"
      "      containers: [{{name: plugin, image: {}}}]\n"
      "      volumes: [{{name: p, hostPath: {{path: /var/lib/kubelet/device-plugins}}}}]\n",
      key, image);
}

/// The unsuppressed findings at or above a severity, one per line.
std::string findings_in(std::vector<MemoryFile> files, const facts::ClusterConfig* config,
                        Severity least) {
  Workspace workspace;
  workspace.load({.memory_files = std::move(files),
                  .jobs = 1,
                  .config_for = [&](const std::string&) { return config; }});
  std::string lines;
  for (const Diagnostic& finding : rules::run(workspace, rules::Selection::everything()).findings) {
    if (finding.suppression || finding.severity < least) continue;
    lines += fmt::format("{}: {} [{}]\n", name_of(finding.severity), finding.message, finding.rule);
  }
  return lines;
}

struct Job {
  const Template* model = nullptr;
  Platform platform = Platform::generic;
  Case values;
};

/// The result of a job. Both are empty if it succeeds.
struct Done {
  std::string rejected;  ///< why the template rejects the values
  std::string findings;  ///< of the manifests, after the command that generates them
};

/// A node without accelerators.
constexpr std::string_view kOrdinaryNode =
    "apiVersion: v1\nkind: Node\n"
    "metadata: {name: cpu-1, labels: {kubernetes.io/hostname: cpu-1}}\n"
    "status:\n  allocatable: {cpu: \"192\", memory: 2000Gi, ephemeral-storage: 1000Gi, pods: "
    "\"110\"}\n";

/// A cluster that matches the placement.
std::vector<MemoryFile> facts_of(Platform platform, const Case& values) {
  std::vector<MemoryFile> files = {
      {"ordinary.yaml", std::string(kOrdinaryNode), false},
      {"knative.yaml", std::string(kKnativeFlags), false},
      {"amd.yaml", plugin_that_tolerates("rocm/k8s-device-plugin", "amd.com/gpu"), false},
      {"intel.yaml", plugin_that_tolerates("intel/intel-gpu-plugin", "gpu.intel.com/i915"), false}};
  const accelerators::PlacementRequest wanted = wanted_by(platform, values);
  if (wanted.accelerators.empty()) return files;
  const auto placement = place(platform, wanted);
  REQUIRE(placement);
  files.push_back({"nodes.yaml", node_with(platform, *placement), false});
  return files;
}

/// An untainted node with free devices of the resource and without labels of accelerators: only a
/// selector keeps pods away from it.
std::string other_node(const std::string& resource) {
  return fmt::format(R"(apiVersion: v1
kind: Node
metadata: {{name: other-1, labels: {{kubernetes.io/hostname: other-1}}}}
status:
  allocatable:
    {{cpu: "192", memory: 2000Gi, ephemeral-storage: 1000Gi, pods: "110", {}: "8"}}
)",
                     resource);
}

bool requests(const sim::Pod& pod, const std::string& resource) {
  const k8s::Request* request = pod.request(resource);
  return request != nullptr && request->amount > 0;
}

/// The pods that request the accelerator and may run on another node than gpu-1, or not on gpu-1,
/// one per line.
std::string misplaced_pods(std::vector<MemoryFile> files, const facts::ClusterConfig& config,
                           const std::string& resource) {
  files.push_back({"other.yaml", other_node(resource), false});
  Workspace workspace;
  workspace.load({.memory_files = std::move(files),
                  .jobs = 1,
                  .config_for = [&](const std::string&) { return &config; }});
  const sim::Simulation simulation(workspace, {});
  std::string lines;
  for (const sim::Simulated& simulated : simulation.workloads()) {
    if (!simulated.diagnosis || !requests(simulated.pod, resource)) continue;
    for (std::size_t node = 0; node < simulated.cluster->size(); ++node) {
      const bool is_expected = simulated.cluster->node(node).name == "gpu-1";
      const Truth verdict = simulated.diagnosis->fits(node);
      if (is_expected == (verdict != Truth::no)) continue;
      lines += fmt::format("{} {}: {}\n", simulated.workload->component,
                           simulated.cluster->node(node).name, simulated.diagnosis->event());
    }
  }
  return lines;
}

/// Whether a value of the case was corrected because the template rejects it.
bool is_corrected(const Job& job, const std::vector<std::string>& sets) {
  return std::ranges::any_of(job.values, [&](const auto& value) {
    return std::ranges::find(sets, value.first + "=" + value.second) == sets.end();
  });
}

Done run_job(const Job& job) {
  const std::vector<std::string> sets = sets_of(*job.model, job.values);
  if (is_corrected(job, sets)) return {.rejected = "a value of the case"};
  const Settings settings(*job.model, {.sets = sets});
  if (!settings.problems().empty()) return {.rejected = settings.problems().front()};
  const auto text = render(*job.model, settings.values());
  if (!text) return {.findings = text.error().message};
  const MemoryFile file{"out.yaml", *text};
  std::string findings = findings_in({file}, nullptr, Severity::error);

  facts::ClusterConfig config;
  // 0.20 deletes workers [K81].
  if (job.model->name() == "isvc-multinode") config.releases.kserve = {{.version = {0, 19, 0}}};
  config.extended_resource_toleration =
      job.platform != Platform::gpu_operator && job.platform != Platform::generic;
  std::vector<MemoryFile> files = facts_of(job.platform, job.values);
  files.push_back(file);
  const accelerators::PlacementRequest wanted = wanted_by(job.platform, job.values);
  if (!wanted.accelerators.empty()) {
    findings += misplaced_pods(files, config, place(job.platform, wanted)->resource);
  }
  findings += findings_in(std::move(files), &config, Severity::info);
  if (findings.empty()) return {};
  return {.findings = command_for(*job.model, settings.user_settings()) + "\n" + findings};
}

/// One case for each value of `mode` or `form`, or one empty case.
std::vector<Case> forms_of(const Template& model) {
  for (const char* name : {"mode", "form"}) {
    const Parameter* parameter = model.form().find(name);
    if (parameter == nullptr) continue;
    std::vector<Case> forms;
    for (const std::string& value : parameter->values) forms.push_back({{name, value}});
    return forms;
  }
  return {{}};
}

/// The jobs of a template. If not `full`, only one template gets every accelerator, the others
/// every twelfth and the first of each vendor.
std::vector<Job> jobs_for(const Template& model, bool full) {
  constexpr std::size_t kStride = 12;
  std::vector<Job> jobs;
  for (const Case& form : forms_of(model)) {
    if (!has(model, "platform")) {
      jobs.push_back({&model, Platform::generic, form});
      continue;
    }
    const bool all = full || (model.name() == "isvc-gpu" && form == forms_of(model).front());
    std::size_t offered = 0;
    for (const Platform platform : accelerators::platforms()) {
      std::set<accelerators::Vendor> vendors;
      for (const accelerators::Product& product : accelerators::products()) {
        if (reason_unavailable(platform, product)) continue;
        const bool is_first = vendors.insert(product.vendor).second;
        if (offered++ % kStride != 0 && !is_first && !all) continue;
        Case values = form;
        values["platform"] = name_of(platform);
        values[has(model, "accelerators") ? "accelerators" : "accelerator"] = product.name;
        const std::int64_t count = wanted_by(platform, values).count;
        if (count != 1 && has(model, "gpus")) values["gpus"] = std::to_string(count);
        jobs.push_back({&model, platform, std::move(values)});
      }
    }
  }
  return jobs;
}

TEST_CASE("every template lints clean on every platform") {
  const bool full = std::getenv("CNSCHED_FULL_MATRIX") != nullptr;  // NOLINT(concurrency-mt-unsafe)
  std::vector<Job> jobs;
  for (const templates::Listed& listed : library().all()) {
    for (Job& job : jobs_for(*listed.model, full)) jobs.push_back(std::move(job));
  }
  std::vector<Done> done(jobs.size());
  parallel_for(jobs.size(), 0, [&](std::size_t i) { done[i] = run_job(jobs[i]); });

  std::map<std::string, int> rejected;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    CHECK(done[i].findings == "");
    if (!done[i].rejected.empty()) ++rejected[jobs[i].model->name() + ": " + done[i].rejected];
  }
  int rejections = 0;
  for (const auto& [reason, count] : rejected) {
    rejections += count;
    if (full) MESSAGE(count << " x " << reason);
  }
  MESSAGE("rendered " << jobs.size() - static_cast<std::size_t>(rejections) << ", rejected "
                      << rejections << " by templates");
  CHECK(jobs.size() > 500);
}

TEST_CASE("a pod requests all devices of a host that the platform assigns as a whole") {
  const Template& model = *library().find("isvc-gpu");
  const auto text = [&](const std::string& accelerator, const std::string& more) {
    std::vector<std::string> sets = {"name=a", "storageUri=gs://a/b", "platform=gke", "runtime=tpu",
                                     "accelerator=" + accelerator};
    if (!more.empty()) sets.push_back(more);
    const Settings settings(model, {.sets = std::move(sets)});
    return settings.problems().empty() ? *render(model, settings.values())
                                       : settings.problems().front();
  };
  CHECK(test::has(text("tpu-v5p-slice", ""), "google.com/tpu: 4\n"));
  CHECK(test::has(text("tpu-v5p-slice", ""), "cpu: \"12\"\n"));
  CHECK(test::has(text("google-tpu-v5e", ""), "google.com/tpu: 1\n"));
  CHECK(text("tpu-v5p-slice", "gpus=1").find("a pod gets all chips of a host") == 0);
}

TEST_CASE("each rejected pair of platform and accelerator has a reason") {
  const Template& model = *library().find("isvc-gpu");
  int rejected = 0;
  for (const Platform platform : accelerators::platforms()) {
    for (const accelerators::Product& product : accelerators::products()) {
      const auto reason = reason_unavailable(platform, product);
      if (!reason) continue;
      ++rejected;
      CAPTURE(product.name);
      CHECK(reason->size() > 10);
      const auto placement = place(platform, {.accelerators = {product.name}});
      REQUIRE_FALSE(placement);
      CHECK(placement.error().message.starts_with(*reason));
    }
  }
  MESSAGE("rejected " << rejected);
  const Settings settings(
      model, {.sets = sets_of(model, {{"platform", "gke"}, {"accelerator", "nvidia-l40s"}})});
  REQUIRE(settings.problems().size() == 1);
  CHECK(settings.problems().front() ==
        place(Platform::gke, {.accelerators = {"nvidia-l40s"}}).error().message);
}

/// Whether both trees have the same keys and lists, whatever the texts of their scalars.
bool same_shape(const yaml::Node& a, const yaml::Node& b) {
  if (a.kind != b.kind || a.items().size() != b.items().size() ||
      a.entries().size() != b.entries().size())
    return false;
  for (std::size_t i = 0; i < a.items().size(); ++i) {
    if (!same_shape(*a.items()[i], *b.items()[i])) return false;
  }
  for (std::size_t i = 0; i < a.entries().size(); ++i) {
    if (a.entries()[i].key->text() != b.entries()[i].key->text()) return false;
    if (!same_shape(*a.entries()[i].value, *b.entries()[i].value)) return false;
  }
  return true;
}

/// The output of the template with one parameter set; nothing if the value is rejected.
std::optional<std::string> rendered(const Template& model, const std::string& name,
                                    const std::string& value) {
  std::vector<std::string> sets = sets_of(model, {});
  std::erase_if(sets, [&](const std::string& set) { return set.starts_with(name + "="); });
  sets.push_back(name + "=" + value);
  const Settings settings(model, {.sets = std::move(sets)});
  if (!settings.problems().empty()) return std::nullopt;
  return *render(model, settings.values());
}

/// Whether the two texts have the same documents, except the texts of scalars.
bool same_documents(const std::string& a, const std::string& b) {
  const SourceFile first(0, "a", a);
  const SourceFile second(0, "b", b);
  const auto a_spans = yaml::split(first);
  const auto b_spans = yaml::split(second);
  if (a_spans.size() != b_spans.size()) return false;
  for (std::size_t i = 0; i < a_spans.size(); ++i) {
    const yaml::Document one = yaml::parse(first, a_spans[i]);
    const yaml::Document other = yaml::parse(second, b_spans[i]);
    if (!one.problems.empty() || !same_shape(*one.root, *other.root)) return false;
  }
  return true;
}

TEST_CASE("no parameter value of any template changes the structure of the output") {
  std::vector<std::string> hostile = {"\"",
                                      "'",
                                      "a\nkind: Secret",
                                      "\n---\nkind: Secret\n",
                                      "${{ name }}",
                                      "$${{",
                                      "&a",
                                      "*a",
                                      "!!int 1",
                                      "# no",
                                      "a: b",
                                      "- a",
                                      "[a]",
                                      "{a: b}",
                                      "|",
                                      "null",
                                      "true",
                                      "1.10",
                                      "\t",
                                      "\x1b[2J",
                                      "\xe2\x80\xa8kind: Secret",
                                      "\xe2\x80\xae"};
  hostile.emplace_back(10'000, 'x');
  hostile.push_back(std::string(5'000, '"') + std::string(5'000, '\n'));
  int tried = 0;
  for (const templates::Listed& listed : library().all()) {
    const Template& model = *listed.model;
    for (const Parameter& parameter : model.parameters()) {
      const bool is_list = parameter.type == templates::Type::list;
      if (parameter.type != templates::Type::string && !is_list) continue;
      if (parameter.name == "accelerators") continue;  // accepts only names of the catalogue
      const std::string example = parameter.example.empty() ? "x" : parameter.example;
      const std::string harmless = is_list ? "x" : example;
      const auto expected = rendered(model, parameter.name, harmless);
      CAPTURE(parameter.name);
      if (!expected) continue;  // needs another value of another parameter
      for (const std::string& value : hostile) {
        const std::string item = is_list ? "[" + yaml::quoted_for_json(value) + "]" : value;
        const auto actual = rendered(model, parameter.name, item);
        if (!actual) continue;
        ++tried;
        CAPTURE(model.name());
        CAPTURE(yaml::quoted_for_json(value.substr(0, 100)));
        CHECK(same_documents(*actual, *expected));
      }
    }
  }
  MESSAGE(tried << " hostile values accepted");
  CHECK(tried > 100);
}

TEST_CASE("every template's example is complete and runs") {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("c.yaml", "cluster: {kserve: \"0.19\"}  # 0.20 deletes workers [K81]\n");
  for (const templates::Listed& listed : library().all()) {
    const Template& model = *listed.model;
    CAPTURE(model.name());
    std::vector<std::string> arguments;
    const std::string command = example_command(model);
    for (const std::string_view word : split(command, ' ')) arguments.emplace_back(word);
    REQUIRE(arguments.front() == "cnsched");
    arguments.erase(arguments.begin());
    arguments.insert(arguments.end(), {"--config", config});
    const Ran ran = run_program(arguments);
    CHECK(ran.exit == 0);
    CHECK(ran.err == "");
    CHECK(ran.out.starts_with("# Made by: " + command + "\n"));
  }
}

}  // namespace cnsched::templates_test
