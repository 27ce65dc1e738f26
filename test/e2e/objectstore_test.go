package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/internal/ground/certificate"
	"github.com/assay-bench/assay/internal/ground/store/s3"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

const (
	// storePort is the port of the server's pod; its Service has another one.
	storePort = 7070
	// storeSecret is the Secret with the operator's credentials, in the operator's namespace.
	storeSecret = "assay-e2e-store"
	bucket      = "results"
)

// objectStore is a server of a namespace of its own (versitygw on an emptyDir). It speaks TLS with a certificate of its own CA,
// and runs off the nodes that are measured.
type objectStore struct{ ns string }

// startObjectStore with an empty bucket, and the Secret for the operator.
func startObjectStore(t *testing.T) *objectStore {
	t.Helper()
	s := &objectStore{ns: cluster.Namespace(t)}
	certs, err := certificate.Make([]string{s.host()}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	const access, secret = "assay", "not-a-secret"
	labels := map[string]string{"app": "store"}
	s.create(t, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "store"},
		Data:       map[string][]byte{"tls.crt": certs.ServerCert, "tls.key": certs.ServerKey, "access": []byte(access), "secret": []byte(secret)},
	})
	s.create(t, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "store"},
		Spec:       corev1.ServiceSpec{Selector: labels, Ports: []corev1.ServicePort{{Port: 443, TargetPort: intstr.FromInt32(storePort)}}},
	})
	s.create(t, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "store"},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(1)), Selector: &metav1.LabelSelector{MatchLabels: labels}, Strategy: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: storePod(t)},
		},
	})
	credentials := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: managerNamespace, Name: storeSecret},
		Data:       map[string][]byte{s3.FileAccessKey: []byte(access), s3.FileSecretKey: []byte(secret), s3.FileCA: certs.CA},
	}
	if err := client.IgnoreNotFound(cluster.API.Delete(t.Context(), credentials.DeepCopy())); err != nil {
		t.Fatal(err)
	}
	s.create(t, credentials)
	t.Cleanup(func() {
		if err := cluster.API.Delete(context.Background(), credentials); err != nil {
			t.Errorf("deleting Secret %s: %v", storeSecret, err)
		}
	})
	s.pod(t)
	return s
}

// storePod is one server, with its data on the disk of its node.
func storePod(t *testing.T) corev1.PodSpec {
	from := func(key string) *corev1.EnvVarSource {
		return &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "store"}, Key: key}}
	}
	const command = `mkdir -p /data/objects/` + bucket + ` /data/sidecar
exec versitygw --port :%d --cert /tls/tls.crt --key /tls/tls.key posix --sidecar /data/sidecar /data/objects`
	return corev1.PodSpec{
		NodeSelector: map[string]string{"node-role.kubernetes.io/control-plane": ""}, TerminationGracePeriodSeconds: new(int64(1)),
		Tolerations: []corev1.Toleration{{Key: "node-role.kubernetes.io/control-plane", Operator: corev1.TolerationOpExists}},
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: new(true), RunAsUser: new(int64(10001)), FSGroup: new(int64(10001)), SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		AutomountServiceAccountToken: new(false), EnableServiceLinks: new(false),
		Containers: []corev1.Container{{
			Name: "store", Image: localImage(t, "tool-versitygw"), Command: []string{"sh", "-c", fmt.Sprintf(command, storePort)},
			Env:             []corev1.EnvVar{{Name: "ROOT_ACCESS_KEY_ID", ValueFrom: from("access")}, {Name: "ROOT_SECRET_ACCESS_KEY", ValueFrom: from("secret")}},
			VolumeMounts:    []corev1.VolumeMount{{Name: "data", MountPath: "/data"}, {Name: "tls", MountPath: "/tls", ReadOnly: true}},
			Resources:       corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m"), corev1.ResourceMemory: resource.MustParse("64Mi")}},
			SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: new(false), Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
			ReadinessProbe: &corev1.Probe{
				ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(storePort)}}, PeriodSeconds: 1,
			},
		}},
		Volumes: []corev1.Volume{
			{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: new(resource.MustParse("1Gi"))}}},
			{Name: "tls", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{
				SecretName: "store", Items: []corev1.KeyToPath{{Key: "tls.crt", Path: "tls.crt"}, {Key: "tls.key", Path: "tls.key"}},
			}}},
		},
	}
}

