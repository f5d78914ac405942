#include "core/kserve/runtime.h"

namespace cnsched::kserve {

std::string_view runtime_name(const yaml::Node& predictor) {
  return predictor["model"]["runtime"].scalar();
}

}  // namespace cnsched::kserve
