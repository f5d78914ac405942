#include "cli/lsp/rpc.h"

namespace cnsched::cli::lsp {

namespace {

Json message() { return {{"jsonrpc", "2.0"}}; }

}  // namespace

bool is_request_id(const Json& id) { return id.is_string() || id.is_number_integer(); }

Json response_to(const Json& id, Reply reply) {
  Json json = message();
  json["id"] = id;
  if (const auto* error = std::get_if<RpcError>(&reply)) {
    json["error"] = {{"code", static_cast<int>(error->code)}, {"message", error->message}};
  } else {
    json["result"] = std::get<Json>(std::move(reply));
  }
  return json;
}

Json notification(const std::string& method, Json params) {
  Json json = message();
  json["method"] = method;
  if (!params.is_null()) json["params"] = std::move(params);
  return json;
}

Json request(std::uint64_t id, const std::string& method, Json params) {
  Json json = notification(method, std::move(params));
  json["id"] = id;
  return json;
}

}  // namespace cnsched::cli::lsp
