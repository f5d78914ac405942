// The thread that reads a small file also parses it, while its text is in the cache. Large files
// are read in batches and cut into pieces, so that threads share each of them. A document out of
// scope is freed before the next one is parsed, and a file without others before the next batch.
#include "core/workspace/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <filesystem>
#include <iterator>

#include "core/base/parallel.h"
#include "core/base/scan.h"
#include "core/base/text.h"
#include "core/facts/stated_release.h"
#include "core/k8s/api_kinds.h"
#include "core/k8s/scope.h"
#include "core/packages/chart.h"
#include "core/packages/deployer.h"
#include "core/packages/kustomization.h"
#include "core/source/path.h"
#include "core/source/read_file.h"
#include "core/workspace/kustomizations.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"

namespace cnsched {

namespace fs = std::filesystem;

namespace {

/// The approximate size of a piece.
constexpr std::size_t kPieceBytes = std::size_t{64} << 10U;
/// Threads do not wait for each other's files of this size.
constexpr std::size_t kSmallFile = std::size_t{256} << 10U;
/// The size of a batch of large files: enough that threads rarely wait for the last piece.
constexpr std::size_t kBatchBytes = std::size_t{8} << 20U;

struct Reading;

/// Documents of one file that follow each other: what one thread parses at a time.
struct Piece {
  Reading* reading = nullptr;
  Span where{};
  std::vector<LoadedObjects> documents{};
  std::size_t out_of_scope = 0;  ///< documents that are only counted
  std::vector<k8s::schema::Definition> definitions{};
  std::vector<const yaml::Node*> server_versions{};
  std::vector<std::unique_ptr<LoadedDocument>> kept_documents{};  ///< trees of the two
  std::vector<Unfollowed> unfollowed{};
  std::set<std::string> policy_manifests{};  ///< real paths
};

/// One input on its way.
struct Reading {
  const Input* input = nullptr;
  FileId id = 0;
  std::size_t size = 0;  ///< of the text, even before it is read
  ReadSettings settings{};
  std::unique_ptr<SourceFile> file{};
  std::shared_ptr<const FileContent> parsed{};  ///< instead of `file` and the rest
  bool is_cut = false;
  std::vector<Piece> pieces{};
  /// That have been found in pieces; of more than the limit none are kept.
  std::atomic<std::size_t> documents = 0;
  std::set<std::string> spark_templates{};
  bool may_be_of_chart = false;
  std::string chart{};
  std::optional<Unreadable> failure{};
};

/// Notes what the objects say that is not kept with those in scope.
void note_objects(const std::vector<k8s::Object>& objects, const SourceFile& file, Piece& piece) {
  for (const k8s::Object& object : objects) {
    std::ranges::move(k8s::definitions_in(object), std::back_inserter(piece.definitions));
    // A repository may have the documents of other clusters.
    if (piece.reading->input->fact) {
      std::ranges::move(k8s::definitions_in_open_api(*object.root),
                        std::back_inserter(piece.definitions));
    }
    if (const yaml::Node& version = facts::server_version(*object.root)) {
      piece.server_versions.push_back(&version);
    }
    for (const std::string& path : packages::policy_manifests(object)) {
      const fs::path directory = directory_of(real_path(file.path()));
      piece.policy_manifests.insert((directory / path).lexically_normal().string());
    }
    if (const auto kind = packages::deployer_kind(object)) {
      piece.unfollowed.push_back({.kind = *kind,
                                  .path = file.path(),
                                  .line = file.line_of(object.root->span.begin),
                                  .name = std::string(object.name)});
    }
  }
}

LoadedObjects load_document(const SourceFile& file, Span where, const std::shared_ptr<Arena>& arena,
                            Piece& piece) {
  LoadedObjects result{.document = std::make_unique<LoadedDocument>(), .objects = {}};
  LoadedDocument& loaded = *result.document;
  loaded.linted = piece.reading->input->linted;
  loaded.document = yaml::parse(file, where, arena, yaml::Templates::skipped);
  const yaml::Document& document = loaded.document;
  if (document.templated) {
    const bool may_be_ours = k8s::template_may_be_in_scope(file.text(where));
    if (may_be_ours) loaded.status = DocumentStatus::templated;
  } else if (!document.problems.empty()) {
    loaded.kind_unknown = !k8s::broken_text_in_scope(file.text(where));
    // What other readers of YAML accept may be of another tool.
    const bool is_other =
        loaded.kind_unknown && (!document.problems.front().is_syntax_error ||
                                k8s::is_other_file(file.path(), file.text(where)));
    if (!is_other) loaded.status = DocumentStatus::broken;
  } else {
    std::vector<k8s::Object> objects = k8s::objects_in(document);
    note_objects(objects, file, piece);
    std::erase_if(objects, [](const k8s::Object& object) { return !k8s::in_scope(object); });
    if (!objects.empty()) {
      const bool are_facts = std::ranges::all_of(objects, [](const k8s::Object& object) {
        return k8s::scheduling_kind_of(object).has_value();
      });
      loaded.status = are_facts ? DocumentStatus::fact : DocumentStatus::checked;
    }
    result.objects = std::move(objects);
  }
  return result;
}

/// How much is known from documents that are not in scope.
std::size_t facts_of(const Piece& piece) {
  return piece.definitions.size() + piece.server_versions.size();
}

void parse_piece(Piece& piece) {
  Reading& reading = *piece.reading;
  const SourceFile& file = *reading.file;
  const std::vector<Span> documents = yaml::split(file, piece.where);
  if ((reading.documents += documents.size()) > reading.settings.limits.documents) return;
  const auto arena = std::make_shared<Arena>();
  for (const Span where : documents) {
    const Arena::Mark before = arena->mark();
    const std::size_t facts_before = facts_of(piece);
    LoadedObjects loaded = load_document(file, where, arena, piece);
    if (loaded.document->status == DocumentStatus::out_of_scope) {
      if (facts_of(piece) > facts_before) {
        piece.kept_documents.push_back(std::move(loaded.document));
      } else {
        arena->rewind(before);
      }
      if (reading.settings.only_counts) {
        ++piece.out_of_scope;
        continue;
      }
      loaded.document = std::make_unique<LoadedDocument>();  // without its tree
      loaded.document->document.span = where;
      loaded.document->linted = reading.input->linted;
    }
    piece.documents.push_back(std::move(loaded));
  }
}

/// Helm renders text with an action; what does not parse without one is not judged either.
bool is_for_helm(const LoadedObjects& loaded, const SourceFile& file) {
  if (loaded.document->status == DocumentStatus::broken) return true;
  return loaded.document->status == DocumentStatus::checked &&
         loaded.document->document.text(file).find("{{") != std::string_view::npos;
}

void make_template(LoadedObjects& loaded) {
  yaml::Document& document = loaded.document->document;
  document.templated = true;
  document.problems.clear();
  document.root = &yaml::missing_node();
  loaded.document->status = DocumentStatus::templated;
  loaded.objects.clear();
}

/// Finds the chart of templates, and marks documents of a chart's template, however they look.
/// Those without an action are manifests.
void mark_templates(Reading& reading) {
  bool has_templates = false;
  std::vector<LoadedObjects*> found;
  for (Piece& piece : reading.pieces) {
    for (LoadedObjects& loaded : piece.documents) {
      has_templates = has_templates || loaded.document->status == DocumentStatus::templated;
      if (is_for_helm(loaded, *reading.file)) found.push_back(&loaded);
    }
  }
  reading.may_be_of_chart = !found.empty() || has_templates;
  if (!reading.may_be_of_chart) return;
  reading.chart = packages::chart_of_template(reading.file->path());
  if (reading.chart.empty()) return;
  for (LoadedObjects* loaded : found) make_template(*loaded);
}

/// Leaves out an input that exceeds a limit.
void reject(Reading& reading, std::size_t line, std::string reason) {
  reading.failure = {reading.file->path(), std::move(reason), line};
  reading.file = std::make_unique<SourceFile>(reading.id, reading.file->path(), "");
  reading.pieces.clear();
}

/// Where the first line begins that is too long.
std::optional<std::size_t> long_line(std::string_view bytes, std::size_t limit) {
  std::size_t begin = 0;
  while (bytes.size() - begin > limit) {
    const std::size_t end = kLineEnds.find_last_in(bytes.substr(begin, limit + 1));
    if (end == std::string_view::npos) return begin;
    begin += end + 1;
  }
  return std::nullopt;
}

class Reader {
 public:
  Reader(std::span<const Input> inputs, FileId first_id, const LoadOptions& options)
      : options_(options) {
    for (const Input& input : inputs) {
      const auto id = static_cast<FileId>(first_id + readings_.size());
      Reading& reading = readings_.emplace_back();
      reading.input = &input;
      reading.id = id;
      reading.settings = {
          .linted = input.linted,
          .fact = input.fact,
          .source = input.source,
          .only_counts = options.out_of_scope == OutOfScope::counted && input.linted,
          .limits = options.limits};
    }
  }

