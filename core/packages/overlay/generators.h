#pragma once

#include <string>
#include <string_view>

#include "core/packages/overlay/texts.h"
#include "core/packages/overlay/transformers.h"
#include "core/packages/overlay/value.h"
#include "core/yaml/node.h"

namespace cnsched::overlay {

/// A kustomization that generates objects.
struct GeneratorContext {
  Texts& texts;
  Maker& maker;
  const std::string& directory;  ///< that file names are relative to
  const yaml::Node& options;     ///< `generatorOptions`
};

/// Applies one item of `configMapGenerator` or `secretGenerator` (`kind` is "ConfigMap" or
/// "Secret"): adds an object, or merges into one. Returns false if the result is not known. Source:
/// kustomize api/internal/generators, api/kv/kv.go.
bool apply_generator(const GeneratorContext& context, Objects& objects, const yaml::Node& generator,
                     std::string_view kind);

}  // namespace cnsched::overlay
