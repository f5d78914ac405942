// The build target `docs`: writes manual pages and completions below the directory in its argument.
#include <filesystem>
#include <iostream>

#include "cli/docs.h"
#include "core/source/save.h"

int main(int argc, char** argv) {
  using namespace cnsched;
  if (argc != 2) {
    std::cerr << "usage: cnsched_docs DIRECTORY\n";
    return 2;
  }
  for (const cli::DocFile& file : cli::docs()) {
    const std::filesystem::path path = std::filesystem::path(argv[1]) / file.path;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    const auto saved = save(path.string(), file.text, {.overwrite = true});
    if (!saved) {
      std::cerr << "error: " << saved.error().message << '\n';
      return 3;
    }
    if (*saved != Saved::unchanged) std::cout << "wrote " << file.path << '\n';
  }
  return 0;
}
