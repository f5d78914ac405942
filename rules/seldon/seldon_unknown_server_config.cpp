#include <algorithm>
#include <array>
#include <set>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/label.h"
#include "core/k8s/object_name.h"
#include "core/seldon/shipped.h"
#include "rules/rule.h"

namespace cnsched::rules {

static void check(const Workspace& run, Report& report);

extern constinit const Rule seldon_seldon_unknown_server_config = {
    .id = "seldon-unknown-server-config",
    .severity = Severity::error,
    .depends_on_run = true,
    .summary = "a Server that names a ServerConfig that does not exist",
    .why =
        "The operator creates no pods and reports 'failed to get ServerConfig', and every Model "
        "for that Server waits at ScheduleFailed. A Server's pods are built on the ServerConfig "
        "of exactly that name, which Seldon's operator reads from its own namespace, wherever the "
        "Server is. The same goes for a SeldonRuntime and its SeldonConfig.\n\n"
        "It is reported if the linted files and those given by --cluster hold any ServerConfig "
        "(SeldonConfig), or if no object can have the name; mlserver and triton (default) come "
        "with Seldon, and a name that differs from them by a separator only is a warning.",
    .bad = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: ServerConfig
metadata: {name: mlserver-gpu}
spec:
  podSpec:
    containers:
    - name: rclone
      image: seldonio/seldon-rclone:2.10.0
    - name: agent
      image: seldonio/seldon-agent:2.10.0
      env:
      - {name: SELDON_SERVER_CAPABILITIES, value: "mlserver,sklearn"}
      - name: MEMORY_REQUEST
        valueFrom: {resourceFieldRef: {containerName: mlserver, resource: requests.memory}}
    - name: mlserver
      image: seldonio/mlserver:1.7.1
      resources:
        requests: {memory: 8Gi}
---
apiVersion: mlops.seldon.io/v1alpha1
kind: Server
metadata: {name: llm}
spec:
  serverConfig: mlserver_gpu
)",
    .good = R"(
apiVersion: mlops.seldon.io/v1alpha1
kind: ServerConfig
metadata: {name: mlserver-gpu}
spec:
  podSpec:
    containers:
    - name: rclone
      image: seldonio/seldon-rclone:2.10.0
    - name: agent
      image: seldonio/seldon-agent:2.10.0
      env:
      - {name: SELDON_SERVER_CAPABILITIES, value: "mlserver,sklearn"}
      - name: MEMORY_REQUEST
        valueFrom: {resourceFieldRef: {containerName: mlserver, resource: requests.memory}}
    - name: mlserver
      image: seldonio/mlserver:1.7.1
      resources:
        requests: {memory: 8Gi}
---
apiVersion: mlops.seldon.io/v1alpha1
kind: Server
metadata: {name: llm}
spec:
  serverConfig: mlserver-gpu
)",
    .source =
        "https://github.com/SeldonIO/seldon-core/blob/v2/operator/apis/mlops/v1alpha1/"
        "serverconfig_types.go",
    .check = check,
    .fix = Safety::unsafe,
};

static constexpr std::string_view kSeldonGroup = "mlops.seldon.io";
static constexpr auto kShippedSeldonConfigs = std::to_array<std::string_view>({"default"});

namespace {

/// A kind whose pods are built on a config, and what that is.
struct Built {
  std::string_view kind;
  std::string_view field;
  std::string_view config;
  std::span<const std::string_view> shipped;
  std::string_view outcome;
};

}  // namespace

static constexpr auto kBuilt =
    std::to_array<Built>({{"Server", "serverConfig", "ServerConfig", seldon::kShippedServers,
                           "the operator creates no pods ('failed to get ServerConfig')"},
                          {"SeldonRuntime", "seldonConfig", "SeldonConfig", kShippedSeldonConfigs,
                           "the operator creates none of its pods"}});

/// What is left of a name without upper case and separators: "mlserver" of "ML-Server".
static std::string letters_of(std::string_view name) {
  std::string letters = lower(name);
  std::erase_if(letters, [](char c) { return c == '-' || c == '_' || c == '.' || c == ' '; });
  return letters;
}

/// Of the configs that a run holds, whatever their namespace: the operator's is not known.
using Names = std::set<std::string_view>;

