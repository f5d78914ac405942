#include "cli/commands/complete.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <sstream>

#include "cli/app.h"
#include "cli/commands/commands.h"
#include "cli/commands/project.h"
#include "cli/commands/templates.h"
#include "cli/output/output.h"
#include "cli/output/template_pages.h"
#include "core/base/embedded_file.h"
#include "core/base/text.h"
#include "core/source/read_file.h"
#include "core/workspace/load_options.h"
#include "rules/config/config.h"
#include "rules/page.h"
#include "rules/registry.h"
#include "templates/pin.h"

namespace cnsched::cli {

namespace {

/// Completion has to be quick: larger manifests are not read.
constexpr std::size_t kMaxBytes = std::size_t{4} << 20U;
constexpr std::size_t kMaxCandidates = 1000;
constexpr const char* kHere = ".";

/// The words before the current one.
struct Line {
  const Command* command = nullptr;
  std::map<const Argument*, std::vector<std::string>> values{};
  std::vector<std::string> positionals{};
  const Argument* awaited = nullptr;  ///< the flag whose value is the next word
  bool only_positionals = false;      ///< after "--"

  std::vector<std::string> values_of(std::string_view flag) const {
    const Argument* argument = command->find_flag(flag);
    const auto found = values.find(argument);
    return found == values.end() ? std::vector<std::string>() : found->second;
  }

  bool is_given(std::string_view flag) const { return values.contains(command->find_flag(flag)); }

  /// The positional argument at the current word; null if the command takes no more.
  const Argument* next_positional() const {
    const std::vector<Argument>& all = command->positionals;
    if (positionals.size() < all.size()) return &all[positionals.size()];
    return !all.empty() && all.back().repeatable ? &all.back() : nullptr;
  }
};

const Command* find_subcommand(const Command& command, std::string_view word) {
  const auto found = std::ranges::find(command.commands, word,
                                       [](const Command& each) { return last_word(each.name); });
  return found == command.commands.end() ? nullptr : &*found;
}

/// A flag with its value in the same word: "--format=json" or "-cFILE".
struct Attached {
  const Argument* flag = nullptr;  ///< null: there is none
  std::string prefix{};            ///< the word before the value
};

Attached attached_value(const Command& command, std::string_view word) {
  const bool is_long = word.starts_with("--");
  if (word.size() < 3 || !word.starts_with('-')) return {};
  const std::size_t name = is_long ? word.find('=') : 2;
  if (name == std::string_view::npos) return {};
  const Argument* flag = command.find_flag(word.substr(0, name));
  if (flag == nullptr || flag->takes == Takes::nothing) return {};
  return {flag, std::string(word.substr(0, is_long ? name + 1 : name))};
}

void read_word(const std::string& word, Line& line) {
  if (line.awaited != nullptr) {
    line.values[line.awaited].push_back(word);
    line.awaited = nullptr;
  } else if (line.only_positionals || word.size() < 2 || word.front() != '-') {
    const Command* sub = line.positionals.empty() ? find_subcommand(*line.command, word) : nullptr;
    if (sub == nullptr) {
      line.positionals.push_back(word);
    } else {
      line.command = sub;
    }
  } else if (word == "--") {
    line.only_positionals = true;
  } else if (const Attached attached = attached_value(*line.command, word); attached.flag) {
    line.values[attached.flag].push_back(word.substr(attached.prefix.size()));
  } else if (const Argument* flag = line.command->find_flag(word)) {
    if (flag->takes == Takes::nothing)
      line.values[flag];
    else
      line.awaited = flag;
  }
}

/// Completes one word of a line.
class Completer {
 public:
  explicit Completer(const Line& line) : line_(line) {}

  Completion complete(const std::string& word) && {
    const Attached attached = attached_value(*line_.command, word);
    if (line_.awaited != nullptr) {
      add_values(*line_.awaited, "", word);
    } else if (!line_.only_positionals && attached.flag != nullptr) {
      add_values(*attached.flag, attached.prefix, word.substr(attached.prefix.size()));
    } else if (!line_.only_positionals && word.starts_with('-')) {
      add_flags(word);
    } else {
      if (line_.positionals.empty()) add_subcommands(word);
      if (const Argument* positional = line_.next_positional()) add_values(*positional, "", word);
    }
    return std::move(completion_);
  }

 private:
  /// Adds `prefix` + `candidate` if that begins with what is written.
  void add(std::string_view candidate, std::string_view text, std::string_view written) {
    if (!candidate.starts_with(written) || known_.size() >= kMaxCandidates) return;
    std::string word = prefix_ + std::string(candidate);
    if (!known_.insert(word).second) return;
    completion_.candidates.push_back({std::move(word), std::string(text)});
  }

  void add_flags(std::string_view word) {
    for (const Argument& flag : line_.command->flags) {
      if (!flag.repeatable && line_.values.contains(&flag)) continue;
      for (const std::string& name : flag.names) add(name, flag.text, word);
    }
  }

  void add_subcommands(std::string_view word) {
    for (const Command& sub : line_.command->commands) {
      add(last_word(sub.name), summary_of(sub), word);
    }
  }

