#include "cli/lsp/json.h"

namespace cnsched::cli::lsp {

namespace {

/// The destructor of nlohmann::json needs no stack, but its writer does.
constexpr int kMaxDepth = 128;

}  // namespace

std::optional<Json> parse_json(std::string_view text) {
  bool is_too_deep = false;
  const auto keeps = [&](int depth, Json::parse_event_t, Json&) {
    is_too_deep = is_too_deep || depth > kMaxDepth;
    return !is_too_deep;
  };
  Json json = Json::parse(text, keeps, false);
  if (json.is_discarded() || is_too_deep) return std::nullopt;
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
