"""Drives every request of `cnsched lsp` with pytest-lsp, in sessions with UTF-8 and with UTF-16.

    CNSCHED=BINARY pytest testdata/lsp

Each session has a copy of the folder `workspace` beside this file.
"""
import asyncio
import contextlib
import hashlib
import os
import pathlib
import shutil
import stat

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException

HERE = pathlib.Path(__file__).resolve().parent
BINARY = os.environ.get("CNSCHED", "cnsched")
TIMEOUT = 20  # seconds
ROCKET = "\U0001F680"  # beyond the BMP: 4 bytes, 2 UTF-16 code units

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning"),
]

# A Pod with a mistake behind text beyond the BMP, which a safe fix removes, and one that needs a decision.
POD = f"""apiVersion: v1
kind: Pod
metadata: {{name: a, annotations: {{note: "{ROCKET}"}}, lables: {{x: team}}}}
spec:
  tolerations:
  - {{key: nvidia.com/gpu, operator: Exists}}
  - {{key: nvidia.com/gpu, operator: Exists}}
  nodeSelector: {{nvidia.com/gpu.product: NVIDIA-L4}}
  containers:
  - {{name: main, image: "a:1", resources: {{limits: {{nvidia.com/gpu: 1}}}}}}
"""
# In service.yaml.
TOLERATIONS = "    tolerations:\n    - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}\n"
COPY = "  - {key: nvidia.com/gpu, operator: Exists}\n"


def capabilities(encoding, pulls=False):
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind(encoding)]),
        text_document=types.TextDocumentClientCapabilities(
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=True),
            diagnostic=types.DiagnosticClientCapabilities() if pulls else None,
            hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown]),
            completion=types.CompletionClientCapabilities(
                completion_item=types.ClientCompletionItemOptions(
                    documentation_format=[types.MarkupKind.Markdown])),
            document_symbol=types.DocumentSymbolClientCapabilities(hierarchical_document_symbol_support=True),
            code_action=types.CodeActionClientCapabilities(
                code_action_literal_support=types.ClientCodeActionLiteralOptions(
                    code_action_kind=types.ClientCodeActionKindOptions(value_set=["", "quickfix"])),
                is_preferred_support=True),
        ),
        workspace=types.WorkspaceClientCapabilities(
            configuration=True,
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True) if pulls else None,
        ),
        window=types.WindowClientCapabilities(work_done_progress=True),
    )