func (s *objectStore) create(t *testing.T, object client.Object) {
	t.Helper()
	if err := cluster.API.Create(t.Context(), object); err != nil {
		t.Fatalf("creating %T %s: %v", object, object.GetName(), err)
	}
}

// host of the Service.
func (s *objectStore) host() string { return "store." + s.ns + ".svc" }

// pod of the server, when it is ready.
func (s *objectStore) pod(t *testing.T) *corev1.Pod {
	t.Helper()
	var found *corev1.Pod
	eventually(t, 2*time.Minute, func() string {
		var pods corev1.PodList
		if err := cluster.API.List(t.Context(), &pods, client.InNamespace(s.ns), client.MatchingLabels{"app": "store"}); err != nil {
			return err.Error()
		}
		for _, p := range pods.Items {
			if p.DeletionTimestamp.IsZero() && len(p.Status.ContainerStatuses) == 1 && p.Status.ContainerStatuses[0].Ready {
				found = &p
				return ""
			}
		}
		return fmt.Sprintf("of %d pods no object store is ready", len(pods.Items))
	})
	if found == nil {
		t.FailNow()
	}
	return found
}

// scale the server; with 0 all that it held is gone.
func (s *objectStore) scale(t *testing.T, replicas int32) {
	t.Helper()
	patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas))
	if err := cluster.API.Patch(t.Context(), &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "store"}}, patch); err != nil {
		t.Errorf("scaling the object store: %v", err)
	}
}

// use the store in the chart until the test ends. more are further values of the chart, as YAML.
func (s *objectStore) use(t *testing.T, more string) {
	t.Helper()
	changeValues(t, fmt.Sprintf(`
results:
  store: {endpoint: "https://%s", bucket: %s, prefix: a/b, cluster: kind, credentialsSecret: %s, over: 1Ki}
`, s.host(), bucket, storeSecret)+more)
}

// changeValues of the chart, as an administrator does it, until the test ends.
func changeValues(t *testing.T, text string) {
	t.Helper()
	helm := func(args ...string) []byte {
		out, err := exec.Command("../../bin/helm", append(args, "--namespace", managerNamespace)...).Output()
		if err != nil {
			t.Fatalf("helm %v: %v: %s", args, err, err.(*exec.ExitError).Stderr)
		}
		return out
	}
	folder := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	before := write("before.yaml", helm("get", "values", "assay", "-o", "yaml"))
	upgrade := []string{"upgrade", "assay", "../../charts/assay", "--reset-values", "--wait", "--timeout", "3m", "-f", before}
	t.Cleanup(func() { helm(upgrade...) })
	helm(append(upgrade, "-f", write("change.yaml", []byte(text)))...)
}

// inStore runs a script of the shell in the pod of the server.
func (s *objectStore) inStore(t *testing.T, script string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(t.Context(), "kubectl", "-n", s.ns, "exec", s.pod(t).Name, "--", "sh", "-c", script)
}

// copyTo a folder all objects, beside those that are there.
func (s *objectStore) copyTo(t *testing.T, folder string) {
	t.Helper()
	pack, unpack := s.inStore(t, "tar -C /data/objects/"+bucket+" --format=posix -cf - ."), exec.Command("tar", "-C", folder, "-xf", "-")
	pipe, err := pack.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	unpack.Stdin, pack.Stderr, unpack.Stderr = pipe, &said, &said
	if err := pack.Start(); err != nil {
		t.Fatal(err)
	}
	if err := unpack.Run(); err != nil {
		t.Fatalf("unpacking the objects: %v: %s", err, said.String())
	}
	if err := pack.Wait(); err != nil {
		t.Fatalf("packing the objects: %v: %s", err, said.String())
	}
}
