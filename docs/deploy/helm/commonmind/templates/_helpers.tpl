{{/* The name of everything: that of the release, with the chart's behind it if it is another. */}}
{{- define "commonmind.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "commonmind.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "commonmind.labels" -}}
{{ include "commonmind.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "commonmind.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "commonmind.claim" -}}
{{ .Values.data.existingClaim | default (printf "%s-data" (include "commonmind.name" .)) }}
{{- end -}}

{{/* Settings that are no secret, as one map. */}}
{{- define "commonmind.settings" -}}
{{- $own := dict
  "PUBLIC_URL" .Values.site.publicUrl
  "ALLOWED_HOSTS" (join "," .Values.site.allowedHosts)
  "TRUSTED_PROXY_COUNT" (toString .Values.site.trustedProxyCount)
  "DRAIN_SECONDS" (toString .Values.web.drainSeconds)
  "PROMETHEUS_MULTIPROC_DIR" "/tmp/metrics"
-}}
{{- merge $own .Values.settings | toYaml -}}
{{- end -}}

{{/* Keys of the secret `serving` that a part has as files, as a list in JSON; each part has the
addresses of the roles that it uses, and no other. The headers of the collector are read by its
library, which knows no files. Takes (dict "root" . "part" NAME). */}}
{{- define "commonmind.servingKeys" -}}
{{- $keys := list "SECRET_KEY" "DATABASE_URL" "REDIS_URL" -}}
{{- if ne .part "beat" -}}
{{- $keys = append $keys "DATABASE_WORKER_URL" -}}
{{- end -}}
{{- if has .part (list "web" "migrations") -}}
{{- $keys = append $keys "DATABASE_SUPPORT_URL" -}}
{{- end -}}
{{- concat $keys (without .root.Values.secrets.optional "OTEL_EXPORTER_OTLP_HEADERS") | toJson -}}
{{- end -}}

{{/* Environment of a container: settings, and the names of the files that hold secrets. Takes
(dict "root" . "part" NAME "owner" BOOL). */}}
{{- define "commonmind.environment" -}}
{{- range $name, $value := include "commonmind.settings" .root | fromYaml }}
- {name: {{ $name }}, value: {{ $value | quote }}}
{{- end }}
{{- range include "commonmind.servingKeys" . | fromJsonArray }}
- {name: {{ . }}_FILE, value: /run/secrets/commonmind/{{ . }}}
{{- end }}
{{- if .owner }}
- {name: DATABASE_OWNER_URL_FILE, value: /run/secrets/commonmind-owner/DATABASE_OWNER_URL}
{{- end }}
{{- if has "OTEL_EXPORTER_OTLP_HEADERS" .root.Values.secrets.optional }}
- name: OTEL_EXPORTER_OTLP_HEADERS
  valueFrom: {secretKeyRef: {name: {{ .root.Values.secrets.serving }}, key: OTEL_EXPORTER_OTLP_HEADERS}}
{{- end }}
{{- end -}}

{{/* Where they are mounted. */}}
{{- define "commonmind.mounts" -}}
- {name: tmp, mountPath: /tmp}
- {name: data, mountPath: /data}
- {name: serving, mountPath: /run/secrets/commonmind, readOnly: true}
{{- if .owner }}
- {name: owner, mountPath: /run/secrets/commonmind-owner, readOnly: true}
{{- end }}
{{- end -}}

{{/* The volumes of a pod but for `data`. Takes (dict "root" . "part" NAME "owner" BOOL "size" SIZE). */}}
{{- define "commonmind.volumes" -}}
- {name: tmp, emptyDir: {sizeLimit: {{ .size }}}}
- name: serving
  secret:
    secretName: {{ .root.Values.secrets.serving }}
    defaultMode: 0440
    items:
      {{- range include "commonmind.servingKeys" . | fromJsonArray }}
      - {key: {{ . }}, path: {{ . }}}
      {{- end }}
{{- if .owner }}
- name: owner
  secret:
    secretName: {{ .root.Values.secrets.owner }}
    defaultMode: 0440
    items: [{key: DATABASE_OWNER_URL, path: DATABASE_OWNER_URL}]
{{- end }}
{{- end -}}

{{/* What every pod of the release has in common. */}}
{{- define "commonmind.pod" -}}
automountServiceAccountToken: false
# Variables that Kubernetes makes of the names of services could be taken for settings.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  # A volume of many files would be gone through at each start.
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - {name: {{ . }}}
  {{- end }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "commonmind.container" -}}
image: {{ include "commonmind.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end -}}

{{/* Where a pod is put. A volume of one node wants all pods there; else two of one part stand apart
where they can. Takes (dict "root" . "part" NAME). */}}
{{- define "commonmind.affinity" -}}
{{- if eq .root.Values.data.accessMode "ReadWriteOnce" }}
affinity:
  podAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "commonmind.selector" .root | nindent 12 }}
            commonmind/data: shared
{{- else }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "commonmind.selector" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .part }}
{{- end }}
{{- end -}}

{{/* Labels of the pods of a part that use the common volume. */}}
{{- define "commonmind.podLabels" -}}
{{ include "commonmind.selector" .root }}
app.kubernetes.io/component: {{ .part }}
commonmind/data: shared
{{- end -}}

{{/* A change of what is no secret starts the pods anew. */}}
{{- define "commonmind.annotations" -}}
commonmind/settings: {{ include "commonmind.settings" .root | sha256sum | quote }}
{{- if .root.Values.metrics.annotations }}
prometheus.io/scrape: "true"
prometheus.io/path: /metrics
prometheus.io/port: {{ .port | quote }}
{{- end }}
{{- end -}}
