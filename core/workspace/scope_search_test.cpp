#include "core/workspace/scope_search.h"
#include "testdata/support.h"

namespace cnsched::scope_search_test {

/// A linted file, and the identities of the facts in it.
struct File {
  std::string path;
  std::vector<std::string> facts{};
};

/// "clusters/dev prod: a.yaml [0,1]": the names of the scopes, then for each file the scopes that
/// judge it, and in parentheses the others that see it.
std::string scopes_of(const std::vector<File>& files, const KustomizeUsers& users = {}) {
  std::vector<std::string> paths;
  std::vector<PlacedFact> facts;
  for (const File& file : files) {
    for (const std::string& fact : file.facts) {
      facts.push_back({paths.size(), fact, fact == "cluster"});
    }
    paths.push_back(file.path);
  }
  const auto search = find_scopes({paths, facts, users});
  if (!search) return "too many";
  const FoundScopes& found = *search;
  if (found.names.empty()) return "one";
  std::string text = fmt::format("{}:", fmt::join(found.names, " "));
  for (const FoundScopes::Membership& file : found.files) {
    std::vector<std::size_t> others = file.visible_in;
    std::erase_if(others, [&](std::size_t i) { return std::ranges::count(file.judged_in, i) > 0; });
    text += fmt::format(" {}", fmt::join(file.judged_in, ","));
    if (!others.empty()) text += fmt::format("({})", fmt::join(others, ","));
  }
  return text;
}

TEST_CASE("a repository with one set of facts has one scope") {
  CHECK(scopes_of({}) == "one");
  CHECK(scopes_of({{"a.yaml"}}) == "one");
  CHECK(scopes_of({{"knative/features.yaml", {"features"}}, {"models/llama.yaml"}}) == "one");
  CHECK(scopes_of({{"dev/features.yaml", {"features"}}, {"models/llama.yaml"}}) == "one");
  CHECK(scopes_of({{"a/nodes.yaml", {"Node a"}}, {"b/nodes.yaml", {"Node b"}}}) == "one");
}

TEST_CASE("two directories with the same fact are two scopes") {
  CHECK(scopes_of({{"east/features.yaml", {"features"}},
                   {"east/llama.yaml"},
                   {"west/knative/features.yaml", {"features"}},
                   {"west/models/llama.yaml"}}) == "east west: 0 0 1 1");
  CHECK(scopes_of({{"k8s/gpu/a/n.yaml", {"Node x"}}, {"k8s/gpu/b/n.yaml", {"Node x"}}}) ==
        "k8s/gpu/a k8s/gpu/b: 0 1");
}

TEST_CASE("a file outside of every scope is judged in each") {
  CHECK(scopes_of({{"a/f.yaml", {"features"}}, {"b/f.yaml", {"features"}}, {"llama.yaml"}}) ==
        "a b: 0 1 0,1");
  CHECK(scopes_of({{"a/f.yaml", {"features"}},
                   {"b/east/f.yaml", {"features"}},
                   {"b/west/f.yaml", {"features"}},
                   {"b/llama.yaml"}}) == "a b/east b/west: 0 1 2 1,2");
}

TEST_CASE("a directory with facts is a cluster beside the scopes below it") {
  CHECK(scopes_of({{"f.yaml", {"features"}}, {"staging/f.yaml", {"features"}}, {"llama.yaml"}}) ==
        ". staging: 0(1) 1 0(1)");
}

TEST_CASE("directories named as clusters are scopes if one of them has a fact") {
  CHECK(scopes_of({{"clusters/one/f.yaml", {"features"}}, {"clusters/two/llama.yaml"}}) ==
        "clusters/one clusters/two: 0 1");
  CHECK(scopes_of({{"dev/f.yaml", {"features"}}, {"prod/llama.yaml"}, {"x/llama.yaml"}}) ==
        "dev prod: 0 1 0,1");
  CHECK(scopes_of({{"gke-dev/f.yaml", {""}}, {"gke-prod/llama.yaml"}}) == "gke-dev gke-prod: 0 1");
  CHECK(scopes_of({{"dev/llama.yaml"}, {"prod/llama.yaml"}, {"f.yaml", {"features"}}}) == "one");
  CHECK(scopes_of({{"product/f.yaml", {"features"}}, {"device/llama.yaml"}}) == "one");
}

TEST_CASE("directories with what clusters share are not scopes") {
  CHECK(scopes_of({{"clusters/base/f.yaml", {"features"}},
                   {"clusters/dev/llama.yaml"},
                   {"clusters/prod/f.yaml", {"features"}}}) ==
        "clusters/dev clusters/prod: 0,1 0 1");
}

TEST_CASE("a kustomize base belongs to the overlays that use it") {
  const KustomizeUsers users = {{"base", {"overlays/dev", "overlays/prod"}}};
  CHECK(scopes_of({{"base/llama.yaml"},
                   {"overlays/dev/f.yaml", {"features"}},
                   {"overlays/prod/f.yaml", {"features"}},
                   {"overlays/test/f.yaml", {"features"}}},
                  users) == "overlays/dev overlays/prod overlays/test: 0,1 0 1 2");
  CHECK(scopes_of({{"base/f.yaml", {"features"}},
                   {"overlays/dev/patch.yaml", {"features"}},
                   {"overlays/prod/llama.yaml"}},
                  users) == "overlays/dev overlays/prod: 0,1 0 1");
  CHECK(scopes_of({{"base/f.yaml", {"features"}}, {"aws/llama.yaml"}, {"gcp/llama.yaml"}},
                  {{"base", {"aws", "gcp"}}}) == "one");
  CHECK(scopes_of({{"base/f.yaml", {"features"}}, {"aws/patch.yaml", {"features"}}, {"gcp/a.yaml"}},
                  {{"base", {"aws", "gcp"}}}) == "aws gcp: 0,1 0 1");
  // A kustomization that uses another one, and one that uses itself.
  CHECK(scopes_of({{"base/llama.yaml"}, {"a/f.yaml", {"f"}}, {"b/f.yaml", {"f"}}},
                  {{"base", {"middle"}}, {"middle", {"a"}}, {"a", {"a"}}}) == "a b: 0 0 1");
}

TEST_CASE("descriptions of several clusters are scopes, and what is beside them is for none") {
  CHECK(scopes_of({{"a.yaml", {"cluster"}}, {"b.yaml", {"cluster"}}, {"llama.yaml"}}) ==
        ". a.yaml b.yaml: 1 2 0(1,2)");
  CHECK(scopes_of({{"a/a.yaml", {"cluster"}}, {"a/llama.yaml"}, {"b/b.yaml", {"cluster"}}}) ==
        ". a b: 1 1 2");
  CHECK(scopes_of({{"a.yaml", {"cluster"}}, {"llama.yaml"}}) == "one");
}

TEST_CASE("fails if too many scopes share too many files") {
  std::vector<File> files;
  for (int i = 0; i < 2000; ++i) {
    files.push_back({fmt::format("{}/f.yaml", i), {"features"}});
    files.push_back({fmt::format("x/{}.yaml", i)});
  }
  CHECK(scopes_of(files) == "too many");
}

}  // namespace cnsched::scope_search_test
