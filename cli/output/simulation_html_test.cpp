#include "cli/output/simulation.h"
#include "core/base/text.h"
#include "testdata/support.h"

namespace cnsched::cli::simulation_html_test {

std::string html(std::vector<MemoryFile> files, bool replicas = false) {
  const auto workspace = workspace_of(std::move(files));
  const sim::Simulation simulation(*workspace, {});
  const sim::ModelLoading models(*workspace);
  Arena values;
  const auto advice = sim::advise(*workspace, simulation, 3, values);
  sim::Placements placements;
  sim::Autoscalers autoscalers(simulation);
  if (replicas) placements = sim::place_all(simulation, autoscalers);
  SimulationOutcome outcome{*workspace, simulation, advice, models, placements, {}, {}};
  for (std::size_t i = 0; i < simulation.workloads().size(); ++i) outcome.workloads.push_back(i);
  for (std::size_t i = 0; i < models.models().size(); ++i) outcome.shown_models.push_back(i);
  std::ostringstream out;
  write_simulation_html(outcome, out);
  return out.str();
}

std::string node(std::string_view name, std::string_view gpus, std::string_view taints = "") {
  return fmt::format(
      "apiVersion: v1\nkind: Node\nmetadata: {{name: {}}}\nspec: {{taints: [{}]}}\n"
      "status: {{allocatable: {{cpu: \"8\", memory: 32Gi, pods: \"110\", nvidia.com/gpu: "
      "\"{}\"}}}}\n"
      "---\n",
      name, taints, gpus);
}

std::string pod(std::string_view name, std::string_view gpus, std::string_view more = "") {
  return fmt::format(
      "apiVersion: v1\nkind: Pod\nmetadata: {{name: {}}}\nspec:\n{}  containers:\n"
      "  - {{name: c, image: i, resources: {{limits: {{nvidia.com/gpu: \"{}\"}}}}}}\n---\n",
      name, more, gpus);
}

constexpr std::string_view kTaint = "{key: dedicated, value: ml, effect: NoSchedule}";

/// The cells of the row of a workload.
std::string row(const std::string& page, std::string_view workload) {
  const std::size_t begin = page.find(fmt::format("Pod &apos;{}&apos; (", workload));
  REQUIRE(begin != std::string::npos);
  return page.substr(begin, page.find("</tr>", begin) - begin);
}

TEST_CASE("the page is a table of workloads and nodes with the reasons in each cell") {
  const std::string page =
      html({{"svc.yaml", pod("small", "1") + pod("large", "4")},
            {"nodes.yaml", node("gpu-a", "2", kTaint) + node("gpu-b", "8"), false}});
  CHECK(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">\n"));
  CHECK(has(page, "<title>cnsched simulate: 2 workloads on 2 nodes</title>"));
  CHECK(has(page, "<p><em class=\"o\">✓ fits: 2</em>\n</p>"));
  CHECK(has(page, "<th scope=\"col\">gpu-a</th>\n<th scope=\"col\">gpu-b</th>\n</tr></thead>"));
  CHECK(has(row(page, "large"), "(svc.yaml:8)<em class=\"o\">✓ fits <small>1/2</small></em></th>"));
  CHECK(has(row(page, "large"),
            "<td class=\"x\">×<i>taint &apos;dedicated=ml:NoSchedule&apos; is not tolerated\n"
            "requests 4 nvidia.com/gpu, the node has 2</i></td>\n"
            "<td class=\"o\">✓<i></i></td>"));
  CHECK_FALSE(has(page, "class=\"notes\""));
}

TEST_CASE("below a workload that fits nowhere are the event and suggested changes") {
  const std::string page =
      html({{"svc.yaml", pod("p", "1")}, {"nodes.yaml", node("gpu-a", "2", kTaint), false}});
  CHECK(has(page, "× fits nowhere: 1</em>"));
  CHECK(has(page,
            "<tr class=\"notes\"><td colspan=\"2\"><p>0/1 nodes are available: 1 node(s) had "
            "untolerated taint(s). no new claims to deallocate, "));
  CHECK(has(page, "<p><b>change</b> tolerate the taint: "));
  CHECK(has(page, ": then it fits gpu-a</p></td></tr>"));
}

