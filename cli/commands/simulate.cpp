#include "cli/commands/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "cli/commands/reading.h"
#include "cli/output/simulation.h"
#include "cli/output/unknown_facts.h"
#include "cli/progress.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/snapshot/resources.h"
#include "rules/engine/run.h"
#include "rules/engine/selection.h"

namespace cnsched::cli {

namespace {

using sim::Simulated;
using sim::Simulation;

constexpr std::size_t kMaxSuggestions = 3;
/// Finds what simulate shows.
constexpr const char* kOwnRule = "unschedulable";

enum class SimulationFormat : std::uint8_t { pretty, json, html };

struct SimulateOptions {
  MessageOptions messages;
  InputOptions input;
  SimulationFormat format = SimulationFormat::pretty;
  std::string explain;  ///< NAME, KIND/NAME or KIND/NAME/COMPONENT
  std::string node;     ///< name of a node or a pool
  bool replicas = false;
  bool each_node = false;
  std::size_t max_steps = kDefaultSteps;
  std::optional<bool> extended_resource_toleration;  ///< nothing: from facts and configuration
};

/// Whether --explain names the workload: "llama", "InferenceService/llama", and with its component.
bool is_named(const Simulated& simulated, std::string_view name) {
  const Workload& workload = *simulated.workload;
  const k8s::Object& object = *workload.object;
  const std::string full = fmt::format("{}/{}", object.kind, object.name);
  return name == object.name || name == full ||
         (!workload.component.empty() && name == fmt::format("{}/{}", full, workload.component));
}

std::vector<std::size_t> indices_of(const Simulation& simulation, std::string_view name) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < simulation.workloads().size(); ++i) {
    if (name.empty() || is_named(simulation.workloads()[i], name)) indices.push_back(i);
  }
  return indices;
}

/// The nodes and pools of all clusters.
std::vector<std::string_view> node_names(const Simulation& simulation) {
  std::set<std::string_view> names;
  std::set<const sim::Cluster*> seen;
  for (const Simulated& simulated : simulation.workloads()) {
    if (!seen.insert(simulated.cluster).second) continue;
    for (std::size_t i = 0; i < simulated.cluster->size(); ++i) {
      names.insert(simulated.cluster->node(i).name);
    }
  }
  return {names.begin(), names.end()};
}

/// The node that the user means: of that name, or else the only one whose name begins with it, up
/// to a '.' or at all. Fails if there is none, or several.
Result<std::string> node_meant(const std::string& word, const Simulation& simulation) {
  const std::vector<std::string_view> names = node_names(simulation);
  if (std::ranges::find(names, word) != names.end()) return word;
  std::vector<std::string> begun;
  for (const std::string& start : {word + ".", word}) {
    begun.clear();
    for (const std::string_view name : names) {
      if (name.starts_with(start)) begun.push_back(fmt::format("'{}'", printable(name)));
    }
    const auto only =
        std::ranges::find_if(names, [&](auto name) { return name.starts_with(start); });
    if (begun.size() == 1) return std::string(*only);
  }
  if (begun.empty()) {
    return Error{
        fmt::format("no node is named '{}'{}", printable(word), did_you_mean(word, names))};
  }
  constexpr std::size_t kShown = 3;
  return Error{fmt::format("'{}' begins the names of {}: {}", printable(word),
                           count_of(begun.size(), "node"), join_words(begun, "and", kShown))};
}

bool may_run_on(const Simulated& simulated, std::string_view node) {
  const auto index = simulated.cluster->find_any(node);
  return index && simulated.diagnosis && simulated.diagnosis->fits(*index) != Truth::no;
}

/// Why the command cannot run with these options; empty if it can.
std::string problem_with(const SimulateOptions& options, const Simulation& simulation) {
  if (!simulation.workloads().empty() && !simulation.has_nodes()) {
    return fmt::format(
        "no nodes are given: pass them with --cluster cluster.yaml ('{}' reads them), or define "
        "them in .cnsched.yaml (cluster.nodePools)",
        snapshot::kReadCluster);
  }
  if (!options.explain.empty() && indices_of(simulation, options.explain).empty()) {
    std::vector<std::string_view> names;
    for (const Simulated& s : simulation.workloads()) names.push_back(s.workload->object->name);
    return fmt::format("no workload is named '{}'{}", printable(options.explain),
                       did_you_mean(options.explain, names));
  }
  if (options.node.empty()) return {};
  const auto node = node_meant(options.node, simulation);
  return node ? std::string() : node.error().message;
}

