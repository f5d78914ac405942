#include "core/k8s/objects.h"

#include <deque>
#include <random>
#include <tuple>

#include "testdata/support.h"

namespace cnsched::k8s::objects_test {

constexpr std::string_view kGroup = "serving.kserve.io";

/// Objects with the paths of their files.
class TestWorkspace {
 public:
  /// Adds an InferenceService or runtime to the file of that path, which may have others.
  const Object& add(const std::string& path, const std::string& kind, const std::string& ns,
                    const std::string& name, std::span<const PackageId> packages = {}) {
    const auto known = std::ranges::find(paths_, path);
    const auto id = static_cast<FileId>(known - paths_.begin());
    if (known == paths_.end()) paths_.push_back(path);
    files_.emplace_back("apiVersion: serving.kserve.io/v1alpha1\nkind: " + kind +
                        "\nmetadata: {name: " + name + ", namespace: '" + ns + "'}\n");
    yaml::Node& root = *roots_.emplace_back(std::make_unique<yaml::Node>(files_.back().root()));
    root.span.file = id;
    root.span.begin = static_cast<std::uint32_t>(roots_.size());  // after the earlier objects
    Object object = objects_in(files_.back().document).front();
    object.root = &root;
    object.ns.packages = packages;
    objects.add(added_.emplace_back(object), *std::ranges::find(paths_, path));
    objects.sort(1);
    return added_.back();
  }

  Objects objects;

 private:
  std::deque<std::string> paths_;
  std::deque<Parsed> files_;
  std::deque<std::unique_ptr<yaml::Node>> roots_;
  std::deque<Object> added_;
};

/// The expected result of `find`, by linear search.
class LinearSearch {
 public:
  void add(const Object& object, std::string path) { all_.push_back({&object, std::move(path)}); }

  /// Those of the namespace come before those that are only created together with it.
  const Object* find(std::string_view kind, std::string_view ns, std::string_view name,
                     std::string_view path) const {
    std::vector<const Located*> same;
    std::vector<const Located*> together;
    std::set<std::string_view> namespaces;
    for (const Located& located : all_) {
      const Object& object = *located.object;
      if (object.kind != kind || object.name != name) continue;
      if (object.ns.name == ns) same.push_back(&located);
      if (object.ns.name != ns && (ns.empty() || !object.ns.is_known())) {
        together.push_back(&located);
        namespaces.insert(object.ns.name);
      }
    }
    if (same.empty() && namespaces.size() > 1) return nullptr;
    return nearest(same.empty() ? together : same, path);
  }

 private:
  struct Located {
    const Object* object;
    std::string path;
  };

  static const Object* nearest(const std::vector<const Located*>& candidates,
                               std::string_view path) {
    const Located* best = nullptr;
    bool is_ambiguous = false;
    for (const Located* located : candidates) {
      const auto far = distance(*located, path);
      if (best == nullptr || far < distance(*best, path) ||
          (far == distance(*best, path) && located->path == best->path)) {
        is_ambiguous = is_ambiguous && best != nullptr && far == distance(*best, path);
        best = located;
      } else if (far == distance(*best, path)) {
        is_ambiguous = true;
      }
    }
    return best == nullptr || is_ambiguous ? nullptr : best->object;
  }

  static std::pair<bool, int> distance(const Located& located, std::string_view path) {
    const auto [mine, other] = std::ranges::mismatch(located.path, path);
    const auto shared = std::count(located.path.begin(), mine, '/');
    return {located.path != path, -static_cast<int>(shared)};
  }

