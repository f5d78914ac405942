#include "core/seldon/scaling.h"

#include <fmt/format.h>

#include "core/yaml/scalar.h"

namespace cnsched::seldon {

Scaling server_scaling(const yaml::Node& spec) {
  const auto written = yaml::integer_of(spec["replicas"]);
  const std::int64_t least = yaml::integer_of(spec["minReplicas"]).value_or(0);
  const std::int64_t most = yaml::integer_of(spec["maxReplicas"]).value_or(0);
  const std::int64_t replicas = written.value_or(least > 0 ? least : 1);
  const auto invalid = [&](const std::string& why) {
    return Scaling{replicas, "scaling spec is invalid: " + why};
  };
  if (least > 0 && replicas < least) {
    return invalid(
        fmt::format("number of replicas {} must be >= min replicas {}", replicas, least));
  }
  if (least > 0 && most > 0 && least > most) {
    return invalid(
        fmt::format("min number of replicas {} must be <= max number of replicas {}", least, most));
  }
  if (most > 0 && replicas > most) {
    return invalid(fmt::format("number of replicas {} must be <= max replicas {}", replicas, most));
  }
  return {replicas, {}};
}

}  // namespace cnsched::seldon
