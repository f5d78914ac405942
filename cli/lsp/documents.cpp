#include "cli/lsp/documents.h"

#include <filesystem>

#include "cli/output/uri.h"

namespace cnsched::cli::lsp {

namespace {

constexpr std::string_view kScheme = "file://";
constexpr unsigned kTen = 10;
constexpr unsigned kSixteen = 16;

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + kTen;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + kTen;
  return std::nullopt;
}

/// Replaces each %XX. Nothing if one of them is invalid, or a NUL, which no path has.
std::optional<std::string> percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    const auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
    const auto low = i + 2 < text.size() ? hex_digit(text[i + 2]) : std::nullopt;
    if (!high || !low) return std::nullopt;
    result += static_cast<char>(*high * kSixteen + *low);
    i += 2;
  }
  if (result.find('\0') != std::string::npos) return std::nullopt;
  return result;
}

const Error kInvalid{"the parameters are invalid"};

}  // namespace

std::optional<std::string> path_of_uri(std::string_view uri) {
  if (!uri.starts_with(kScheme)) return std::nullopt;
  uri.remove_prefix(kScheme.size());
  constexpr std::string_view kHost = "localhost";
  if (uri.starts_with(kHost)) uri.remove_prefix(kHost.size());
  if (!uri.starts_with('/')) return std::nullopt;
  const auto path = percent_decoded(uri.substr(0, uri.find_first_of("?#")));
  if (!path) return std::nullopt;
  std::string normal = std::filesystem::path(*path).lexically_normal().string();
  while (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal;
}

std::string uri_of_path(std::string_view path) { return std::string(kScheme) + uri_path(path); }

Result<bool> Documents::open(const Json& params) {
  const Json& document = member(params, "textDocument");
  const Json& text = member(document, "text");
  const Json& version = member(document, "version");
  const std::string uri = string_of(member(document, "uri"));
  if (uri.empty() || !text.is_string()) return kInvalid;
  const auto path = path_of_uri(uri);
  if (!path) return false;
  by_path_[*path] = {uri, *path, version.is_number_integer() ? version.get<std::int64_t>() : 0,
                     text.get<std::string>()};
  return true;
}

OpenDocument* Documents::find_by_uri(const Json& params) {
  const auto path = path_of_uri(string_of(member(params, {"textDocument", "uri"})));
  const auto found = path ? by_path_.find(*path) : by_path_.end();
  return found == by_path_.end() ? nullptr : &found->second;
}

Result<bool> Documents::change(const Json& params, PositionEncoding encoding) {
  const Json& changes = member(params, "contentChanges");
  if (!changes.is_array()) return kInvalid;
  OpenDocument* document = find_by_uri(params);
  if (document == nullptr) return false;
  for (const Json& change : changes) {
    if (!apply_change(change, encoding, document->text)) return kInvalid;
  }
  const Json& version = member(params, {"textDocument", "version"});
  if (version.is_number_integer()) document->version = version.get<std::int64_t>();
  return true;
}

Result<bool> Documents::close(const Json& params) {
  if (!member(params, {"textDocument", "uri"}).is_string()) return kInvalid;
  const OpenDocument* document = find_by_uri(params);
  return document != nullptr && by_path_.erase(std::string(document->path)) > 0;
}

const OpenDocument* Documents::find(const std::string& path) const {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : &found->second;
}

bool apply_change(const Json& change, PositionEncoding encoding, std::string& text) {
  const Json& replacement = member(change, "text");
  if (!replacement.is_string()) return false;
  const auto& added = replacement.get_ref<const std::string&>();
  const Json& where = member(change, "range");
  if (where.is_null()) {
    text = added;
    return true;
  }
  const auto range = range_in(where);
  if (!range || range->end < range->start) return false;
  const std::size_t begin = offset_of(text, range->start, encoding);
  const std::size_t end = offset_of(text, range->end, encoding);
  text.replace(begin, end - begin, added);
  return true;
}

}  // namespace cnsched::cli::lsp