/// The number of errors among the findings in each workload's object, except what simulate reports.
std::vector<std::size_t> errors_in(const std::vector<Diagnostic>& findings,
                                   const Simulation& simulation) {
  using Name = std::tuple<std::string, std::string, std::string>;
  std::map<Name, std::vector<const Diagnostic*>> found;
  for (const Diagnostic& finding : findings) {
    if (finding.suppression || finding.severity != Severity::error) continue;
    if (finding.rule == kOwnRule) continue;
    const Subject& subject = finding.subject;
    found[{subject.kind, subject.ns, subject.name}].push_back(&finding);
  }
  // Without names, a finding applies to all variants or releases.
  const auto is_among = [](const std::vector<std::string>& names, std::string_view name) {
    return names.empty() || std::ranges::find(names, name) != names.end();
  };
  std::vector<std::size_t> errors;
  for (const Simulated& simulated : simulation.workloads()) {
    const Workload& workload = *simulated.workload;
    const k8s::Object& object = *workload.object;
    const std::string releases = describe_releases(*workload.scope);
    const auto& of_object =
        found[{std::string(object.kind), std::string(object.ns.name), std::string(object.name)}];
    errors.push_back(
        static_cast<std::size_t>(std::ranges::count_if(of_object, [&](const Diagnostic* finding) {
          return is_among(finding->variants, variant_name(workload)) &&
                 is_among(finding->releases, releases);
        })));
  }
  return errors;
}

/// Computes and shows the results for a loaded workspace.
class SimulateRun {
 public:
  SimulateRun(const SimulateOptions& options, const Workspace& workspace,
              const Simulation& simulation, const std::vector<Diagnostic>& findings,
              Console& console)
      : options_(options),
        workspace_(workspace),
        simulation_(simulation),
        models_(workspace),
        autoscalers_(simulation),
        console_(console),
        errors_(errors_in(findings, simulation)) {
    workloads_ = indices_of(simulation, options.explain);
    if (!options.node.empty()) {
      std::erase_if(workloads_, [&](std::size_t i) {
        return !may_run_on(simulation.workloads()[i], options.node);
      });
    }
    if (options.explain.empty() && options.node.empty()) {
      for (std::size_t i = 0; i < models_.models().size(); ++i) shown_models_.push_back(i);
    }
    if (options.node.empty())
      advice_ = sim::advise(workspace_, simulation, kMaxSuggestions, values_);
    if (options.replicas) placements_ = sim::place_all(simulation, autoscalers_);
    for (const std::size_t i : workloads_) {
      if (auto outlook = autoscalers_.outlook(simulation.workloads()[i])) {
        outlooks_.emplace(i, *std::move(outlook));
      }
    }
  }

  void show() {
    const SimulationOutcome outcome = this->outcome();
    switch (options_.format) {
      case SimulationFormat::json:
        write_simulation_json(outcome, console_.out);
        break;
      case SimulationFormat::html:
        write_simulation_html(outcome, console_.out);
        break;
      case SimulationFormat::pretty:
        show_pretty(outcome);
    }
    console_.out.flush();
  }

  void explain() {
    const bool colored = is_colored();
    const SimulationOutcome outcome = this->outcome();
    for (const std::size_t i : workloads_) {
      write_explanation(outcome, i, console_.width, colored, console_.out);
    }
  }

  /// Whether any shown workload or Model fits nowhere, or a controller fails to create the pod.
  bool fails() const {
    const SimulationOutcome outcome = this->outcome();
    return std::ranges::any_of(workloads_,
                               [&](std::size_t i) {
                                 return sim::is_failure(outcome.conclusion(i)) ||
                                        (!placements_.of_workload.empty() &&
                                         simulation_.workloads()[i].diagnosis &&
                                         !placements_.of_workload[i].is_complete() &&
                                         !placements_.of_workload[i].is_unknown());
                               }) ||
           std::ranges::any_of(shown_models_,
                               [&](std::size_t i) { return models_.models()[i].fits_nowhere(); });
  }

  /// "simulated 3 workloads: 1 fits, 1 nowhere, 1 unknown".
  std::string summary() const {
    using enum sim::Conclusion;
    auto counts = outcome().conclusions();
    const std::size_t fit = counts[fits];
    std::size_t on_none = 0;
    for (const auto& [conclusion, count] : counts) {
      if (sim::lacks_node(conclusion)) on_none += count;
    }
    const std::size_t without_pod = counts[no_pod] + counts[never_created];
    std::string text =
        fmt::format("simulated {}: {} fit{}, {} nowhere", count_of(workloads_.size(), "workload"),
                    fit, fit == 1 ? "s" : "", on_none);
    if (counts[preempts] > 0) {
      text += fmt::format(", {} preempt{}", counts[preempts], counts[preempts] == 1 ? "s" : "");
    }
    if (counts[unknown] > 0) text += fmt::format(", {} unknown", counts[unknown]);
    if (without_pod > 0) text += fmt::format(", {} without a pod", without_pod);
    return text;
  }

 private:
  SimulationOutcome outcome() const {
    return {workspace_,         simulation_, advice_,       models_,
            placements_,        workloads_,  shown_models_, options_.node,
            options_.each_node, errors_,     &outlooks_};
  }

