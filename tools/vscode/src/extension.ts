// Starts `cnsched lsp` and shows the texts that its commands return.
import * as vscode from 'vscode';
import { ExecuteCommandRequest, LanguageClient } from 'vscode-languageclient/node';

let client: LanguageClient | undefined;

/** Runs a command of the server for the object at the cursor, and opens its text beside the editor. */
async function show(command: string, language: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (client === undefined || editor === undefined) return;
  const uri = client.code2ProtocolConverter.asUri(editor.document.uri);
  const position = client.code2ProtocolConverter.asPosition(editor.selection.active);
  try {
    const parameters = { command, arguments: [{ uri, position }] };
    const text: unknown = await client.sendRequest(ExecuteCommandRequest.type, parameters);
    const content = typeof text === 'string' ? text : '';
    const document = await vscode.workspace.openTextDocument({ language, content });
    await vscode.window.showTextDocument(document, vscode.ViewColumn.Beside, true);
  } catch (error) {
    await vscode.window.showErrorMessage(`cnsched: ${error instanceof Error ? error.message : error}`);
  }
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const settings = vscode.workspace.getConfiguration('cnsched');
  const command = settings.get<string>('path', 'cnsched');
  const args = ['lsp', ...settings.get<string[]>('arguments', [])];
  client = new LanguageClient('cnsched', { command, args }, {
    documentSelector: [{ scheme: 'file', language: 'yaml' }, { scheme: 'file', language: 'json' }],
    // The commands of the server need arguments: the palette has those below.
    middleware: { executeCommand: () => undefined },
  });
  context.subscriptions.push(
    vscode.commands.registerCommand('cnsched.showEffectivePod', () => show('cnsched.effectivePod', 'yaml')),
    vscode.commands.registerCommand('cnsched.showSimulation', () => show('cnsched.simulate', 'plaintext')),
  );
  await client.start();
}

export function deactivate(): Promise<void> | undefined {
  return client?.stop();
}