class Session:
    """The open documents of a client, with places in them as its encoding counts."""

    def __init__(self, client, folder, encoding):
        self.client, self.folder, self.encoding = client, folder, encoding
        self.texts, self.versions = {}, {}

    def uri(self, name):
        return (self.folder / name).as_uri()

    def document(self, name):
        return types.TextDocumentIdentifier(uri=self.uri(name))

    def text(self, name):
        return self.texts.get(name) or (self.folder / name).read_bytes().decode()

    def place(self, name, offset):
        before = self.text(name)[:offset]
        line = before.replace("\r\n", "\n").rsplit("\n", 1)[-1]
        count = len(line.encode()) if self.encoding == "utf-8" else len(line.encode("utf-16-le")) // 2
        return types.Position(line=before.count("\n"), character=count)

    def offset(self, name, place):
        lines = self.text(name).splitlines(keepends=True) + [""]
        code = "utf-8" if self.encoding == "utf-8" else "utf-16-le"
        units = place.character * (1 if self.encoding == "utf-8" else 2)
        return sum(map(len, lines[: place.line])) + len(lines[place.line].encode(code)[:units].decode(code))

    def find(self, name, words, behind=False):
        """The place of the words, or the one behind them."""
        offset = self.text(name).index(words)
        return self.place(name, offset + len(words) * behind)

    def span(self, name, span):
        """The text in a range."""
        return self.text(name)[self.offset(name, span.start): self.offset(name, span.end)]

    def at(self, name, words, kind=types.TextDocumentPositionParams, behind=False, **more):
        return kind(text_document=self.document(name), position=self.find(name, words, behind), **more)

    def open(self, name, text=None):
        self.texts[name], self.versions[name] = self.text(name) if text is None else text, 1
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(
            uri=self.uri(name), language_id="yaml", version=1, text=self.texts[name])))

    def change(self, name, old, new):
        """Replaces the first `old`, as a user types it."""
        offset = self.text(name).index(old)
        span = types.Range(self.place(name, offset), self.place(name, offset + len(old)))
        self.versions[name] += 1
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(uri=self.uri(name), version=self.versions[name]),
            [types.TextDocumentContentChangePartial(range=span, text=new)]))
        self.texts[name] = self.text(name)[:offset] + new + self.text(name)[offset + len(old):]

    def close(self, name):
        del self.texts[name]
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.document(name)))

    async def pull(self, name):
        report = await self.client.text_document_diagnostic_async(types.DocumentDiagnosticParams(self.document(name)))
        return report.items

    async def rules(self, name):
        return sorted(each.code for each in await self.pull(name))

    async def published(self, name, rules):
        """Waits until the file's published findings are those of the rules."""
        await until(lambda: sorted(each.code for each in self.client.diagnostics.get(self.uri(name), [])) == rules,
                    lambda: self.client.diagnostics.get(self.uri(name)))
        return self.client.diagnostics[self.uri(name)]

    async def actions(self, name, words):
        place = self.find(name, words)
        return await self.client.text_document_code_action_async(types.CodeActionParams(
            self.document(name), types.Range(place, place), types.CodeActionContext(diagnostics=[]))) or []

    def apply(self, name, edit):
        """The text after the edits of a code action or of a proposal."""
        text = self.text(name)
        edits = edit.changes[self.uri(name)] if isinstance(edit, types.WorkspaceEdit) else [edit]
        for each in sorted(edits, key=lambda each: self.offset(name, each.range.start), reverse=True):
            text = text[: self.offset(name, each.range.start)] + each.new_text + \
                text[self.offset(name, each.range.end):]
        return text

    async def hover(self, name, words):
        return await self.client.text_document_hover_async(self.at(name, words, types.HoverParams))

    async def labels(self, name, words):
        """The labels of the proposals behind the words."""
        found = await self.client.text_document_completion_async(
            self.at(name, words, types.CompletionParams, behind=True))
        return [each.label for each in (found if isinstance(found, list) else found.items)]

    async def command(self, command, name, words):
        place = self.find(name, words)
        argument = {"uri": self.uri(name), "position": {"line": place.line, "character": place.character}}
        return await self.client.workspace_execute_command_async(
            types.ExecuteCommandParams(command=command, arguments=[argument]))


async def until(is_there, seen):
    for _ in range(TIMEOUT * 50):
        if is_there():
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"still: {seen()}")


def copy_of_workspace(folder):
    shutil.copytree(HERE / "workspace", folder)
    (folder / ".git").mkdir()  # ends the search for configurations
    return folder


async def initialize(client, folder, encoding, pulls=False, options=None):
    result = await client.initialize_session(types.InitializeParams(
        capabilities=capabilities(encoding, pulls), initialization_options=options,
        workspace_folders=[types.WorkspaceFolder(uri=folder.as_uri(), name="workspace")]))
    session = Session(client, folder, encoding)
    session.initialized = result
    return session


def add_registration(client):
    client.registered = []

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def _(params):
        client.registered += params.registrations


SERVER = pytest_lsp.ClientServerConfig(server_command=[BINARY, "lsp"])


@pytest_lsp.fixture(config=SERVER, params=["utf-8", "utf-16"])
async def client(lsp_client: pytest_lsp.LanguageClient, request, tmp_path):
    add_registration(lsp_client)
    lsp_client.session = await initialize(lsp_client, copy_of_workspace(tmp_path / "w"), request.param)
    yield
    assert not [each.message for each in lsp_client.log_messages if "internal error" in each.message]
    await lsp_client.shutdown_session()
    assert lsp_client._server.returncode == 0


