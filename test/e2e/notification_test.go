package e2e

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/certificate"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/show/notify"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// The test of the chart, as the guide says it: the manager answers, and every kind is served.
func TestHelmTest(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "../../bin/helm", "test", "assay", "--namespace", managerNamespace).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Phase:          Succeeded") {
		t.Fatalf("helm test: %v\n%s", err, out)
	}
}

// signingKey of the receiver, and the Secret with it.
const (
	signingKey     = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
	receiverSecret = "assay-e2e-receiver"
)

// The administrator names a receiver, a run ends, and its events arrive over HTTPS, signed as the guide says: the first
// attempt is answered with an error, and the next one has another signature and the same ID. A run in a namespace
// that the receiver does not ask for is not told of. The run ends early, since only its end matters.
func TestNotifications(t *testing.T) {
	if testing.Short() {
		t.Skip("the manager is replaced twice, which takes 17 s: only in make e2e-full")
	}
	r := startReceiver(t)
	told, untold := cluster.Namespace(t), cluster.Namespace(t)
	changeValues(t, fmt.Sprintf(`
notifications:
  source: https://kind.example.com
  receivers:
  - {name: ci, url: "https://%s/hook", secret: %s, namespaces: [%s], types: [run.failed, gate.failed]}
`, r.host(), receiverSecret, told))

	begun := time.Now()
	text := cluster.RunYAML("ends", strings.Replace(cluster.MariaDB, `"10.11"`, `"1.0"`, 1), short+"  gate: {baseline: release, threshold: 25%}\n")
	silent := cluster.AwaitRun(t, cluster.Apply(t, untold, text), time.Minute)
	run := cluster.AwaitRun(t, cluster.Apply(t, told, text), time.Minute)
	failedWith(t, run, v1alpha1.ReasonVersionNotInCatalogue)

	var got []delivery
	eventually(t, time.Minute, func() string {
		if got = r.deliveries(t); len(got) < 3 {
			return fmt.Sprintf("%d requests: %v", len(got), got)
		}
		return ""
	})
	t.Logf("%d requests within %s of the runs", len(got), time.Since(begun).Round(time.Millisecond))
	checkDeliveries(t, run, got)
	// It is recorded, so that nobody sends it again.
	cluster.AwaitState(t, run, time.Minute, "recorded what it told", func(r *v1alpha1.BenchmarkRun) bool {
		return len(r.Status.Notifications) == 2
	})
	if err := cluster.API.Get(t.Context(), client.ObjectKeyFromObject(silent), silent); err != nil {
		t.Fatal(err)
	}
	if len(silent.Status.Notifications) > 0 {
		t.Errorf("a run that nobody asked for: %+v", silent.Status.Notifications)
	}
}

// checkDeliveries: two events, one of them in two attempts, and nothing else.
func checkDeliveries(t *testing.T, run *v1alpha1.BenchmarkRun, got []delivery) {
	t.Helper()
	key, err := standardwebhooks.NewWebhook(signingKey)
	if err != nil {
		t.Fatal(err)
	}
	attempts, types, signatures := map[string]int{}, map[string]bool{}, map[string]bool{}
	for _, d := range got {
		header := http.Header{}
		for name, value := range d.Headers {
			header.Set(name, value)
		}
		body, err := base64.StdEncoding.DecodeString(d.Body)
		if err != nil {
			t.Fatal(err)
		}
		if err := key.Verify(body, header); err != nil {
			t.Errorf("the signature of %v: %v", header, err)
		}
		if key.Verify(append(body, ' '), header) == nil {
			t.Error("a changed body has the same signature")
		}
		var event struct {
			SpecVersion, ID, Source, Type, Time string
			Data                                contract.Notification
		}
		if err := json.Unmarshal(body, &event); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		id := header.Get("Webhook-Id")
		want := fmt.Sprintf("https://kind.example.com/apis/assay.dev/v1alpha1/namespaces/%s/benchmarkruns/%s", run.Namespace, run.Name)
		if event.SpecVersion != "1.0" || event.ID != id || event.Source != want || header.Get("Content-Type") != notify.ContentType {
			t.Errorf("the event: %s, headers %v", body, header)
		}
		if event.Data.Run.UID != string(run.UID) || event.Data.Reason != v1alpha1.ReasonVersionNotInCatalogue {
			t.Errorf("its data: %+v", event.Data)
		}
		attempts[id]++
		types[event.Type] = true
		signatures[header.Get("Webhook-Signature")] = true
	}
	if len(attempts) != 2 || !types["dev.assay.run.failed"] || !types["dev.assay.gate.failed"] || len(got) != 3 {
		t.Errorf("attempts %v of %v, want two events and one attempt more", attempts, types)
	}
}

