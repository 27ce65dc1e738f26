{{/*
What a release installs is the value part. All is one release. Otherwise an administrator of the cluster installs the part
Cluster once, and each team, which has no rights in the cluster, the part Team: templates ask for the part that they do not
belong to. teams.yaml has what only the two together need.
*/}}

{{/* The ClusterRole for the namespaces of teams, as the part Cluster names it. */}}
{{- define "assay.part.namespaces" -}}
{{- include "assay.manager" . }}-namespaces
{{- end -}}

{{/* Whose rights in the cluster the bindings of this release are: those of its own manager, or of the managers of teams. */}}
{{- define "assay.part.subjects" -}}
{{- if eq .Values.part "Cluster" -}}
subjects:
{{- range .Values.rbac.managers }}
- kind: ServiceAccount
  name: {{ .name | default "assay-manager" }}
  namespace: {{ .namespace }}
{{- else }} []
{{- end }}
{{- else -}}
{{ include "assay.subjects" . }}
{{- end -}}
{{- end -}}

{{/* What values.schema.json cannot say of the parts. */}}
{{- define "assay.part.check" -}}
{{- if and (eq .Values.part "Team") (not .Values.watchNamespaces) -}}
{{- fail "part: Team needs watchNamespaces: name the namespaces that you administer and in which the manager may carry out runs" -}}
{{- end -}}
{{- if and (ne .Values.part "Cluster") .Values.rbac.managers -}}
{{- fail "rbac.managers belongs to part: Cluster: the release that has it brings no manager of its own" -}}
{{- end -}}
{{- end -}}
