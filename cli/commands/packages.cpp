#include "cli/commands/packages.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "core/base/text.h"
#include "core/packages/engine.h"
#include "core/packages/package_origins.h"
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
  std::vector<facts::StatedRelease> stated = facts.releases.kubernetes;
  if (stated.empty() && config != nullptr) stated = config->cluster.releases.kubernetes;
  const auto newest = std::ranges::max_element(stated, {}, &facts::StatedRelease::version);
  return newest == stated.end() ? std::string() : to_string(newest->version);
}

/// What is rendered, and how.
struct RenderPlan {
  RenderSettings settings;
  cnsched::RenderOptions options;
};

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
  cnsched::RenderOptions wanted{
      .helm = flags.helm.empty() ? settings.helm : flags.helm,
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

/// What the engines make of the packages, with the sources of that.
LateFiles files_of(const std::vector<Package>& packages, const cnsched::RenderOptions& engines,
                   PackageOrigins& origins) {
  LateFiles result;
  for (Rendering& each : render_packages(packages, engines)) {
    if (each.failure) {
      result.unreadable.push_back(*std::move(each.failure));
    } else {
      const std::string name = rendered_name(each.package);
      origins.add(name, each.package, each.text);
      result.files.push_back({.path = name,
                              .bytes = std::move(each.text),
                              .rendered = true,
                              .variant = {each.package.path, each.package.variant.name}});
    }
  }
  for (PackageSource& source : origins.sources()) {
    result.files.push_back({.path = std::move(source.path),
                            .bytes = std::move(source.bytes),
                            .linted = false,
                            .source = true});
  }
  return result;
}

/// Renders as planned.
RenderedPackages start(const RenderPlan& plan, Discovered& found) {
  if (!plan.settings.kinds.any()) return {};
  PackageSearch search = find_packages(found.files, plan.settings.kinds);
  add_variants(plan.settings, search);
  found.files = std::move(search.files);
  std::ranges::move(search.rejected, std::back_inserter(found.unreadable));
  RenderedPackages result;
  for (const Package& package : search.packages) result.names.push_back(rendered_name(package));
  const cnsched::RenderOptions engines =
      with_programs(search.packages, plan.options, environment_variable);
  const auto origins = std::make_shared<PackageOrigins>(engines);
  const auto rendering = std::make_shared<std::future<LateFiles>>(
      std::async(std::launch::async, [packages = std::move(search.packages), engines, origins] {
        return files_of(packages, engines, *origins);
      }));
  result.origins = origins;
  result.files = [rendering] { return rendering->get(); };
  return result;
}

}  // namespace

std::optional<Exit> start_rendering(const InputOptions& options, LoadedProject& project,
                                    RenderedPackages& rendered, Console& console) {
  const bool may_render = !options.packages.render.empty() || !options.facts.config.empty();
  if (options.packages.never || !may_render) return std::nullopt;
  const auto failed = open_configs(options.facts, project.found.files, project, console);
  if (failed) return failed;
  const auto plan = plan_of(options, named_config(options.facts, project.configs));
  if (!plan) return fail(console, plan.error().message);
  rendered = start(*plan, project.found);
  return std::nullopt;
}

}  // namespace cnsched::cli
