#include "cli/app.h"
#include "core/base/text.h"
#include "testdata/support.h"

namespace cnsched::cli::generate_test {

std::vector<std::string> isvc(std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {"generate",   "isvc-gpu",
                                        "--set",      "name=llama",
                                        "--set",      "platform=gke",
                                        "--set",      "accelerator=nvidia-l4",
                                        "--set",      "storageUri=gs://models/llama",
                                        "--no-config"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// Runs the program on a simulated terminal with these answers.
Ran answered(const std::vector<std::string>& arguments, const std::string& answers) {
  std::ostringstream out;
  std::ostringstream err;
  std::istringstream in(answers);
  Console console{
      .out = out, .err = err, .err_is_terminal = true, .in = &in, .in_is_terminal = true};
  const Exit exit = run_app(arguments, console);
  return {static_cast<int>(exit), out.str(), err.str()};
}

TEST_CASE("generate prints the command and the manifest") {
  const Ran ran = run_program(isvc());
  CHECK(ran.exit == 0);
  CHECK(ran.err == "");
  CHECK(ran.out.starts_with(
      "# Made by: cnsched generate isvc-gpu --set name=llama --set platform=gke --set "
      "accelerator=nvidia-l4 --set storageUri=gs://models/llama\n"
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"));
  CHECK(has(ran.out, "cloud.google.com/gke-accelerator: nvidia-l4\n"));
  CHECK_FALSE(has(ran.out, "${{"));
  CHECK(run_program(isvc({"--no-header"})).out.starts_with("apiVersion:"));
}

TEST_CASE("the order of parameters makes no difference") {
  const Ran shuffled = run_program({"generate", "isvc-gpu", "--set", "storageUri=gs://models/llama",
                                    "--set", "accelerator=NVIDIA-L4", "--set", "platform=gke",
                                    "--no-config", "-p", "name=llama"});
  CHECK(shuffled.exit == 0);
  const std::string expected = run_program(isvc()).out;
  // The first line has the user's spelling; the others are the same.
  CHECK(shuffled.out.substr(shuffled.out.find('\n')) == expected.substr(expected.find('\n')));
  const Ran ordered = run_program({"generate", "isvc-gpu", "--set", "storageUri=gs://models/llama",
                                   "--set", "accelerator=nvidia-l4", "--set", "platform=gke",
                                   "--no-config", "--set", "name=llama"});
  CHECK(ordered.out == expected);
}

TEST_CASE("reports all invalid parameters at once, with a valid command") {
  const Ran ran = run_program({"generate", "isvc-gpu", "--set", "nam=llama", "--set", "gpus=two",
                               "--set", "platform=gke", "--no-config"});
  CHECK(ran.exit == 2);
  CHECK(ran.out == "");
  CHECK(ran.err ==
        "error: 'isvc-gpu' has no parameter 'nam', did you mean 'name'?\n"
        "error: 'name' is required: name of the object\n"
        "error: 'accelerator' is required: the accelerator that the pod runs on\n"
        "error: 'gpus' must be an integer of 1 or more, not 'two'\n"
        "error: 'storageUri' is required: location of the model\n"
        "Try: cnsched generate isvc-gpu --set name=llama --set platform=gke --set "
        "accelerator=nvidia-l4 --set storageUri=gs://models/llama-3-8b\n");
}

TEST_CASE("rejects an accelerator that the platform does not have, and lists those that it has") {
  const Ran ran =
      run_program({"generate", "isvc-gpu", "--set", "name=a", "--set", "platform=gke", "--set",
                   "accelerator=nvidia-l40s", "--set", "storageUri=gs://a/b", "--no-config"});
  CHECK(ran.exit == 2);
  CHECK(has(ran.err, "GKE has no 'nvidia-l40s'"));
  CHECK(has(ran.err, "nvidia-l4"));
}

TEST_CASE("notes a label that no platform sets") {
  const std::vector<std::string> eks = {
      "--set", "platform=eks", "--set", "accelerator=nvidia-l4", "--no-config", "--set", "name=a"};
  std::vector<std::string> pod = {"generate", "isvc-gpu", "--set", "storageUri=gs://a/b"};
  pod.insert(pod.end(), eks.begin(), eks.end());
  const Ran ran = run_program(pod);
  CHECK(ran.exit == 0);
  CHECK(ran.err ==
        "note: no platform sets the label 'k8s.amazonaws.com/accelerator=nvidia-l4': add it to "
        "the nodes ('cnsched generate node-pool' shows how)\n");
  std::vector<std::string> pool = {"generate",  "node-pool", "--set",
                                   "cluster=c", "--set",     "region=eu-central-1"};
  pool.insert(pool.end(), eks.begin(), eks.end());
  CHECK(run_program(pool).err == "");
}

TEST_CASE("rejects an unknown template and suggests the nearest") {
  const Ran ran = run_program({"generate", "isvc-gpus", "--no-config"});
  CHECK(ran.exit == 2);
  CHECK(ran.err ==
        "error: unknown template 'isvc-gpus', did you mean 'isvc-gpu'? ('cnsched templates' "
        "lists them)\n");
  CHECK(run_program({"generate"}).exit == 2);
}

TEST_CASE("-o writes a new file, and overwrites only with --force") {
  const TemporaryDirectory tree;
  const std::string path = tree.path("llama.yaml");
  const Ran first = run_program(isvc({"-o", path}));
  CHECK(first.exit == 0);
  CHECK(first.out == "");
  CHECK(first.err == fmt::format("wrote {}\n", path));
  const std::string written = read_all(path);
  CHECK(written == run_program(isvc()).out);

  const auto before = fs::last_write_time(path);
  CHECK(run_program(isvc({"-o", path})).exit == 0);
  CHECK(fs::last_write_time(path) == before);

  const Ran rejected = run_program(isvc({"-o", path, "--set", "gpus=2"}));
  CHECK(rejected.exit == 3);
  CHECK(has(rejected.err, "exists"));
  CHECK(has(rejected.err, "--force"));
  CHECK(read_all(path) == written);

  CHECK(run_program(isvc({"-o", path, "--set", "gpus=2", "--force"})).exit == 0);
  CHECK(read_all(path) != written);
}

TEST_CASE("-o - is standard output") {
  const Ran ran = run_program(isvc({"-o", "-"}));
  CHECK(ran.exit == 0);
  CHECK(ran.out == run_program(isvc()).out);
}

TEST_CASE("--check detects a difference and --diff shows it; neither writes") {
  const TemporaryDirectory tree;
  const std::string path = tree.path("llama.yaml");
  CHECK(run_program(isvc({"-o", path, "--check"})).exit == 1);
  CHECK_FALSE(fs::exists(path));
  CHECK(run_program(isvc({"-o", path, "-q"})).err == "");
  CHECK(run_program(isvc({"-o", path, "--check"})).exit == 0);

  const Ran drift = run_program(isvc({"-o", path, "--check", "--set", "minReplicas=2"}));
  CHECK(drift.exit == 1);
  CHECK(drift.out == "");
  const Ran shown = run_program(isvc({"-o", path, "--diff", "--set", "minReplicas=2"}));
  CHECK(shown.exit == 1);
  CHECK(run_program(isvc({"-o", path, "--diff"})).exit == 0);
  CHECK(has(shown.out, "-    minReplicas: 1\n+    minReplicas: 2\n"));
  CHECK(run_program(isvc({"--diff"})).exit == 2);
}

TEST_CASE("reads values from a file; --set takes precedence") {
  const TemporaryDirectory tree;
  const std::string values = tree.write(
      "values.yaml",
      "name: llama\nplatform: gke\naccelerator: nvidia-l4\nstorageUri: gs://models/llama\n");
  CHECK(run_program({"generate", "isvc-gpu", "-f", values, "--no-config"}).out ==
        run_program(isvc()).out);
  const Ran over = run_program(
      {"generate", "isvc-gpu", "--values", values, "--set", "name=bert", "--no-config"});
  CHECK(has(over.out, "\n  name: bert\n"));
  const Ran none = run_program({"generate", "isvc-gpu", "-f", tree.path("no.yaml"), "--no-config"});
  CHECK(none.exit == 3);
}

TEST_CASE("standard input cannot be the values and the cluster") {
  const Ran ran = run_program(isvc({"-f", "-", "--cluster", "-"}));
  CHECK(ran.exit == 2);
  CHECK(ran.err == "error: standard input ('-') can only be read once: name a file instead\n");
}

TEST_CASE("generate does not write manifests with findings") {
  const TemporaryDirectory tree;
  const std::string flags = tree.write("flags.yaml",
                                       "apiVersion: v1\nkind: ConfigMap\nmetadata:\n"
                                       "  name: config-features\n  namespace: knative-serving\n"
                                       "data:\n  kubernetes.podspec-nodeselector: disabled\n");
  const std::string path = tree.path("out.yaml");
  const Ran ran = run_program(isvc({"--set", "mode=Knative", "--cluster", flags, "-o", path}));
  CHECK(ran.exit == 1);
  CHECK(has(ran.err, "error[knative-feature-disabled]"));
  CHECK_FALSE(fs::exists(path));
  // While the flag is unknown, the finding is a warning.
  CHECK(run_program(isvc({"--set", "mode=Knative"})).exit == 0);
  CHECK(run_program(isvc({"--set", "mode=Knative", "--fail-on", "warning"})).exit == 1);
  CHECK(run_program(isvc({"--set", "mode=Knative", "--cluster", flags, "--no-lint"})).exit == 0);
}

TEST_CASE("--interactive prompts for missing parameters, and again after an invalid answer") {
  const Ran ran = answered({"generate", "isvc-gpu", "--interactive", "--set", "name=llama", "--set",
                            "storageUri=gs://models/llama", "--no-config"},
                           "\nnowhere\n\ngke\nnvidia-l4\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n");
  CHECK(ran.exit == 0);
  CHECK(ran.out == run_program(isvc()).out);
  CHECK(has(ran.err, "'platform' must be gke, eks"));
  CHECK(answered({"generate", "isvc-gpu", "--interactive", "--no-config"}, "").exit == 2);
  CHECK(run_program({"generate", "isvc-gpu", "--interactive"}).exit == 2);
}

TEST_CASE("--interactive lists choices and defaults, explains, and suggests the nearest choice") {
  const Ran ran = answered({"generate", "isvc-gpu", "--interactive", "--set", "name=llama", "--set",
                            "storageUri=gs://models/llama", "--no-config"},
                           "\n?\ngk\ngke\nnvidia-l44\nnvidia-l4\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n");
  CHECK(ran.exit == 0);
  CHECK(ran.out == run_program(isvc()).out);
  CHECK(has(ran.err, "\n  gke, eks, "));
  CHECK(has(ran.err, "\nplatform (required): "));
  CHECK(has(ran.err, "'--set platform=VALUE' takes gke, eks"));
  std::string line;  // without the line breaks within messages
  for (const std::string_view part : split(ran.err, '\n')) line += std::string(trim(part)) + " ";
  CHECK(has(line, "not 'gk', did you mean 'gke'?"));
  CHECK(has(line, "did you mean 'nvidia-l4'?"));
  CHECK(has(ran.err, "\nmode [Standard]: "));
}

TEST_CASE("templates of a directory take precedence over the built-in ones") {
  const TemporaryDirectory tree;
  tree.write(
      "mine/pod.yaml",
      "apiVersion: cnsched/v1\nkind: Template\nmetadata: {name: pod, summary: a pod}\n"
      "parameters:\n- use: name\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: ${{ name "
      "}}\nspec:\n  containers:\n  - name: a\n    image: b\n");
  const std::string directory = tree.path("mine");
  const Ran ran = run_program(
      {"generate", "pod", "--template-dir", directory, "--set", "name=x", "--no-config"});
  CHECK(ran.exit == 0);
  CHECK(ran.out == fmt::format("# Made by: cnsched generate pod --template-dir {} --set name=x\n"
                               "apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\nspec:\n"
                               "  containers:\n  - name: a\n    image: b\n",
                               directory));
  const std::string config = tree.write("c.yaml", "generate: {templateDirs: [mine]}\n");
  CHECK(run_program({"generate", "pod", "-c", config, "--set", "name=x", "--no-header"}).exit == 0);
  CHECK(has(run_program({"templates", "-c", config}).out, "a pod"));
  CHECK(run_program({"templates", "--template-dir", tree.path("none"), "--no-config"}).exit == 2);
}

}  // namespace cnsched::cli::generate_test
