#include "cli/lsp/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

#include "cli/commands/reading.h"
#include "core/base/text.h"
#include "core/source/path.h"

namespace cnsched::cli::lsp {

namespace fs = std::filesystem;

namespace {

bool is_named_as_manifest(const std::string& path) {
  static constexpr std::array kEndings = {".yaml", ".yml", ".json"};
  return std::ranges::any_of(kEndings, [&](const char* ending) { return path.ends_with(ending); });
}

/// Collects what commands print for people: standard output is for the protocol.
struct Messages {
  std::ostringstream out{};
  std::ostringstream err{};
  Console console{.out = out, .err = err};
};

}  // namespace

void Checker::set_folders(std::vector<std::string> folders) {
  folders_ = std::move(folders);
  if (folders_.empty()) return;
  std::error_code error;  // discovery reports a folder that does not exist
  fs::current_path(folders_.front(), error);
}

void Checker::fail(const std::string& messages) {
  for (const std::string_view line : split(trim(messages), '\n')) problems_.emplace_back(line);
}

std::string Checker::absolute(const std::string& name) const {
  if (folders_.empty() || name.starts_with('/')) return name;
  return (fs::path(folders_.front()) / name).lexically_normal().string();
}

std::string Checker::name_in_folder(const std::string& path) const {
  for (const std::string& folder : folders_) {
    const std::string below = path_below(folder, path);
    if (!below.empty()) return folder == folders_.front() ? below : path;
  }
  return {};
}

/// The folders, and the open documents that no walk reads: those outside of them, and links.
InputOptions Checker::input_for() const {
  InputOptions input = settings_.input;
  input.packages = {.never = true};
  input.paths = folders_;
  if (!input.paths.empty()) input.paths.front() = ".";
  std::error_code error;
  for (const auto& [path, document] : documents_.all()) {
    const std::string name = name_in_folder(path);
    const bool is_named = name.empty() || fs::is_symlink(path, error);
    if (is_named && fs::is_regular_file(path, error) && is_named_as_manifest(path)) {
      input.paths.push_back(name.empty() ? path : name);
    }
  }
  input.text_of = [this](const std::string& name) -> std::optional<std::string> {
    const auto found = open_by_name_.find(name);
    return found == open_by_name_.end() ? std::nullopt : std::optional(found->second->text);
  };
  return input;
}

/// Adds documents that are not saved yet.
void Checker::add_unsaved(std::vector<std::string>& files) const {
  std::error_code error;
  for (const auto& [path, document] : documents_.all()) {
    const std::string name = name_in_folder(path);
    if (!is_named_as_manifest(path) || fs::exists(path, error)) continue;
    const std::string& file = name.empty() ? path : name;
    const auto place = std::ranges::lower_bound(files, file);
    if (place == files.end() || *place != file) files.insert(place, file);
  }
}

void Checker::check(const std::function<void(const std::string& step)>& report_step) {
  files_.clear();
  paths_.clear();
  problems_.clear();
  found_ = {};
  shows_good_ = false;
  good_text_.reset();
  good_.reset();
  const ParsedFiles parsed = project_ == nullptr ? ParsedFiles() : workspace().parsed();
  edited_.reset();  // before the next one takes as much memory
  project_.reset();
  std::erase_if(last_good_,
                [&](const auto& text) { return documents_.find(text.first) == nullptr; });
  open_by_name_.clear();
  for (const auto& [path, document] : documents_.all()) {
    const std::string name = name_in_folder(path);
    open_by_name_[name.empty() ? path : name] = &document;
  }
  const InputOptions input = input_for();
  if (input.paths.empty() && documents_.all().empty()) return;
  Messages messages;
  suppression_ = read_suppression(settings_.suppression, messages.console);
  auto project = std::make_unique<LoadedProject>();
  if (!input.paths.empty()) discover_files(input, *project);
  add_unsaved(project->found.files);
  constexpr std::size_t kManyFiles = 200;
  const std::size_t files = project->found.files.size();
  const bool reports_steps = report_step != nullptr && files >= kManyFiles;
  if (reports_steps) report_step(fmt::format("reading {}", count_of(files, "file")));
  if (!suppression_ || open_workspace({input, OutOfScope::counted, true, &parsed},
                                      settings_.selection, *project, messages.console)) {
    return fail(messages.err.str());
  }
  project_ = std::move(project);
  list_files();
  if (reports_steps) {
    const std::size_t objects = project_->workspace.objects().size();
    report_step(fmt::format("checking {}", count_of(objects, "object")));
  }
  for (const auto& [path, document] : documents_.all()) note_good(path);
  run();
}

bool Checker::check_change(const std::string& path) {
  const auto file = files_.find(path);
  const OpenDocument* document = documents_.find(path);
  if (file == files_.end() || document == nullptr) {
    check();
    return false;
  }
  show_current();
  good_text_.reset();
  good_.reset();
  const SourceFile& before = *file->second.source;
  auto edited = std::make_unique<Workspace>();
  edited->load_edited(workspace(), {{before.path(), document->text}}, settings_.input.facts.limits);
  file->second.source = edited->sources[before.id()].get();
  found_ = {};
  edited_ = std::move(edited);
  note_good(path);
  run();
  return true;
}

bool Checker::show_last_good(const std::string& path, std::size_t offset) {
  const auto good = last_good_.find(path);
  const auto file = files_.find(path);
  if (file == files_.end() || good == last_good_.end()) return false;
  const SourceFile& current = *file->second.source;
  const auto at = static_cast<std::uint32_t>(offset);
  const LoadedDocument* document = workspace().document_around({current.id(), at, at});
  if (document == nullptr || document->status != DocumentStatus::broken) return false;
  if (!good_text_ || good_text_->current().id() != current.id()) {
    good_text_.emplace(current, good->second);
    good_ = std::make_unique<Workspace>();
    good_->load_edited(workspace(), {{current.path(), good->second}});
  }
  shows_good_ = true;
  file->second.source = workspace().sources[current.id()].get();
  return true;
}

void Checker::show_current() {
  if (!shows_good_) return;
  shows_good_ = false;
  const FileId id = good_text_->current().id();
  files_[path_of(id)].source = workspace().sources[id].get();
}

/// Keeps the text of an open document if it has no syntax errors.
void Checker::note_good(const std::string& path) {
  const File* file = find(path);
  if (file == nullptr) return;
  const auto own =
      std::ranges::equal_range(workspace().documents(), file->source->id(), {},
                               [](const auto& loaded) { return loaded->document.span.file; });
  const bool is_good = std::ranges::none_of(
      own, [](const auto& loaded) { return loaded->status == DocumentStatus::broken; });
  if (is_good) last_good_[path] = file->source->bytes();
}

/// Lists the files of the workspace.
void Checker::list_files() {
  const Workspace& workspace = project_->workspace;
  for (const auto& source : workspace.sources) {
    paths_.push_back(absolute(source->path()));
    if (!workspace.is_linted(source->id())) continue;
    files_[paths_.back()] = {.source = source.get()};
  }
}

void Checker::run() {
  const Workspace& workspace = this->workspace();
  for (auto& [path, file] : files_) file.findings.clear();
  problems_.clear();
  found_ = rules::run(workspace, project_->selection, project_->rules().all(), *suppression_);
  for (const Diagnostic& finding : found_.findings) {
    if (!finding.suppression) files_[path_of(finding.where.file)].findings.push_back(&finding);
  }
  Messages messages;
  report_unreadable(workspace.unreadable(), messages.console);
  if (found_.left_out) report_unreadable({*found_.left_out}, messages.console);
  if (const std::string text = messages.err.str(); !text.empty()) fail(text);
}

const Checker::File* Checker::find(const std::string& path) const {
  const auto found = files_.find(path);
  return found == files_.end() ? nullptr : &found->second;
}

}  // namespace cnsched::cli::lsp
