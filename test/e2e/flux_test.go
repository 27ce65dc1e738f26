package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-bench/assay/test/helpers/cluster"
)

// background is for what is cleaned up after the context of a test has ended.
var background = context.Background()

// flux is Flux's kustomize-controller in a namespace of its own, with a Git server (test/cmd/gitsource) whose repository it
// follows.
type flux struct {
	ns, work, remote string
}

// fluxPort is the port of the Git server's container.
const fluxPort = 8080

// startFlux with an empty repository.
func startFlux(t *testing.T) *flux {
	t.Helper()
	f := &flux{ns: cluster.Namespace(t), work: t.TempDir()}
	f.kubectl(t, "apply", "--server-side", "--filename="+fluxDefinitions(t))
	labels := map[string]string{"app": "flux"}
	named := metav1.ObjectMeta{Namespace: f.ns, Name: "flux", Labels: labels}
	for _, object := range []client.Object{
		&corev1.ServiceAccount{ObjectMeta: named},
		&rbacv1.RoleBinding{
			ObjectMeta: named, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: f.ns, Name: "flux"}},
		},
		&corev1.Service{
			ObjectMeta: named, Spec: corev1.ServiceSpec{Selector: labels, Ports: []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromInt32(fluxPort)}}},
		},
		f.object("source.toolkit.fluxcd.io/v1", "ExternalArtifact", map[string]any{
			"sourceRef": map[string]any{"apiVersion": "v1", "kind": "Service", "name": "flux"},
		}),
		&appsv1.Deployment{ObjectMeta: named, Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(1)), Selector: &metav1.LabelSelector{MatchLabels: labels}, Strategy: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: f.pod(localImage(t, "tool-flux"))},
		}},
	} {
		if err := cluster.API.Create(t.Context(), object); err != nil {
			t.Fatalf("creating %T %s: %v", object, object.GetName(), err)
		}
	}
	f.kubectl(t, "--namespace="+f.ns, "rollout", "status", "deployment/flux", "--timeout=90s")
	kustomization := f.kustomization(t)
	if err := cluster.API.Create(t.Context(), kustomization); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// Its finalizer would keep the namespace when the controller is gone.
		if err := cluster.API.Delete(background, kustomization); err != nil {
			t.Error(err)
		}
		gone(t, kustomization)
	})
	f.remote = f.forward(t) + "/git/benchmarks.git"
	f.git(t, "init", "--quiet", "--initial-branch=main")
	return f
}

// kustomization is that of the example, for this namespace and this source.
func (f *flux) kustomization(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	data, err := os.ReadFile("../../config/gitops/flux/flux.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(data), "\n---\n")
	k := &unstructured.Unstructured{}
	if err := yaml.UnmarshalStrict([]byte(text), &k.Object); err != nil {
		t.Fatal(err)
	}
	k.SetNamespace(f.ns)
	spec := k.Object["spec"].(map[string]any)
	spec["targetNamespace"], spec["sourceRef"] = f.ns, map[string]any{"kind": "ExternalArtifact", "name": "benchmarks"}
	return k
}

// fluxDefinitions are the CRDs, out of the modules that the controller is built from, in one file.
func fluxDefinitions(t *testing.T) string {
	t.Helper()
	module := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = "../../hack/tools/kustomize-controller"
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go %s: %v: %s", strings.Join(args, " "), err, out)
		}
		return strings.TrimSpace(string(out))
	}
	version := module("list", "-m", "-f", "{{.Version}}", "github.com/fluxcd/source-controller/api")
	var source struct{ Dir string }
	if err := json.Unmarshal([]byte(module("mod", "download", "-json", "github.com/fluxcd/source-controller@"+version)), &source); err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	for _, folder := range []string{module("list", "-m", "-f", "{{.Dir}}", "github.com/fluxcd/kustomize-controller"), source.Dir} {
		files, err := filepath.Glob(filepath.Join(folder, "config/crd/bases/*.yaml"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no CRDs: %v", folder, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&all, "---\n%s\n", data)
		}
	}
	path := filepath.Join(t.TempDir(), "crds.yaml")
	if err := os.WriteFile(path, all.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// pod has the controller and the Git server, off the nodes that are measured.
func (f *flux) pod(image string) corev1.PodSpec {
	secure := &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}, ReadOnlyRootFilesystem: new(true),
	}
	data := []corev1.VolumeMount{{Name: "data", MountPath: "/data"}, {Name: "data", MountPath: "/tmp"}}
	requests := corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m"), corev1.ResourceMemory: resource.MustParse("64Mi")}}
	return corev1.PodSpec{
		ServiceAccountName: "flux", NodeSelector: map[string]string{"node-role.kubernetes.io/control-plane": ""}, TerminationGracePeriodSeconds: new(int64(1)),
		Tolerations: []corev1.Toleration{{Key: "node-role.kubernetes.io/control-plane", Operator: corev1.TolerationOpExists}},
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: new(true), RunAsUser: new(int64(10001)), FSGroup: new(int64(10001)), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		Containers: []corev1.Container{
			{
				Name: "git", Image: image, SecurityContext: secure, VolumeMounts: data, Resources: requests,
				Command: []string{"gitsource", fmt.Sprintf("-listen=:%d", fluxPort), "-address=http://flux." + f.ns + ".svc", "-namespace=" + f.ns, "-name=benchmarks"},
				ReadinessProbe: &corev1.Probe{
					ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(fluxPort)}}, PeriodSeconds: 1,
				},
			},
			{
				Name: "kustomize-controller", Image: image, SecurityContext: secure, VolumeMounts: data, Resources: requests,
				// Those of Flux's own deployment, but for one namespace.
				Command: []string{
					"kustomize-controller", "--watch-all-namespaces=false", "--no-cross-namespace-refs=true", "--log-level=info", "--log-encoding=json",
					"--metrics-addr=:8081", "--feature-gates=ExternalArtifact=true",
				},
				Env: []corev1.EnvVar{{Name: "RUNTIME_NAMESPACE", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.namespace"}}}},
				ReadinessProbe: &corev1.Probe{
					ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/readyz", Port: intstr.FromInt32(9440)}}, PeriodSeconds: 1,
				},
			},
		},
		Volumes: []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: new(resource.MustParse("1Gi"))}}}},
	}
}

