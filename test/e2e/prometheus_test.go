package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/test/helpers/cluster"
)

// monitoringNamespace is where hack/e2e.sh allows the scrapes of clients from.
const monitoringNamespace = "assay-monitoring"

// prometheus is one of the operator's, in the cluster.
type prometheus struct{ address string }

// startPrometheus brings the operator up as its release does (bundle.yaml of its module), and one Prometheus that it makes. Both run off
// the nodes that are measured.
func startPrometheus(t *testing.T) *prometheus {
	t.Helper()
	image := localImage(t, "tool-monitoring")
	ensureNamespace(t, monitoringNamespace)
	for _, document := range bundle(t, image) {
		kubectlApply(t, document)
	}
	readyPod(t, monitoringNamespace, client.MatchingLabels{"app.kubernetes.io/name": "prometheus-operator"})
	kubectlApply(t, strings.NewReplacer("NAMESPACE", monitoringNamespace, "IMAGE", image).Replace(ownPrometheus))
	t.Cleanup(func() {
		// The CRDs stay: a chart that is installed has objects of them.
		kubectl(context.Background(), t, "delete", "prometheus", "--all", "-n", monitoringNamespace, "--ignore-not-found")
		kubectl(context.Background(), t, "delete", "deployment", "--all", "-n", monitoringNamespace, "--ignore-not-found")
	})
	pod := readyPod(t, monitoringNamespace, client.MatchingLabels{"prometheus": "assay"})
	return &prometheus{address: forward(t, pod, "9090")}
}

const ownPrometheus = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: prometheus, namespace: NAMESPACE}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: assay-e2e-prometheus}
rules:
- {apiGroups: [""], resources: [services, endpoints, pods], verbs: [get, list, watch]}
- {apiGroups: [discovery.k8s.io], resources: [endpointslices], verbs: [get, list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: assay-e2e-prometheus}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: assay-e2e-prometheus}
subjects: [{kind: ServiceAccount, name: prometheus, namespace: NAMESPACE}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: assay-e2e-prometheus-reads-assay}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: assay-metrics-reader}
subjects: [{kind: ServiceAccount, name: prometheus, namespace: NAMESPACE}]
---
apiVersion: monitoring.coreos.com/v1
kind: Prometheus
metadata: {name: assay, namespace: NAMESPACE}
spec:
  image: IMAGE
  imagePullPolicy: IfNotPresent
  version: v3.16.0
  replicas: 1
  serviceAccountName: prometheus
  scrapeInterval: 5s
  evaluationInterval: 5s
  serviceMonitorSelector: {matchLabels: {release: e2e}}
  serviceMonitorNamespaceSelector: {}
  podMonitorSelector: {matchLabels: {release: e2e}}
  podMonitorNamespaceSelector: {}
  ruleSelector: {matchLabels: {release: e2e}}
  ruleNamespaceSelector: {}
  resources: {requests: {cpu: 20m, memory: 64Mi}}
  securityContext: {runAsNonRoot: true, runAsUser: 10001, fsGroup: 10001, seccompProfile: {type: RuntimeDefault}}
  nodeSelector: {node-role.kubernetes.io/control-plane: ""}
  tolerations: [{key: node-role.kubernetes.io/control-plane, operator: Exists}]
`

// bundle is that of the operator's module, with our image and namespace.
func bundle(t *testing.T, image string) (documents []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/prometheus-operator/prometheus-operator")
	cmd.Dir = "../../hack/monitoring/operator"
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	dir, err := cmd.Output()
	if err != nil {
		t.Fatalf("looking for the module of the operator: %v", err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "bundle.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		document = strings.ReplaceAll(document, "namespace: default", "namespace: "+monitoringNamespace)
		if strings.Contains(document, "\nkind: Deployment\n") {
			document = operatorWith(t, document, image)
		}
		documents = append(documents, document)
	}
	if len(documents) < 10 {
		t.Fatalf("the bundle of the operator has %d documents", len(documents))
	}
	return documents
}

// operatorWith is the Deployment of the operator with an image that has all programs.
func operatorWith(t *testing.T, document, image string) string {
	t.Helper()
	var d appsv1.Deployment
	if err := yaml.Unmarshal([]byte(document), &d); err != nil {
		t.Fatal(err)
	}
	pod := &d.Spec.Template.Spec
	c := &pod.Containers[0]
	c.Image, c.ImagePullPolicy, c.Command = image, corev1.PullIfNotPresent, []string{"/bin/operator"}
	c.Args = []string{"--prometheus-config-reloader=" + image, "--config-reloader-cpu-request=5m", "--config-reloader-cpu-limit=100m"}
	c.Resources.Requests = nil
	pod.NodeSelector = map[string]string{"node-role.kubernetes.io/control-plane": ""}
	pod.Tolerations = []corev1.Toleration{{Key: "node-role.kubernetes.io/control-plane", Operator: corev1.TolerationOpExists}}
	pod.SecurityContext = &corev1.PodSecurityContext{RunAsNonRoot: new(true), RunAsUser: new(int64(10001)), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}}
	out, err := yaml.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func ensureNamespace(t *testing.T, name string) {
	t.Helper()
	err := cluster.API.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	if err != nil && !strings.Contains(err.Error(), "already exists") {
		t.Fatal(err)
	}
}

func kubectlApply(t *testing.T, text string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "kubectl", "apply", "--server-side", "--force-conflicts", "-f", "-")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("kubectl apply: %v: %s", err, out)
	}
}

func kubectl(ctx context.Context, t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(ctx, "kubectl", args...).CombinedOutput(); err != nil {
		t.Error(fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, out))
	}
}