  ParsedFiles run() {
    progress().begin(Step::reading, readings_.size());
    parallel_for(readings_.size(), options_.jobs,
                 [&](std::size_t i) { read_if_small(readings_[i]); });
    std::vector<Reading*> large;
    for (Reading& reading : readings_) {
      if (!is_small(reading)) large.push_back(&reading);
    }
    read_large(large);
    ParsedFiles contents;
    for (Reading& reading : readings_) {
      contents.push_back(reading.parsed != nullptr
                             ? std::move(reading.parsed)
                             : std::make_shared<const FileContent>(content_of(reading)));
    }
    return contents;
  }

 private:
  static bool is_small(const Reading& reading) { return reading.size <= kSmallFile; }

  /// Of a large file only the size is noted; of one that is none, it is seen when it is read.
  void read_if_small(Reading& reading) {
    const Input& input = *reading.input;
    if (input.parsed != nullptr) {
      reading.parsed = input.parsed;
    } else if (auto text = text_in_memory(input)) {
      take_text(reading, *std::move(text));
    } else if (const std::string problem = problem_with(input); !problem.empty()) {
      take_text(reading, Error{"is " + problem});
    } else {
      const Result<OpenFile> file = OpenFile::open(input.path);
      reading.size = file && file->size() ? *file->size() : 0;
      if (!is_small(reading) && reading.size <= options_.limits.file_size) return;
      take_text(reading,
                file ? file->read(options_.limits.file_size, kFileSizeFlag) : file.error());
    }
    if (!is_small(reading)) return;
    std::ranges::for_each(reading.pieces, parse_piece);
    finish(reading);
  }

