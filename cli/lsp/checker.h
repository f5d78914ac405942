#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands/project.h"
#include "cli/commands/suppression.h"
#include "cli/lsp/documents.h"
#include "rules/engine/run.h"

namespace cnsched::cli::lsp {

/// What the command line and the client set.
struct Settings {
  InputOptions input;
  rules::SelectionOptions selection;
  SuppressionOptions suppression;
};

/// Lints the workspace folders and the open documents, as `cnsched lint` in the first folder does.
/// Renders nothing and starts no program, whatever configurations say.
class Checker {
 public:
  Checker(Settings settings, const Documents& documents)
      : settings_(std::move(settings)), documents_(documents) {}

  Settings& settings() { return settings_; }
  const Settings& settings() const { return settings_; }
  /// Absolute paths. The first folder becomes the working directory, to which paths in messages are
  /// relative.
  void set_folders(std::vector<std::string> folders);

  /// Reads and checks everything. References to the results before become invalid. Reports the
  /// steps if there are many files.
  void check(const std::function<void(const std::string& step)>& report_step = {});
  /// The same, if only the text of the open document at `path` has changed since the last check:
  /// reads no other file. Returns whether that was possible.
  bool check_change(const std::string& path);

  /// Lets questions see the last text of an open document without syntax errors, if `offset` is in
  /// a document with some now. False if there is none. Until `show_current`, the findings of the
  /// file must not be used.
  bool show_last_good(const std::string& path, std::size_t offset);
  void show_current();
  /// What replaces the text of the file, or null.
  const LastGoodText* last_good_text(FileId file) const {
    return shows_good_ && good_text_->current().id() == file ? &*good_text_ : nullptr;
  }

  /// What could not be read, and why nothing was checked.
  const std::vector<std::string>& problems() const { return problems_; }

  /// A linted file and its findings, without the suppressed ones, in the order of their places.
  struct File {
    const SourceFile* source = nullptr;
    std::vector<const Diagnostic*> findings{};
  };
  /// Of all files, with the suppressed ones.
  const std::vector<Diagnostic>& findings() const { return found_.findings; }
  /// By absolute path.
  const std::map<std::string, File>& files() const { return files_; }
  /// The linted file, or null.
  const File* find(const std::string& path) const;
  /// The absolute path of any file of the workspace.
  const std::string& path_of(FileId file) const { return paths_[file]; }
  /// Null if nothing was checked.
  const LoadedProject* project() const { return project_.get(); }
  /// The project's, with the edits since it was loaded.
  const Workspace& workspace() const {
    if (shows_good_) return *good_;
    return edited_ != nullptr ? *edited_ : project_->workspace;
  }

 private:
  void fail(const std::string& messages);
  InputOptions input_for() const;
  void add_unsaved(std::vector<std::string>& files) const;
  void list_files();
  void run();
  void note_good(const std::string& path);
  std::string absolute(const std::string& name) const;
  /// The name that discovery gives to a path in a folder; empty if it is in none.
  std::string name_in_folder(const std::string& path) const;

  Settings settings_;
  const Documents& documents_;
  std::vector<std::string> folders_;
  std::map<std::string, const OpenDocument*> open_by_name_;
  std::map<std::string, std::string> last_good_;  ///< texts of open documents, by path
  std::unique_ptr<LoadedProject> project_;
  std::unique_ptr<Workspace> edited_;      ///< after the last edit; null: there was none
  std::optional<LastGoodText> good_text_;  ///< that was shown last, until the next check
  std::unique_ptr<Workspace> good_;        ///< with this text
  bool shows_good_ = false;
  std::optional<rules::SuppressionSettings> suppression_;
  rules::RunResult found_;
  std::vector<std::string> paths_;  ///< by file id
  std::map<std::string, File> files_;
  std::vector<std::string> problems_;
};

}  // namespace cnsched::cli::lsp
