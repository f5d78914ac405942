#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "cli/build_info.h"
#include "cli/commands/commands.h"
#include "cli/commands/project.h"
#include "cli/output/safe_text.h"
#include "core/base/text.h"
#include "core/k8s/scope.h"
#include "core/snapshot/kubectl.h"
#include "core/source/read_file.h"
#include "core/source/save.h"
#include "core/source/trusted_program.h"

namespace cnsched::cli {

namespace {

using snapshot::Cause;
using snapshot::Fetch;
using snapshot::Snapshot;

struct SnapshotOptions {
  MessageOptions messages;
  FactOptions facts;
  bool list = false;
  std::string file;  ///< to write; empty: only the commands are printed
  bool force = false;
  std::string kubectl;
  std::string context;
  std::size_t timeout = 60;  ///< seconds
};

/// The file in the script.
constexpr std::string_view kPrintedFile = "cluster.yaml";

/// Any file in the working directory: what is there must not name kubectl.
const std::vector<std::string>& checked_files() {
  static const std::vector<std::string> kFiles = {"./x"};
  return kFiles;
}

std::vector<std::string> whole_environment() {
  std::vector<std::string> all;
  for (char** variable = ::environ; variable != nullptr && *variable != nullptr; ++variable) {
    all.emplace_back(*variable);
  }
  return all;
}

/// Which keys of `cluster:` the configuration of the working directory states.
std::function<bool(std::string_view)> stated_keys(const LoadedProject& project) {
  return [config = project.configs.find("./.")](std::string_view key) {
    return config != nullptr && bool((*config->root)["cluster"].under(key));
  };
}

/// "the configuration states cluster.knative: deployments.apps/controller is not read"
void report_stated(const std::function<bool(std::string_view)>& is_stated, Console& console) {
  std::map<std::string_view, std::vector<std::string>> stated;
  if (is_stated(snapshot::kVersionKey)) stated[snapshot::kVersionKey] = {Fetch().what()};
  for (const snapshot::Resource& resource : snapshot::resources()) {
    if (resource.key.empty() || !is_stated(resource.key)) continue;
    stated[resource.key].push_back(resource.full_name());
  }
  for (const auto& [key, names] : stated) {
    console.err << fmt::format("the configuration states cluster.{}: {} {} not read\n", key,
                               join_words(names), names.size() == 1 ? "is" : "are");
  }
}

std::vector<std::string> unread_names(const Snapshot& read, Cause cause) {
  std::vector<std::string> names;
  for (const snapshot::Unread& each : read.unread) {
    if (each.cause == cause) names.push_back(each.what);
  }
  return names;
}

/// Without dates and messages: the same cluster gives the same bytes, and messages name users.
std::string header_of(const Snapshot& read, const SnapshotOptions& options) {
  std::string text(k8s::kSnapshotLine);
  text += fmt::format("# Version of cnsched: {}\n", kBuildInfo.version);
  if (!options.context.empty()) text += fmt::format("# Context: {}\n", options.context);
  const auto add = [&](std::string_view title, Cause cause) {
    const std::vector<std::string> names = unread_names(read, cause);
    if (names.empty()) return;
    text += fmt::format("# {}:\n", title);
    for (const std::string& name : names) text += fmt::format("#   {}\n", name);
  };
  add("Not in the cluster", Cause::missing);
  add(fmt::format("{} the user may not", k8s::kNotRead), Cause::forbidden);
  add(fmt::format("{} kubectl failed", k8s::kNotRead), Cause::failed);
  return text;
}

void report_unread(const Snapshot& read, bool quiet, Console& console) {
  for (const snapshot::Unread& each : read.unread) {
    if (each.cause == Cause::missing) continue;
    console.err << fmt::format("not read: {}: {}\n", each.what, each.reason);
  }
  const std::vector<std::string> missing = unread_names(read, Cause::missing);
  if (!quiet && !missing.empty()) {
    console.err << fmt::format("not in the cluster: {}\n", join_words(missing));
  }
}

/// Whether the file may be replaced: there is none, or it is a snapshot.
bool may_replace(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return true;
  const auto bytes = read_named_file(file, kMaxFileSize);
  return bytes && bytes->starts_with(k8s::kSnapshotLine);
}

Exit write_snapshot(const SnapshotOptions& options, const Snapshot& read, Console& console) {
  const std::string text = header_of(read, options) + read.documents;
  report_unread(read, options.messages.quiet, console);
  if (options.file == "-") {
    write_verbatim(text, console);
    return Exit::clean;
  }
  const auto saved = save(options.file, text, {.overwrite = true});
  if (!saved) return fail(console, saved.error().message, Exit::failure);
  if (!options.messages.quiet) {
    console.err << fmt::format("{} {} ({})\n", *saved == Saved::unchanged ? "unchanged:" : "wrote",
                               printable(options.file), count_of(read.objects, "object"));
  }
  return Exit::clean;
}

Exit read_and_write(const SnapshotOptions& options, const std::vector<Fetch>& fetches,
                    Console& console) {
  if (options.file != "-" && !options.force && !may_replace(options.file)) {
    return fail(console,
                fmt::format("'{}' exists and is no snapshot: --force overwrites it",
                            printable(options.file)),
                Exit::failure);
  }
  std::error_code error;
  const std::string program =
      options.kubectl.empty()
          ? find_program("kubectl", environment_variable("PATH"), checked_files())
          : std::filesystem::absolute(options.kubectl, error).string();
  if (program.empty()) {
    return fail(console,
                "there is no 'kubectl' on PATH outside of the working directory's repository "
                "(--kubectl names it)",
                Exit::failure);
  }
  const auto read = snapshot::read_cluster(
      fetches, {.program = program,
                .environment = snapshot::kubectl_environment(whole_environment(), checked_files()),
                .timeout = std::chrono::seconds(options.timeout)});
  if (!read) return fail(console, read.error().message, Exit::failure);
  return write_snapshot(options, *read, console);
}

/// The table of resources in Markdown.
void list_resources(Console& console) {
  console.out << "| Resource | What cnsched reads | Fields |\n|---|---|---|\n";
  for (const snapshot::Resource& resource : snapshot::resources()) {
    std::vector<std::string> fields;
    for (const std::string_view field : split(resource.fields, ' ')) {
      fields.push_back(fmt::format("`{}`", field));
    }
    console.out << fmt::format("| `{}` | {} | {} |\n", resource.full_name(), resource.why,
                               fmt::join(fields, ", "));
  }
}

Exit take_snapshot(const SnapshotOptions& options, Console& console) {
  if (options.list) {
    list_resources(console);
    return Exit::clean;
  }
  LoadedProject project;
  if (const auto failed = open_configs(options.facts, {"./."}, project, console)) return *failed;
  const auto is_stated = stated_keys(project);
  if (!options.messages.quiet) report_stated(is_stated, console);
  const std::vector<Fetch> fetches = snapshot::fetches(is_stated, options.context);
  if (!options.file.empty()) return read_and_write(options, fetches, console);
  write_verbatim(snapshot::shell_script(fetches, kPrintedFile), console);
  return Exit::clean;
}

}  // namespace

void declare_snapshot(Command& command) {
  auto& options = command.runs(take_snapshot);
  ArgumentGroup input = command.group("Input");
  input.option("-c,--config", "FILE", options.facts.config,
               "configuration that decides what is read, instead of the nearest .cnsched.yaml "
               "above the working directory");
  input.flag("--no-config", options.facts.no_config, "read no configuration");
  input.option("--context", "CONTEXT", options.context, "the context of kubectl's configuration")
      .store = [&options](const std::string& name) {
    options.context = name;
    return printable(name) == name ? std::string() : "has control characters";
  };
  ArgumentGroup output = command.group("Output");
  output.option("--write", "FILE", options.file,
                "run kubectl, and write what cnsched reads into this file (- for standard output)");
  output.flag("--force", options.force, "overwrite a file that is no snapshot").needs = "--write";
  output
      .flag("--list", options.list,
            "list what is read, why, and which fields are kept, as a table in Markdown")
      .excludes = "--write";
  ArgumentGroup program = command.group("kubectl");
  program.option("--kubectl", "FILE", options.kubectl, "the program kubectl (default: on PATH)")
      .needs = "--write";
  constexpr std::size_t kMaxSeconds = 86'400;
  program
      .number("--timeout", "SECONDS", options.timeout, 1, kMaxSeconds,
              "end a command of kubectl that takes longer (default: 60)")
      .needs = "--write";
  declare_messages(command, options.messages);
}

}  // namespace cnsched::cli