@pytest_lsp.fixture(config=SERVER, params=["utf-8", "utf-16"])
async def pulling_client(lsp_client: pytest_lsp.LanguageClient, request, tmp_path):
    add_registration(lsp_client)
    lsp_client.session = await initialize(lsp_client, copy_of_workspace(tmp_path / "w"), request.param, pulls=True)
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(config=SERVER)
async def raw_client(lsp_client: pytest_lsp.LanguageClient):
    """Not initialized."""
    add_registration(lsp_client)
    yield
    if lsp_client._server.returncode is None:
        lsp_client._server.kill()


@pytest.fixture
def session(client):
    return client.session


SERVICE = ["rollout-needs-spare-gpu", "runtime-toleration-replaced"]


async def test_initialize_announces_every_provider(session):
    offered = session.initialized.capabilities
    assert offered.position_encoding == session.encoding
    assert session.initialized.server_info.name == "cnsched"
    for provider in ("diagnostic", "code_action", "hover", "completion", "definition", "references",
                     "document_symbol", "inlay_hint", "execute_command"):
        assert getattr(offered, provider + "_provider"), provider
    assert set(offered.execute_command_provider.commands) == {"cnsched.effectivePod", "cnsched.simulate"}


async def test_requests_before_initialize_and_after_shutdown_fail(raw_client, tmp_path):
    raw_client.capabilities = capabilities("utf-16")
    with pytest.raises(JsonRpcException) as caught:
        await raw_client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(uri="file:///a.yaml"), types.Position(0, 0)))
    assert caught.value.code == types.ErrorCodes.ServerNotInitialized
    session = await initialize(raw_client, copy_of_workspace(tmp_path / "w"), "utf-16")
    with pytest.raises(JsonRpcException) as caught:
        await raw_client.protocol.send_request_async("cnsched/unknown", {})
    assert caught.value.code == types.ErrorCodes.MethodNotFound
    await raw_client.shutdown_async(None)
    with pytest.raises(JsonRpcException) as caught:
        await session.pull("service.yaml")
    assert caught.value.code == types.ErrorCodes.InvalidRequest
    raw_client.exit(None)
    assert await raw_client._server.wait() == 0


async def test_exit_without_shutdown_is_an_error(raw_client, tmp_path):
    await initialize(raw_client, copy_of_workspace(tmp_path / "w"), "utf-16")
    raw_client.exit(None)
    assert await raw_client._server.wait() == 1


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
async def test_positions_behind_text_beyond_the_bmp(session, line_end):
    session.open("pod.yaml", POD.replace("\n", line_end))
    found = await session.published("pod.yaml", ["duplicate-toleration", "unknown-field"])
    copy, field = sorted(found, key=lambda each: each.code)
    assert session.span("pod.yaml", field.range) == "lables"
    assert session.span("pod.yaml", copy.range).startswith("nvidia.com/gpu")
    assert field.severity == types.DiagnosticSeverity.Error
    assert field.source == "cnsched"
    # Edits count in the same way.
    session.change("pod.yaml", "lables", "labels")
    await session.published("pod.yaml", ["duplicate-toleration"])
    session.change("pod.yaml", f'"{ROCKET}"', f'"{ROCKET * 2}"')
    session.change("pod.yaml", "{x: team}", "{x: team}, nam: x")
    found = await session.published("pod.yaml", ["duplicate-toleration", "unknown-field"])
    assert "nam" in [session.span("pod.yaml", each.range) for each in found]
    session.change("pod.yaml", ", nam: x", "")
    session.change("pod.yaml", COPY.replace("\n", line_end), "")
    await session.published("pod.yaml", [])


