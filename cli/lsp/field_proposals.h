#pragma once

#include "cli/lsp/proposals.h"
#include "core/k8s/schema/schema.h"

namespace cnsched::cli::lsp {

/// What the schema of the object's kind says about a place.
struct SchemaPlace {
  const k8s::schema::Type* type = nullptr;    ///< of the node; null: not known
  const k8s::schema::Field* field = nullptr;  ///< that has the node, or the list of it
};
SchemaPlace schema_place(const CompletionPlace& place, const k8s::schema::Schemas& schemas);

/// Adds the fields that the object at the place lacks, or the values that the schema allows there.
void propose_by_schema(const SchemaPlace& schema, Proposals& proposals);

/// Adds the versions of APIs, or the kinds of the object's version.
void propose_api_versions(const k8s::schema::Schemas& schemas, Proposals& proposals);
void propose_kinds(const k8s::schema::Schemas& schemas, Proposals& proposals);

}  // namespace cnsched::cli::lsp