// object of a kind of Flux, called benchmarks.
func (f *flux) object(version, kind string, spec map[string]any) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetAPIVersion(version)
	o.SetKind(kind)
	o.SetNamespace(f.ns)
	o.SetName("benchmarks")
	if spec != nil {
		o.Object["spec"] = spec
	}
	return o
}

// forward a port of this machine to the Git server until the test ends, and return its address.
func (f *flux) forward(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("kubectl", "--namespace="+f.ns, "port-forward", "service/flux", ":80")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	_, rest, ok := strings.Cut(line, "Forwarding from ")
	if err != nil || !ok {
		t.Fatalf("kubectl port-forward said %q: %v", line, err)
	}
	go func() { _, _ = lines.WriteTo(bytes.NewBuffer(nil)) }() // it writes a line for each connection
	address, _, _ := strings.Cut(rest, " ")
	return "http://" + address
}

// commit replaces all files of the folder benchmarks, pushes, and returns the revision as Flux names it.
func (f *flux) commit(t *testing.T, message string, files map[string]string) string {
	t.Helper()
	f.git(t, "rm", "-r", "--quiet", "--ignore-unmatch", ".")
	if err := os.MkdirAll(filepath.Join(f.work, "benchmarks"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(f.work, "benchmarks", name), []byte(files[name]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f.git(t, "add", "--all")
	f.git(t, "-c", "user.name=assay", "-c", "user.email=assay@example.com", "commit", "--quiet", "--message="+message)
	f.git(t, "push", "--quiet", f.remote, "main")
	return "main@sha1:" + f.git(t, "rev-parse", "HEAD")
}

func (f *flux) git(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = f.work
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func (f *flux) kubectl(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "kubectl", args...).CombinedOutput(); err != nil {
		t.Fatalf("kubectl %s: %v: %s\n%s", strings.Join(args, " "), err, out, f.logs(t))
	}
}

// logs of the controller and the Git server.
func (f *flux) logs(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("kubectl", "--namespace="+f.ns, "logs", "deployment/flux", "--all-containers", "--tail=40").CombinedOutput()
	if err != nil {
		return fmt.Sprintf("no logs: %v: %s", err, out)
	}
	return string(out)
}

// ready is the condition of the Kustomization for a revision; Unknown until it has been decided.
func (f *flux) ready(t *testing.T, revision string) (status, message string) {
	t.Helper()
	k := f.object("kustomize.toolkit.fluxcd.io/v1", "Kustomization", nil)
	if err := cluster.API.Get(t.Context(), client.ObjectKeyFromObject(k), k); err != nil {
		t.Fatal(err)
	}
	if attempted, _, _ := unstructured.NestedString(k.Object, "status", "lastAttemptedRevision"); attempted != revision {
		return "Unknown", "it has not tried " + revision
	}
	conditions, _, _ := unstructured.NestedSlice(k.Object, "status", "conditions")
	for _, c := range conditions {
		if condition, ok := c.(map[string]any); ok && condition["type"] == "Ready" {
			return fmt.Sprint(condition["status"]), fmt.Sprint(condition["message"])
		}
	}
	return "Unknown", "it has no condition Ready"
}

// await that Flux has decided about a revision.
func (f *flux) await(t *testing.T, revision string, limit time.Duration) (status, message string) {
	t.Helper()
	last := ""
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		status, message = f.ready(t, revision)
		if line := status + ": " + message; line != last {
			t.Log(line)
			last = line
		}
		if status != "Unknown" {
			return status, message
		}
	}
	return status, message
}
