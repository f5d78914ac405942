#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/project.h"

namespace cnsched::cli {

// What commands print on stderr about what they have read.

/// Prints what could not be read. Returns whether there was anything.
bool report_unreadable(const std::vector<Unreadable>& unreadable, Console& console);
/// Prints what is not valid YAML. Returns whether there was anything.
bool report_broken(const Workspace& workspace, Console& console);
/// Prints the files that were found but skipped, with the reason.
void report_skipped(const Discovered& found, Console& console);

/// -v: prints how each file and document was handled, what confined engines and, if the files are
/// for several clusters, which ones, and how many objects each has.
void report_documents(const LoadedProject& project, const Workspace& workspace, Console& console);
/// -v: prints which patterns and rules of CustomResourceDefinitions were not evaluated.
void report_unevaluated(const Workspace& workspace, Console& console);

/// Prints the links that lead out of the repository, which -v shows with all that was skipped.
void report_links(const Discovered& found, Console& console);
/// Prints what was not rendered and not followed, and what to do instead.
void report_unfollowed(const Workspace& workspace, std::string_view command, Console& console);
/// The same, without -v also links and, if there is no document, why there is none.
void report_coverage(const Discovered& found, const Workspace& workspace, std::string_view command,
                     bool verbose, Console& console);

/// Whether all input of a command could be read.
struct Reading {
  bool is_broken = false;      ///< a document is not valid YAML
  bool is_unreadable = false;  ///< a file could not be opened
};

/// The final messages of `render` and `simulate` about their input: invalid and missing documents,
/// and `summary` with the stats; with -v, how each document was handled.
Reading report_reading(const LoadedProject& project, const MessageOptions& messages,
                       std::string_view command, std::string_view summary, Console& console);

}  // namespace cnsched::cli
