(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '((yaml-mode yaml-ts-mode) "cnsched" "lsp")))

(defun cnsched-show (command)
  "Run COMMAND of the server for the object at point, and show the text."
  (interactive (list (completing-read "Command: " '("cnsched.effectivePod" "cnsched.simulate"))))
  (let* ((place (eglot--TextDocumentPositionParams))
         (text (jsonrpc-request
                (eglot-current-server) :workspace/executeCommand
                (list :command command
                      :arguments (vector (list :uri (plist-get (plist-get place :textDocument) :uri)
                                               :position (plist-get place :position)))))))
    (with-help-window "*cnsched*" (princ text))))
