{{- define "type" -}}
{{- $type := . -}}
{{- if markdownShouldRenderType $type }}
### {{ $type.Name }}

{{ $type.Doc }}
{{ if $type.References }}
Used in:{{ range $i, $t := $type.SortedReferences }}{{ if $i }},{{ end }} {{ markdownRenderTypeLink $t }}{{ end }}.
{{ end }}
{{- with index $type.Markers "kubebuilder:validation:XValidation" }}
Rules:
{{ range . }}
- {{ .Message }}
{{- end }}
{{ end }}
{{- if $type.IsAlias }}
One of:{{ range $i, $v := $type.EnumValues }}{{ if $i }},{{ end }} `{{ $v.Name }}`{{ end }}.
{{ end }}
{{- if $type.Members }}
| Field | Meaning | Default | Rules |
| --- | --- | --- | --- |
{{ range $type.Members -}}
| `{{ .Name }}` {{ template "fieldType" . }} | {{ template "type_members" . }} | {{ with .Default }}`{{ . | replace "{  }" "{}" }}`{{ end }} | {{ template "rules" . }} |
{{ end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "fieldType" -}}
{{- if eq .Type.Name "Duration" }}duration{{ else }}{{ markdownRenderType .Type }}{{ end -}}
{{- end -}}

{{- /* The rules of a field; those of a type with members stand there. */ -}}
{{- define "rules" -}}
{{- $sep := "" -}}
{{- range .Validation -}}
{{- if ne . "Optional: {}" }}{{ $sep }}{{ . | replace "|" "\\|" }}{{ $sep = "<br />" }}{{ end -}}
{{- end -}}
{{- if or (not .Type.Members) (eq .Type.Name "Duration") -}}
{{- range index .Markers "kubebuilder:validation:XValidation" }}{{ $sep }}{{ .Message | replace "|" "\\|" }}{{ $sep = "<br />" }}{{ end -}}
{{- end -}}
{{- end -}}