static Names names_of(const Workspace& run, std::string_view kind) {
  Names names;
  for (const k8s::Object& object : run.objects()) {
    if (object.is(kSeldonGroup, kind)) names.insert(object.name);
  }
  return names;
}

static std::vector<std::string_view> known_names(const Built& built, const Names& held) {
  constexpr std::size_t kMost = 100;  // no manifests for people have more
  std::vector<std::string_view> known(built.shipped.begin(), built.shipped.end());
  for (const std::string_view name : held) {
    if (known.size() < kMost) known.push_back(name);
  }
  return known;
}

static void add_fix(const yaml::Node& named, std::string_view like, Report& report,
                    Report::Finding& finding) {
  finding.fix(Safety::unsafe, fmt::format("write '{}'", like),
              {yaml::to_set(named, report.make_string(like))});
}

/// Names the config that was perhaps meant, and writes it if it surely was; false if there is none.
static bool add_meant(const yaml::Node& named, const std::vector<std::string_view>& known,
                      std::string_view alternative, Report& report, Report::Finding& finding) {
  const auto like = nearest(named.text(), known);
  if (!like) return false;
  finding.help("did you mean '{}'?{}", *like, alternative);
  if (surely_meant(named.text(), known)) add_fix(named, *like, report, finding);
  return true;
}

/// What else may be done about a name that the cluster may well know.
static std::string or_pass(std::string_view name) {
  return fmt::format(" If the cluster has '{}', pass it with --cluster", name);
}

static void report_unknown(const Built& built, const yaml::Node& named, const Names& held,
                           Report& report) {
  auto finding = report.add(named, "no file has a {} '{}', and Seldon ships none of that name: {}",
                            built.config, named.text(), built.outcome);
  if (add_meant(named, known_names(built, held), or_pass(named.text()), report, finding)) return;
  finding.help("name an existing one, or add it; if the cluster has it, pass it with --cluster");
}

/// What no object can be called needs no look at what there is.
static void report_impossible(const Built& built, const yaml::Node& named, const Names& held,
                              Report& report) {
  auto finding =
      report.add(named, "no {} can be called '{}': {}", built.config, named.text(), built.outcome);
  if (add_meant(named, known_names(built, held), "", report, finding)) return;
  if (named.text().find('/') != std::string_view::npos) {
    finding.help("write the name alone: the operator looks in its own namespace");
  } else {
    finding.help("names have lower case letters, digits, '-' and '.' only");
  }
}

/// Without any config in the run, only Seldon's own ones can have been meant for sure.
static void check_spelling(const Built& built, const yaml::Node& named, Report& report) {
  const auto like = std::ranges::find(built.shipped, letters_of(named.text()), letters_of);
  if (like == built.shipped.end()) return;
  auto finding =
      report.add(named, "Seldon ships {} '{}', and none called '{}': without one of your own {}",
                 built.config, *like, named.text(), built.outcome);
  finding.severity(Severity::warning).help("did you mean '{}'?{}", *like, or_pass(named.text()));
  add_fix(named, *like, report, finding);
}

static void check_object(const k8s::Object& object, const Built& built, const Names& held,
                         Report& report) {
  const yaml::Node& named = object.spec()[built.field];
  if (!named.is_scalar() || k8s::is_placeholder(named.text())) return;
  if (named.text().empty()) {
    report.add(named, "no {} has an empty name: {}", built.config, built.outcome)
        .help("write '{}', or the name of your own", built.shipped.front());
    return;
  }
  const bool shipped = std::ranges::find(built.shipped, named.text()) != built.shipped.end();
  if (shipped || held.contains(named.text())) return;
  if (!k8s::is_object_name(named.text())) {
    report_impossible(built, named, held, report);
  } else if (!held.empty()) {
    report_unknown(built, named, held, report);
  } else {
    check_spelling(built, named, report);
  }
}

static void check(const Workspace& run, Report& report) {
  for (const Built& built : kBuilt) {
    const Names held = names_of(run, built.config);
    for (const k8s::Object& object : run.objects()) {
      if (!object.is(kSeldonGroup, built.kind) || !run.is_linted(object)) continue;
      report.set_subject(&object);
      check_object(object, built, held, report);
    }
  }
}

}  // namespace cnsched::rules