async def test_a_finding_names_the_other_place_and_the_page_of_its_rule(session):
    found = await session.published("service.yaml", SERVICE)
    replaced = next(each for each in found if each.code == "runtime-toleration-replaced")
    assert {each.location.uri for each in replaced.related_information} == {session.uri("runtime.yaml")}
    assert session.span("runtime.yaml", replaced.related_information[0].location.range).startswith("{key: team")


async def test_an_open_text_replaces_the_file_until_it_is_closed(session):
    session.open("service.yaml")
    await session.published("service.yaml", SERVICE)
    session.change("service.yaml", TOLERATIONS, "")
    await session.published("service.yaml", ["gpu-toleration-missing", "rollout-needs-spare-gpu"])
    session.close("service.yaml")
    await session.published("service.yaml", SERVICE)


async def test_a_change_in_another_open_file_is_followed(session):
    session.open("runtime.yaml")
    session.change("runtime.yaml", "name: vllm\n", "name: vllm-2\n")
    await session.published("service.yaml", ["rollout-needs-spare-gpu", "unknown-runtime"])
    session.change("runtime.yaml", "name: vllm-2\n", "name: vllm\n")
    await session.published("service.yaml", SERVICE)


async def test_files_are_read_again_when_they_are_saved_or_change(session, client):
    await session.published("service.yaml", SERVICE)
    await until(lambda: client.registered, lambda: client.registered)
    assert [each.method for each in client.registered] == ["workspace/didChangeWatchedFiles"]
    (session.folder / "pod.yaml").write_text(POD)
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(
        [types.FileEvent(uri=session.uri("pod.yaml"), type=types.FileChangeType.Created)]))
    await session.published("pod.yaml", ["duplicate-toleration", "unknown-field"])
    (session.folder / "pod.yaml").unlink()
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(
        [types.FileEvent(uri=session.uri("pod.yaml"), type=types.FileChangeType.Deleted)]))
    await session.published("pod.yaml", [])
    session.open("service.yaml")
    (session.folder / ".cnsched.yaml").write_text("rules: {rollout-needs-spare-gpu: off}\n")
    client.text_document_did_save(types.DidSaveTextDocumentParams(session.document("service.yaml")))
    await session.published("service.yaml", ["runtime-toleration-replaced"])


async def test_diagnostics_are_pulled(pulling_client):
    session = pulling_client.session
    session.open("service.yaml")
    params = types.DocumentDiagnosticParams(session.document("service.yaml"))
    first = await pulling_client.text_document_diagnostic_async(params)
    assert sorted(each.code for each in first.items) == SERVICE
    params.previous_result_id = first.result_id
    again = await pulling_client.text_document_diagnostic_async(params)
    assert again.kind == "unchanged" and again.result_id == first.result_id
    session.change("service.yaml", "      runtime: vllm\n", "      runtime: vlm\n")
    other = await pulling_client.text_document_diagnostic_async(params)
    assert other.kind == "full" and "unknown-runtime" in [each.code for each in other.items]
    assert not pulling_client.diagnostics


async def test_diagnostics_of_the_workspace_are_pulled(pulling_client):
    session = pulling_client.session
    first = await pulling_client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(previous_result_ids=[]))
    by_uri = {each.uri: each for each in first.items}
    assert sorted(each.code for each in by_uri[session.uri("service.yaml")].items) == SERVICE
    session.open("runtime.yaml")
    session.change("runtime.yaml", "name: vllm\n", "name: vllm-2\n")
    known = [types.PreviousResultId(uri=each.uri, value=each.result_id) for each in first.items]
    second = await pulling_client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams(previous_result_ids=known))
    kinds = {each.uri: each.kind for each in second.items}
    assert kinds[session.uri("service.yaml")] == "full"
    assert kinds[session.uri("seldon.yaml")] == "unchanged"
    await until(lambda: pulling_client.diagnostic_refresh_count > 0, lambda: "no refresh")


