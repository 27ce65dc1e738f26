{{- define "type_members" -}}
{{- if eq .Name "metadata" }}The object's name, namespace, labels and annotations.{{ else }}{{ .Doc | replace "\n" " " }}{{ end -}}
{{- end -}}
