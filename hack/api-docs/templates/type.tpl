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
Fields:

{{ range $type.Members -}}
- **`{{ .Name }}`** ({{ template "fieldType" . }}{{ template "required" . }}{{ with .Default }}, default `{{ . | replace "{  }" "{}" }}`{{ end }}): {{ template "type_members" . }}{{ template "rules" . }}
{{ end }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* An alias of string (api/v1alpha1/texts.go) is of no kind that crd-ref-docs knows; its rules stand at the field. */ -}}
{{- define "fieldType" -}}
{{- if eq .Type.Name "Duration" }}duration{{ else if eq (toJson .Type.Kind) "\"UNKNOWN\"" }}string{{ else }}{{ markdownRenderType .Type }}{{ end -}}
{{- end -}}

{{- define "required" -}}
{{- range .Validation -}}{{- if eq . "Required: {}" }}, required{{ end -}}{{- end -}}
{{- end -}}

{{- /* The rules of a field; those of a type with members stand there. */ -}}
{{- define "rules" -}}
{{- $sep := " Rules: " -}}{{- $any := false -}}
{{- range .Validation -}}
{{- if not (or (eq . "Optional: {}") (eq . "Required: {}")) }}{{ $sep }}`{{ . | replace "`" "" }}`{{ $sep = "; " }}{{ $any = true }}{{ end -}}
{{- end -}}
{{- if or (not .Type.Members) (eq .Type.Name "Duration") -}}
{{- range index .Markers "kubebuilder:validation:XValidation" }}{{ $sep }}{{ .Message }}{{ $sep = "; " }}{{ $any = true }}{{ end -}}
{{- end -}}
{{- if $any }}.{{ end -}}
{{- end -}}