  bool is_colored() const {
    return decide_color(options_.messages.color, console_.out_is_terminal);
  }

  void show_pretty(const SimulationOutcome& outcome) {
    const bool colored = is_colored();
    if (!options_.node.empty()) {
      write_node(outcome, options_.node, console_.width, colored, console_.out);
    } else if (options_.explain.empty()) {
      write_simulation(outcome, console_.width, colored, console_.out);
    } else {
      explain();
    }
  }

  const SimulateOptions& options_;
  const Workspace& workspace_;
  const Simulation& simulation_;
  sim::ModelLoading models_;
  sim::Autoscalers autoscalers_;
  Console& console_;
  std::vector<std::size_t> errors_;
  Arena values_;
  std::map<std::size_t, sim::Advice> advice_;
  sim::Placements placements_;
  std::map<std::size_t, sim::Outlook> outlooks_;
  std::vector<std::size_t> workloads_;
  std::vector<std::size_t> shown_models_;
};

void say_unknown_facts(const Simulation& simulation, Console& console) {
  UnknownFacts facts;
  for (const Simulated& simulated : simulation.workloads()) {
    if (!simulated.diagnosis) continue;
    facts.add(*simulated.workload);
    facts.add_unevaluated(simulated.pod.unfiltered);
  }
  for (const std::string& fact : facts.lines()) console.err << fact << '\n';
}

/// Shows on which of the given nodes each pod can run, and why not on the others.
Exit simulate(const SimulateOptions& options, Console& console) {
  ProgressLine line(console, options.messages.quiet);
  auto& project = console.keep<LoadedProject>();
  const Opening opening = opening_of(options.input, options.messages);
  if (const auto failed = open_project(opening, {.ignore = {kOwnRule}}, project, console))
    return *failed;
  const Workspace& workspace = project.workspace;
  const auto steps = std::make_shared<sim::Steps>(options.max_steps);
  const Simulation simulation(
      workspace,
      {.extended_resource_toleration = options.extended_resource_toleration, .steps = steps});
  const std::string problem = problem_with(options, simulation);
  if (!problem.empty()) {
    // An unreadable file may contain the nodes or the workload.
    const bool is_unreadable = report_unreadable(workspace.unreadable(), console);
    return is_unreadable ? Exit::failure : fail(console, problem);
  }
  SimulateOptions meant = options;
  if (!options.node.empty()) meant.node = *node_meant(options.node, simulation);
  // Of the built-in rules.
  const std::vector<Diagnostic> findings =
      rules::run(project.workspace, project.selection).findings;
  SimulateRun run(meant, workspace, simulation, findings, console);
  run.show();
  if (options.messages.verbose) say_unknown_facts(simulation, console);
  const Reading reading =
      report_reading(project, options.messages, "simulate", run.summary(), console);
  if (steps->were_spent()) say_error(console, steps->text());
  return exit_of(reading.is_unreadable || steps->were_spent(), reading.is_broken || run.fails());
}

}  // namespace

void print_explanations(const sim::Simulation& simulation, const Workspace& workspace,
                        const std::vector<Diagnostic>& findings, Console& console) {
  const std::string problem = problem_with({}, simulation);
  if (!problem.empty()) return say_error(console, problem);
  SimulateOptions options;
  options.messages.color = ColorChoice::never;
  SimulateRun(options, workspace, simulation, findings, console).explain();
}

void declare_simulate(Command& command) {
  auto& options = command.runs(simulate);
  declare_input(command, options.input);
  declare_limits(command, options.input.facts.limits);
  declare_steps(command, options.max_steps);
  ArgumentGroup question = command.group("Question");
  question.option("--explain", "WORKLOAD", options.explain,
                  "explain one workload: NAME, KIND/NAME or KIND/NAME/COMPONENT");
  question.option("--node", "NODE", options.node,
                  "list the workloads that may run on this node or pool; the start of its name is "
                  "enough if no other begins with it");
  question.flag(
      "--replicas", options.replicas,
      "place all replicas of all workloads together, in order, and report when the nodes are full");
  question.one_of("--extended-resource-toleration", "SWITCH", options.extended_resource_toleration,
                  {{"on", true}, {"off", false}},
                  "whether the admission plugin ExtendedResourceToleration is enabled: {0} "
                  "(default: from facts and configuration)");
  ArgumentGroup output = command.group("Output");
  output.one_of("--format", "NAME", options.format,
                {{"pretty", SimulationFormat::pretty},
                 {"json", SimulationFormat::json},
                 {"html", SimulationFormat::html}});
  output.flag("--each-node", options.each_node,
              "show each node by itself, instead of one group for nodes with equal verdict and "
              "reasons");
  declare_messages(command, options.messages);
  declare_verbose(
      command, options.messages,
      "show how each file and document was handled, and which facts would settle what is unknown");
}

}  // namespace cnsched::cli
