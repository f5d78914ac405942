#include "templates/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "core/base/text.h"
#include "core/source/path.h"
#include "core/source/read_file.h"

namespace cnsched::templates {

namespace fs = std::filesystem;

namespace {

void add_line(std::string& errors, const std::string& line) {
  errors += (errors.empty() ? "" : "\n") + line;
}

/// The YAML files of a directory itself, sorted.
std::vector<std::string> files_in(const std::string& directory, std::string& errors) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".yaml" || extension == ".yml") files.push_back(entry.path().string());
  }
  if (error) add_line(errors, fmt::format("{}: {}", printable(directory), lower(error.message())));
  std::ranges::sort(files);
  return files;
}

}  // namespace

Result<Library> Library::open(const std::vector<std::string>& directories) {
  Library library;
  std::string errors;
  const auto add = [&](std::shared_ptr<const Template> model, bool is_builtin) {
    const bool is_shadowed = library.find(model->name()) != nullptr;
    library.templates_.push_back({std::move(model), is_builtin, is_shadowed});
  };
  for (const std::string& directory : directories) {
    const std::string root = source_root(resolved_path(directory));
    for (const std::string& path : files_in(directory, errors)) {
      Result<std::string> bytes = read_input(path, root);
      if (!bytes) {
        add_line(errors, fmt::format("{}: {}", printable(path), bytes.error().message));
        continue;
      }
      auto model = Template::read(path, *std::move(bytes));
      if (model) {
        add(*std::move(model), false);
      } else {
        add_line(errors, model.error().message);
      }
    }
  }
  if (!errors.empty()) return Error{errors};
  for (const EmbeddedFile& builtin : embedded::templates()) {
    auto model = Template::read(std::string(builtin.path), std::string(builtin.text));
    if (!model) throw std::logic_error(model.error().message);
    add(*std::move(model), true);
  }
  // Sorts by name, not by file: '-' sorts before '.'.
  const auto name_of = [](const Listed& listed) { return listed.model->name(); };
  std::ranges::sort(std::ranges::find(library.templates_, true, &Listed::is_builtin),
                    library.templates_.end(), {}, name_of);
  return library;
}

const Template* Library::find(std::string_view name) const {
  const auto found = std::ranges::find_if(
      templates_, [&](const Listed& listed) { return listed.model->name() == name; });
  return found == templates_.end() ? nullptr : found->model.get();
}

}  // namespace cnsched::templates