  /// Adds the values of an argument that begin with `written`, each after `prefix`.
  void add_values(const Argument& argument, const std::string& prefix, const std::string& written) {
    prefix_ = prefix;
    switch (argument.takes) {
      case Takes::nothing:
      case Takes::text:
        return;
      case Takes::choice:
        for (const std::string& choice : argument.choices) add(choice, "", written);
        return;
      case Takes::file:
        return add_paths(Completion::Paths::files);
      case Takes::directory:
        return add_paths(Completion::Paths::directories);
      case Takes::rule:
        return add_rules("", written, false);
      case Takes::rules:
        return add_rule_list(written);
      case Takes::level:
        return add_levels(written);
      case Takes::report:
        return add_reports(written);
      case Takes::template_name:
        return add_templates(written);
      case Takes::parameter:
        return add_parameters(written);
      case Takes::workload:
        return add_workloads(written);
      case Takes::node:
        return add_nodes(written);
      case Takes::component:
        return add_components(written);
      case Takes::container:
        return add_containers(written);
    }
  }

  void add_paths(Completion::Paths paths) {
    completion_.paths = paths;
    completion_.prefix = prefix_;
  }

  /// Moves the first `length` bytes of `written` to the prefix.
  void move_to_prefix(std::string& written, std::size_t length) {
    prefix_ += written.substr(0, length);
    written.erase(0, length);
  }

  void add_rules(std::string_view suffix, std::string_view written, bool groups_too) {
    LoadedProject project;
    open(project);
    for (const rules::Listed& each : project.rules().all()) {
      add(std::string(each.rule->id) + std::string(suffix), page_of(*each.rule).summary, written);
    }
    if (!groups_too) return;
    if (!project.rules().policies().empty()) {
      add(std::string(rules::kPolicyGroup) + std::string(suffix), "every policy", written);
    }
    for (const std::string_view group : rules::all_groups()) {
      add(std::string(group) + std::string(suffix), "a group of rules", written);
    }
    add(std::string(rules::kAllRules) + std::string(suffix), "every rule", written);
  }

  void add_rule_list(std::string written) {
    move_to_prefix(written, written.rfind(',') + 1);  // npos + 1 is 0
    add_rules("", written, true);
  }

  void add_levels(std::string written) {
    const std::size_t equals = written.find('=');
    if (equals == std::string::npos) return add_rules("=", written, true);
    move_to_prefix(written, equals + 1);
    for (const std::string_view level : rules::level_names()) add(level, "", written);
  }

  void add_reports(std::string written) {
    const std::size_t equals = written.find('=');
    if (equals == std::string::npos) {
      for (const std::string& name : format_names()) add(name + "=", "", written);
      return;
    }
    move_to_prefix(written, equals + 1);
    add_paths(Completion::Paths::files);
  }

  /// Reads the configuration of the working directory; false if it is invalid.
  bool open(LoadedProject& project) const {
    std::ostringstream ignored;
    Console console{ignored, ignored};
    const std::vector<std::string> config = line_.values_of("--config");
    const FactOptions facts{.config = config.empty() ? "" : config.back(),
                            .no_config = line_.is_given("--no-config")};
    return !open_configs(facts, {kHere}, project, console);
  }

  std::optional<templates::Library> library() const {
    std::ostringstream ignored;
    Console console{ignored, ignored};
    LoadedProject project;
    if (!open(project)) return std::nullopt;
    return open_library(line_.values_of("--template-dir"), project.configs.find(kHere), console);
  }

  void add_templates(std::string_view written) {
    const auto templates = library();
    if (!templates) return;
    for (const templates::Listed& listed : templates->all()) {
      if (!listed.is_shadowed) add(listed.model->name(), listed.model->summary(), written);
    }
  }

  void add_parameters(std::string written) {
    if (line_.command->name == "generate pin") {
      Arena arena;
      return add_parameters_of(templates::pin_parameters(1, arena), std::move(written));
    }
    const auto templates = library();
    if (!templates || line_.positionals.empty()) return;
    const templates::Template* model = templates->find(line_.positionals.front());
    if (model != nullptr) add_parameters_of(model->parameters(), std::move(written));
  }

  void add_parameters_of(const std::vector<templates::Parameter>& parameters, std::string written) {
    const std::size_t equals = written.find('=');
    if (equals == std::string::npos) {
      for (const auto& parameter : parameters) {
        add(parameter.name + "=", parameter.description, written);
      }
      return;
    }
    const std::string name = written.substr(0, equals);
    const auto parameter = std::ranges::find(parameters, name, &templates::Parameter::name);
    if (parameter == parameters.end()) return;
    move_to_prefix(written, equals + 1);
    if (parameter->type == templates::Type::boolean) {
      for (const char* word : {"true", "false"}) add(word, "", written);
    }
    const bool is_accelerator = parameter->type == templates::Type::accelerator;
    for (const std::string& value : values_of(*parameter)) {
      if (!is_accelerator || is_plain_name(value)) add(value, "", written);
    }
  }