async def test_a_safe_fix_is_preferred_and_removes_the_finding(session):
    session.open("pod.yaml", POD)
    await session.published("pod.yaml", ["duplicate-toleration", "unknown-field"])
    second = POD.rindex("nvidia.com/gpu, operator")
    place = session.place("pod.yaml", second)
    actions = await session.client.text_document_code_action_async(types.CodeActionParams(
        session.document("pod.yaml"), types.Range(place, place), types.CodeActionContext(diagnostics=[])))
    fix = next(each for each in actions if each.is_preferred)
    assert fix.kind == types.CodeActionKind.QuickFix
    assert [each.code for each in fix.diagnostics] == ["duplicate-toleration"]
    fixed = session.apply("pod.yaml", fix.edit)
    assert fixed == POD.replace(COPY, "", 1)


async def test_an_unsafe_fix_says_so(session):
    session.open("pod.yaml", POD)
    fix = next(each for each in await session.actions("pod.yaml", "lables") if "may change the intent" in each.title)
    assert not fix.is_preferred
    assert session.apply("pod.yaml", fix.edit) == POD.replace("lables", "labels")


async def test_a_finding_is_suppressed_with_a_reason(session):
    session.open("pod.yaml", POD)
    actions = await session.actions("pod.yaml", "lables")
    action = next(each for each in actions if "suppress unknown-field" in each.title)
    text = session.apply("pod.yaml", action.edit)
    assert "  # cnsched: ignore=unknown-field -- TODO: say why\n" in text
    session.close("pod.yaml")
    session.open("pod.yaml", text)
    assert await session.rules("pod.yaml") == ["duplicate-toleration"]


async def test_only_the_asked_kinds_of_actions_are_answered(session):
    session.open("pod.yaml", POD)
    place = session.find("pod.yaml", "lables")
    for only, some in ((["refactor.rename"], False), (["quickfix"], True), ([""], True)):
        actions = await session.client.text_document_code_action_async(types.CodeActionParams(
            session.document("pod.yaml"), types.Range(place, place),
            types.CodeActionContext(diagnostics=[], only=only)))
        assert bool(actions) == some


async def test_pin_is_an_action(session):
    text = session.text("service.yaml").replace("    nodeSelector:\n      nvidia.com/gpu.product: NVIDIA-L4\n", "")
    text = text.replace(TOLERATIONS, "")
    session.open("service.yaml", text)
    actions = [each for each in await session.actions("service.yaml", "predictor:") if "pin" in each.title.lower()]
    assert actions, await session.actions("service.yaml", "predictor:")
    pinned = session.apply("service.yaml", actions[0].edit)
    assert "nodeSelector:" in pinned or "nodeAffinity:" in pinned
    assert "tolerations:" in pinned


def markdown(hover):
    return hover.contents.value if isinstance(hover.contents, types.MarkupContent) else str(hover.contents)


async def test_hover_says_where_the_final_value_comes_from(session):
    hover = await session.hover("runtime.yaml", "tolerations:")
    assert "service.yaml" in markdown(hover) or "llama" in markdown(hover)
    hover = await session.hover("service.yaml", "tolerations:")
    assert "service.yaml:12" in markdown(hover)


async def test_hover_names_the_nodes_that_match(session):
    for words in ("{key: nvidia.com/gpu", "nvidia.com/gpu.product: NVIDIA-L4"):
        hover = await session.hover("service.yaml", words)
        text = markdown(hover)
        assert "gpu-1" in text and "gpu-2" in text, text


async def test_hover_shows_the_record_of_an_accelerator(session):
    for words in ("NVIDIA-L4", "nvidia.com/gpu: 1}"):
        hover = await session.hover("service.yaml", words)
        assert "nvidia.com/gpu" in markdown(hover)
    hover = await session.hover("service.yaml", "NVIDIA-L4")
    assert "24" in markdown(hover)  # GB


async def test_hover_on_nothing_is_null(session):
    assert await session.hover("service.yaml", "# A model") is None


