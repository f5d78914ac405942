#include "cli/output/accelerators.h"

#include <nlohmann/json.hpp>
#include "cli/output/json.h"

#include "cli/output/safe_text.h"
#include "core/accelerators/platform.h"
#include "core/base/text.h"

namespace cnsched::cli {

bool is_plain_name(std::string_view name) {
  return name == lower(name) && name.find("-mig-") == std::string_view::npos;
}

void write_accelerators(const Style& style, std::size_t width, std::ostream& out) {
  constexpr std::size_t kIndent = 2;
  for (const auto platform : accelerators::platforms()) {
    std::string names;
    for (const auto& product : accelerators::products()) {
      if (!is_plain_name(product.name) || reason_unavailable(platform, product)) continue;
      names += (names.empty() ? "" : ", ") + product.name;
    }
    out << style(Paint::strong, name_of(platform)) << '\n';
    write_wrapped(describe(platform), kIndent, width, out);
    write_wrapped(names, kIndent + 2, width, out);
  }
  out << '\n';
  write_wrapped(
      "Any of the spellings that labels have will do as well (l4, NVIDIA-L4). Cards that can be "
      "cut "
      "have a name for each MIG profile (nvidia-a100-80gb-mig-1g.10gb), and where GPU feature "
      "discovery gives several products of one card, each of them has one "
      "(NVIDIA-A100-SXM4-40GB); --format json lists them all.",
      0, width, out);
}

void write_accelerator_names(std::ostream& out) {
  for (const auto& product : accelerators::products()) {
    if (is_plain_name(product.name)) out << product.name << '\n';
  }
}

Json json_of_accelerators() {
  Json json = {{"schemaVersion", 1}};
  for (const auto platform : accelerators::platforms()) {
    auto& list = json["accelerators"][std::string(name_of(platform))];
    list = Json::array();
    for (const auto& product : accelerators::products()) {
      if (!reason_unavailable(platform, product)) {
        list.push_back({{"name", product.name}, {"title", product.title}});
      }
    }
  }
  return json;
}

}  // namespace cnsched::cli
