#include "cli/commands/commands.h"

#include <fmt/format.h>

#include <map>

#include "cli/commands/reading.h"
#include "cli/output/pods.h"
#include "cli/output/unknown_facts.h"
#include "cli/progress.h"
#include "core/base/text.h"
#include "core/k8s/workloads.h"
#include "core/workspace/admission.h"
#include "core/workspace/pod_metadata.h"

namespace cnsched::cli {

namespace {

enum class RenderFormat : std::uint8_t { yaml, json };

/// How pods are printed.
struct PodPrinting {
  RenderFormat format = RenderFormat::yaml;
  bool with_origin = false;
  bool admitted = false;
};

struct RenderOptions {
  MessageOptions messages;
  InputOptions input;
  PodPrinting printing;
};

/// The maximum number of values of all pods. Many pods with a base that aliases make huge would
/// otherwise take hours.
constexpr std::size_t kMaxValues = 10'000'000;

/// The pods of the linted files; a fragment is not a pod.
std::vector<const Workload*> pods_to_show(const Workspace& workspace) {
  std::vector<const Workload*> pods;
  for (const Workload* workload : all_workloads(workspace)) {
    if (!workload->fragment && workload->scope->is_linted(*workload->object)) {
      pods.push_back(workload);
    }
  }
  return pods;
}

/// Writes each pod as a whole or not at all.
class Renderer {
 public:
  Renderer(const Workspace& workspace, const PodPrinting& printing, Console& console)
      : workspace_(workspace),
        json_(printing.format == RenderFormat::json),
        printing_(printing),
        console_(console) {}

  /// False if any pod is not shown.
  bool show(const std::vector<const Workload*>& pods) {
    const std::vector<std::string> names = pod_names(pods, workspace_);
    if (json_) console_.out << "{\n  \"schemaVersion\": 1,\n  \"pods\": [";
    for (std::size_t i = 0; i < pods.size() && values_left_ > 0; ++i) show_one(*pods[i], names[i]);
    if (json_) console_.out << (shown_ > 0 ? "\n  ]\n}\n" : "]\n}\n");
    if (values_left_ == 0) {
      say_error(console_,
                fmt::format("all pods together have more than {} values: the rest is not shown "
                            "(render fewer files at a time)",
                            kMaxValues));
    }
    return complete_ && values_left_ > 0;
  }

  std::size_t shown() const { return shown_; }

 private:
  void show_one(const Workload& workload, const std::string& name) {
    if (workload.never_created) return show_none(workload);
    Arena arena;
    if (printing_.admitted) {
      const Workload admitted = admitted_workload(workload, admission_of(workload), arena);
      return admitted.never_created ? show_none(admitted) : show_pod(admitted, name, arena);
    }
    show_pod(workload, name, arena);
  }

  /// That of the pod's cluster; each is found out once.
  const Admission& admission_of(const Workload& workload) {
    const facts::ClusterFacts& facts = workload.scope->facts(*workload.object);
    const auto known = admissions_.find(&facts);
    if (known != admissions_.end()) return known->second;
    return admissions_.emplace(&facts, admission_for(workload)).first->second;
  }

  void show_pod(const Workload& workload, const std::string& name, Arena& arena) {
    const auto object = k8s::pod_object(
        arena, workload, *workload.object,
        {.name = name,
         .placeholder_images = !json_ && (workload.is_incomplete() ||
                                          workload.has_unknown(k8s::Unknown::Kind::chosen) ||
                                          workload.has_unknown(k8s::Unknown::Kind::image)),
         .configured_images = !json_},
        values_left_);
    if (!object) return fail(workload, object.error());
    const ShownPod pod{workload, *object};
    if (json_) {
      constexpr std::size_t kIndent = 4;
      console_.out << (shown_ > 0 ? ",\n    " : "\n    ")
                   << json_element(arena, pod, workspace_, kIndent);
    } else {
      console_.out << yaml_document(pod, workspace_, printing_.with_origin);
    }
    ++shown_;
  }

  void show_none(const Workload& workload) {
    if (!json_) console_.out << yaml_document({workload}, workspace_, false);
  }

  void fail(const Workload& workload, const Error& error) {
    say_error(console_, fmt::format("the pod of {} {}, so it is not shown",
                                    described(workload, workspace_), error.message));
    complete_ = false;
  }

  const Workspace& workspace_;
  bool json_;
  PodPrinting printing_;
  Console& console_;
  std::map<const facts::ClusterFacts*, Admission> admissions_;
  std::size_t values_left_ = kMaxValues;
  std::size_t shown_ = 0;
  bool complete_ = true;
};

/// The effective pod of every workload, as the controllers would create it.
Exit render(const RenderOptions& options, Console& console) {
  ProgressLine line(console, options.messages.quiet);
  auto& project = console.keep<LoadedProject>();
  const Opening opening = opening_of(options.input, options.messages);
  if (const auto failed = open_project(opening, {}, project, console)) return *failed;
  const Workspace& workspace = project.workspace;

  const std::vector<const Workload*> pods = pods_to_show(workspace);
  Renderer renderer(workspace, options.printing, console);
  const bool is_complete = renderer.show(pods);
  console.out.flush();
  if (options.messages.verbose) {
    UnknownFacts facts;
    for (const Workload* pod : pods) facts.add(*pod);
    for (const std::string& fact : facts.lines()) console.err << fact << '\n';
  }
  const std::string summary = fmt::format("rendered {}", count_of(renderer.shown(), "pod"));
  const Reading reading = report_reading(project, options.messages, "render", summary, console);
  return exit_of(reading.is_unreadable || !is_complete, reading.is_broken);
}

}  // namespace

void print_pods(const std::vector<const Workload*>& pods, const Workspace& workspace,
                Console& console) {
  Renderer(workspace, {.with_origin = true}, console).show(pods);
}

void declare_render(Command& command) {
  auto& options = command.runs(render);
  PodPrinting& printing = options.printing;
  declare_input(command, options.input);
  declare_limits(command, options.input.facts.limits);
  ArgumentGroup output = command.group("Output");
  output.one_of("--format", "NAME", printing.format,
                {{"yaml", RenderFormat::yaml}, {"json", RenderFormat::json}});
  output.flag(
      "--with-origin", printing.with_origin,
      "add a comment to each value that affects scheduling: the file and line that set it, or "
      "'from' and the line that caused the controller to set it (JSON has the origin of "
      "every value)");
  output.flag("--admitted", printing.admitted,
              "print the pod after admission, as far as that is known: with what its RuntimeClass, "
              "admission plugins and Knative add");
  declare_messages(command, options.messages);
  declare_verbose(
      command, options.messages,
      "show how each file and document was handled, and which facts would settle what is unknown");
}

}  // namespace cnsched::cli
