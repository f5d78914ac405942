#include "core/snapshot/kubectl.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "core/base/parallel.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/facts/stated_release.h"
#include "core/snapshot/resources.h"
#include "core/source/read_file.h"
#include "core/source/trusted_program.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"
#include "core/yaml/tree.h"
#include "core/yaml/write.h"

namespace cnsched::snapshot {

namespace {

using yaml::Node;

/// An object as it is written.
struct WrittenObject {
  std::string kind;
  std::string ns;
  std::string name;
  std::string group;
  std::string text;

  auto key() const { return std::tie(kind, ns, name, group); }
};

/// What one command read, or why it did not.
struct FetchResult {
  std::vector<WrittenObject> objects{};
  std::string version{};  ///< a document
  std::string failure{};
  Cause cause = Cause::failed;  ///< of the failure

  /// Whether a server answered.
  bool is_answered() const { return failure.empty() || cause != Cause::failed; }
};

/// The message on one line, cut to a readable length.
std::string short_message(std::string_view message) {
  constexpr std::size_t kMaxLength = 300;
  std::string_view line;
  for (const std::string_view part : split(message, '\n')) {
    // Of several lines the last one has the error; those before are warnings.
    if (!trim(part).empty()) line = trim(part);
  }
  return printable(shortened(line, kMaxLength));
}

FetchResult failed_fetch(std::string reason) {
  FetchResult result;
  result.failure = std::move(reason);
  return result;
}

FetchResult failed_fetch(const ProgramEnd& end, const Kubectl& kubectl) {
  switch (end.by) {
    case ProgramEnd::By::timeout:
      return failed_fetch(
          fmt::format("kubectl has not ended after {} s (--timeout)", kubectl.timeout.count()));
    case ProgramEnd::By::output_limit:
      return failed_fetch(
          fmt::format("kubectl writes more than {}", text_of_size(kubectl.max_output)));
    case ProgramEnd::By::signal:
      return failed_fetch(fmt::format("kubectl ended by signal {}", end.status));
    case ProgramEnd::By::exit:
      break;
  }
  FetchResult result = failed_fetch(short_message(end.errors));
  if (result.failure.empty()) result.failure = fmt::format("kubectl exits with {}", end.status);
  const auto says = [&](std::string_view text) {
    return end.errors.find(text) != std::string::npos;
  };
  if (says("(Forbidden)")) result.cause = Cause::forbidden;
  if (says("the server doesn't have a resource type") ||
      says("the server could not find the requested resource")) {
    result.cause = Cause::missing;
  }
  return result;
}

/// `serverVersion` of `kubectl version`; empty if there is none.
std::string version_document(const Node& root) {
  const Node& release = facts::server_version(root)["gitVersion"];
  if (!release.is_scalar()) return {};
  Arena arena;
  const Node& version = yaml::mapping_like(
      arena, root,
      {yaml::entry_of(
          arena, "serverVersion"_key,
          yaml::mapping_like(arena, root, {yaml::entry_of(arena, "gitVersion"_key, release)}))});
  return yaml::to_yaml(version);
}

void add_objects(const yaml::Document& document, const Resource& resource, FetchResult& result) {
  for (const k8s::Object& object : k8s::objects_in(document)) {
    if (!is_fact(object, resource)) continue;
    Arena arena;
    result.objects.push_back({std::string(object.kind), std::string(object.ns.name),
                              std::string(object.name), std::string(object.group()),
                              yaml::to_yaml(reduced(object, resource, arena))});
  }
}

FetchResult result_of(std::string output, const Fetch& fetch) {
  const SourceFile file(0, "kubectl", std::move(output));
  FetchResult result;
  for (const Span span : yaml::split(file)) {
    const yaml::Document document = yaml::parse(file, span);
    if (!document.problems.empty()) {
      return failed_fetch(fmt::format("kubectl prints invalid YAML: {}",
                                      short_message(document.problems.front().message)));
    }
    if (fetch.resource == nullptr) {
      result.version = version_document(*document.root);
    } else {
      add_objects(document, *fetch.resource, result);
    }
  }
  if (fetch.resource == nullptr && result.version.empty()) {
    return failed_fetch("kubectl prints no version of a server");
  }
  return result;
}

FetchResult run_fetch(const Fetch& fetch, const Kubectl& kubectl) {
  Result<ProgramEnd> ended = run_process({.program = kubectl.program,
                                          .arguments = fetch.arguments,
                                          .environment = kubectl.environment,
                                          .timeout = kubectl.timeout,
                                          .max_output = kubectl.max_output,
                                          .max_memory = kubectl.max_memory});
  if (!ended) return failed_fetch(printable(ended.error().message));
  if (!ended->is_success()) return failed_fetch(*ended, kubectl);
  ProgramEnd end = *std::move(ended);
  return result_of(std::move(end.output), fetch);
}

Snapshot snapshot_of(std::span<const Fetch> fetches, std::vector<FetchResult>& results) {
  Snapshot snapshot;
  std::vector<WrittenObject> objects;
  for (std::size_t i = 0; i < fetches.size(); ++i) {
    FetchResult& result = results[i];
    if (!result.failure.empty()) {
      snapshot.unread.push_back({fetches[i].what(), result.cause, result.failure});
    }
    if (!result.version.empty()) snapshot.documents += "---\n" + result.version;
    std::ranges::move(result.objects, std::back_inserter(objects));
  }
  std::ranges::stable_sort(objects, {}, &WrittenObject::key);
  const auto [first, last] = std::ranges::unique(objects, {}, &WrittenObject::key);
  objects.erase(first, last);
  for (const WrittenObject& object : objects) snapshot.documents += "---\n" + object.text;
  snapshot.objects = objects.size();
  return snapshot;
}

}  // namespace

std::vector<std::string> kubectl_environment(std::span<const std::string> all,
                                             std::span<const std::string> checked) {
  // Of clouds' credential plugins, and of a kubectl that runs in a pod.
  constexpr auto kPrefixes =
      std::to_array<std::string_view>({"AAD_", "AWS_", "AZURE_", "CLOUDSDK_", "GOOGLE_",
                                       "KUBERNETES_SERVICE_", "SSL_CERT_", "XDG_"});
  // kubectl's preferences could change what it prints.
  std::vector<std::string> environment = {"LC_ALL=C", "KUBERC=off", "KUBECTL_KUBERC=false"};
  for (const std::string& variable : all) {
    const std::string_view name = std::string_view(variable).substr(0, variable.find('='));
    if (name == "PATH") {
      const std::string_view path = std::string_view(variable).substr(name.size() + 1);
      environment.push_back("PATH=" + trusted_path(path, checked));
    } else if (is_one_of(name, {"ALL_PROXY", "HOME", "HTTPS_PROXY", "HTTP_PROXY", "KUBECONFIG",
                                "LOGNAME", "NO_PROXY", "TMPDIR", "USER", "all_proxy", "https_proxy",
                                "http_proxy", "no_proxy"}) ||
               std::ranges::any_of(kPrefixes,
                                   [&](auto prefix) { return name.starts_with(prefix); })) {
      environment.push_back(variable);
    }
  }
  return environment;
}

Result<Snapshot> read_cluster(std::span<const Fetch> fetches, const Kubectl& kubectl) {
  std::vector<FetchResult> results(fetches.size());
  // If two commands in a row get no answer, no other will.
  constexpr std::size_t kAttempts = 2;
  std::size_t done = 0;
  while (done < fetches.size() && (done == 0 || !results[done - 1].is_answered())) {
    if (done == kAttempts) return Error{results[done - 1].failure};
    results[done] = run_fetch(fetches[done], kubectl);
    ++done;
  }
  parallel_for(fetches.size() - done, kubectl.jobs,
               [&](std::size_t i) { results[done + i] = run_fetch(fetches[done + i], kubectl); });
  Snapshot snapshot = snapshot_of(fetches, results);
  if (snapshot.objects > 0) return snapshot;
  const auto found = std::ranges::find_if(
      snapshot.unread, [](const Unread& each) { return each.cause != Cause::missing; });
  if (found != snapshot.unread.end()) {
    return Error{fmt::format("nothing was read; {}: {}", found->what, found->reason)};
  }
  return Error{"the cluster has nothing that cnsched reads"};
}

}  // namespace cnsched::snapshot
