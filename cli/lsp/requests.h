// What a client asks about a document. Each kind of request has a file of its own.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lsp/session.h"
#include "cli/lsp/transport.h"
#include "core/k8s/objects.h"
#include "core/source/source_file.h"
#include "core/workspace/cluster_scope.h"

namespace cnsched::cli::lsp {

/// A request about a document.
struct Question {
  std::string path;
  Place place{};       ///< if the request has a `position`
  PlaceRange range{};  ///< if it has a `range`; otherwise it begins and ends at `place`
  const Json& params;
};

/// What the parameters of a request about a document have besides the document.
enum class AsksAbout : std::uint8_t { document, place, range };

/// A request about a document that the last check answers.
struct DocumentRequest {
  std::string_view method;
  AsksAbout asks_about = AsksAbout::document;
  bool answers_list = true;  ///< what is found nowhere: an empty list, or null
  Json (*answer)(const Question&, const Session&) = nullptr;
  /// Whether it is asked about the last tree of a document that has syntax errors now.
  bool needs_tree = false;
};

/// The request of that method, or null.
const DocumentRequest* find_document_request(std::string_view method);

/// The kinds of actions (CodeActionKind).
inline constexpr std::string_view kFixKind = "quickfix";
inline constexpr std::string_view kPinKind = "refactor.rewrite";

/// textDocument/codeAction: for the findings in the range, their fixes, and comments that suppress
/// them; for the pods in it, what pins them to an accelerator. Only the client applies the edits.
Json code_actions(const Question& question, const Session& session);
/// The edit of whole lines that changes the file's text into `text`.
Edit edit_between(const SourceFile& file, std::string_view text);

/// The names of the commands, for the client.
Json command_names();

/// workspace/executeCommand: text about the pods of the component, or else of the object, at a
/// place: [{"uri": ..., "position": ...}].
Reply execute_command(const Json& params, const Session& session);

/// textDocument/completion: the fields that the schema has at the cursor, and known values. The
/// line may be half typed.
Json completions(const Question& question, const Session& session);

/// textDocument/inlayHint: what a list of the object replaces in the objects that its pods are
/// built on, and on how many known nodes each pod fits.
Json inlay_hints(const Question& question, const Session& session);

/// textDocument/hover: of a value that decides placement, what the effective pods have in its
/// place; of a toleration or selector, the known pools that match; of an accelerator, its record.
/// Null where there is nothing to say.
Json hover(const Question& question, const Session& session);

/// textDocument/definition: the names of the objects that the field at the place refers to, or the
/// name of the object whose name or kind is there. Several if it is not known which of them the
/// cluster has, or if clusters differ.
Json definition(const Question& question, const Session& session);

/// textDocument/references: the fields of the workspace that refer to the object that `definition`
/// finds, sorted by path and place.
Json references(const Question& question, const Session& session);

/// textDocument/documentSymbol: the objects of the file, below each its pods' components, and below
/// those the containers. A flat list if the client knows no other.
Json document_symbols(const Question& question, const Session& session);

/// Clients stop to show more.
inline constexpr std::size_t kMaxPerFile = 5000;

/// A finding as a Diagnostic of the protocol.
Json json_of(const Diagnostic& finding, const Session& session);
/// Those of a file; an empty array if it is not linted.
Json diagnostics_of(const std::string& path, const Session& session);

/// Differs if the diagnostics of the file do, as long as the texts of all files stay the same.
std::size_t signature_of(const Checker::File& file);

/// A kind of objects that a field names.
struct NamedKind {
  std::string_view group;
  std::string_view kind;
  /// Whether the object is in the namespace of the reference; otherwise it has none, or the
  /// controller searches a namespace that no manifest states.
  bool has_namespace = true;
};

/// A field of an object that refers to another object.
struct Reference {
  const k8s::Object* object = nullptr;  ///< that has the field
  const yaml::Node* field = nullptr;
  std::string_view name{};
  k8s::Namespace ns{};
  std::span<const NamedKind> kinds{};  ///< in the order in which they are searched
  /// The object that a controller chooses because of `field`, which is the model format, instead of
  /// a named one.
  const k8s::Object* chosen = nullptr;
  bool is_named = false;  ///< another field names `chosen`

  /// The object that the cluster has, or the first `max` of that name if that is not known.
  std::vector<const k8s::Object*> targets(const ClusterScope& scope, std::size_t max) const;
  /// Whether the target is one of them.
  bool is_to(const k8s::Object& target, const ClusterScope& scope) const;
};

/// The fields of the object that name other objects, or make a controller choose one. The order is
/// not that of the file.
std::vector<Reference> references_of(const k8s::Object& object, const ClusterScope& scope);

}  // namespace cnsched::cli::lsp
