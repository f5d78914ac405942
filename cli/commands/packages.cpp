#include "cli/commands/packages.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/packages/variants.h"
#include "core/source/path.h"

namespace cnsched::cli {

namespace {

/// What --render lists, or an error.
Result<RenderKinds> kinds_in(const std::string& list) {
  RenderKinds kinds;
  for (const std::string_view name : split(list, ',')) {
    if (kinds.add(name)) continue;
    return Error{
        fmt::format("--render: invalid value '{}' (helm, kustomize or all)", printable(name))};
  }
  return kinds;
}

/// Why Helm must not read the file; empty if it may. The user may name any file, but a link in the
/// repository comes from whom the manifests come from.
std::string problem_with_values(const std::string& file) {
  if (is_address(file)) {
    return "is an address, and nothing is fetched: download it and name the file";
  }
  if (leads_out(file, source_root(resolved_path(".")))) {
    return "is a link that leads out of the repository: name the file that it leads to";
  }
  return {};
}

/// The release of Kubernetes that the user states; of several, the newest. Empty if there is none.
std::string kubernetes_of(const FactOptions& facts, const rules::Config* config) {
  std::vector<StatedRelease> stated = facts.releases.kubernetes;
  if (stated.empty() && config != nullptr) stated = config->cluster.releases.kubernetes;
  const auto newest = std::ranges::max_element(stated, {}, &StatedRelease::version);
  return newest == stated.end() ? std::string() : to_string(newest->version);
}

/// The plan of the flags over `settings`, or an error.
Result<RenderPlan> plan_of(const InputOptions& options, const rules::Config* config) {
  RenderSettings settings = config == nullptr ? RenderSettings() : config->render;
  const PackageOptions& flags = options.packages;
  for (const std::string& file : flags.values) {
    if (const std::string problem = problem_with_values(file); !problem.empty()) {
      return Error{fmt::format("--helm-values: '{}' {}", printable(file), problem)};
    }
  }
  if (!flags.render.empty()) {
    const auto kinds = kinds_in(flags.render);
    if (!kinds) return kinds.error();
    settings.kinds = *kinds;
  }
  constexpr std::size_t kSeconds = 60;
  const std::size_t seconds =
      flags.timeout != 0 ? flags.timeout : settings.timeout.value_or(kSeconds);
  RenderOptions wanted{.helm = flags.helm.empty() ? settings.helm : flags.helm,
                       .kustomize = flags.kustomize.empty() ? settings.kustomize : flags.kustomize,
                       .kubernetes = kubernetes_of(options.facts, config),
                       .helm_values = flags.values,
                       .helm_sets = flags.sets,
                       .timeout = std::chrono::seconds(seconds),
                       .jobs = options.jobs,
                       .checked = flags.checked};
  return RenderPlan{std::move(settings), std::move(wanted)};
}

/// The configuration given with -c, or null.
const rules::Config* named_config(const FactOptions& facts, const rules::Configs& configs) {
  return facts.no_config || facts.config.empty() ? nullptr : configs.find("");
}

}  // namespace

std::optional<Exit> plan_rendering(const InputOptions& options,
                                   const std::vector<std::string>& files, Opened& opened,
                                   RenderPlan& plan, Console& console) {
  if (options.packages.never) return std::nullopt;
  if (options.packages.render.empty() && options.facts.config.empty()) return std::nullopt;
  if (const auto failed = open_configs(options.facts, files, opened, console)) return failed;
  auto planned = plan_of(options, named_config(options.facts, opened.configs));
  if (!planned) {
    say_error(console, planned.error().message);
    return Exit::usage;
  }
  plan = *std::move(planned);
  return std::nullopt;
}

}  // namespace cnsched::cli
