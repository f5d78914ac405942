#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diag/diagnostic.h"
#include "core/workspace/workspace.h"

namespace cnsched::rules {

/// Moves the clusters, variants and releases of an equal finding.
void merge_scopes(Diagnostic& from, Diagnostic& into);

/// Begins the message with the names if the finding does not apply to all `count` of them:
/// "in clusters 'a' and 'b': …". Otherwise forgets them.
void label(std::vector<std::string>& names, std::size_t count, std::string_view noun,
           std::string& message);

/// The same for releases: "with KServe 0.11 and KServe 0.13: …".
void label_releases(std::vector<std::string>& releases, std::size_t count, std::string& message);

/// Notes which variants the findings apply to, by the files that they are in, and how many there
/// are. To be called while findings are at the places that were rendered.
void note_variants(const Workspace& workspace, std::vector<Diagnostic>& findings);

/// Merges what was found in several variants of a chart, at equal lines of what was rendered about
/// one value of an object. Names the variants of findings that do not apply to all. Equal findings
/// at one place, such as a place of a source, are merged already.
void merge_variants(const Workspace& workspace, std::vector<Diagnostic>& findings);

}  // namespace cnsched::rules