TEST_CASE("with replicas the page shows which replicas do not fit") {
  const std::vector<MemoryFile> files = {
      {"svc.yaml", pod("p", "1") + pod("q", "2") + pod("r", "1")},
      {"nodes.yaml", node("a", "2"), false}};
  CHECK_FALSE(has(html(files), "placed"));
  const std::string page = html(files, true);
  CHECK(count(page, "<p><b>replicas</b> 1 of 1 placed: a</p>") == 2);
  CHECK(count(page,
              "<p><b>replicas</b> 0 of 1 placed; the next one fits nowhere: 0/1 nodes are "
              "available") == 1);
}

TEST_CASE("shows Models on the Servers that can load them") {
  const std::string model =
      "apiVersion: mlops.seldon.io/v1alpha1\nkind: Model\nmetadata: {name: m}\n"
      "spec: {storageUri: gs://m, requirements: [special], memory: 1Gi}\n---\n";
  const auto server = [](std::string_view name, std::string_view capability) {
    return fmt::format(
        "apiVersion: mlops.seldon.io/v1alpha1\nkind: Server\nmetadata: {{name: {}}}\n"
        "spec: {{serverConfig: mlserver, capabilities: [{}]}}\n---\n",
        name, capability);
  };
  const std::string page =
      html({{"m.yaml", model + server("able", "special") + server("other", "b")},
            {"nodes.yaml", node("a", "1"), false}});
  CHECK(has(page, "<h2>Models on Servers</h2>"));
  CHECK(has(page, "<th scope=\"row\">Model &apos;m&apos; (m.yaml:1)<em class="));
  CHECK(has(page, " able</em>\n"));
  CHECK(has(page, "<p><em class=\"x\">× other</em>\n"));
  CHECK_FALSE(has(html({{"p.yaml", pod("p", "1")}}), "Models on Servers"));
}

TEST_CASE("with --node the page has one column and the workloads that may run there") {
  const TemporaryDirectory directory;
  const std::string pods = directory.write("svc.yaml", pod("small", "1") + pod("large", "4"));
  const std::string nodes = directory.write("nodes.yaml", node("a", "2") + node("b", "2"));
  const Ran ran =
      run_program({"simulate", "--format", "html", "--node", "b", pods, "--cluster", nodes});
  CHECK(has(ran.out, "<h1>1 workload may run on b</h1>"));
  CHECK(count(ran.out, "scope=\"col\"") == 2);
  CHECK(has(ran.out, "<th scope=\"col\">b</th>"));
  CHECK(count(ran.out, "scope=\"row\"") == 1);
}

TEST_CASE("an unknown verdict shows what is unknown") {
  const std::string page =
      html({{"svc.yaml", pod("p", "1")},
            {"nodes.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: bare}\n", false}});
  CHECK(has(page, "<em class=\"u\">? unknown: 1</em>"));
  CHECK(has(row(page, "p"), "<em class=\"u\">? unknown <small>0/1</small></em>"));
  CHECK(has(row(page, "p"), "<td class=\"u\">?<i>free resources are unknown"));
}

TEST_CASE("a workload without pods has a reason instead of cells") {
  const std::string page = html(
      {{"svc.yaml", "apiVersion: mlops.seldon.io/v1alpha1\nkind: Server\nmetadata: {name: s}\n"},
       {"nodes.yaml", node("a", "1"), false}});
  CHECK(has(page, "<em class=\"x\">× never created: 1</em>"));
  CHECK(has(page, "</th>\n<td class=\"n\" colspan=\"1\"></td></tr>"));
  CHECK(has(page, "<p>no pod is created: &apos;serverConfig&apos; is missing</p>"));
}