@pytest.mark.parametrize(("typed", "label"), [
    ("  tr", "transformer"),
    ("  predictor:\n    model:\n      runtime: ", "vllm"),
    ("  predictor:\n    model:\n      modelFormat:\n        name: ", "huggingface"),
    ("  predictor:\n    nodeSelector:\n      nvidia", "nvidia.com/gpu.product"),
    ("  predictor:\n    nodeSelector:\n      nvidia.com/gpu.product: ", "NVIDIA-L4"),
    ("  predictor:\n    tolerations:\n    - key: ", "nvidia.com/gpu"),
    ("  predictor:\n    tolerations:\n    - ke", "key"),
])
async def test_completion_in_a_service(session, typed, label):
    head = f"# {ROCKET}\napiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n" \
        "metadata: {name: new, namespace: ml}\nspec:\n"
    session.open("new.yaml", head + typed)
    assert label in await session.labels("new.yaml", head + typed)


@pytest.mark.parametrize(("name", "old", "typed", "label"), [
    ("seldon.yaml", "  server: triton", "  server: ", "triton"),
    ("seldon.yaml", "  serverConfig: triton-gpu", "  serverConfig: ", "triton-gpu"),
    ("seldon.yaml", "requirements:\n  - torch", "requirements:\n  - ", "torch"),
    ("features.yaml", "podspec-tolerations: enabled", "podspec-node", "kubernetes.podspec-nodeselector"),
    ("features.yaml", "podspec-tolerations: enabled", "podspec-tolerations: ", "enabled"),
])
async def test_completion_of_what_the_workspace_has(session, name, old, typed, label):
    session.open(name)
    session.change(name, old, typed)
    assert label in await session.labels(name, typed)


async def test_a_proposal_replaces_what_is_typed_behind_text_beyond_the_bmp(session):
    typed = f'apiVersion: v1\nkind: Pod\nmetadata: {{name: a, annotations: {{x: "{ROCKET}"}}, lab'
    session.open("new.yaml", typed + "}\nspec: {}\n")
    found = await session.client.text_document_completion_async(
        session.at("new.yaml", typed, types.CompletionParams, behind=True))
    items = found if isinstance(found, list) else found.items
    labels = next(each for each in items if each.label == "labels")
    assert session.apply("new.yaml", labels.text_edit).startswith(typed + "els: ")


async def test_half_typed_text_leaves_completion_and_other_documents(session):
    session.open("service.yaml")
    await session.published("service.yaml", SERVICE)
    session.open("pod.yaml", POD)
    await session.published("pod.yaml", ["duplicate-toleration", "unknown-field"])
    session.change("service.yaml", "    model:\n", "    affi\n    model:\n")
    assert "affinity" in await session.labels("service.yaml", "    affi")
    assert await session.rules("pod.yaml") == ["duplicate-toleration", "unknown-field"]
    # The last good tree serves hover.
    hover = await session.hover("service.yaml", "NVIDIA-L4")
    assert "nvidia.com/gpu" in markdown(hover)
    session.open("runtime.yaml")
    session.change("runtime.yaml", "spec:\n", "spec: [\n")
    assert "yaml-syntax" in await session.rules("runtime.yaml")
    assert await session.rules("pod.yaml") == ["duplicate-toleration", "unknown-field"]
    session.change("runtime.yaml", "spec: [\n", "spec:\n")
    session.change("service.yaml", "    affi\n", "")
    await session.published("service.yaml", SERVICE)


def start_of(session, locations):
    """The files and the lines."""
    names = [each.uri.rsplit("/", 1)[-1] for each in locations]
    return [(name, session.text(name).split("\n")[each.range.start.line].strip())
            for name, each in zip(names, locations)]


@pytest.mark.parametrize(("name", "words", "target"), [
    ("service.yaml", "runtime: vllm", ("runtime.yaml", "name: vllm")),
    ("seldon.yaml", "server: triton", ("seldon.yaml", "name: triton")),
    ("seldon.yaml", "serverConfig: triton-gpu", ("seldon.yaml", "name: triton-gpu")),
])
async def test_definition(session, name, words, target):
    found = await session.client.text_document_definition_async(
        session.at(name, words, types.DefinitionParams, behind=True))
    assert start_of(session, found) == [target]


