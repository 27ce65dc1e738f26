package e2e

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/test/helpers/cluster"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// The manager at rest stays small. What the runs of other stories needed goes back to the kernel within minutes: Go collects every two
// where little is allocated. What counts is what its limit counts, and kubectl top shows: the resident memory has the pages of the program's
// file, too, which all programs share and the kernel can drop.
func TestManagerMemory(t *testing.T) {
	const most = 50 << 20
	var bytes float64
	for end := time.Now().Add(4 * time.Minute); ; time.Sleep(5 * time.Second) {
		bytes = managerMemory(t)
		t.Logf("working set of the manager: %.1f MiB; resident with the pages of its file: %.1f MiB", bytes/(1<<20), metric(t, "process_resident_memory_bytes ")/(1<<20))
		if bytes <= most || time.Now().After(end) {
			break
		}
	}
	if bytes > most {
		t.Errorf("the manager needs %.1f MiB, over %d MiB", bytes/(1<<20), most>>20)
	}
}

// managerMemory is the working set of the manager's pod, as its kubelet tells.
func managerMemory(t *testing.T) float64 {
	t.Helper()
	pod := managerPod(t)
	if pod == nil {
		t.Fatal("there is no manager")
	}
	text, err := cluster.Clientset.CoreV1().RESTClient().Get().Resource("nodes").Name(pod.Spec.NodeName).SubResource("proxy", "stats", "summary").DoRaw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var summary struct {
		Pods []struct {
			PodRef struct{ UID string }
			Memory struct{ WorkingSetBytes *float64 }
		}
	}
	if err := json.Unmarshal(text, &summary); err != nil {
		t.Fatal(err)
	}
	for _, p := range summary.Pods {
		if p.PodRef.UID == string(pod.UID) && p.Memory.WorkingSetBytes != nil {
			return *p.Memory.WorkingSetBytes
		}
	}
	t.Fatal("the kubelet does not tell the memory of the manager")
	return 0
}

// managerWrites are the requests so far by which the manager has changed something, events included.
func managerWrites(t *testing.T) float64 {
	t.Helper()
	return metric(t, `rest_client_requests_total{`, `method="POST"`, `method="PUT"`, `method="PATCH"`, `method="DELETE"`)
}

// metric is the sum of the series of the manager that begin so, and of them those that have any of the labels; of all without labels.
func metric(t *testing.T, begin string, labels ...string) (sum float64) {
	t.Helper()
	found := false
	for line := range strings.Lines(managerMetrics(t)) {
		if !strings.HasPrefix(line, begin) || len(labels) > 0 && !slices.ContainsFunc(labels, func(l string) bool { return strings.Contains(line, l) }) {
			continue
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndex(line, " "):]), 64)
		if err != nil {
			t.Fatal(err)
		}
		sum, found = sum+value, true
	}
	if !found {
		t.Fatalf("the manager does not tell %s", begin)
	}
	return sum
}

// managerMetrics are read as Prometheus reads them: over HTTPS, with the token of a
// ServiceAccount that has the chart's role for it.
func managerMetrics(t *testing.T) string {
	t.Helper()
	pod := managerPod(t)
	if pod == nil {
		t.Fatal("there is no manager")
	}
	address := "https://" + forward(t, pod, "8443") + "/metrics"
	// The manager signed its certificate itself.
	c := http.Client{Timeout: hang.Limit, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	get := func(token string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		resp, err := c.Do(r)
		if err != nil {
			t.Fatalf("reading the manager's metrics: %v", err)
		}
		defer func() { _ = resp.Body.Close() }()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(text)
	}
	if status, _ := get("nobody's"); status != http.StatusUnauthorized {
		t.Errorf("with a token of nobody: %d", status)
	}
	status, body := get(readerToken(t))
	if status != http.StatusOK {
		t.Fatalf("with the token of a reader: %d %s", status, body)
	}
	return body
}

// readerToken is that of a new ServiceAccount that may read the metrics.
func readerToken(t *testing.T) string {
	t.Helper()
	ns := cluster.Namespace(t)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "reader"}}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: ns},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "assay-metrics-reader"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: ns, Name: account.Name}},
	}
	if err := cluster.API.Create(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	if _, err := cluster.Clientset.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		//nolint:errcheck // of a cluster for tests
		cluster.Clientset.RbacV1().ClusterRoleBindings().Delete(context.WithoutCancel(t.Context()), ns, metav1.DeleteOptions{})
	})
	request, err := cluster.Clientset.CoreV1().ServiceAccounts(ns).CreateToken(t.Context(), account.Name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return request.Status.Token
}

// forward a port of a pod until the test ends; the address on this machine.
func forward(t *testing.T, pod *corev1.Pod, port string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "kubectl", "-n", pod.Namespace, "port-forward", "pod/"+pod.Name, ":"+port)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	address := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(line)
	if err != nil || address == "" {
		t.Fatalf("kubectl port-forward says %q: %v", line, err)
	}
	return address
}
