#include "testdata/fuzz/fuzz.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>

#include "core/base/text.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"

namespace cnsched::fuzz {

namespace {

/// The text around the position, on one line.
std::string around(std::string_view text, std::size_t at) {
  constexpr std::size_t kAround = 60;
  const std::size_t begin = at < kAround ? 0 : at - kAround;
  return printable(text.substr(begin, 2 * kAround));
}

void fail(std::string_view name, std::string_view what, std::string_view text, std::size_t at) {
  require(false, fmt::format("{} {} at byte {}: {}", name, what, at, around(text, at)));
}

/// Checks that the tags of an XML document match.
class XmlReader {
 public:
  XmlReader(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  void read() {
    while (at_ < text_.size()) {
      if (text_[at_] == '<') {
        tag();
      } else if (text_[at_] == '&') {
        entity();
      } else {
        ++at_;
      }
    }
    if (!open_.empty()) fail(name_, "leaves an element open", text_, text_.size());
  }

 private:
  void tag() {
    const std::size_t end = text_.find('>', at_);
    if (end == std::string_view::npos) return fail(name_, "has a tag without an end", text_, at_);
    const std::string_view inner = text_.substr(at_ + 1, end - at_ - 1);
    if (inner.find('<') != std::string_view::npos || std::ranges::count(inner, '"') % 2 != 0) {
      fail(name_, "has markup in a tag", text_, at_);
    }
    const std::string_view element = inner.substr(0, inner.find_first_of(" /", 1));
    if (inner.starts_with('/')) {
      if (open_.empty() || open_.back() != inner.substr(1)) {
        return fail(name_, "closes another element than it opened", text_, at_);
      }
      open_.pop_back();
    } else if (!inner.starts_with('?') && !inner.ends_with('/')) {
      open_.push_back(element);
    }
    at_ = end + 1;
  }

  void entity() {
    const std::string_view rest = text_.substr(at_);
    for (const std::string_view known : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#"}) {
      if (!rest.starts_with(known)) continue;
      at_ += known.size();
      return;
    }
    fail(name_, "has an '&' that is not an entity", text_, at_);
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t at_ = 0;
  std::vector<std::string_view> open_;
};

}  // namespace

std::string text_of(const std::uint8_t* data, std::size_t size) { return {data, data + size}; }

void require(bool condition, std::string_view failure) {
  if (condition) return;
  fmt::print(stderr, "failed: {}\n", failure);
  std::fflush(stderr);
  std::abort();
}

void require_harmless(std::string_view output, std::string_view name) {
  std::size_t begin = 0;
  for (const std::string_view line : split(output, '\n')) {
    const bool is_ascii = std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; });
    if (!is_ascii && printable(line) != line)
      fail(name, "has unprintable characters", output, begin);
    begin += line.size() + 1;
  }
}

void require_harmless_yaml(std::string output, std::string_view name) {
  std::ranges::replace(output, '\t', ' ');
  require_harmless(output, name);
}

void require_json(std::string_view output, std::string_view name) {
  require_harmless(output, name);
  if (!nlohmann::json::accept(output)) fail(name, "is not JSON", output, 0);
}

void require_xml(std::string_view output, std::string_view name) {
  require_harmless(output, name);
  XmlReader(output, name).read();
}

std::vector<Part> parts_of(std::string_view input, std::string_view first) {
  constexpr std::string_view kMark = "=== ";
  std::vector<Part> parts = {{std::string(first), ""}};
  while (!input.empty()) {
    const std::size_t end = std::min(input.find('\n'), input.size() - 1) + 1;
    const std::string_view line = input.substr(0, end);
    input.remove_prefix(end);
    if (line.starts_with(kMark)) {
      parts.push_back({std::string(trim(line.substr(kMark.size()))), ""});
    } else {
      parts.back().text += line;
    }
  }
  return parts;
}

std::vector<MemoryFile> files_of(std::string_view input) {
  std::vector<MemoryFile> files;
  std::set<std::string> names;
  for (Part& part : parts_of(input, "in.yaml")) {
    if (!names.insert(part.name).second) continue;
    const bool linted = !part.name.starts_with("cluster");
    files.push_back(
        {.path = std::move(part.name), .bytes = std::move(part.text), .linted = linted});
  }
  return files;
}

Documents::Documents(std::string text, std::string path)
    : file(0, std::move(path), std::move(text)) {
  for (const Span where : yaml::split(file)) all.push_back(yaml::parse(file, where));
}

std::size_t values_in(const yaml::Node& node, std::size_t most) {
  std::size_t count = 1;
  for (const yaml::Node* item : node.items()) {
    if (count >= most) return most;
    count += values_in(*item, most - count);
  }
  for (const yaml::Entry& entry : node.entries()) {
    if (count >= most) return most;
    count += values_in(*entry.value, most - count);
  }
  return std::min(count, most);
}

bool is_broken(const Workspace& workspace, std::string_view path) {
  return std::ranges::any_of(workspace.documents(), [&](const auto& loaded) {
    return loaded->status == DocumentStatus::broken &&
           workspace.file_of(loaded->document.span).path() == path;
  });
}

namespace fs = std::filesystem;

ScratchDirectory::ScratchDirectory() {
  std::string name = (fs::temp_directory_path() / "cnsched-fuzz-XXXXXX").string();
  require(::mkdtemp(name.data()) != nullptr, "no directory can be created");
  root_ = fs::canonical(name);
  // Ends the search for configurations.
  fs::create_directory(root_ / ".git");
}

void ScratchDirectory::clear() const {
  for (const fs::path& path : written_) fs::remove(path);
  written_.clear();
}

void ScratchDirectory::write(const std::string& name, const std::string& text) const {
  if (name.empty() || name.starts_with('.') || name.size() > 100) return;
  if (name.find_first_of(std::string_view("/\0", 2)) != std::string::npos) return;
  std::ofstream(root_ / name, std::ios::binary) << text;
  written_.insert(root_ / name);
}

}  // namespace cnsched::fuzz