  /// The manifests that the line names. Standard input, devices and large files are left out.
  void load_manifests(Workspace& workspace, const std::vector<std::string>& cluster_files) const {
    std::vector<MemoryFile> files;
    std::size_t room = kMaxBytes;
    const auto read = [&](const std::string& path, bool is_linted) {
      std::error_code error;
      const bool is_file = std::filesystem::is_regular_file(path, error);
      const std::uintmax_t size = is_file ? std::filesystem::file_size(path, error) : 0;
      if (!is_file || error || size > room) return;
      Result<std::string> bytes = read_named_file(path, room);
      if (!bytes) return;
      room -= std::min(room, bytes->size());
      files.push_back({path, *std::move(bytes), is_linted});
    };
    for (const std::string& path : line_.positionals) read(path, true);
    for (const std::string& path : cluster_files) read(path, false);
    workspace.load({.memory_files = std::move(files), .jobs = 1});
  }

  /// Names, and also KIND/NAME once something is typed.
  void add_workloads(std::string_view written) {
    Workspace workspace;
    load_manifests(workspace, {});
    for (const Workload* workload : all_workloads(workspace)) {
      const k8s::Object& object = *workload->object;
      if (workload->fragment) continue;
      add(object.name, object.kind, written);
      if (written.empty()) continue;
      const std::string full = fmt::format("{}/{}", object.kind, object.name);
      add(full, "", written);
      if (!workload->component.empty()) add(full + "/" + workload->component, "", written);
    }
  }

  void add_nodes(std::string_view written) {
    Workspace workspace;
    load_manifests(workspace, line_.values_of("--cluster"));
    for (const k8s::Object& object : workspace.objects()) {
      for (const facts::NodePool& pool : facts::node_pools_in(object))
        add(pool.name, object.kind, written);
    }
  }

  void add_components(std::string_view written) {
    Workspace workspace;
    load_manifests(workspace, {});
    for (const Workload* workload : all_workloads(workspace)) {
      if (workload->component.empty()) continue;
      const std::string& component = workload->component;
      const k8s::Object& object = *workload->object;
      add(component, "", written);
      if (!written.empty()) add(fmt::format("{}/{}", object.name, component), object.kind, written);
    }
  }

  void add_containers(std::string_view written) {
    Workspace workspace;
    load_manifests(workspace, {});
    for (const Workload* workload : all_workloads(workspace)) {
      for (const k8s::Container& container : workload->pod.containers()) {
        if (!container.name().empty()) add(container.name(), workload->object->name, written);
      }
    }
  }

  const Line& line_;
  Completion completion_{};
  std::string prefix_{};  ///< of the word, before the value
  std::set<std::string> known_{};
};

/// Whether the word can be printed. Names in manifests may contain any text: one that is not a
/// printable word, or looks like a directive, is left out.
bool is_candidate(const std::string& word) {
  return !word.empty() && !word.starts_with(':') && printable(word) == word;
}

}  // namespace

Completion complete(const Command& program, std::span<const std::string> words, std::size_t index) {
  if (index == 0 || index >= words.size()) return {};
  Line line{.command = &program};
  for (const std::string& word : words.subspan(1, index - 1)) read_word(word, line);
  return Completer(line).complete(words[index]);
}

Exit print_completion(const Command& program, std::span<const std::string> arguments,
                      Console& console) {
  if (arguments.empty()) return Exit::clean;
  const auto index = whole_number(arguments.front());
  if (!index) return Exit::clean;
  const Completion completion = complete(program, arguments.subspan(1), *index);
  const bool is_prefix = printable(completion.prefix) == completion.prefix;
  if (completion.paths != Completion::Paths::none && is_prefix) {
    const bool files = completion.paths == Completion::Paths::files;
    console.out << (files ? ":files " : ":directories ") << completion.prefix << '\n';
  }
  for (const Candidate& candidate : completion.candidates) {
    if (!is_candidate(candidate.word)) continue;
    console.out << candidate.word;
    if (!candidate.text.empty()) console.out << '\t' << printable(candidate.text);
    console.out << '\n';
  }
  return Exit::clean;
}

}  // namespace cnsched::cli

namespace cnsched::embedded {
std::span<const EmbeddedFile> completions();  // completions/*
}

namespace cnsched::cli {

namespace {

struct CompletionOptions {
  std::string_view script;
};

/// Prints the script by which a shell completes: it runs `cnsched __complete` (complete.h) and
/// offers what that prints.
Exit completion(const CompletionOptions& options, Console& console) {
  const auto scripts = embedded::completions();
  console.out << std::ranges::find(scripts, options.script, &EmbeddedFile::path)->text;
  return Exit::clean;
}

}  // namespace

void declare_completion(Command& command) {
  auto& options = command.runs(completion);
  Argument& argument = command.positional("SHELL", "");
  // The scripts have the names that the shells' packages expect.
  restrict_to(argument, options.script,
              {{"bash", "completions/cnsched.bash"},
               {"zsh", "completions/_cnsched"},
               {"fish", "completions/cnsched.fish"}});
  argument.text = join_words(argument.choices, "or");
  argument.required = true;
}

}  // namespace cnsched::cli
