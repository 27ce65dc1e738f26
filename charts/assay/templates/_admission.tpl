{{/*
Parts of the policies in admission.yaml. Limits of the API server shape them: one authorizer check costs about 350,000,
an expression may cost 1,000,000 and all expressions of one policy 10,000,000. So every expression asks about one
object, a policy about 20 at most, and Secrets, ConfigMaps, Services and pods have a policy each.
*/}}

{{/*
Whether the policies are made: not by the release of a team, and not where the API server does not have them, which one of
the required version has unless somebody turned them off. Without a cluster Helm knows no kinds at all, not even Pod, and
then they are made.
*/}}
{{- define "assay.admission.enabled" -}}
{{- $apis := .Capabilities.APIVersions -}}
{{- if and (ne .Values.part "Team") .Values.admission.policy.enabled (or ($apis.Has "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy") (not ($apis.Has "v1/Pod"))) -}}
true
{{- end -}}
{{- end -}}

{{/*
The resources that bring the spec of a run, and where in them it is: as an expression, and as users name it. One line
joins another resource. What a schedule starts is not created by its author: any change of its spec, and the annotation
that starts a run, is asked like its creation; and its author needs the right to create runs himself.
*/}}
{{- define "assay.admission.kinds" -}}
- {resource: benchmarkruns, spec: object.spec, oldSpec: oldObject.spec, path: spec}
- {resource: benchmarkschedules, spec: object.spec.runTemplate.spec, path: spec.runTemplate.spec, starts: benchmarkruns}
{{- end -}}

{{/* What a schedule has that starts a run. Input: the object as an expression. */}}
{{- define "assay.admission.runNow" -}}
(has({{ . }}.metadata.annotations) && 'assay.dev/run-now' in {{ . }}.metadata.annotations ? {{ . }}.metadata.annotations['assay.dev/run-now'] : '')
{{- end -}}

{{/* The number of different Secrets, and of ConfigMaps, that a run may name without the right to get all of them. */}}
{{- define "assay.admission.names" -}}20{{- end -}}

{{/* The largest number of targets: spec.targets has this bound in the API. */}}
{{- define "assay.admission.targets" -}}8{{- end -}}

{{/*
What is matched: whatever begins something. The rest of the spec cannot be changed, so that an update that neither
changes a reference nor resumes the run passes unasked: labels, annotations, suspending, and all that the manager
writes. Who resumes a run starts it, and is asked like its creator. The manager is not asked for the runs that it creates:
who wrote the template was.
*/}}
{{- define "assay.admission.match" -}}
failurePolicy: Fail
matchConstraints:
  resourceRules:
  - {apiGroups: [assay.dev], apiVersions: ["*"], resources: [{{ .resource }}], operations: [CREATE, UPDATE]}
matchConditions:
- name: starts-something
  expression: >-
    request.operation == 'CREATE' ||
{{- if .starts }}
    object.spec != oldObject.spec ||
    {{ include "assay.admission.runNow" "object" }} != {{ include "assay.admission.runNow" "oldObject" }}
{{- else }}
    {{ .spec }}.targets != {{ .oldSpec }}.targets ||
    {{ .spec }}.clients != {{ .oldSpec }}.clients ||
    {{ .spec }}.workload != {{ .oldSpec }}.workload ||
    (has({{ .oldSpec }}.suspend) && {{ .oldSpec }}.suspend && !(has({{ .spec }}.suspend) && {{ .spec }}.suspend))
- name: not-of-a-schedule
  expression: {{ include "assay.admission.notManager" . }}
{{- end }}
{{- end -}}

{{/*
Whoever has no right of a manager: not a name, because several releases may watch one namespace, each with policies that ask
for the runs of all. The group is no API's, so that no role gives the right by the way with all verbs on assay.dev.
*/}}
{{- define "assay.admission.notManager" -}}
"!authorizer.group('manager.assay.dev').resource('benchmarkruns').namespace(request.namespace).check('create').allowed()"
{{- end -}}

{{/* The annotations by which a schedule knows its runs. */}}
{{- define "assay.admission.ofSchedules" -}}
['assay.dev/trigger', 'assay.dev/scheduled-time', 'assay.dev/change', 'assay.dev/replaces']
{{- end -}}

