;; Opens a manifest of the quickstart in Emacs, compares the findings, and applies a code action.
;; .ci/editor-tests runs it in a copy of testdata/quickstart, after the configuration of docs/editors.md.
(require 'eglot)
(require 'yaml-mode)

(defun expect (what expected value)
  "Wait until the function VALUE returns EXPECTED."
  (let ((end (+ (float-time) 20)) seen)
    (while (and (not (equal (setq seen (funcall value)) expected)) (< (float-time) end))
      (accept-process-output nil 0.05))
    (unless (equal seen expected)
      (message "%s: %S" what seen)
      (kill-emacs 1))))

(defun findings ()
  "The lines and the rules of the findings."
  (flymake-start)
  (sort (mapcar (lambda (each)
                  (format "%d %s" (line-number-at-pos (flymake-diagnostic-beg each))
                          (let ((text (flymake-diagnostic-text each)))
                            (string-match "\\[\\([a-z-]+\\)\\]" text)
                            (match-string 1 text))))
                (flymake-diagnostics))
        #'string<))

(setq eglot-sync-connect 20 eglot-confirm-server-initiated-edits nil)
(find-file "llama.yaml")
(yaml-mode)
(call-interactively #'eglot)
(let ((original '("11 knative-feature-disabled" "25 request-above-limit" "31 toleration-without-selector")))
  (expect "findings" original #'findings)
  (goto-char (point-min))
  (search-forward "- key: preproc")
  (setq last-nonmenu-event ?\r)  ; otherwise eglot shows a menu for the mouse
  (cl-letf (((symbol-function 'completing-read) (lambda (_ actions &rest _) (caar actions))))
    (call-interactively #'eglot-code-actions))
  (expect "text" "    - key: preprocessing  # cnsched: ignore=toleration-without-selector -- TODO: say why"
          (lambda () (buffer-substring (line-beginning-position) (line-end-position))))
  (save-buffer)  ; changes are sent when Emacs is idle, which --batch never is
  (expect "findings after the suppression" (butlast original) #'findings))
(cnsched-show "cnsched.effectivePod")
(with-current-buffer "*cnsched*"
  (unless (string-match-p "^kind: Pod$" (buffer-string))
    (message "the effective pod: %s" (buffer-string))
    (kill-emacs 1)))
(set-buffer-modified-p nil)
(kill-emacs 0)