@pytest.mark.parametrize(("name", "words", "users"), [
    ("runtime.yaml", "name: vllm", {("service.yaml", "runtime: vllm")}),
    ("seldon.yaml", "name: triton-gpu", {("seldon.yaml", "serverConfig: triton-gpu")}),
    ("seldon.yaml", "name: triton\n  namespace", {("seldon.yaml", "server: triton")}),
])
async def test_references(session, name, words, users):
    place = session.find(name, words)
    place = types.Position(place.line, place.character + len("name: "))
    found = await session.client.text_document_references_async(types.ReferenceParams(
        types.ReferenceContext(include_declaration=False), session.document(name), place))
    assert set(start_of(session, found)) == users


async def test_document_symbols(session):
    found = await session.client.text_document_document_symbol_async(
        types.DocumentSymbolParams(session.document("seldon.yaml")))
    shown = [f"{each.name} {each.detail or ''}" for each in found]
    assert len(found) == 3
    for each, words in zip(shown, (("triton-gpu", "ServerConfig"), ("triton", "Server"), ("resnet", "Model"))):
        assert all(word in each for word in words), shown
    assert found[1].range.start.line < found[1].range.end.line <= found[2].range.start.line


async def test_inlay_hints(session):
    text = session.text("service.yaml")
    hints = await session.client.text_document_inlay_hint_async(types.InlayHintParams(
        session.document("service.yaml"), types.Range(types.Position(0, 0), types.Position(text.count("\n"), 0))))
    labels = [each.label for each in hints]
    assert "2 tolerations of ServingRuntime vllm are replaced" in labels
    assert "fits 2 of 3 nodes" in labels


async def test_the_effective_pod_is_text(session):
    text = await session.command("cnsched.effectivePod", "service.yaml", "nodeSelector:")
    assert "kind: Pod" in text
    assert "image: ghcr.io/example/vllm:0.9" in text
    assert "runtime.yaml" in text  # where values come from


async def test_the_simulation_is_text(session):
    text = await session.command("cnsched.simulate", "service.yaml", "nodeSelector:")
    assert "gpu-1" in text and "cpu-1" in text
    with pytest.raises(JsonRpcException) as caught:
        await session.client.workspace_execute_command_async(types.ExecuteCommandParams(command="cnsched.unknown"))
    assert caught.value.code == types.ErrorCodes.InvalidParams


async def test_commands_follow_what_is_typed(session):
    session.open("service.yaml")
    session.change("service.yaml", "NVIDIA-L4", "NVIDIA-L40S")
    text = await session.command("cnsched.effectivePod", "service.yaml", "nodeSelector:")
    assert "NVIDIA-L40S" in text


async def test_settings_are_pushed(session, client):
    await session.published("service.yaml", SERVICE)
    client.set_configuration({"ignore": ["rollout-needs-spare-gpu"]}, section="cnsched")
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams(
        {"cnsched": {"ignore": ["rollout-needs-spare-gpu"]}}))
    await session.published("service.yaml", ["runtime-toleration-replaced"])


async def test_settings_are_pulled(session, client):
    await session.published("service.yaml", SERVICE)
    client.set_configuration({"severity": ["runtime-toleration-replaced=error"]}, section="cnsched")
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    def is_error():
        return any(each.severity == types.DiagnosticSeverity.Error
                   for each in client.diagnostics[session.uri("service.yaml")])
    await until(is_error, lambda: client.diagnostics[session.uri("service.yaml")])


