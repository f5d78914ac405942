{{- define "serving.isvc" -}}
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: {{ .Values.model }}
  annotations:
    serving.kserve.io/deploymentMode: Standart
spec:
  predictor:
    model:
      modelFormat:
        name: huggingface
      storageUri: hf://example/{{ .Values.model }}
      resources:
        limits:
          nvidia.com/gpu: {{ .Values.gpus | quote }}
{{- end }}
