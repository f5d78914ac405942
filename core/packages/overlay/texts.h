#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/packages/origin.h"
#include "core/source/source_file.h"
#include "core/yaml/document.h"

namespace cnsched::overlay {

/// The bytes of a scalar in a file and its decoded text, position by position. Only where each
/// byte of the text is a byte of the file: plain, in quotes without escapes, or a literal block.
class ScalarBytes {
 public:
  /// `where` in `file` is the scalar with its quotes or block header; `text` is its value.
  ScalarBytes(std::string_view file, Span where, std::string_view text);

  explicit operator bool() const { return !lines_.empty(); }
  /// The position in the file of a position in the text, and the reverse.
  std::optional<std::uint32_t> in_file(std::size_t in_text) const;
  std::optional<std::uint32_t> in_text(std::size_t in_file) const;

 private:
  struct Line {
    std::size_t text = 0;
    std::size_t file = 0;
    std::size_t size = 0;
  };
  bool add_block_lines(std::string_view raw, std::size_t begin, std::string_view text);

  std::vector<Line> lines_;
};

/// The texts that a build of an overlay reads: files, and patches inside of a kustomization. A span
/// names its text by `Span::file`.
class Texts {
 public:
  /// Paths are normalized: "a/../b.yaml" is "b.yaml". The sources must outlive this.
  explicit Texts(std::span<const PackageSource> sources);
  Texts(const Texts&) = delete;
  Texts& operator=(const Texts&) = delete;

  /// The text of a source, or nothing if there is none of that path.
  std::optional<FileId> find(const std::string& path) const;
  /// The text in a scalar of another text.
  FileId inside(const yaml::Node& scalar);

  std::string_view bytes(FileId text) const { return texts_[text].file->bytes(); }
  std::string_view bytes(Span where) const { return texts_[where.file].file->text(where); }
  /// The documents of a text, parsed on first use.
  const std::vector<yaml::Document>& documents(FileId text);
  bool has_problem(FileId text);

  /// Counts that a document, which begins there, was read or applied to an object once more.
  void count_use(Span document) { ++uses_[{document.file, document.begin}]; }
  /// Whether the document of these bytes was used more than once.
  bool is_used_again(Span where) const;

  /// The source that has the text.
  const std::string& path(FileId text) const;
  /// The bytes in a source; nothing if the text of a scalar is not byte by byte in the source.
  std::optional<SourcePlace> place(Span where) const;

 private:
  struct Text {
    std::unique_ptr<SourceFile> file;
    std::optional<std::vector<yaml::Document>> documents{};
    Span outer{};                        ///< of a text in a scalar: the scalar
    std::unique_ptr<ScalarBytes> map{};  ///< of a text in a scalar
  };

  std::deque<Text> texts_;  ///< by id
  std::map<std::string, FileId> by_path_;
  std::map<std::pair<FileId, std::uint32_t>, FileId> inside_;
  std::map<std::pair<FileId, std::uint32_t>, std::size_t> uses_;
};

/// `path` without ".", ".." and repeated slashes; empty for the working directory.
std::string normalized(const std::string& path);
/// The path of `name` in `directory`, normalized.
std::string path_in(const std::string& directory, std::string_view name);

}  // namespace cnsched::overlay
