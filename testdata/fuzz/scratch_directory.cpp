#include "testdata/fuzz/scratch_directory.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "testdata/fuzz/fuzz.h"

namespace cnsched::fuzz {

namespace fs = std::filesystem;

ScratchDirectory::ScratchDirectory() {
  std::string name = (fs::temp_directory_path() / "cnsched-fuzz-XXXXXX").string();
  require(::mkdtemp(name.data()) != nullptr, "no directory can be created");
  root_ = fs::canonical(name);
  // Ends the search for configurations.
  fs::create_directory(root_ / ".git");
}

void ScratchDirectory::clear() const {
  for (const fs::path& path : written_) fs::remove(path);
  written_.clear();
}

void ScratchDirectory::write(const std::string& name, const std::string& text) const {
  if (name.empty() || name.starts_with('.') || name.size() > 100) return;
  if (name.find_first_of(std::string_view("/\0", 2)) != std::string::npos) return;
  std::ofstream(root_ / name, std::ios::binary) << text;
  written_.insert(root_ / name);
}

}  // namespace cnsched::fuzz
