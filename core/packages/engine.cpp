#include "core/packages/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "core/base/parallel.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/k8s/schema/releases.h"
#include "core/source/path.h"
#include "core/source/read_file.h"
#include "core/source/save.h"
#include "core/source/trusted_program.h"

namespace cnsched {

namespace fs = std::filesystem;

namespace {

/// Of an engine's message. A Go program that panics prints pages.
constexpr std::size_t kMaxMessage = 400;

/// The release whose fields cnsched knows: "1.36.0".
std::string kubernetes_version() {
  return fmt::format("{}.0", k8s::schema::newest(k8s::schema::Project::kubernetes));
}

std::string name_of(const std::string& program) { return std::string(file_name_of(program)); }

/// A name for the release: the chart's directory, as far as Helm permits it.
std::string release_name(const Package& package) {
  std::string name = lower(file_name_of(resolved_path(package.path)));
  for (char& c : name) {
    if (!is_lower_alphanumeric(c)) c = '-';
  }
  constexpr std::size_t kMaxLength = 53;  // of Helm
  name = name.substr(0, kMaxLength);
  while (name.starts_with('-')) name.erase(0, 1);
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? "release" : name;
}

/// The path as an argument that no engine reads as a flag: a pull request can name a directory
/// "--post-renderer=x".
std::string operand(const std::string& path) { return path.starts_with('-') ? "./" + path : path; }

/// The place that Helm's message names last: "execution error at (llama/templates/x.yaml:2:4): …",
/// "template: llama/templates/x.yaml:5:11: …". The path begins with the name of the chart.
Unreadable failure_of(const Package& package, std::string_view message, std::string reason) {
  Unreadable failure{package.path, std::move(reason)};
  constexpr std::string_view kTemplates = "/templates/";
  for (std::size_t at = message.rfind(kTemplates); at != std::string_view::npos && at > 0;
       at = message.rfind(kTemplates, at - 1)) {
    const std::size_t before = message.find_last_of(" (\"", at);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view place = message.substr(begin, message.find_first_of(" )\"", at) - begin);
    const std::vector<std::string_view> parts = split(place, ':');
    const std::size_t name = parts.front().find('/');
    const std::string path = joined(package.path, parts.front().substr(name + 1));
    std::error_code error;
    if (!fs::is_regular_file(path, error)) continue;
    std::string_view line = parts.size() > 1 ? parts[1] : std::string_view();
    failure.line = take_number(line).value_or(0);
    if (failure.line > 0 || failure.path == package.path) failure.path = path;
    if (failure.line > 0) break;
  }
  return failure;
}

/// Runs one engine on packages of its kind.
class Engine {
 public:
  Engine(Package::Kind kind, std::string program, const RenderOptions& options,
         const ScratchDirectory& scratch)
      : kind_(kind), program_(std::move(program)), options_(options), scratch_(scratch) {}

  Rendering render(const Package& package) const {
    if (program_.empty()) return failed(package, missing());
    if (scratch_.path().empty()) return failed(package, "no temporary directory can be made");
    const Result<ProgramEnd> ended = run_process(call_for(package));
    if (!ended) return failed(package, fmt::format("not rendered: {}", ended.error().message));
    if (!ended->is_success()) {
      return failed(package, reason_of(*ended), first_line(ended->errors, kMaxMessage));
    }
    return {.package = package, .text = ended->output};
  }

 private:
  std::string missing() const {
    return kind_ == Package::Kind::chart ? "not rendered: there is no 'helm' on PATH outside of "
                                           "what is checked (--helm names "
                                           "it)"
                                         : "not rendered: there is neither 'kustomize' nor "
                                           "'kubectl' on PATH outside of what is "
                                           "checked (--kustomize names one)";
  }

  ProgramCall call_for(const Package& package) const {
    std::error_code error;
    ProgramCall call{.program = fs::absolute(program_, error).string(),
                     .environment = environment(),
                     .timeout = options_.timeout,
                     .max_output = options_.max_output,
                     .max_memory = options_.max_memory};
    if (kind_ == Package::Kind::chart) {
      call.arguments = helm_arguments(package);
    } else if (name_of(program_).starts_with("kubectl")) {
      call.arguments = {"kustomize", operand(package.path)};
    } else {
      call.arguments = {"build", operand(package.path)};
    }
    return call;
  }

