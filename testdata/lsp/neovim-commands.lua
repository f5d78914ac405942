-- Runs a command of the server for the object at the cursor, and shows the text in a new window.
local function show(command)
  local position = { line = vim.fn.line('.') - 1, character = vim.fn.col('.') - 1 }
  local params = { command = command, arguments = { { uri = vim.uri_from_bufnr(0), position = position } } }
  vim.lsp.buf_request(0, 'workspace/executeCommand', params, function(err, text)
    if type(text) ~= 'string' then
      return vim.notify(err and err.message or 'cnsched: nothing to show here')
    end
    vim.cmd('new')
    vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile = 'nofile', 'wipe', false
    vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(text, '\n'))
  end)
end

vim.api.nvim_create_user_command('CnschedPod', function() show('cnsched.effectivePod') end, {})
vim.api.nvim_create_user_command('CnschedSimulate', function() show('cnsched.simulate') end, {})
