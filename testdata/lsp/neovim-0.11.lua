vim.lsp.config('cnsched', {
  cmd = { 'cnsched', 'lsp' },
  filetypes = { 'yaml', 'json' },
  root_markers = { '.git' },
})
vim.lsp.enable('cnsched')
