{{/* Labels of every object. */}}
{{- define "helpers.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/part-of: -{{ .Release.Name }}-
{{- end }}

{{- define "helpers.pin" -}}
nodeSelector:
  {{ .key }}: {{ .value }}
{{- end }}

{{- define "helpers.tolerations" -}}
tolerations:
- key: nvidia.com/gpu
  operator: Equals
{{- end }}

{{- define "helpers.scheduling" -}}
{{ include "helpers.pin" .Values.accelerator }}
{{ include "helpers.tolerations" . }}
{{- end }}