  std::vector<Located> all_;
};

TEST_CASE("objects are found by group, kind, name and namespace") {
  TestWorkspace workspace;
  const Object& service = workspace.add("a.yaml", "InferenceService", "team", "llama");
  const Object& runtime = workspace.add("a.yaml", "ServingRuntime", "", "vllm");
  const auto find = [&](auto kind, std::string_view ns, auto name) {
    return workspace.objects.find(kGroup, kind, Namespace{ns}, name, service);
  };
  CHECK(find("InferenceService", "team", "llama") == &service);
  CHECK(find("InferenceService", "", "llama") == &service);
  CHECK(workspace.objects.find(kGroup, "InferenceService", std::nullopt, "llama", service) ==
        &service);
  CHECK(find("ServingRuntime", "anywhere", "vllm") == &runtime);
  CHECK(find("InferenceService", "other", "llama") == nullptr);
  CHECK(find("ServingRuntime", "team", "llama") == nullptr);
  CHECK(workspace.objects.find("example.com", "InferenceService", Namespace{"team"}, "llama",
                               service) == nullptr);
}

TEST_CASE("finds the nearest of several objects with one name in any order") {
  TestWorkspace workspace;
  const Object& far = workspace.add("b/runtime.yaml", "ServingRuntime", "", "vllm");
  const Object& near = workspace.add("a/runtime.yaml", "ServingRuntime", "", "vllm");
  const Object& service = workspace.add("a/service.yaml", "InferenceService", "", "llama");
  const Object& elsewhere = workspace.add("b/more/service.yaml", "InferenceService", "", "llama");
  CHECK(workspace.objects.find(kGroup, "ServingRuntime", Namespace{}, "vllm", service) == &near);
  CHECK(workspace.objects.find(kGroup, "ServingRuntime", Namespace{}, "vllm", elsewhere) == &far);
  const Object& same_file = workspace.add("a/service.yaml", "ServingRuntime", "", "vllm");
  CHECK(workspace.objects.find(kGroup, "ServingRuntime", Namespace{}, "vllm", service) ==
        &same_file);
}

TEST_CASE("finds the last of several objects in one file") {
  TestWorkspace workspace;
  const Object& service = workspace.add("a.yaml", "InferenceService", "", "llama");
  workspace.add("a.yaml", "ServingRuntime", "", "vllm");
  const Object& last = workspace.add("a.yaml", "ServingRuntime", "", "vllm");
  CHECK(workspace.objects.find(kGroup, "ServingRuntime", Namespace{}, "vllm", service) == &last);
}

TEST_CASE("prefers objects of the namespace to those that are created together") {
  TestWorkspace workspace;
  const Object& service = workspace.add("a/service.yaml", "InferenceService", "team", "llama");
  const auto find = [&](Objects::Of ns) {
    return workspace.objects.find(kGroup, "ServingRuntime", ns, "vllm", service);
  };
  const Object& other = workspace.add("a/service.yaml", "ServingRuntime", "other", "vllm");
  CHECK(find(Namespace{}) == &other);
  const Object& others = workspace.add("b/runtime.yaml", "ServingRuntime", "others", "vllm");
  CHECK(find(Namespace{}) == nullptr);
  CHECK(find(std::nullopt) == &other);
  CHECK(find(Namespace{"others"}) == &others);
  CHECK(find(Namespace{"team"}) == nullptr);
  const Object& none = workspace.add("c/runtime.yaml", "ServingRuntime", "", "vllm");
  CHECK(find(Namespace{"team"}) == &none);
  CHECK(find(Namespace{}) == &none);
  const Object& own = workspace.add("c/runtime.yaml", "ServingRuntime", "team", "vllm");
  CHECK(find(Namespace{"team"}) == &own);
  workspace.add("d/runtimes.yaml", "ServingRuntime", "team", "vllm");
  CHECK(find(Namespace{"team"}) == nullptr);
}

TEST_CASE("objects of two packages meet only in a namespace that both name") {
  static constexpr PackageId kFirst[] = {1};
  static constexpr PackageId kBoth[] = {1, 2};
  static constexpr PackageId kSecond[] = {2};
  TestWorkspace workspace;
  const Object& service = workspace.add("a.yaml", "InferenceService", "", "llama");
  const Object& runtime = workspace.add("b.yaml", "ServingRuntime", "", "vllm", kBoth);
  const Object& own = workspace.add("c.yaml", "ServingRuntime", "team", "own", kFirst);
  const auto find = [&](const Namespace& ns, std::string_view name) {
    return workspace.objects.find(kGroup, "ServingRuntime", ns, name, service);
  };
  CHECK(find({"", kFirst}, "vllm") == &runtime);
  CHECK(find({"", kSecond}, "vllm") == &runtime);
  CHECK(find({}, "vllm") == nullptr);
  CHECK(find({"team", kFirst}, "vllm") == &runtime);
  CHECK(find({"team"}, "vllm") == nullptr);
  CHECK(find({"", kFirst}, "own") == &own);
  CHECK(find({"", kSecond}, "own") == nullptr);
  CHECK(find({"team", kSecond}, "own") == &own);
  CHECK(workspace.objects.contains(kGroup, "ServingRuntime", Namespace{"other"}, "vllm"));
  CHECK_FALSE(workspace.objects.contains(kGroup, "ServingRuntime", Namespace{"other"}, "own"));
  CHECK(workspace.objects.names(kGroup, "ServingRuntime", Namespace{"", kFirst}, 9).size() == 2);
  CHECK(workspace.objects.names(kGroup, "ServingRuntime", Namespace{"", kSecond}, 9).size() == 1);
}

TEST_CASE("finds the nearest of many at any sort position") {
  TestWorkspace workspace;
  std::vector<const Object*> runtimes;
  for (const char* path : {"a-b/runtime.yaml", "a/a/runtime.yaml", "a/b/c/runtime.yaml",
                           "a/b/d/x/runtime.yaml", "a/c/runtime.yaml", "ab/runtime.yaml"}) {
    runtimes.push_back(&workspace.add(path, "ServingRuntime", "", "vllm"));
  }
  const auto nearest = [&](const std::string& path) {
    const Object& service = workspace.add(path, "InferenceService", "", "llama");
    const Object* found =
        workspace.objects.find(kGroup, "ServingRuntime", Namespace{}, "vllm", service);
    return found == nullptr
               ? runtimes.size()
               : static_cast<std::size_t>(std::ranges::find(runtimes, found) - runtimes.begin());
  };
  CHECK(nearest("a/b/c/service.yaml") == 2);
  CHECK(nearest("a/b/c/z/service.yaml") == 2);
  CHECK(nearest("a/b/d/service.yaml") == 3);
  CHECK(nearest("a/b/service.yaml") == runtimes.size());
  CHECK(nearest("a/a/z.yaml") == 1);
  CHECK(nearest("a/service.yaml") == runtimes.size());
  CHECK(nearest("ab/z.yaml") == 5);
  CHECK(nearest("z/service.yaml") == runtimes.size());
}

TEST_CASE("finds what a linear search finds") {
  std::mt19937 random(1);
  const auto one_of = [&](const std::vector<std::string>& words) {
    return words[random() % words.size()];
  };
  const std::vector<std::string> spaces = {"", "", "team", "other"};
  const std::vector<std::string> names = {"vllm", "triton"};
  for (int round = 0; round < 40; ++round) {
    TestWorkspace workspace;
    LinearSearch linear;
    // The objects of one file are added one after another.
    std::set<std::string> paths;
    while (paths.size() < 5) {
      paths.insert(one_of({"", "a/", "a/b/", "a-b/", "b/"}) + one_of({"x", "y", "a"}) + ".yaml");
    }
    std::vector<std::pair<const Object*, std::string>> referrers;
    for (const std::string& path : paths) {
      for (unsigned i = 0; i < random() % 4; ++i) {
        linear.add(workspace.add(path, "ServingRuntime", one_of(spaces), one_of(names)), path);
      }
      referrers.emplace_back(&workspace.add(path, "InferenceService", one_of(spaces), "llama"),
                             path);
    }
    for (const auto& [referrer, path] : referrers) {
      for (const std::string ns : {"", "team", "other"}) {
        CHECK(workspace.objects.find(kGroup, "ServingRuntime", Namespace{ns}, "vllm", *referrer) ==
              linear.find("ServingRuntime", ns, "vllm", path));
      }
    }
  }
}

TEST_CASE("finds nothing where several objects are equally near") {
  TestWorkspace workspace;
  workspace.add("dev/runtime.yaml", "ServingRuntime", "", "vllm");
  workspace.add("prod/runtime.yaml", "ServingRuntime", "", "vllm");
  const Object& service = workspace.add("service.yaml", "InferenceService", "", "llama");
  CHECK(workspace.objects.find(kGroup, "ServingRuntime", Namespace{}, "vllm", service) == nullptr);
  CHECK(workspace.objects.contains(kGroup, "ServingRuntime"));
  CHECK(workspace.objects.contains(kGroup, "ServingRuntime", Namespace{}, "vllm"));
  CHECK_FALSE(workspace.objects.contains(kGroup, "ServingRuntime", Namespace{}, "triton"));
  CHECK_FALSE(workspace.objects.contains("example.com", "ServingRuntime", Namespace{}, "vllm"));
  CHECK(workspace.objects.all(kGroup, "ServingRuntime", Namespace{}, service).empty());
}

TEST_CASE("lists the objects of a kind in a namespace by name") {
  TestWorkspace workspace;
  const Object& service = workspace.add("a.yaml", "InferenceService", "team", "llama");
  const Object& vllm = workspace.add("b.yaml", "ServingRuntime", "team", "vllm");
  const Object& triton = workspace.add("c.yaml", "ServingRuntime", "", "triton");
  workspace.add("d.yaml", "ServingRuntime", "other", "onnx");
  CHECK(workspace.objects.all(kGroup, "ServingRuntime", Namespace{"team"}, service) ==
        std::vector<const Object*>{&triton, &vllm});
}

TEST_CASE("lists nothing if there are more names than the limit") {
  TestWorkspace workspace;
  const Object& service = workspace.add("a.yaml", "InferenceService", "team", "llama");
  workspace.add("a.yaml", "ServingRuntime", "team", "onnx");
  workspace.add("b.yaml", "ServingRuntime", "", "onnx");
  workspace.add("c.yaml", "ServingRuntime", "", "vllm");
  const auto count = [&](std::string_view ns, std::size_t max_names) {
    return workspace.objects.all(kGroup, "ServingRuntime", Namespace{ns}, service, max_names)
        .size();
  };
  for (const std::string_view ns : {"team", ""}) {
    CHECK(count(ns, 2) == 2);
    CHECK(count(ns, 1) == 0);
  }
}

TEST_CASE("a record of look-ups tells whether another index gives the same answers") {
  TestWorkspace workspace;
  const Object& referrer = workspace.add("a.yaml", "InferenceService", "ml", "llama");
  workspace.add("b.yaml", "ServingRuntime", "ml", "onnx");
  const ObjectIndex::Of ml = referrer.ns;
  const auto ask = [&](const ObjectIndex& index, int question) {
    if (question == 0) return index.find(kGroup, "ServingRuntime", ml, "onnx", referrer) != nullptr;
    if (question == 1) return !index.all(kGroup, "ServingRuntime", ml, referrer).empty();
    if (question == 2) return !index.names(kGroup, "ServingRuntime", ml, 10).empty();
    return index.contains(kGroup, "ServingRuntime", ml, "onnx");
  };
  const TestWorkspace empty;
  for (int question = 0; question < 4; ++question) {
    CAPTURE(question);
    RecordedIndex recorded(workspace.objects);
    CHECK(ask(recorded, question));
    const RecordedIndex::Record record = recorded.take_record();
    CHECK(record.size() == 1);
    CHECK(record.front()(workspace.objects));
    CHECK_FALSE(record.front()(empty.objects));
  }
}

}  // namespace cnsched::k8s::objects_test