  std::optional<Result<std::string>> text_in_memory(const Input& input) const {
    std::optional<std::string> text;
    if (input.text != nullptr) {
      text = *input.text;
    } else if (options_.text_of) {
      text = options_.text_of(input.path);
    }
    if (!text) return std::nullopt;
    const std::size_t limit = options_.limits.file_size;
    if (text->size() > limit && !input.rendered) return too_large(limit, kFileSizeFlag);
    return *std::move(text);
  }

  /// What is known of the file, if it would be read in the same way from these bytes.
  std::shared_ptr<const FileContent> parsed_before(const Reading& reading, const std::string& path,
                                                   std::string_view bytes) const {
    if (options_.parsed == nullptr || reading.id >= options_.parsed->size()) return nullptr;
    const std::shared_ptr<const FileContent>& known = (*options_.parsed)[reading.id];
    const bool is_same = known != nullptr && !known->failure && !known->is_cut &&
                         known->settings == reading.settings && known->file->path() == path &&
                         known->file->bytes() == bytes;
    // The disk shows whether there is a chart.
    return is_same && (!known->may_be_of_chart || packages::chart_of_template(path) == known->chart)
               ? known
               : nullptr;
  }

  /// Discovery and the configuration have judged the others, but for what blocks forever.
  static std::string problem_with(const Input& input) {
    if (input.only_for == nullptr) return input.fact ? problem_with_input(input.path) : "";
    std::error_code error;
    return fs::is_other(fs::status(input.path, error)) ? "not a regular file" : "";
  }

  void read_large(std::span<Reading* const> all) {
    for (std::size_t first = 0, end = 0; first < all.size(); first = end) {
      std::size_t bytes = 0;
      do {
        bytes += all[end++]->size;
      } while (end < all.size() && bytes + all[end]->size <= kBatchBytes);
      const std::span<Reading* const> some = all.subspan(first, end - first);
      parallel_for(some.size(), options_.jobs, [&](std::size_t i) {
        Reading& reading = *some[i];
        if (reading.file != nullptr) return;  // it is in memory
        take_text(reading,
                  read_file(reading.input->path, options_.limits.file_size, kFileSizeFlag));
      });
      std::vector<Piece*> pieces;
      for (Reading* reading : some) {
        for (Piece& piece : reading->pieces) pieces.push_back(&piece);
      }
      parallel_for(pieces.size(), options_.jobs, [&](std::size_t i) { parse_piece(*pieces[i]); });
      for (Reading* reading : some) finish(*reading);
    }
  }

  void take_text(Reading& reading, Result<std::string> bytes) {
    const Input& input = *reading.input;
    const std::string& shown = input.path == "-" ? options_.stdin_name : input.path;
    if (!bytes) {
      reading.failure = {shown, bytes.error().message, 0};
      reading.file = std::make_unique<SourceFile>(reading.id, shown, "");
      reading.size = 0;
      return;
    }
    reading.parsed = parsed_before(reading, shown, *bytes);
    if (reading.parsed != nullptr) return;
    reading.file = std::make_unique<SourceFile>(reading.id, shown, *std::move(bytes));
    reading.size = reading.file->bytes().size();
    if (input.source) return;
    // The API server writes its OpenAPI document in one line.
    const bool is_open_api = input.fact && reading.file->bytes().starts_with("{\"swagger\":");
    if (!is_open_api) reject_long_line(reading);
    const std::size_t piece = is_small(reading) ? kSmallFile : kPieceBytes;
    for (const Span part : yaml::parts_of(*reading.file, piece)) {
      reading.pieces.push_back({.reading = &reading, .where = part});
    }
  }

