#pragma once

#include <span>

#include "core/base/embedded_file.h"

namespace cnsched::embedded {

/// Every template, sorted by path.
std::span<const EmbeddedFile> templates();
/// The file of common parameters.
std::span<const EmbeddedFile> template_parameters();

}  // namespace cnsched::embedded
