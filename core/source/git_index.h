#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cnsched {

/// The paths of those tracked files whose names are wanted, from the bytes of git's index in
/// version 2, 3 or 4. Nothing if the bytes are no such index, or hold more than an honest one.
/// Source: git 2.47 Documentation/gitformat-index.txt, read-cache.c.
std::optional<std::vector<std::string>> paths_in_index(std::string_view bytes,
                                                       bool (*is_wanted)(std::string_view name));

/// The same from the index of the repository at `root` or, if `.git` is a file, from that of the
/// worktree or submodule that it names; sorted, relative to `root`. None if there is no index that
/// can be read. Starts no program.
std::vector<std::string> tracked_files(const std::string& root,
                                       bool (*is_wanted)(std::string_view name));

}  // namespace cnsched