{{/* What a target has of each kind: lists of {field, name}, and of fields. Input: the target t, and its field. */}}
{{- define "assay.admission.target.secrets" -}}
(has({{ .t }}.external) ? [{'field': '{{ .field }}.external.credentials', 'name': string({{ .t }}.external.credentials.name)}] : []) +
(has({{ .t }}.mysql) && has({{ .t }}.mysql.imagePullSecrets) ?
{{ .t }}.mysql.imagePullSecrets.map(r, {'field': '{{ .field }}.mysql.imagePullSecrets', 'name': string(r.name)}) : [])
{{- end -}}

{{- define "assay.admission.target.services" -}}
(has({{ .t }}.external) && has({{ .t }}.external.serviceRef) ? [{'field': '{{ .field }}.external.serviceRef', 'name': string({{ .t }}.external.serviceRef.name)}] : [])
{{- end -}}

{{- define "assay.admission.target.configmaps" -}}
(has({{ .t }}.published) ? [{'field': '{{ .field }}.published.configMap', 'name': string({{ .t }}.published.configMap.name)}] : []) +
(has({{ .t }}.mysql) && has({{ .t }}.mysql.configFrom) ?
{{ .t }}.mysql.configFrom.map(r, {'field': '{{ .field }}.mysql.configFrom', 'name': string(r.name)}) : [])
{{- end -}}

{{- define "assay.admission.target.pods" -}}
(has({{ .t }}.shape) && has({{ .t }}.shape.inline) ? ['{{ .field }}.shape.inline'] : []) +
(has({{ .t }}.mysql) && !has({{ .t }}.shape) ? ['{{ .field }}.shape, which is left out'] : []) +
(has({{ .t }}.mysql) && has({{ .t }}.mysql.image) ? ['{{ .field }}.mysql.image'] : []) +
(has({{ .t }}.external) && has({{ .t }}.external.jdbc) ? ['{{ .field }}.external.jdbc'] : [])
{{- end -}}

{{/* What the rest of the spec has. Input: the expression of the spec, and its path. */}}
{{- define "assay.admission.rest.secrets" -}}
(has({{ .spec }}.workload.custom) && has({{ .spec }}.workload.custom.imagePullSecrets) ?
{{ .spec }}.workload.custom.imagePullSecrets.map(r, {'field': '{{ .path }}.workload.custom.imagePullSecrets', 'name': string(r.name)}) : [])
{{- end -}}

{{- define "assay.admission.rest.configmaps" -}}
(has({{ .spec }}.workload.custom) && has({{ .spec }}.workload.custom.files) ?
[{'field': '{{ .path }}.workload.custom.files', 'name': string({{ .spec }}.workload.custom.files.name)}] : []) +
(has({{ .spec }}.workload.sysbench) && has({{ .spec }}.workload.sysbench.script) ?
[{'field': '{{ .path }}.workload.sysbench.script.configMap', 'name': string({{ .spec }}.workload.sysbench.script.configMap.name)}] : [])
{{- end -}}

{{/* Only targets name Services. */}}
{{- define "assay.admission.rest.services" -}}[]{{- end -}}

{{/* The baselines of a gate: their numbers stand in the status of the run. */}}
{{- define "assay.admission.baselines" -}}
!has({{ .spec }}.gate) ? [] : (
(has({{ .spec }}.gate.baseline) ? [{'field': '{{ .path }}.gate.baseline', 'name': string({{ .spec }}.gate.baseline)}] : []) +
(has({{ .spec }}.gate.also) ? {{ .spec }}.gate.also.map(b, {'field': '{{ .path }}.gate.also', 'name': string(b.name)}) : []))
{{- end -}}

{{/* The largest number of baselines of a gate: one, and spec.gate.also has this bound in the API. */}}
{{- define "assay.admission.mostBaselines" -}}4{{- end -}}