  /// The values of the flags come after those of the variant, and so take precedence.
  std::vector<std::string> helm_arguments(const Package& package) const {
    const Variant& variant = package.variant;
    const bool is_named = !variant.release.empty() && !variant.release.starts_with('-');
    const std::string release = is_named ? variant.release : release_name(package);
    // Else the version for which Helm itself was built.
    const std::string version = !variant.kubernetes.empty()    ? variant.kubernetes
                                : !options_.kubernetes.empty() ? options_.kubernetes
                                                               : kubernetes_version();
    std::vector<std::string> arguments = {"template",       release,          operand(package.path),
                                          "--include-crds", "--kube-version", version};
    const auto add = [&](const char* flag, const std::vector<std::string>& values) {
      for (const std::string& value : values) arguments.insert(arguments.end(), {flag, value});
    };
    if (!variant.ns.empty()) add("--namespace", {variant.ns});
    add("--api-versions", variant.api_versions);
    add("--values", variant.values);
    add("--values", options_.helm_values);
    add("--set", variant.sets);
    add("--set", options_.helm_sets);
    return arguments;
  }

  /// Nothing of the user's: neither plugins nor repositories nor credentials. A proxy that refuses
  /// every connection stops what would use the network all the same.
  std::vector<std::string> environment() const {
    const std::string& home = scratch_.path();
    constexpr const char* kNoProxy = "http://127.0.0.1:9";
    return {"HOME=" + home,
            "TMPDIR=" + home,
            "PATH=" + home,
            "LC_ALL=C",
            "HELM_CACHE_HOME=" + home,
            "HELM_CONFIG_HOME=" + home,
            "HELM_DATA_HOME=" + home,
            "HELM_PLUGINS=" + home,
            "KUSTOMIZE_PLUGIN_HOME=" + home,
            "KUBECONFIG=/dev/null",
            fmt::format("HTTP_PROXY={}", kNoProxy),
            fmt::format("HTTPS_PROXY={}", kNoProxy)};
  }

  std::string reason_of(const ProgramEnd& end) const {
    const std::string name = name_of(program_);
    switch (end.by) {
      case ProgramEnd::By::timeout:
        return fmt::format("not rendered: {} has not ended after {} s (--render-timeout)", name,
                           options_.timeout.count());
      case ProgramEnd::By::output_limit:
        return fmt::format("not rendered: {} writes more than {}", name,
                           text_of_size(options_.max_output));
      case ProgramEnd::By::signal:
        return fmt::format("not rendered: {} ended by signal {}", name, end.status);
      case ProgramEnd::By::exit:
        break;
    }
    const std::string message = first_line(end.errors, kMaxMessage);
    if (message.empty()) return fmt::format("not rendered: {} exits with {}", name, end.status);
    return fmt::format("not rendered: {}: {}", name, message);
  }

  static Rendering failed(const Package& package, const std::string& reason,
                          std::string_view message = {}) {
    const std::string& variant = package.variant.name;
    const std::string of = variant.empty() ? "" : fmt::format("variant '{}': ", variant);
    return {.package = package, .failure = failure_of(package, message, of + reason)};
  }

  Package::Kind kind_;
  std::string program_;
  const RenderOptions& options_;
  const ScratchDirectory& scratch_;
};

}  // namespace

std::string rendered_name(const Package& package) {
  const std::string& variant = package.variant.name;
  const std::string name = variant.empty() ? kRenderedName : fmt::format("<rendered {}>", variant);
  std::error_code error;
  if (!fs::is_directory(package.path, error)) return fmt::format("{}:{}", package.path, name);
  return joined(package.path, name);
}

RenderOptions with_programs(std::span<const Package> packages, RenderOptions options,
                            const std::function<std::string(const char*)>& environment) {
  std::vector<std::string> checked = options.checked;
  checked.emplace_back("./x");  // the working directory
  for (const Package& package : packages) checked.push_back(package.path + "/x");
  const std::string path = environment("PATH");
  const auto find = [&](std::string& program, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      if (program.empty()) program = find_program(name, path, checked);
    }
  };
  find(options.helm, {"helm"});
  find(options.kustomize, {"kustomize", "kubectl"});
  return options;
}

std::vector<Rendering> render_packages(std::span<const Package> packages,
                                       const RenderOptions& options) {
  const ScratchDirectory scratch;
  const Engine helm(Package::Kind::chart, options.helm, options, scratch);
  const Engine kustomize(Package::Kind::overlay, options.kustomize, options, scratch);
  std::vector<Rendering> renderings(packages.size());
  parallel_for(packages.size(), options.jobs, [&](std::size_t i) {
    const Engine& engine = packages[i].kind == Package::Kind::chart ? helm : kustomize;
    renderings[i] = engine.render(packages[i]);
  });
  return renderings;
}

}  // namespace cnsched