// receiver of notifications, in a namespace of its own. It refuses the first request.
type receiver struct{ ns string }

// delivery is a request that the receiver got.
type delivery struct {
	Headers map[string]string
	Body    string
}

// receive answers over HTTPS, and prints each request in a line of JSON.
const receive = `
import base64, http.server, json, ssl, threading

lock, seen = threading.Lock(), 0

class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        global seen
        body = self.rfile.read(int(self.headers['Content-Length']))
        with lock:
            seen += 1
            status = 503 if seen == 1 else 204
            print(json.dumps({'headers': dict(self.headers), 'body': base64.b64encode(body).decode()}), flush=True)
        self.send_response(status)
        self.end_headers()

    def log_message(self, *args):
        pass

server = http.server.ThreadingHTTPServer(('', 8443), Hook)
trust = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
trust.load_cert_chain('/tls/tls.crt', '/tls/tls.key')
server.socket = trust.wrap_socket(server.socket, server_side=True)
server.serve_forever()
`

func startReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{ns: cluster.Namespace(t)}
	certs, err := certificate.Make([]string{r.host()}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{"app": "receiver"}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: managerNamespace, Name: receiverSecret},
		Data:       map[string][]byte{notify.FileKey: []byte(signingKey), notify.FileCA: certs.CA},
	}
	if err := client.IgnoreNotFound(cluster.API.Delete(t.Context(), secret.DeepCopy())); err != nil {
		t.Fatal(err)
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: r.ns, Name: "receiver", Labels: labels},
		Spec: cluster.Restricted(corev1.PodSpec{
			TerminationGracePeriodSeconds: new(int64(1)), AutomountServiceAccountToken: new(false), EnableServiceLinks: new(false),
			SecurityContext: &corev1.PodSecurityContext{FSGroup: new(int64(10001))},
			Containers: []corev1.Container{{
				Name: "receiver", Image: localImage(t, "runner-drivers-python"), Command: []string{"/usr/bin/python3", "-c", receive},
				VolumeMounts:   []corev1.VolumeMount{{Name: "tls", MountPath: "/tls", ReadOnly: true}},
				ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(8443)}}, PeriodSeconds: 1},
			}},
			Volumes: []corev1.Volume{{Name: "tls", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "tls"}}}},
		}),
	}
	for _, o := range []client.Object{
		secret, pod,
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: r.ns, Name: "tls"}, Data: map[string][]byte{"tls.crt": certs.ServerCert, "tls.key": certs.ServerKey}},
		&corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Namespace: r.ns, Name: "receiver"},
			Spec:       corev1.ServiceSpec{Selector: labels, Ports: []corev1.ServicePort{{Port: 443, TargetPort: intstr.FromInt32(8443)}}},
		},
	} {
		if err := cluster.API.Create(t.Context(), o); err != nil {
			t.Fatalf("creating %T %s: %v", o, o.GetName(), err)
		}
	}
	t.Cleanup(func() {
		if err := cluster.API.Delete(context.Background(), secret); err != nil {
			t.Errorf("deleting Secret %s: %v", receiverSecret, err)
		}
	})
	eventually(t, time.Minute, func() string {
		if err := cluster.API.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil {
			return err.Error()
		}
		if s := pod.Status.ContainerStatuses; len(s) != 1 || !s[0].Ready {
			return fmt.Sprintf("the receiver is not ready: %+v", pod.Status)
		}
		return ""
	})
	return r
}

// host of its Service.
func (r *receiver) host() string { return "receiver." + r.ns + ".svc" }

// deliveries so far.
func (r *receiver) deliveries(t *testing.T) []delivery {
	t.Helper()
	log, err := cluster.Clientset.CoreV1().Pods(r.ns).GetLogs("receiver", &corev1.PodLogOptions{}).Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }() // it was only read
	var out []delivery
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var d delivery
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			t.Fatalf("the receiver says %q: %v", lines.Text(), err)
		}
		out = append(out, d)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
