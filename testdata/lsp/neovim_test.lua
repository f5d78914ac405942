-- Opens a manifest of the quickstart in headless Neovim, compares the findings, and applies code actions.
-- .ci/editor-tests runs it in a copy of testdata/quickstart, after a configuration of docs/editors.md.

local function fail(what, seen)
  io.stderr:write(what .. ': ' .. vim.inspect(seen) .. '\n')
  vim.cmd('cquit 1')
end

--- Waits until `value()` is `expected`.
local function expect(what, expected, value)
  local seen
  local function is_there()
    seen = value()
    return vim.deep_equal(seen, expected)
  end
  if not vim.wait(20000, is_there, 20) then fail(what, seen) end
end

local function findings()
  local seen = {}
  for _, each in ipairs(vim.diagnostic.get(0)) do
    table.insert(seen, ('%d:%d %s'):format(each.lnum + 1, each.col + 1, each.user_data.lsp.code))
  end
  table.sort(seen)
  return seen
end

local function text() return vim.api.nvim_buf_get_lines(0, 0, -1, false) end

--- Applies the action with that title to the finding at the line and column.
local function apply(title, line, column)
  vim.api.nvim_win_set_cursor(0, { line, column - 1 })
  local offered = {}
  vim.ui.select = function(actions, options, choose)
    for _, action in ipairs(actions) do
      local shown = options.format_item(action)
      table.insert(offered, shown)
      if shown == title then return choose(action, 1) end
    end
  end
  local before = vim.api.nvim_buf_get_changedtick(0)
  vim.lsp.buf.code_action()
  local function is_applied() return vim.api.nvim_buf_get_changedtick(0) ~= before end
  if not vim.wait(20000, is_applied, 20) then fail("no action '" .. title .. "'", offered) end
end

vim.cmd('edit llama.yaml')
local original = text()
local of_original = {
  '11:5 knative-feature-disabled',
  '25:19 request-above-limit',
  '31:12 toleration-without-selector',
}
expect('findings', of_original, findings)

apply('suppress toleration-without-selector on this line', 31, 12)
local suppressed = vim.deepcopy(original)
suppressed[31] = suppressed[31] .. '  # cnsched: ignore=toleration-without-selector -- TODO: say why'
expect('text after the suppression', suppressed, text)
expect('findings after the suppression', { of_original[1], of_original[2] }, findings)
vim.cmd('silent undo')
expect('findings after undo', of_original, findings)

vim.api.nvim_buf_set_lines(0, 33, 33, true, { original[31], original[32], original[33] })
local of_copy = { of_original[1], of_original[2], of_original[3], '34:12 duplicate-toleration' }
expect('findings with a copy', of_copy, findings)
apply('remove the toleration', 34, 12)
expect('text after the fix', original, text)
expect('findings after the fix', of_original, findings)

for command, shown in pairs({ CnschedPod = '^kind: Pod$', CnschedSimulate = "InferenceService 'llama'" }) do
  vim.api.nvim_win_set_cursor(0, { 31, 11 })
  vim.cmd(command)
  expect(command, true, function()
    return vim.bo.buftype == 'nofile' and vim.fn.search(shown, 'w') > 0
  end)
  vim.cmd('close')
end
vim.cmd('qall!')
