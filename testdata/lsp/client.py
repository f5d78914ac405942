"""A small client of `cnsched lsp` for scripts that measure: equal_to_lint.py, leak.py, latency.py."""
import json
import pathlib
import queue
import subprocess
import threading
import urllib.parse

TIMEOUT = 120  # seconds


def manifests(folder):
    """The manifests below a folder that are UTF-8, by their paths relative to it."""
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.suffix in (".yaml", ".yml", ".json") and path.is_file():
            try:
                yield str(path.relative_to(folder)), path.read_bytes().decode("utf-8-sig")
            except UnicodeDecodeError:
                pass


class Client:
    """A session in one folder. `published` has the last diagnostics of each file, by relative path."""

    def __init__(self, binary, folder, *flags):
        self.folder = str(pathlib.Path(folder).resolve())
        self.process = subprocess.Popen([binary, "lsp", *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.received, self.published, self.log, self.requests = queue.Queue(), {}, [], 0
        threading.Thread(target=self._read, daemon=True).start()
        self.request("initialize", {
            "processId": None,
            "workspaceFolders": [{"uri": self.uri("").rstrip("/"), "name": "folder"}],
            "capabilities": {"textDocument": {"publishDiagnostics": {"relatedInformation": True}}},
        })
        self.notify("initialized", {})

    def uri(self, path):
        return "file://" + urllib.parse.quote(f"{self.folder}/{path}")

    def path(self, uri):
        return urllib.parse.unquote(uri.removeprefix("file://")).removeprefix(self.folder + "/")

    def notify(self, method, params):
        self._send({"method": method, "params": params})

    def request(self, method, params):
        self.requests += 1
        self._send({"id": self.requests, "method": method, "params": params})
        while True:
            message = self._take()
            if message.get("id") == self.requests and "method" not in message:
                return message

    def wait(self, path, version):
        """Waits for the diagnostics of that version of an open document."""
        while self.published.get(path, {}).get("version") != version:
            self._take()

    def open(self, path, text):
        self.notify("textDocument/didOpen", {
            "textDocument": {"uri": self.uri(path), "languageId": "yaml", "version": 1, "text": text}})

    def insert(self, path, version, line, character, text, removed=0):
        """Replaces as many characters by the text."""
        start, end = ({"line": line, "character": each} for each in (character, character + removed))
        self.notify("textDocument/didChange", {
            "textDocument": {"uri": self.uri(path), "version": version},
            "contentChanges": [{"range": {"start": start, "end": end}, "text": text}]})

    def about(self, path, line=0, character=0):
        """The parameters of a request about a place."""
        return {"textDocument": {"uri": self.uri(path)}, "position": {"line": line, "character": character}}

    def resident(self):
        """The memory of the server in KiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0])

    def stop(self):
        """Ends the session. Returns the exit code."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(TIMEOUT)

    def _send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def _take(self):
        message = self.received.get(timeout=TIMEOUT)
        if message is None:
            raise RuntimeError("the server has ended")
        params = message.get("params")
        if message.get("method") == "textDocument/publishDiagnostics":
            self.published[self.path(params["uri"])] = params
        elif message.get("method", "").startswith("window/"):
            self.log.append(params.get("message"))
        return message

    def _read(self):
        stream = self.process.stdout
        while header := stream.readline():
            if header.lower().startswith(b"content-length:"):
                length = int(header.split(b":")[1])
            elif not header.strip():
                self.received.put(json.loads(stream.read(length)))
        self.received.put(None)