{{/*
Values of options have no letters that end them in an URL, which some drivers take. A script of sysbench, and options of a Java machine, start programs as a custom tool does. URLs of JDBC, and options of drivers but
those that runners/drivers lists, can make a driver load classes.
*/}}
{{- define "assay.admission.rest.pods" -}}
(!has({{ .spec }}.clients.shape) ? ['{{ .path }}.clients.shape, which is left out'] :
has({{ .spec }}.clients.shape.inline) ? ['{{ .path }}.clients.shape.inline'] : []) +
(has({{ .spec }}.workload.custom) ? ['{{ .path }}.workload.custom'] : []) +
(has({{ .spec }}.workload.sysbench) && has({{ .spec }}.workload.sysbench.script) ? ['{{ .path }}.workload.sysbench.script'] : []) +
(has({{ .spec }}.workload.ycsb) && has({{ .spec }}.workload.ycsb.jvmOptions) ? ['{{ .path }}.workload.ycsb.jvmOptions'] : []) +
(has({{ .spec }}.workload.ycsb) && has({{ .spec }}.workload.ycsb.urlParameters) ? ['{{ .path }}.workload.ycsb.urlParameters'] : []) +
(has({{ .spec }}.workload.drivers) && {{ .spec }}.workload.drivers.drivers.exists(d, has(d.options) && d.options.exists(k,
!((d.language + '/' + d.name) in variables.harmless) || !(k in variables.harmless[d.language + '/' + d.name]) ||
!d.options[k].matches('^[A-Za-z0-9_.:+/ -]{0,64}$'))
) ? ['{{ .path }}.workload.drivers.drivers[].options'] : [])
{{- end -}}

{{/* Fields by which nodes are ordered. Input: the expression of the spec, and its path. */}}
{{- define "assay.admission.requesting" -}}
({{ .spec }}.targets.exists(t, has(t.shape) && has(t.shape.inline) && has(t.shape.inline.provisioningClass)) ?
['{{ .path }}.targets[].shape.inline.provisioningClass'] : []) +
(has({{ .spec }}.clients.shape) && has({{ .spec }}.clients.shape.inline) && has({{ .spec }}.clients.shape.inline.provisioningClass) ?
['{{ .path }}.clients.shape.inline.provisioningClass'] : [])
{{- end -}}

{{/* Whether a spec has a field of a storage. Input: the field, and the expression of the spec. */}}
{{- define "assay.admission.storage" -}}
{{ .spec }}.targets.exists(t, has(t.mysql) && has(t.mysql.storage) && has(t.mysql.storage.{{ .field }}))
{{- end -}}

{{/*
The variable found: all that a spec has of one kind; of objects each name once, whatever the number of fields that have
it. Lists of lists cannot be joined in CEL, so each target adds its own. Input: what (secrets, configmaps, services or pods), the
expression of the spec, and its path.
*/}}
{{- define "assay.admission.found" -}}
{{- $in := . -}}
{{- $targets := include "assay.admission.targets" . | int -}}
- name: found0
  expression: >-
    {{- include (printf "assay.admission.rest.%s" .what) . | nindent 4 }}
{{- range $i := until $targets }}
{{- $target := dict "t" (printf "%s.targets[%d]" $in.spec $i) "field" (printf "%s.targets[%d]" $in.path $i) }}
- name: found{{ add1 $i }}
  expression: >-
    variables.found{{ $i }} + (size({{ $in.spec }}.targets) <= {{ $i }} ? [] : (
    {{- include (printf "assay.admission.target.%s" $in.what) $target | nindent 4 }}
    ){{ if ne $in.what "pods" }}.filter(r, !variables.found{{ $i }}.exists(f, f.name == r.name)){{ end }})
{{- end }}
- name: found
  expression: variables.found{{ $targets }}
{{- end -}}

{{/* A policy with its binding begins like this. Input: the name, and the chart. */}}
{{- define "assay.admission.policy" -}}
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: {{ .name }}
  labels:
    {{- include "assay.labels" .chart | nindent 4 }}
spec:
  policyName: {{ .name }}
  validationActions: [Deny]
  {{- with .chart.Values.watchNamespaces }}
  matchResources:
    namespaceSelector:
      matchExpressions:
      - {key: kubernetes.io/metadata.name, operator: In, values: {{ toJson . }}}
  {{- end }}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: {{ .name }}
  labels:
    {{- include "assay.labels" .chart | nindent 4 }}
{{- end -}}