  void reject_long_line(Reading& reading) const {
    const std::size_t limit = options_.limits.line_length;
    const auto begin = long_line(reading.file->bytes(), limit);
    if (!begin) return;
    reject(reading, reading.file->line_of(static_cast<std::uint32_t>(*begin)),
           fmt::format("the line is longer than the limit of {}: break it, leave the file out, or "
                       "allow more with {}",
                       text_of_size(limit), kLineLengthFlag));
  }

  /// When all of it is parsed.
  void finish(Reading& reading) const {
    progress().count();
    if (reading.parsed != nullptr) return;
    if (reading.documents > options_.limits.documents) reject_many_documents(reading);
    if (reading.input->source) return;
    mark_templates(reading);
    add_spark_templates(reading.file->bytes(), reading.spark_templates);
    if (!reading.settings.only_counts || packages::is_kustomization(reading.input->path)) return;
    const bool holds_ours = std::ranges::any_of(reading.pieces, [](const Piece& piece) {
      return !piece.documents.empty() || facts_of(piece) > 0;
    });
    // The head may have suppressions.
    if (holds_ours) return;
    reading.file->keep_first(yaml::head_of(*reading.file).end);
    reading.is_cut = true;
  }

  void reject_many_documents(Reading& reading) const {
    const std::size_t limit = options_.limits.documents;
    const Span first_too_many = yaml::split(*reading.file)[limit];
    reject(reading, reading.file->line_of(first_too_many.begin),
           fmt::format("the file has more than {}: split it, leave it out, or allow more with {}",
                       count_of(limit, "document"), kDocumentsFlag));
  }

  static FileContent content_of(Reading& reading) {
    FileContent content{.settings = reading.settings,
                        .file = std::move(reading.file),
                        .is_cut = reading.is_cut,
                        .spark_templates = std::move(reading.spark_templates),
                        .may_be_of_chart = reading.may_be_of_chart,
                        .chart = std::move(reading.chart),
                        .failure = std::move(reading.failure)};
    for (Piece& piece : reading.pieces) {
      if (!piece.documents.empty()) content.pieces.push_back(std::move(piece.documents));
      content.out_of_scope += piece.out_of_scope;
      std::ranges::move(piece.definitions, std::back_inserter(content.definitions));
      std::ranges::copy(piece.server_versions, std::back_inserter(content.server_versions));
      std::ranges::move(piece.kept_documents, std::back_inserter(content.kept_documents));
      std::ranges::move(piece.unfollowed, std::back_inserter(content.unfollowed));
      content.policy_manifests.merge(piece.policy_manifests);
    }
    return content;
  }

  const LoadOptions& options_;
  std::deque<Reading> readings_;
};

}  // namespace

ParsedFiles read_inputs(std::span<const Input> inputs, FileId first_id,
                        const LoadOptions& options) {
  return Reader(inputs, first_id, options).run();
}

// Spark reads its pod templates from paths in an image or a mounted volume, which say nothing about
// the directories of a repository: only names of files are compared.

namespace {

/// The end of the keys. Its first letter is rarer in manifests than 'p', which makes the search of
/// every file several times as fast.
constexpr std::string_view kEnd = "TemplateFile";

bool begins_key(std::string_view before) {
  return before.ends_with("spark.kubernetes.driver.pod") ||
         before.ends_with("spark.kubernetes.executor.pod");
}

/// The value at the begin of `text`, which follows a key: ` "local:///opt/driver.yaml"`.
std::string_view value_in(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of("\"'\\ \t:="), text.size()));
  return text.substr(0, text.find_first_of("\"'\\ \t\r\n,}]"));
}

}  // namespace

void add_spark_templates(std::string_view text, std::set<std::string>& names) {
  for (std::size_t at = 0; (at = text.find(kEnd, at)) != std::string_view::npos;) {
    const bool is_key = begins_key(text.substr(0, at));
    at += kEnd.size();
    if (!is_key) continue;
    const std::string_view name = file_name_of(value_in(text.substr(at)));
    if (!name.empty()) names.emplace(name);
  }
}

bool is_named_as_spark_template(std::string_view file) {
  std::string name = lower(file_name_of(file));
  std::ranges::replace_if(
      name, [](char c) { return c == '_' || c == '.'; }, '-');
  const auto words = split(name, '-');
  const auto has = [&](std::string_view word) {
    return std::ranges::find(words, word) != words.end();
  };
  return has("template") && (has("driver") || has("executor"));
}

}  // namespace cnsched
