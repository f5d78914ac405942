#include "core/k8s/pod_resources.h"
#include "testdata/support.h"

namespace cnsched::k8s::pod_resources_test {

/// The requests of a pod spec: "cpu=500 memory=1073741824"; '?' if unknown.
std::string requests(const std::string& spec, const std::string& overhead = "") {
  const Parsed parsed("{" + spec + "}");
  const Parsed parsed_overhead("{" + overhead + "}");
  std::string text;
  for (const Request& r :
       requests_of(PodSpec(parsed.root()), {.overhead = &parsed_overhead.root()})) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", r.name,
                        r.is_known ? std::to_string(r.amount) : "?");
  }
  return text;
}

/// The same of a running pod.
std::string requests_of_running(const std::string& spec, const std::string& status) {
  const Parsed parsed("{" + spec + "}");
  const Parsed parsed_status("{" + status + "}");
  std::string text;
  for (const Request& r : requests_of(PodSpec(parsed.root()), {.status = &parsed_status.root()})) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", r.name, r.amount);
  }
  return text;
}

std::string container(const std::string& requests, const std::string& more = "") {
  return "{name: c, resources: {requests: {" + requests + "}}" + more + "}";
}

std::int64_t amount(std::string_view resource, std::string_view text) {
  return amount_of(resource, Quantity::parse(text)->rounded_to_milli());
}

TEST_CASE("counts CPU in thousandths and everything else in whole units, rounded up") {
  struct Row {
    const char* text;
    std::int64_t cpu;
    std::int64_t memory;
  };
  constexpr std::int64_t kMaxAmount = INT64_MAX;
  for (const auto& [text, cpu, memory] : {
           Row{"0", 0, 0},
           Row{"1", 1000, 1},
           Row{"1n", 1, 1},
           Row{"1u", 1, 1},
           Row{"1m", 1, 1},
           Row{"500m", 500, 1},
           Row{"1001m", 1001, 2},
           Row{"0.1m", 1, 1},
           Row{"1.5", 1500, 2},
           Row{".5", 500, 1},
           Row{"2.", 2000, 2},
           Row{"1k", 1000000, 1000},
           Row{"1M", 1000000000, 1000000},
           Row{"1G", 1000000000000, 1000000000},
           Row{"1T", 1000000000000000, 1000000000000},
           Row{"1P", 1000000000000000000, 1000000000000000},
           Row{"9P", 9000000000000000000, 9000000000000000},
           Row{"10P", kMaxAmount, 10000000000000000},
           Row{"1E", kMaxAmount, 1000000000000000000},
           Row{"9E", kMaxAmount, 9000000000000000000},
           Row{"10E", kMaxAmount, kMaxAmount},
           Row{"1Ki", 1024000, 1024},
           Row{"1Mi", 1048576000, 1048576},
           Row{"1Gi", 1073741824000, 1073741824},
           Row{"1Ti", 1099511627776000, 1099511627776},
           Row{"1Pi", 1125899906842624000, 1125899906842624},
           Row{"8Pi", 9007199254740992000, 9007199254740992},
           Row{"9Pi", kMaxAmount, 10133099161583616},
           Row{"1Ei", kMaxAmount, 1152921504606846976},
           Row{"8Ei", kMaxAmount, kMaxAmount},
           Row{"1e3", 1000000, 1000},
           Row{"1E3", 1000000, 1000},
           Row{"1e-3", 1, 1},
           Row{"9223372036854775", 9223372036854775000, 9223372036854775},
           Row{"9223372036854776", kMaxAmount, 9223372036854776},
           Row{"9223372036854775807", kMaxAmount, kMaxAmount},
           Row{"9223372036854775808", kMaxAmount, kMaxAmount},
       }) {
    CAPTURE(text);
    CHECK(amount("cpu", text) == cpu);
    CHECK(amount("memory", text) == memory);
    CHECK(amount("x.com/gpu", text) == memory);
  }
}

TEST_CASE("adds the requests of containers") {
  CHECK(requests("containers: [" + container("cpu: 500m, memory: 1Mi") + ", " +
                 container("cpu: 1") + "]") == "cpu=1500 memory=1048576");
}

TEST_CASE("rounds each container's amount to thousandths before adding") {
  CHECK(requests("containers: [" + container("cpu: 0.1m") + ", " + container("cpu: 0.1m") + "]") ==
        "cpu=2");
  CHECK(requests("containers: [" + container("memory: 1500m") + ", " + container("memory: 1500m") +
                 "]") == "memory=3");
}

