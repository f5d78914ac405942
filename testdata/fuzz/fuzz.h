#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/workloads/workspace.h"
#include "core/yaml/document.h"

/// What libFuzzer calls with each input. A property that does not hold ends the process.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace cnsched::fuzz {

/// The input as text, in memory of its own: reading beyond its end is seen.
std::string text_of(const std::uint8_t* data, std::size_t size);

/// Ends the process unless `holds`; `broken` says what does not.
void require(bool holds, std::string_view broken);

/// What a terminal may be given: UTF-8 without anything that steers it but line ends.
void require_harmless(std::string_view output, std::string_view name);
/// The same of YAML, whose texts of several lines may hold tabs.
void require_harmless_yaml(std::string output, std::string_view name);
/// Harmless, and one JSON document.
void require_json(std::string_view output, std::string_view name);
/// Harmless, and XML whose elements are closed and whose texts hold no markup.
void require_xml(std::string_view output, std::string_view name);

/// An input cut at lines "=== NAME". What comes before the first is called `first`.
struct Part {
  std::string name;
  std::string text;
};
std::vector<Part> parts_of(std::string_view input, std::string_view first);

/// The parts as files of a run; those whose names begin with "cluster" only give facts. Names that
/// come twice are left out.
std::vector<MemoryFile> files_of(std::string_view input);

/// The documents of a text, and the file that their nodes view.
struct Documents {
  explicit Documents(std::string text, std::string path = "in.yaml");

  SourceFile file;
  std::vector<yaml::Document> all;
};

/// How many values the tree has with its aliases written out; counts no further than `most`.
std::size_t values_in(const yaml::Node& node, std::size_t most);

/// Whether any of the documents that a run has taken for ours is not YAML, by path.
bool is_broken(const Workspace& run, std::string_view path);

}  // namespace cnsched::fuzz
