#include "cli/lsp/requests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "cli/commands/commands.h"
#include "cli/lsp/session.h"
#include "core/base/text.h"
#include "core/sim/simulation.h"
#include "core/source/span.h"

namespace cnsched::cli::lsp {

namespace {

using PodList = std::vector<const Workload*>;

/// The object around the cursor, or the only one of a document whose blank lines or comments it is
/// in.
const k8s::Object* object_at(const Cursor& cursor, const Session& session) {
  if (cursor.object != nullptr) return cursor.object;
  const Span document = cursor.document->document.span;
  auto objects = objects_of(document.file, session);
  std::erase_if(objects, [&](const k8s::Object* object) {
    const Span root = object->root->span;
    return root.begin < document.begin || root.end > document.end;
  });
  return objects.size() == 1 ? objects.front() : nullptr;
}

/// Those of the innermost component around the cursor, or else all.
PodList pods_at(const Cursor& cursor, const PodList& all) {
  PodList inside;
  std::uint32_t smallest = UINT32_MAX;
  for (const Workload* pod : all) {
    const Span place = span_of_component(*pod);
    const bool is_there =
        place.file == cursor.file->id() && touches(place, cursor.offset) && place.end > place.begin;
    const std::uint32_t size = place.end - place.begin;
    if (!is_there || size > smallest) continue;
    if (size < smallest) inside.clear();
    smallest = size;
    inside.push_back(pod);
  }
  return inside.empty() ? all : inside;
}

/// The object at the place and its pods, or why there are none.
std::variant<PodList, RpcError> pods_asked_for(const Json& arguments, const Session& session) {
  const Json none;
  const Json& argument = arguments.is_array() && !arguments.empty() ? arguments.front() : none;
  const auto path = path_of_uri(string_of(member(argument, "uri")));
  const auto place = place_in(member(argument, "position"));
  if (!path || !place) {
    return invalid_params(
        "'arguments' must be [{\"uri\": \"file:///...\", \"position\": {\"line\": 0, "
        "\"character\": 0}}]");
  }
  if (session.checker.project() == nullptr) {
    return invalid_params(
        fmt::format("nothing was checked: {}",
                    printable(fmt::format("{}", fmt::join(session.checker.problems(), "; ")))));
  }
  if (session.checker.find(*path) == nullptr) {
    return invalid_params(
        fmt::format("'{}' is not a checked file of the workspace", printable(*path)));
  }
  const auto cursor = cursor_at(*path, *place, session);
  if (cursor && cursor->document->status == DocumentStatus::broken) {
    return invalid_params("the document is not valid YAML: correct its syntax first");
  }
  const k8s::Object* object = cursor ? object_at(*cursor, session) : nullptr;
  if (object == nullptr) {
    return invalid_params(
        "no checked object is at the position: put the cursor into a workload or model server");
  }
  PodList all;
  bool is_part = false;
  for (const ClusterScope* scope : scopes_of(*object, session)) {
    for (const Workload* pod : scope->workloads_of(*object)) {
      is_part = is_part || pod->fragment;
      if (!pod->fragment) all.push_back(pod);
    }
  }
  if (!all.empty()) return pods_at(*cursor, all);
  return invalid_params(fmt::format("{} '{}' creates no pods{}", printable(object->kind),
                                    printable(object->name),
                                    is_part ? ": it is a part of the pods of other objects" : ""));
}

/// Collects what a command of the command line prints.
struct CommandOutput {
  std::ostringstream out{};
  std::ostringstream err{};
  Console console{.out = out, .err = err};

  Json take() const { return out.str() + err.str(); }
};

Reply effective_pod(const PodList& pods, const Session& session) {
  CommandOutput output;
  print_pods(pods, session.checker.workspace(), output.console);
  return output.take();
}

Reply simulation_of(const PodList& pods, const Session& session) {
  const Workspace& workspace = session.checker.workspace();
  const sim::Simulation simulation(workspace, {.is_simulated = [&](const Workload& workload) {
                                     return is_one_of(&workload, pods);
                                   }});
  if (simulation.workloads().empty()) {
    return invalid_params(
        "the pod is not simulated: the object is a patch, or a Pod that runs already");
  }
  CommandOutput output;
  print_explanations(simulation, workspace, session.checker.findings(), output.console);
  return output.take();
}

struct CommandRow {
  std::string_view name;
  Reply (*run)(const PodList&, const Session&);
};
constexpr std::array kCommands = {CommandRow{"cnsched.effectivePod", effective_pod},
                                  CommandRow{"cnsched.simulate", simulation_of}};

}  // namespace

Json command_names() {
  Json names = Json::array();
  for (const CommandRow& row : kCommands) names.push_back(row.name);
  return names;
}

Reply execute_command(const Json& params, const Session& session) {
  const std::string name = string_of(member(params, "command"));
  const auto* command = std::ranges::find(kCommands, name, &CommandRow::name);
  if (command == kCommands.end()) {
    std::vector<std::string> names;
    for (const CommandRow& row : kCommands) names.emplace_back(row.name);
    return invalid_params(
        fmt::format("unknown command '{}': use {}", printable(name), join_words(names, "or")));
  }
  const auto pods = pods_asked_for(member(params, "arguments"), session);
  if (const auto* error = std::get_if<RpcError>(&pods)) return *error;
  return command->run(std::get<PodList>(pods), session);
}

}  // namespace cnsched::cli::lsp
