#include "cli/commands/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "cli/output/output.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/quantity.h"
#include "core/source/real_path.h"

namespace cnsched::cli {

namespace {

constexpr const char* kTalk = "Talk";  // a group of flags

std::string_view word_for(Fate fate) {
  switch (fate) {
    case Fate::checked:
      return "checked";
    case Fate::out_of_scope:
      return "out of scope";
    case Fate::templated:
      return "a Helm template, skipped";
    case Fate::broken:
      break;
  }
  return "no YAML";
}

}  // namespace

ColorChoice color_choice(const TalkOptions& options) {
  if (options.color == "always") return ColorChoice::always;
  return options.color == "never" ? ColorChoice::never : ColorChoice::automatic;
}

void declare_talk(CLI::App& command, TalkOptions& options) {
  one_of(command.add_option("--color", options.color, "auto, always or never (default: auto)"),
         {"auto", "always", "never"})
      ->type_name("WHEN")
      ->group(kTalk);
  command.add_flag("-q,--quiet", options.quiet, "nothing on stderr but errors")->group(kTalk);
}

void declare_verbose(CLI::App& command, TalkOptions& options, const char* what) {
  command.add_flag("-v,--verbose", options.verbose, what)->group(kTalk);
}

CLI::Option* one_of(CLI::Option* option, std::vector<std::string> choices) {
  std::string described = fmt::format("{{{}}}", fmt::join(choices, ","));
  const auto problem = [choices = std::move(choices)](const std::string& word) -> std::string {
    if (std::ranges::find(choices, word) != choices.end()) return {};
    return fmt::format("there is no value '{}'{} ({})", printable(word),
                       did_you_mean(word, {choices.begin(), choices.end()}),
                       join_words(choices, "or"));
  };
  return option->check(problem, std::move(described));
}

CLI::Option* whole_number(CLI::Option* option, std::size_t most, std::size_t least) {
  const auto problem = [least, most](const std::string& word) -> std::string {
    std::size_t number = 0;
    const char* end = word.data() + word.size();
    const auto [stopped, error] = std::from_chars(word.data(), end, number);
    if (error == std::errc() && stopped == end && number >= least && number <= most) {
      return {};
    }
    return fmt::format("'{}' is no whole number from {} to {}", printable(word), least, most);
  };
  return option->check(problem, "");
}

CLI::Option* size_in_bytes(CLI::Option* option, std::size_t most) {
  const auto to_bytes = [most](std::string& word) -> std::string {
    const auto size = k8s::Quantity::parse(word);
    if (!size) return printable(size.error().message);
    const std::int64_t bytes = size->value();
    if (!size->is_integer() || bytes < 1 || static_cast<std::size_t>(bytes) > most) {
      return fmt::format("'{}' is no size from 1 byte to {}", printable(word), text_of_size(most));
    }
    word = std::to_string(bytes);
    return {};
  };
  return option->transform(CLI::Validator(to_bytes, ""));
}

CLI::Option* one_value_each(CLI::Option* option) {
  return option->expected(1)->allow_extra_args(false)->multi_option_policy(
      CLI::MultiOptionPolicy::TakeAll);
}

void declare_facts(CLI::App& command, FactOptions& options) {
  const char* group = "Input";
  one_value_each(command.add_option(
                     "--cluster", options.cluster,
                     "facts about the cluster: what 'kubectl get nodes,cm,clusterservingruntimes "
                     "-A -o yaml' prints; read, not linted; may be repeated"))
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("-c,--config", options.config,
                  "configuration for all files, instead of the nearest .cnsched.yaml above each")
      ->type_name("FILE")
      ->group(group);
  command.add_flag("--no-config", options.no_config, "read no configuration")->group(group);
}

void declare_input(CLI::App& command, InputOptions& options) {
  const char* group = "Input";
  command
      .add_option("PATH", options.paths,
                  "files, directories (.yaml, .yml and .json below them), or - for standard "
                  "input; the working directory by default")
      ->type_name(" ");
  declare_facts(command, options.facts);
  command
      .add_option("--stdin-filename", options.stdin_filename,
                  "name to show, and to look for a configuration, for standard input")
      ->type_name("NAME")
      ->group(group);
  one_value_each(command.add_option("--exclude", options.exclude,
                                    "leave out what matches, as in .gitignore; may be repeated"))
      ->type_name("GLOB")
      ->group(group);
  command
      .add_flag("--force-exclude", options.force_exclude,
                "--exclude, and the configuration's, also hold for files that are named (for "
                "pre-commit)")
      ->group(group);
  command.add_flag("--no-gitignore", options.no_gitignore, "also read what .gitignore leaves out")
      ->group(group);
  constexpr std::size_t kMostJobs = 1024;
  whole_number(command.add_option("-j,--jobs", options.jobs, "threads (default: one per core)"),
               kMostJobs)
      ->type_name("N")
      ->group(group);
}

void declare_limits(CLI::App& command, Limits& limits) {
  const char* group = "Limits";
  const auto with_default = [](const char* what, const std::string& value) {
    return fmt::format("{} (default: {})", what, value);
  };
  const Limits usual;
  size_in_bytes(command.add_option(kFileSizeFlag, limits.file_size,
                                   with_default("read no file that is larger", "16Mi")),
                kLargestFile)
      ->type_name("SIZE")
      ->group(group);
  constexpr std::size_t kMostDocuments = 1'000'000'000;
  whole_number(command.add_option(kDocumentsFlag, limits.documents,
                                  with_default("read no file that holds more documents",
                                               std::to_string(usual.documents))),
               kMostDocuments, 1)
      ->type_name("N")
      ->group(group);
  size_in_bytes(command.add_option(kLineLengthFlag, limits.line_length,
                                   with_default("read no file that has a longer line", "4Mi")),
                kLargestFile)
      ->type_name("SIZE")
      ->group(group);
}

Discovered discover_files(const InputOptions& options, Opened& opened) {
  const std::vector<std::string> here = {"."};
  DiscoverOptions wanted{.exclude = options.exclude,
                         .force_exclude = options.force_exclude,
                         .gitignore = !options.no_gitignore};
  if (!options.facts.config.empty()) opened.search.use_only(options.facts.config);
  if (!options.facts.no_config) {
    wanted.excluded = [&opened](const std::string& real, bool is_directory) {
      return opened.search.exclusion_of(real, is_directory);
    };
  }
  return discover(options.paths.empty() ? here : options.paths, wanted);
}

std::optional<Exit> open_configs(const FactOptions& options, const std::vector<std::string>& files,
                                 Opened& opened, Console& console) {
  if (options.no_config) return std::nullopt;
  if (!options.config.empty()) opened.search.use_only(options.config);
  auto configs = opened.search.finish(files);
  if (!configs) {
    say_error(console, configs.error().message);
    std::error_code error;
    if (!options.config.empty() && !std::filesystem::exists(options.config, error)) {
      console.err << "'cnsched config --init' writes a configuration to start from\n";
    }
    return Exit::usage;
  }
  opened.configs = *std::move(configs);
  return std::nullopt;
}

std::function<const ClusterConfig*(const std::string&)> config_of(const rules::Configs& configs) {
  return [&configs](const std::string& path) -> const ClusterConfig* {
    const rules::Config* config = configs.find(path);
    return config == nullptr ? nullptr : &config->cluster;
  };
}

std::vector<FactFile> config_files(const rules::Configs& configs,
                                   const std::vector<std::string>& linted,
                                   const FactOptions& options) {
  std::vector<FactFile> files = configs.cluster_files();
  if (files.empty()) return files;
  std::set<std::string> read;
  for (const auto& names : {linted, options.cluster}) {
    for (const std::string& name : names) read.insert(real_path(name));
  }
  std::erase_if(files, [&](const FactFile& file) { return read.contains(real_path(file.path)); });
  return files;
}

std::optional<Exit> open_workspace(const InputOptions& options, const Discovered& found,
                                   OutOfScope out_of_scope, bool quiet, Opened& opened,
                                   Console& console) {
  if (report_shared_stdin(found.files, options.facts, quiet, console)) return Exit::usage;
  const std::string stdin_name =
      options.stdin_filename.empty() ? "<stdin>" : options.stdin_filename;
  std::vector<std::string> files = found.files;
  std::ranges::replace(files, std::string("-"), stdin_name);
  if (const auto failed = open_configs(options.facts, files, opened, console)) return failed;
  opened.workspace.load({.files = found.files,
                         .cluster_files = options.facts.cluster,
                         .config_files = config_files(opened.configs, found.files, options.facts),
                         .unreadable = found.unreadable,
                         .stdin_name = stdin_name,
                         .limits = options.facts.limits,
                         .out_of_scope = out_of_scope,
                         .jobs = static_cast<std::size_t>(options.jobs),
                         .config_for = config_of(opened.configs)});
  return std::nullopt;
}

bool report_shared_stdin(std::vector<std::string> files, const FactOptions& facts, bool quiet,
                         Console& console) {
  files.insert(files.end(), facts.cluster.begin(), facts.cluster.end());
  const auto readers = std::ranges::count(files, std::string("-"));
  if (readers > 1) {
    say_error(console, "standard input ('-') can only be read once: name a file instead");
    return true;
  }
  if (readers == 1 && console.in_is_terminal && !quiet) {
    console.err << "reading standard input: Ctrl-D ends it\n";
  }
  return false;
}

bool report_unreadable(const std::vector<Unreadable>& unreadable, Console& console) {
  for (const Unreadable& entry : unreadable) {
    const std::string place = entry.path.empty() ? "''" : printable(place_of(entry));
    say_error(console, fmt::format("{}: {}", place, printable(entry.reason)));
  }
  return !unreadable.empty();
}

bool report_broken(const Workspace& workspace, Console& console) {
  bool any = false;
  for (const auto& loaded : workspace.documents()) {
    if (!loaded->linted || loaded->fate != Fate::broken) continue;
    for (const yaml::Problem& problem : loaded->document.problems) {
      const SourceFile& file = workspace.file_of(problem.where);
      const Position at = file.position(problem.where.begin);
      say_error(console, fmt::format("{}:{}:{}: {}", printable(file.path()), at.line, at.column,
                                     problem.message));
      any = true;
    }
  }
  return any;
}

void report_skipped(const Discovered& found, Console& console) {
  for (const Skipped& skipped : found.skipped) {
    console.err << fmt::format("{}: {}\n", printable(skipped.path), printable(skipped.reason));
  }
}

void report_fates(const Discovered& found, const Workspace& workspace, Console& console) {
  report_skipped(found, console);
  for (const auto& loaded : workspace.documents()) {
    const Span span = loaded->document.span;
    const SourceFile& file = workspace.file_of(span);
    console.err << fmt::format("{}:{}: {}{}\n", printable(file.path()), file.line_of(span.begin),
                               word_for(loaded->fate), loaded->linted ? "" : " (facts only)");
  }
}

void report_nothing(const Discovered& found, const Ledger& ledger, Console& console) {
  if (ledger.documents > 0 || ledger.unreadable > 0) return;
  if (ledger.files > 0) {
    console.err << "nothing to check: what was read is empty\n";
  } else {
    console.err << fmt::format("nothing to check: no .yaml, .yml or .json file was found{}\n",
                               found.skipped.empty() ? "" : " (-v tells what was left out)");
  }
}

void report_templates(const Ledger& ledger, std::string_view command, Console& console) {
  if (ledger.templates == 0) return;
  console.err << fmt::format(
      "{} skipped: {} what Helm renders, with 'helm template CHART | cnsched {} -'\n",
      count_of(ledger.templates, "Helm template"), command, command);
}

Reading report_reading(const Discovered& found, const Workspace& workspace, const TalkOptions& talk,
                       std::string_view command, const std::string& summary, Console& console) {
  if (talk.verbose) report_fates(found, workspace, console);
  Reading reading;
  reading.is_broken = report_broken(workspace, console);
  reading.is_unreadable = report_unreadable(workspace.unreadable(), console);
  if (!talk.quiet) {
    report_nothing(found, workspace.ledger(), console);
    report_templates(workspace.ledger(), command, console);
    console.err << summary << "; " << describe(workspace.ledger()) << '\n';
  }
  return reading;
}

void say_error(Console& console, const std::string& message) {
  for (const std::string_view line : split(message, '\n')) {
    console.err << "error: " << line << '\n';
  }
}

}  // namespace cnsched::cli
