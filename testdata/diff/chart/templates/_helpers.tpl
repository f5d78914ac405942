{{- define "chat.name" -}}
chat-{{ .Release.Name }}
{{- end -}}
