#include "core/packages/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "core/base/leftovers.h"
#include "core/base/parallel.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/k8s/schema/releases.h"
#include "core/packages/package_copy.h"
#include "core/source/path.h"
#include "core/source/read_file.h"
#include "core/source/trusted_program.h"

namespace cnsched::packages {

namespace fs = std::filesystem;

namespace {

/// Of an engine's message. A Go program that panics prints pages.
constexpr std::size_t kMaxMessage = 400;

/// The release whose fields cnsched knows: "1.36.0".
std::string kubernetes_version() {
  return fmt::format("{}.0", to_string(k8s::schema::newest(k8s::schema::Project::kubernetes)));
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

/// The line of an engine's message that says what is wrong. Warnings come before it.
std::string cause_in(std::string_view message) {
  std::string_view cause = message;
  for (const std::string_view line : split(message, '\n')) {
    if (line.starts_with("Error:")) {
      cause = line;
      break;
    }
  }
  cause = trim(cause);
  // What kustomize tells of the way to a file that it cannot read: the file and the reason suffice.
  constexpr std::string_view kWay = "accumulation err='accumulating resources from ";
  const std::size_t last = cause.rfind(kWay);
  if (last != std::string_view::npos) cause.remove_prefix(last + kWay.size());
  return first_line(cause, kMaxMessage);
}

/// "it needs the plugin 'PolicyGenerator'", as kustomize names it in a message.
std::string plugin_in(std::string_view message) {
  constexpr std::string_view kBefore = "unable to load external plugin '";
  const std::size_t at = message.find(kBefore);
  if (at == std::string_view::npos) return "it needs a plugin";
  message.remove_prefix(at + kBefore.size());
  return fmt::format("it needs the plugin '{}'",
                     shortened(message.substr(0, message.find('\'')), kMaxMessage));
}

/// A program that a user wrote around an engine, and that needs more than the engine.
bool is_script(const std::string& program) {
  std::ifstream file(program, std::ios::binary);
  return file.get() == '#' && file.get() == '!';
}

/// What programs that are not static start with.
constexpr const char* kSystemPrograms[] = {"/usr", "/bin", "/sbin", "/lib", "/lib64"};
/// What they and engines read besides.
constexpr const char* kSystemFiles[] = {"/nix/store", "/etc/ld.so.cache", "/etc/localtime",
                                        "/dev/urandom"};

/// Adds the program.
void permit_program(const std::string& program, Confinement& confinement) {
  confinement.executable.push_back(program);
  confinement.executable.push_back(resolved_path(program));
  confinement.has_files = confinement.has_files || is_script(program);
}

/// Runs one engine on packages of its kind.
class Engine {
 public:
  Engine(Package::Kind kind, const RenderOptions& options, const ScratchDirectory& scratch)
      : kind_(kind),
        program_(kind == Package::Kind::chart ? options.helm : options.kustomize),
        options_(options),
        scratch_(scratch) {
    confinement_.readable.assign(std::begin(kSystemFiles), std::end(kSystemFiles));
    confinement_.executable.assign(std::begin(kSystemPrograms), std::end(kSystemPrograms));
    std::error_code error;
    if (program_.empty()) return;
    program_ = fs::absolute(program_, error).string();
    permit_program(program_, confinement_);
    if (kind == Package::Kind::chart || options.helm.empty()) return;
    helm_ = fs::absolute(options.helm, error).string();
    permit_program(helm_, confinement_);
  }

  /// `number` is that of the package in this run.
  Rendering render(const Package& package, std::size_t number) const {
    if (program_.empty()) return failed(package, missing());
    if (!package.charts.empty() && helm_.empty()) return failed(package, kNoHelm);
    if (scratch_.path().empty()) return failed(package, "no temporary directory can be made");
    if (!options_.unsandboxed && !sandbox_support().refuses_sockets) {
      return failed(package,
                    "not rendered: the system cannot refuse sockets to an engine "
                    "(--render-unsandboxed runs it all the same)");
    }
    const std::string directory = joined(scratch_.path(), fmt::format("p{}", number));
    std::vector<std::string> values = package.variant.values;
    if (kind_ == Package::Kind::chart) {
      values.insert(values.end(), options_.helm_values.begin(), options_.helm_values.end());
    }
    PackageCopy copy;
    auto problem = copy_package(package, values, directory, copy);
    Rendering rendering = problem ? Rendering{.package = package, .failure = std::move(problem)}
                                  : run(package, directory, copy);
    std::error_code error;
    fs::remove_all(directory, error);
    return rendering;
  }

 private:
  static constexpr const char* kNoHelm =
      "not rendered: it uses a chart, and there is no 'helm' on PATH outside of what is checked "
      "(--helm names it)";

  std::string missing() const {
    return kind_ == Package::Kind::chart
               ? "not rendered: there is no 'helm' on PATH outside of what is checked (--helm "
                 "names it)"
               : "not rendered: there is neither 'kustomize' nor 'kubectl' on PATH outside of what "
                 "is checked (--kustomize names one)";
  }

  Rendering run(const Package& package, const std::string& directory,
                const PackageCopy& copy) const {
    using std::chrono::milliseconds;
    EngineBudget& budget = *options_.budget;
    const milliseconds left = kTimeouts * options_.timeout - milliseconds(budget.milliseconds);
    if (left <= milliseconds(0)) {
      return failed(package, fmt::format("not rendered: all packages together may take {} s "
                                         "({} times --render-timeout)",
                                         kTimeouts * options_.timeout.count(), kTimeouts));
    }
    if (budget.bytes > kOutputs * options_.max_output) {
      return failed(package, fmt::format("not rendered: what is rendered is larger than {} in all "
                                         "({} times --max-file-size)",
                                         text_of_size(kOutputs * options_.max_output), kOutputs));
    }
    Confinement confinement = confinement_;
    confinement.readable.push_back(directory);
    confinement.writable = joined(directory, "tmp");
    const Sandbox sandbox(confinement);
    ProgramCall call = call_for(package, copy, confinement.writable);
    call.timeout = std::min<milliseconds>(options_.timeout, left);
    if (sandbox_support().refuses_sockets) call.sandbox = &sandbox;
    const auto begin = std::chrono::steady_clock::now();
    Result<ProgramEnd> ended = run_process(call);
    budget.milliseconds +=
        std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin).count();
    if (!ended) return failed(package, fmt::format("not rendered: {}", ended.error().message));
    ProgramEnd end = *std::move(ended);
    budget.bytes += end.output.size();
    end.errors = copy.with_names(std::move(end.errors));
    if (!end.is_success()) return failed(package, reason_of(end), cause_in(end.errors));
    return {.package = package, .text = std::move(end.output)};
  }

  ProgramCall call_for(const Package& package, const PackageCopy& copy,
                       const std::string& home) const {
    ProgramCall call{.program = program_,
                     .environment = environment(home),
                     .directory = copy.directory,
                     .max_output = options_.max_output,
                     .max_memory = options_.max_memory};
    if (kind_ == Package::Kind::chart) {
      call.arguments = helm_arguments(package, copy);
      return call;
    }
    call.arguments = {name_of(program_).starts_with("kubectl") ? "kustomize" : "build"};
    if (!package.charts.empty()) {
      call.arguments.insert(call.arguments.end(), {"--enable-helm", "--helm-command", helm_});
    }
    call.arguments.emplace_back(".");
    return call;
  }

  /// The values of the flags come after those of the variant, and so take precedence.
  std::vector<std::string> helm_arguments(const Package& package, const PackageCopy& copy) const {
    const Variant& variant = package.variant;
    const std::string release = variant.release.empty() ? release_name(package) : variant.release;
    // Else the version for which Helm itself was built.
    const std::string version = !variant.kubernetes.empty()    ? variant.kubernetes
                                : !options_.kubernetes.empty() ? options_.kubernetes
                                                               : kubernetes_version();
    std::vector<std::string> arguments = {"template", "--include-crds",
                                          "--kube-version=" + version};
    const auto add = [&](std::string_view flag, const std::vector<std::string>& values) {
      for (const std::string& value : values)
        arguments.push_back(fmt::format("{}={}", flag, value));
    };
    if (!variant.ns.empty()) add("--namespace", {variant.ns});
    add("--api-versions", variant.api_versions);
    add("--values", copy.values);
    add("--set", variant.sets);
    add("--set", options_.helm_sets);
    arguments.insert(arguments.end(), {"--", release, copy.path});
    return arguments;
  }

  /// Nothing of the user's: neither plugins nor repositories nor credentials.
  std::vector<std::string> environment(const std::string& home) const {
    return {"HOME=" + home, "TMPDIR=" + home, "PATH=" + home, "LC_ALL=C", "HELM_CACHE_HOME=" + home,
            "HELM_CONFIG_HOME=" + home, "HELM_DATA_HOME=" + home, "HELM_PLUGINS=" + home,
            "KUSTOMIZE_PLUGIN_HOME=" + home, "KUBECONFIG=/dev/null",
            // Garbage is collected before the limit of memory ends the engine.
            fmt::format("GOMEMLIMIT={}", options_.max_memory / 4 * 3)};
  }

  std::string reason_of(const ProgramEnd& end) const {
    const std::string name = name_of(program_);
    switch (end.by) {
      case ProgramEnd::By::timeout:
        return fmt::format("not rendered: {} has not ended after {} s (--render-timeout)", name,
                           options_.timeout.count());
      case ProgramEnd::By::output_limit:
        return fmt::format("not rendered: {} writes more than {} (--max-file-size)", name,
                           text_of_size(options_.max_output));
      case ProgramEnd::By::signal:
        return fmt::format("not rendered: {} ended by signal {}", name, end.status);
      case ProgramEnd::By::exit:
        break;
    }
    // PolicyGenerator, ksops and others: programs, some from the repository.
    if (end.errors.find("external plugins disabled") != std::string::npos) {
      return fmt::format(
          "not rendered: {}; cnsched starts no plugins: check what your own build makes, with "
          "'kustomize build --enable-alpha-plugins DIRECTORY | cnsched lint -'",
          plugin_in(end.errors));
    }
    const std::string message = cause_in(end.errors);
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
  std::string program_;  ///< absolute, or empty
  std::string helm_{};   ///< for charts of an overlay
  const RenderOptions& options_;
  const ScratchDirectory& scratch_;
  Confinement confinement_{};
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

std::string describe_confinement() {
  const SandboxSupport& support = sandbox_support();
  if (!support.refuses_sockets) return "nothing, as the system has no filter of system calls";
  return support.limits_files
             ? "seccomp (no sockets) and Landlock (no other files, unless one is a script)"
             : "seccomp (no sockets); other files are readable, as the system has no Landlock";
}

std::vector<Rendering> render_packages(std::span<const Package> packages,
                                       const RenderOptions& options) {
  const ScratchDirectory scratch;
  const Engine helm(Package::Kind::chart, options, scratch);
  const Engine kustomize(Package::Kind::overlay, options, scratch);
  std::vector<Rendering> renderings(packages.size());
  parallel_for(packages.size(), options.jobs, [&](std::size_t i) {
    const Engine& engine = packages[i].kind == Package::Kind::chart ? helm : kustomize;
    renderings[i] = engine.render(packages[i], i);
  });
  return renderings;
}

}  // namespace cnsched::packages