TEST_CASE("a limit replaces a missing request, but not a request for 0") {
  CHECK(requests("containers: [{resources: {limits: {x.com/gpu: 1, cpu: 2}}}]") ==
        "cpu=2000 x.com/gpu=1");
  CHECK(requests("containers: [{resources: {limits: {cpu: 2}, requests: {cpu: 1}}}]") ==
        "cpu=1000");
  CHECK(requests("containers: [{resources: {limits: {cpu: 2}, requests: {cpu: 0}}}]") == "cpu=0");
}

TEST_CASE("uses the largest init container as a minimum") {
  const auto with = [](const std::string& main) {
    return requests("initContainers: [" + container("cpu: 2") + ", " + container("cpu: 3") +
                    "], containers: [" + main + "]");
  };
  CHECK(with(container("cpu: 1")) == "cpu=3000");
  CHECK(with(container("cpu: 2") + ", " + container("cpu: 2")) == "cpu=4000");
}

TEST_CASE("adds a sidecar to the containers and to later init containers") {
  const std::string sidecar = container("cpu: 2", ", restartPolicy: Always");
  CHECK(requests("initContainers: [" + sidecar + "], containers: [" + container("cpu: 1") + "]") ==
        "cpu=3000");
  CHECK(requests("initContainers: [" + sidecar + ", " + container("cpu: 4") + "], containers: [" +
                 container("cpu: 1") + "]") == "cpu=6000");
  CHECK(requests("initContainers: [" + container("cpu: 4") + ", " + sidecar + "], containers: [" +
                 container("cpu: 1") + "]") == "cpu=4000");
  CHECK(requests("initContainers: [" + sidecar + ", " + sidecar + "], containers: []") ==
        "cpu=4000");
}

TEST_CASE("ignores ephemeral containers") {
  CHECK(requests("containers: [], ephemeralContainers: [" + container("cpu: 1") + "]").empty());
}

TEST_CASE("adds the overhead") {
  CHECK(requests("containers: [" + container("cpu: 1") + "]", "cpu: 250m, memory: 1") ==
        "cpu=1250 memory=1");
  CHECK(requests("containers: [], resources: {requests: {cpu: 1}}", "cpu: 250m") == "cpu=1250");
}

TEST_CASE("pod-level requests for CPU, memory and hugepages replace those of the containers") {
  const std::string containers = "containers: [" + container("cpu: 1, x.com/gpu: 1") + "]";
  CHECK(requests(containers + ", resources: {requests: {cpu: 4}}") == "cpu=4000 x.com/gpu=1");
  CHECK(requests(containers + ", resources: {requests: {cpu: 500m}}") == "cpu=500 x.com/gpu=1");
  CHECK(requests(containers + ", resources: {requests: {x.com/gpu: 4}}") == "cpu=1000 x.com/gpu=1");
  CHECK(requests("containers: [], resources: {requests: {hugepages-2Mi: 4Mi}}") ==
        "hugepages-2Mi=4194304");
}

TEST_CASE("uses a pod-level limit if the containers request nothing") {
  CHECK(requests("containers: [" + container("memory: 1Gi") +
                 "], resources: {limits: {memory: 4Gi}}") == "memory=1073741824");
  CHECK(requests("containers: [{}], resources: {limits: {memory: 4Gi}}") == "memory=4294967296");
}

TEST_CASE("a pod that is resized in place requests the most of what it has and will have") {
  const std::string spec = "containers: [" + container("cpu: 2, memory: 1Gi") + "]";
  const auto with = [&](const std::string& in_effect, const std::string& allocated,
                        const std::string& more = "") {
    return requests_of_running(spec, "containerStatuses: [{name: c, resources: {requests: {" +
                                         in_effect + "}}, allocatedResources: {" + allocated +
                                         "}}]" + more);
  };
  const std::string pending = ", conditions: [{type: PodResizePending, reason: ";
  CHECK(with("cpu: 1, memory: 1Gi", "cpu: 1, memory: 1Gi") == "cpu=2000 memory=1073741824");
  CHECK(with("cpu: 4", "cpu: 1") == "cpu=4000 memory=1073741824");
  CHECK(with("cpu: 1", "cpu: 3") == "cpu=3000 memory=1073741824");
  CHECK(with("cpu: 1", "cpu: 1", pending + "Infeasible}]") == "cpu=1000");
  CHECK(with("cpu: 1", "cpu: 1", pending + "Deferred}]") == "cpu=2000 memory=1073741824");
  CHECK(requests_of_running(spec, "containerStatuses: [{name: c, allocatedResources: {cpu: 8}}]") ==
        "cpu=2000 memory=1073741824");
}