TEST_CASE("nodes with the same verdicts and reasons share a column") {
  std::string nodes;
  for (const char* name : {"a", "b", "c"})
    nodes += node(name, "2") + node(fmt::format("{}x", name), "8");
  const std::string page = html({{"svc.yaml", pod("p", "4")}, {"nodes.yaml", nodes, false}});
  CHECK(has(page, "<th scope=\"col\">a, b, c</th>\n<th scope=\"col\">ax, bx, cx</th>\n</tr>"));
  CHECK(has(row(page, "p"), "×<i>on a:\nrequests 4 nvidia.com/gpu, the node has 2</i>"));
  CHECK(has(row(page, "p"), "fits <small>3/6</small>"));
}

TEST_CASE("one workload with different verdicts is enough for separate columns") {
  const std::string nodes = node("a", "2") + node("b", "2", kTaint) + node("c", "4");
  const auto columns = [&](const std::string& pods) {
    return count(html({{"svc.yaml", pods}, {"nodes.yaml", nodes, false}}), "scope=\"col\"") - 1;
  };
  const std::string tolerant = "  tolerations: [{operator: Exists}]\n";
  CHECK(columns(pod("p", "1", tolerant)) == 1);
  CHECK(columns(pod("p", "1", tolerant) + pod("q", "3", tolerant)) == 2);
  CHECK(columns(pod("p", "1") + pod("q", "3", tolerant)) == 3);
}

TEST_CASE("cells of many columns show their reasons on demand") {
  std::string nodes;
  std::string pods;
  for (int i = 1; i <= 7; ++i) {
    nodes += node(fmt::format("node-with-a-name-that-is-long-{}", i), std::to_string(i));
    pods += pod(fmt::format("p{}", i), std::to_string(i));
  }
  const std::string page = html({{"svc.yaml", pods}, {"nodes.yaml", nodes, false}});
  CHECK(has(page, "<table class=\"dense\">"));
  CHECK(has(page,
            "<span>node-with-a-…at-is-long-7</span><i>node-with-a-name-that-is-long-7</i></th>"));
  CHECK(has(row(page, "p7"),
            "<td class=\"x\" tabindex=\"0\">×<i><b>p7 on node-with-a-name-that-is-long-1: does not "
            "fit</b>\nrequests 7 nvidia.com/gpu, the node has 1</i></td>"));
}

