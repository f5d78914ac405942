#include "cli/lsp/json.h"

#include <array>

namespace cnsched::cli::lsp {

namespace {

/// The destructor of nlohmann::json needs no stack, but its writer does.
constexpr int kMaxDepth = 128;
/// Of one object: Json finds a key by comparing it with the others.
constexpr std::size_t kMaxKeys = 1'000;

}  // namespace

std::optional<Json> parse_json(std::string_view text) {
  bool is_rejected = false;
  std::array<std::size_t, kMaxDepth + 2> keys{};  // of the object at each depth
  const auto keeps = [&](int depth, Json::parse_event_t event, Json&) {
    is_rejected = is_rejected || depth > kMaxDepth;
    if (is_rejected) return false;
    const auto at = static_cast<std::size_t>(depth);
    if (event == Json::parse_event_t::object_start) keys[at + 1] = 0;
    if (event == Json::parse_event_t::key) is_rejected = ++keys[at] > kMaxKeys;
    return !is_rejected;
  };
  Json json = Json::parse(text, keeps, false);
  if (json.is_discarded() || is_rejected) return std::nullopt;
  return json;
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Json& member(const Json& json, std::string_view key) {
  static const Json none;
  if (!json.is_object()) return none;
  const auto found = json.find(key);
  return found == json.end() ? none : *found;
}

const Json& member(const Json& json, std::initializer_list<std::string_view> keys) {
  const Json* value = &json;
  for (const std::string_view key : keys) value = &member(*value, key);
  return *value;
}

std::string string_of(const Json& json) {
  return json.is_string() ? json.get<std::string>() : std::string();
}

std::optional<std::uint32_t> number_of(const Json& json) {
  constexpr std::uint64_t kMost = 2'147'483'647;
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > kMost) return std::nullopt;
  return json.get<std::uint32_t>();
}

bool is_true(const Json& json) { return json.is_boolean() && json.get<bool>(); }

}  // namespace cnsched::cli::lsp
