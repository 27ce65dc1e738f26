{{/* The name of the application. */}}
{{- define "assay.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* The prefix of every object: the release's name, which need not be said twice when it is assay. */}}
{{- define "assay.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains (include "assay.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "assay.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "assay.manager" -}}
{{- include "assay.fullname" . }}-manager
{{- end -}}

{{- define "assay.selectorLabels" -}}
app.kubernetes.io/name: {{ include "assay.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: manager
{{- end -}}

{{/* Of the pod of helm test, which is no manager. */}}
{{- define "assay.testLabels" -}}
app.kubernetes.io/name: {{ include "assay.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: test
{{- end -}}

{{- define "assay.labels" -}}
{{ include "assay.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "assay.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "assay.manager" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* The subject of every binding. */}}
{{- define "assay.subjects" -}}
subjects:
- kind: ServiceAccount
  name: {{ include "assay.serviceAccount" . }}
  namespace: {{ .Release.Namespace }}
{{- end -}}

{{- define "assay.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The port of the metrics, by their protocol. */}}
{{- define "assay.metrics.port" -}}
{{- ternary "8443" "8080" .Values.metrics.secure -}}
{{- end -}}

{{/* The operator's own configuration; internal/ground/config reads it. */}}
{{- define "assay.config" -}}
agent:
  image: {{ default (printf "ghcr.io/assay-bench/assay-agent:%s" .Chart.AppVersion) .Values.agent.image | quote }}
  resources: {{ toJson .Values.agent.resources }}
runners:
  {{- range $name, $runner := .Values.runners }}
  {{ $name }}:
    image: {{ default (printf "ghcr.io/assay-bench/assay-runner-%s:%s" $name $.Chart.AppVersion) $runner.image | quote }}
  {{- end }}
engines:
  {{- range $flavor, $versions := .Values.engines }}
  {{ $flavor }}:
    {{- range $version, $entry := $versions }}
    {{- with $entry }}{{/* null removes an entry; helm upgrade --reuse-values keeps the null. */}}
    {{ $version | quote }}:
      image: {{ .image | quote }}
    {{- end }}
    {{- end }}
  {{- end }}
timeouts:
  {{- toYaml .Values.timeouts | nindent 2 }}
limits:
  {{- toYaml .Values.limits | nindent 2 }}
results:
  budget:
    {{- toYaml .Values.results.budget | nindent 4 }}
  store:
    {{- toYaml (omit .Values.results.store "credentialsSecret") | nindent 4 }}
queue:
  {{- toYaml .Values.queue | nindent 2 }}
pods:
  {{- $pods := deepCopy .Values.pods }}
  {{- if and .Values.metrics.enabled .Values.metrics.podMonitor.enabled }}
  {{- $_ := set $pods.network "live" (dict "from" .Values.metrics.podMonitor.from) }}
  {{- end }}
  {{- toYaml $pods | nindent 2 }}
shapes:
  {{- toYaml .Values.shapes | nindent 2 }}
notifications:
  {{- with .Values.notifications }}
  source: {{ .source | quote }}
  timeout: {{ .timeout }}
  giveUpAfter: {{ .giveUpAfter }}
  receivers:
  {{- range .receivers }}
  - {{ toYaml (omit . "secret") | nindent 4 | trim }}
    {{- if .secret }}
    credentials: /etc/assay-notifications/{{ .name }}
    {{- end }}
  {{- else }} []
  {{- end }}
  {{- end }}
registries:
  timeout: {{ .Values.registries.timeout }}
  ask:
  {{- range $i, $one := .Values.registries.ask }}
  - {{ toYaml (omit $one "secret") | nindent 4 | trim }}
    {{- if $one.secret }}
    credentials: /etc/assay-registries/{{ $i }}
    {{- end }}
  {{- else }} []
  {{- end }}
{{- end -}}

{{/* What values.schema.json cannot say. */}}
{{- define "assay.check" -}}
{{- if and (not .Values.serviceAccount.create) (not .Values.serviceAccount.name) -}}
{{- fail "serviceAccount.create: false needs serviceAccount.name: every pod without an account of its own would have the manager's rights as default" -}}
{{- end -}}
{{- if and (eq .Values.rbac.scope "Namespaced") (not .Values.watchNamespaces) -}}
{{- fail "rbac.scope: Namespaced needs watchNamespaces: name the namespaces in which the manager may carry out runs" -}}
{{- end -}}
{{- with .Values.results.store -}}
{{- if and .endpoint (not .bucket) -}}
{{- fail "results.store.bucket is missing: an endpoint needs a bucket that exists" -}}
{{- end -}}
{{- if and .endpoint (not .credentialsSecret) -}}
{{- fail "results.store.credentialsSecret is missing: name the Secret with accessKeyID and secretAccessKey in the release's namespace" -}}
{{- end -}}
{{- if and (not .endpoint) (or .bucket .credentialsSecret) -}}
{{- fail "results.store.endpoint is missing: without it nothing goes to the bucket; without an object store, leave bucket and credentialsSecret empty too" -}}
{{- end -}}
{{- end -}}
{{- if and (eq .Values.networkPolicy.egress "Restricted") .Values.results.store.endpoint (not .Values.results.store.egress) -}}
{{- fail "networkPolicy.egress: Restricted needs results.store.egress: say by which rules the store is reached" -}}
{{- end -}}
{{- range .Values.notifications.receivers -}}
{{- if and (not .secret) (not .unsigned) -}}
{{- fail (printf "notifications.receivers: %s has no secret: name the Secret with signing-key, or set unsigned: true" .name) -}}
{{- end -}}
{{- if and (not .secret) (not .url) -}}
{{- fail (printf "notifications.receivers: %s has no url" .name) -}}
{{- end -}}
{{- if and (eq $.Values.networkPolicy.egress "Restricted") (not $.Values.notifications.egress) -}}
{{- fail "networkPolicy.egress: Restricted needs notifications.egress: say by which rules the receivers are reached" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.registries.ask (eq .Values.networkPolicy.egress "Restricted") (not .Values.registries.egress) -}}
{{- fail "networkPolicy.egress: Restricted needs registries.egress: say by which rules the registries are reached" -}}
{{- end -}}
{{- if and (gt (int .Values.replicas) 1) (not .Values.leaderElection.enabled) -}}
{{- fail "replicas: more than one manager needs leaderElection.enabled: true" -}}
{{- end -}}
{{- end -}}