TEST_CASE("limits rows and columns, and shows that it does") {
  std::string nodes;
  std::string pods;
  for (int i = 1; i <= 40; ++i) nodes += node(fmt::format("n{}", i), std::to_string(i));
  for (int i = 0; i < 5'001; ++i) pods += pod(fmt::format("p{}", i), std::to_string(i % 40 + 1));
  const std::string page = html({{"svc.yaml", pods}, {"nodes.yaml", nodes, false}});
  CHECK(count(page, "scope=\"col\"") == 21);
  CHECK(count(page, "scope=\"row\"") == 5'000);
  CHECK(has(page, "<h1>5001 workloads on 40 nodes</h1>"));
  CHECK(has(page, "<p>Only the first 5000 are shown. --format json has all.</p>"));
  CHECK(has(page, "<p>Only the first 20 of 40 groups of nodes are shown. --format json has all "));
}

TEST_CASE("escapes markup in manifests and paths") {
  const std::string hostile = "\"<script>alert('1')</script>&amp; \\u202e\"";
  const std::string page =
      html({{"<img src=x>\x1b[31m\xff.yaml", pod(hostile, "4")},
            {"nodes.yaml",
             node(hostile, "2", "{key: \"</i><b onload=x\", value: '\"''', effect: NoSchedule}"),
             false}});
  CHECK_FALSE(has(page, "<script"));
  CHECK_FALSE(has(page, "<img"));
  CHECK_FALSE(has(page, "<b onload"));
  CHECK_FALSE(has(page, "\x1b"));
  CHECK_FALSE(has(page, "\xff"));
  CHECK_FALSE(has(page, "\u202e"));
  CHECK(has(page, "&lt;script&gt;alert(&apos;1&apos;)&lt;/script&gt;&amp;amp; \\u{202e}"));
  CHECK(has(page, "&lt;img src=x&gt;\\x1b[31m\\xff.yaml:1"));
  CHECK(code_points(page) > 0);
}

TEST_CASE("shortens texts of any length") {
  const std::string name(100'000, 'n');
  std::string taints;
  for (int i = 0; i < 1'000; ++i) taints += fmt::format("{{key: k{}, effect: NoSchedule}},", i);
  const std::string page =
      html({{"svc.yaml", pod(name, "4")}, {"nodes.yaml", node(name + "x", "2", taints), false}});
  CHECK(page.size() < 20'000);
  CHECK(has(page, "\n989 more</i></td>"));
  CHECK(has(page, fmt::format("&apos;{}…nn", std::string(145, 'n'))));
}

TEST_CASE("shortens between characters") {
  for (std::size_t shift = 0; shift < 4; ++shift) {
    std::string name(shift, 'a');
    for (int i = 0; i < 200; ++i) name += "日";
    const std::string page =
        html({{"svc.yaml", pod(name, "4")}, {"nodes.yaml", node(name, "2"), false}});
    CHECK_FALSE(has(printable(page), "\\x8"));
    CHECK_FALSE(has(printable(page), "\\xe"));
  }
}

TEST_CASE("the page loads nothing and forbids it") {
  const std::string page =
      html({{"svc.yaml", pod("p", "1")}, {"nodes.yaml", node("a", "1"), false}});
  CHECK(has(page, "content=\"default-src 'none'; style-src 'unsafe-inline';"));
  CHECK_FALSE(has(page, "http:"));
  CHECK_FALSE(has(page, "https:"));
  CHECK_FALSE(has(page, "url("));
  CHECK_FALSE(has(page, "src="));
}

TEST_CASE("shows a page without nodes or workloads") {
  const std::string nodeless = html({{"svc.yaml", pod("p", "1")}});
  CHECK(has(nodeless, "<h1>1 workload on 0 nodes</h1>"));
  CHECK(has(nodeless, "no nodes available to schedule pods"));
  const std::string empty = html({{"nodes.yaml", node("a", "1")}});
  CHECK(has(empty, "<h1>0 workloads</h1>"));
  CHECK_FALSE(has(empty, "<table"));
}

TEST_CASE("writes the same page for the same input") {
  const std::vector<MemoryFile> files = {
      {"svc.yaml", pod("p", "1") + pod("q", "4")},
      {"nodes.yaml", node("a", "1") + node("b", "8", kTaint), false}};
  CHECK(html(files) == html(files));
}

TEST_CASE("workloads of different clusters have separate tables") {
  const TemporaryDirectory directory;
  directory.write(
      "one/.cnsched.yaml",
      "cluster: {nodePools: [{name: pool-one, allocatable: {cpu: 8, memory: 8Gi, pods: 9, "
      "nvidia.com/gpu: 1}}]}\n");
  directory.write(
      "two/.cnsched.yaml",
      "cluster: {nodePools: [{name: pool-two, allocatable: {cpu: 8, memory: 8Gi, pods: 9, "
      "nvidia.com/gpu: 4}}]}\n");
  const std::string one = directory.write("one/a.yaml", pod("p", "1") + pod("r", "4"));
  const std::string two = directory.write("two/b.yaml", pod("q", "4"));
  const Ran ran = run_program({"simulate", "--format", "html", one, two});
  CHECK(ran.exit == 1);
  CHECK(has(ran.out, "<h1>3 workloads on the nodes of 2 clusters</h1>"));
  CHECK(has(ran.out, "<h2>Cluster 1: 2 workloads on 1 node</h2>"));
  CHECK(has(ran.out, "<h2>Cluster 2: 1 workload on 1 node</h2>"));
  CHECK(count(ran.out, "<table") == 2);
  CHECK(has(ran.out, "<th scope=\"col\">pool-two</th>"));
}

}  // namespace cnsched::cli::simulation_html_test
