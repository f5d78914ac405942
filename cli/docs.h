#pragma once

#include <string>
#include <vector>

namespace cnsched::cli {

/// A file generated from the commands: path below the project's root ("man/cnsched.1") and text.
struct DocFile {
  std::string path;
  std::string text;
};

/// All manual pages and completions. The build target `docs` writes them; a test compares them.
std::vector<DocFile> docs();

}  // namespace cnsched::cli
