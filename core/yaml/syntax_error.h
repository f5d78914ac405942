#pragma once

#include <string_view>

#include "core/yaml/document.h"

namespace cnsched::yaml {

/// What is wrong where yaml-cpp gave up, in words for the author: yaml-cpp names what it looked
/// for, which is seldom what the author did. `offset` counts from the start of the document.
Problem explain(const SourceFile& file, Span where, std::size_t offset,
                std::string_view yaml_cpp_message);

/// Why a document ends before the text at `offset`, which kubectl drops in silence.
Problem explain_early_end(const SourceFile& file, Span where, std::size_t offset);

}  // namespace cnsched::yaml
