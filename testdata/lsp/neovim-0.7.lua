local clients = {} -- by folder

local function start(event)
  local directory = vim.fn.fnamemodify(event.file, ':p:h')
  local git = vim.fn.finddir('.git', directory .. ';')
  local folder = git == '' and directory or vim.fn.fnamemodify(git, ':p:h:h')
  clients[folder] = clients[folder] or vim.lsp.start_client({
    name = 'cnsched',
    cmd = { 'cnsched', 'lsp' },
    root_dir = folder,
    workspace_folders = { { uri = vim.uri_from_fname(folder), name = folder } },
    on_exit = function() clients[folder] = nil end,
  })
  vim.lsp.buf_attach_client(event.buf, clients[folder])
end

vim.api.nvim_create_autocmd('FileType', { pattern = { 'yaml', 'json' }, callback = start })
