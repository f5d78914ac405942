#include "core/source/scratch_directory.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace cnsched {

namespace fs = std::filesystem;

ScratchDirectory::ScratchDirectory() {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "cnsched-XXXXXX").string();
  if (!error && ::mkdtemp(name.data()) != nullptr) path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

}  // namespace cnsched
