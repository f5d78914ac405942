#pragma once

#include <string>
#include <utility>
#include <variant>

#include "cli/lsp/json.h"

namespace cnsched::cli::lsp {

/// Of JSON-RPC 2.0 and of the protocol.
enum class ErrorCode : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  server_not_initialized = -32002,
  request_cancelled = -32800,
};

/// Why a request failed.
struct RpcError {
  ErrorCode code = ErrorCode::internal_error;
  std::string message{};
};

inline RpcError invalid_params(std::string message) {
  return {ErrorCode::invalid_params, std::move(message)};
}

/// The answer to a request.
using Reply = std::variant<Json, RpcError>;

/// Whether the value can be the id of a request.
bool is_request_id(const Json& id);
Json response_to(const Json& id, Reply reply);
Json notification(const std::string& method, Json params);
Json request(std::uint64_t id, const std::string& method, Json params);

}  // namespace cnsched::cli::lsp