@pytest.mark.parametrize(("options", "rules"), [
    ({"select": ["rollout-needs-spare-gpu"]}, ["rollout-needs-spare-gpu"]),
    ({"select": ["rollout-needs-spare-gpu"], "extendSelect": ["runtime-toleration-replaced"]}, SERVICE),
    ({"ignore": ["rollout-needs-spare-gpu"]}, ["runtime-toleration-replaced"]),
    ({"severity": ["rollout-needs-spare-gpu=off"]}, ["runtime-toleration-replaced"]),
    ({"exclude": ["runtime.yaml"]}, ["rollout-needs-spare-gpu"]),
])
async def test_initialization_options_are_settings(raw_client, tmp_path, options, rules):
    raw_client.set_configuration(options, section="cnsched")
    session = await initialize(raw_client, copy_of_workspace(tmp_path / "w"), "utf-16", options=options)
    await session.published("service.yaml", rules)
    await raw_client.shutdown_session()


async def test_progress_of_a_check_of_many_files(raw_client, tmp_path):
    folder = copy_of_workspace(tmp_path / "w")
    for number in range(200):
        (folder / f"{number}.yaml").write_text("a: b\n")
    session = await initialize(raw_client, folder, "utf-16")
    await session.published("service.yaml", SERVICE)
    assert raw_client.progress_reports
    for reports in raw_client.progress_reports.values():
        kinds = [each.kind for each in reports]
        assert kinds[0] == "begin" and kinds[-1] == "end"
    await raw_client.shutdown_session()


async def test_a_request_is_cancelled(session, client):
    answers = [asyncio.ensure_future(client.workspace_diagnostic_async(
        types.WorkspaceDiagnosticParams(previous_result_ids=[]))) for _ in range(20)]
    await asyncio.sleep(0)
    last = list(client.protocol._request_futures)[-1]
    client.cancel_request(types.CancelParams(id=last))
    results = await asyncio.gather(*answers, return_exceptions=True)
    # A request that is finished before the cancellation arrives has its result.
    for each in results:
        assert not isinstance(each, Exception) or each.code == types.LSPErrorCodes.RequestCancelled
    assert await session.rules("service.yaml") == SERVICE


def content_of(folder):
    return {str(path): (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest())
            for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("config", ["in the workspace", "on the command line"])
async def test_no_program_is_started_and_nothing_is_written(tmp_path, config):
    folder, programs = copy_of_workspace(tmp_path / "w"), tmp_path / "bin"
    programs.mkdir()
    for name in ("helm", "kustomize", "git", "kubectl"):
        program = programs / name
        program.write_text(f'#!/bin/sh\ntouch "{tmp_path}/started-$(basename "$0")"\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    rendering = (folder if config == "in the workspace" else tmp_path) / ".cnsched.yaml"
    rendering.write_text("render: {engines: all}\n")
    for name, text in {"chart/Chart.yaml": "apiVersion: v2\nname: c\nversion: 0.1.0\n",
                       "chart/templates/a.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: {{ .Values.name }}}\n",
                       "overlay/kustomization.yaml": "resources: [../service.yaml]\n"}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    before = content_of(folder)
    flags = [] if config == "in the workspace" else ["-c", str(rendering)]
    server = pytest_lsp.ClientServerConfig(server_command=[BINARY, "lsp", *flags],
                                           server_env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"})
    client = await server.start()
    add_registration(client)
    session = await initialize(client, folder, "utf-16", options={"render": {"engines": "all"}})
    session.open("service.yaml")
    session.open("chart/templates/a.yaml")
    session.change("service.yaml", "runtime: vllm", "runtime: vlm")
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams({"cnsched": {"render": "all"}}))
    if flags:
        await session.published("service.yaml", ["rollout-needs-spare-gpu", "unknown-runtime"])
    else:
        await until(lambda: any("'render' starts programs" in each.message for each in client.messages),
                    lambda: client.messages)
    await session.actions("service.yaml", "runtime: vlm")
    for command in ("cnsched.effectivePod", "cnsched.simulate"):
        with contextlib.suppress(JsonRpcException):
            await session.command(command, "service.yaml", "predictor:")
    await client.shutdown_session()
    await client.stop()
    assert not list(tmp_path.glob("started-*"))
    assert content_of(folder) == before