TEST_CASE("a resize counts for sidecars, but not for other init containers") {
  const std::string status =
      "initContainerStatuses: [{name: c, resources: {requests: {cpu: 3}}, allocatedResources: "
      "{cpu: 3}}]";
  const auto with = [&](const std::string& more) {
    return requests_of_running("initContainers: [" + container("cpu: 1", more) + "]", status);
  };
  CHECK(with(", restartPolicy: Always") == "cpu=3000");
  CHECK(with("") == "cpu=1000");
}

TEST_CASE("pod-level requests are resized too") {
  const std::string spec =
      "containers: [" + container("cpu: 1") + "], resources: {requests: {cpu: 2}}";
  CHECK(requests_of_running(
            spec, "resources: {requests: {cpu: 3}}, allocatedResources: {cpu: 1}") == "cpu=3000");
  CHECK(requests_of_running(spec, "allocatedResources: {cpu: 4}") == "cpu=2000");
  CHECK(requests_of_running(spec,
                            "resources: {requests: {cpu: 1}}, conditions: [{type: "
                            "PodResizePending, reason: Infeasible}]") == "cpu=1000");
}

TEST_CASE("saturates sums") {
  const std::string most = container("memory: 9223372036854775807");
  CHECK(requests("containers: [" + most + ", " + most + "]") == "memory=9223372036854775807");
}

TEST_CASE("treats a sum with an invalid quantity as unknown") {
  CHECK(requests("containers: [" + container("cpu: 1") + ", " + container("cpu: '${CPU}'") + "]") ==
        "cpu=?");
}

TEST_CASE("orders CPU, memory and ephemeral storage before others by name") {
  CHECK(requests("containers: [" +
                 container("z.com/x: 1, ephemeral-storage: 1, a.com/x: 1, memory: 1, cpu: 1") +
                 "]") == "cpu=1000 memory=1 ephemeral-storage=1 a.com/x=1 z.com/x=1");
}

TEST_CASE("shows amounts in common units") {
  CHECK(shown_amount("cpu", 500) == "500m");
  CHECK(shown_amount("cpu", 2000) == "2");
  CHECK(shown_amount("memory", std::int64_t{16} << 30) == "16Gi");
  CHECK(shown_amount("x.com/gpu", 8) == "8");
}

TEST_CASE("formats memory with a binary suffix") {
  CHECK(shown_memory(std::int64_t{8} << 30) == "8Gi");
  CHECK(shown_memory(std::int64_t{500} << 20) == "500Mi");
  CHECK(shown_memory(1'181'116'006) == "1126.4Mi");
  CHECK(shown_memory(16'000'000'000) == "14.9Gi");
  CHECK(shown_memory(5000) == "5000 bytes");
  CHECK(shown_memory_like("14Gi", 9'448'928'051) == "8.8Gi");
  CHECK(shown_memory_like("8.75Gi", 9'448'928'051) == "9011.2Mi");
  CHECK(shown_memory_like("2500Mi", 2'576'980'378) == "2457.6Mi");
  CHECK(shown_memory_like("3Gi", std::int64_t{500} << 20) == "500Mi");
}

TEST_CASE("pod-level resources allow cpu, memory and huge pages only") {
  const Parsed pod(R"(
resources:
  requests: {cpu: 1, nvidia.com/gpu: 1, ephemeral-storage: 1Gi}
  limits: {memory: 1Gi, hugepages-2Mi: 4Mi, nvidia.com/gpu: "0"}
containers:
- resources:
    limits: {amd.com/gpu: 1}
)");
  const auto rejected = rejected_at_pod_level(PodSpec(pod.root()));
  REQUIRE(rejected.size() == 3);
  CHECK(rejected[0].name == "nvidia.com/gpu");
  CHECK(rejected[0].node->text() == "0");
  CHECK(rejected[1].name == "nvidia.com/gpu");
  CHECK(rejected[2].name == "ephemeral-storage");
}

TEST_CASE("ignores resources that are not a mapping") {
  for (const char* text : {"resources: 1", "resources: [limits]", "resources: {limits: [a]}"}) {
    const Parsed pod(text);
    CHECK(rejected_at_pod_level(PodSpec(pod.root())).empty());
  }
}

}  // namespace cnsched::k8s::pod_resources_test
