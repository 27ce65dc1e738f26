package plugin

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// following is a command that follows a run.
type following struct {
	run      *v1alpha1.BenchmarkRun
	problems *safe
	cancel   context.CancelFunc
	ended    chan said
}

// begin `kubectl assay run` of a manifest, and wait until it follows the run.
func begin(t *testing.T, kubeconfig, namespace, name, gate string) following {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	f := following{run: &v1alpha1.BenchmarkRun{}, problems: &safe{}, cancel: cancel, ended: make(chan said, 1)}
	args := []string{"run", "-f", manifest(t, name, gate), "--interval", "20ms", "--kubeconfig", kubeconfig}
	go func() {
		var out safe
		code := cli.Run(ctx, args, cli.Streams{In: strings.NewReader(""), Out: &out, Problems: f.problems})
		f.ended <- said{code, out.String(), flat(f.problems.String())}
	}()
	within(t, "the run is followed", func() bool {
		return strings.Contains(f.problems.String(), "waiting for the manager to take it up") || len(f.ended) > 0
	})
	if err := server.API.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, f.run); err != nil {
		t.Fatalf("%v\n%s", err, f.problems.String())
	}
	return f
}

// end of the command.
func (f following) end(t *testing.T) said {
	t.Helper()
	select {
	case s := <-f.ended:
		return s
	case <-time.After(hang.Limit):
		t.Fatalf("the command goes on:\n%s", f.problems.String())
		return said{}
	}
}

// Every end of a run has its exit code, its sentence on standard output, and the same document from `watch`.
func TestEndsOfARun(t *testing.T) {
	namespace := server.Namespace(t)
	kubeconfig := admin(t, namespace, "")
	const gate = "  analysis: {}\n  gate: {baseline: release, threshold: 25%}\n"
	for name, tt := range map[string]struct {
		gate       string
		conditions []string
		code       int
		want       string
	}{
		"passed":       {"", []string{"Complete=True", "Valid=True"}, exit.OK, "MEASURED nothing: no trial counts"},
		"failed":       {"", []string{"Failed=True"}, exit.Failed, "FAILED Because: of Failed"},
		"invalid":      {"", []string{"Complete=True", "Valid=False"}, exit.Invalid, "INVALID no number of this run can be relied on: Because: of Valid"},
		"gate-passed":  {gate, []string{"Complete=True", "Valid=True", "Passed=True"}, exit.OK, "GATE PASSED Because: of Passed"},
		"gate-failed":  {gate, []string{"Complete=True", "Valid=True", "Passed=False"}, exit.Gate, "GATE FAILED Because: of Passed"},
		"undecided":    {gate, []string{"Complete=True", "Valid=True", "Passed=Unknown"}, exit.Inconclusive, "GATE NOT JUDGED Because: of Passed"},
		"invalid-gate": {gate, []string{"Complete=True", "Valid=False", "Passed=False"}, exit.Invalid, "INVALID no number of this run can be relied on: Because: of Valid"},
	} {
		t.Run(name, func(t *testing.T) {
			f := begin(t, kubeconfig, namespace, name, tt.gate)
			conditions(t, f.run, tt.conditions...)
			if got := f.end(t); got.code != tt.code || !strings.HasPrefix(got.out, namespace+"/"+name+": ") || !strings.Contains(got.out, tt.want) {
				t.Errorf("want %d and %q:\n%s", tt.code, tt.want, got)
			}
			if got := call(t.Context(), kubeconfig, "watch", name, "-o", "json"); got.code != tt.code || !strings.Contains(got.out, `"version": "assay.dev/cli/run/v1"`) {
				t.Errorf("watch: want %d:\n%s", tt.code, got)
			}
			if got := call(t.Context(), kubeconfig, "run", "-f", manifest(t, name, tt.gate)); got.code != exit.Problem || !strings.Contains(got.problems, "has ended before: nothing was started") {
				t.Errorf("started again: %s", got)
			}
		})
	}
}

// A run that is deleted while it is followed, and one that was never there.
func TestARunThatIsGone(t *testing.T) {
	namespace := server.Namespace(t)
	kubeconfig := admin(t, namespace, "")
	f := begin(t, kubeconfig, namespace, "gone", "")
	if err := server.API.Delete(t.Context(), f.run); err != nil {
		t.Fatal(err)
	}
	if got := f.end(t); got.code != exit.Problem || !strings.Contains(got.problems, "BenchmarkRun "+namespace+"/gone was deleted before it ended") {
		t.Errorf("%s", got)
	}
	if got := call(t.Context(), kubeconfig, "watch", "gone"); got.code != exit.Problem || !strings.Contains(got.problems, "there is no BenchmarkRun gone in namespace "+namespace) {
		t.Errorf("%s", got)
	}
}

// What the API server refuses starts nothing, and says why.
func TestAManifestThatIsRefused(t *testing.T) {
	namespace := server.Namespace(t)
	kubeconfig := admin(t, namespace, "")
	got := call(t.Context(), kubeconfig, "run", "-f", manifest(t, "wrong", "  design: {blocks: 0}\n"))
	if got.code != exit.Problem || !strings.Contains(got.problems, "spec.design.blocks") {
		t.Errorf("%s", got)
	}
	got = call(t.Context(), kubeconfig, "run", "-f", manifest(t, "misspelt", "  desing: {blocks: 6}\n"))
	if got.code != exit.Problem || !strings.Contains(got.problems, "desing") {
		t.Errorf("%s", got)
	}
	var runs v1alpha1.BenchmarkRunList
	if err := server.API.List(t.Context(), &runs, client.InNamespace(namespace)); err != nil || len(runs.Items) > 0 {
		t.Errorf("%v: %d runs", err, len(runs.Items))
	}
}

// Ctrl-C ends the command and not the run, and says how to follow it again.
func TestInterrupted(t *testing.T) {
	namespace := server.Namespace(t)
	f := begin(t, admin(t, namespace, ""), namespace, "long", "")
	f.cancel()
	got := f.end(t)
	for _, want := range []string{"the run goes on", "kubectl assay watch long -n " + namespace, "kubectl delete bmr long -n " + namespace} {
		if got.code != exit.Interrupted || !strings.Contains(got.problems, want) {
			t.Errorf("want %q: %s", want, got)
		}
	}
	if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(f.run), f.run); err != nil || f.run.DeletionTimestamp != nil {
		t.Errorf("the run: %v, %v", err, f.run.DeletionTimestamp)
	}
}

// While the API server is away the command asks again, whether connections are refused or end half-way, and goes on when it is back.
func TestAnAPIServerThatIsAway(t *testing.T) {
	namespace := server.Namespace(t)
	road := newRoad(t)
	f := begin(t, admin(t, namespace, "https://"+road.address), namespace, "away", "")
	road.close(t)
	within(t, "it is noticed", func() bool {
		return strings.Contains(f.problems.String(), "the API server does not answer, asking again")
	})
	time.Sleep(2 * time.Second) // a hundred looks
	if len(f.ended) > 0 {
		t.Fatalf("it gave up: %s", f.end(t))
	}
	conditions(t, f.run, "Complete=True", "Valid=True")
	road.open(t)
	if got := f.end(t); got.code != exit.OK || !strings.Contains(got.out, namespace+"/away: ") {
		t.Errorf("%s", got)
	}
}

// road to the API server, which can be closed.
type road struct {
	address string
	mu      sync.Mutex
	gate    net.Listener
	through []net.Conn
}

func newRoad(t *testing.T) *road {
	t.Helper()
	r := &road{address: "127.0.0.1:0"}
	r.open(t)
	t.Cleanup(func() { r.close(t) })
	return r
}

// open the road at its address.
func (r *road) open(t *testing.T) {
	t.Helper()
	gate, err := net.Listen("tcp", r.address)
	if err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gate, r.address = gate, gate.Addr().String()
	go r.serve(gate)
}

func (r *road) serve(gate net.Listener) {
	to, _, err := rest.DefaultServerUrlFor(server.Config)
	if err != nil {
		panic(err) // the API server runs
	}
	for {
		one, err := gate.Accept()
		if err != nil {
			return
		}
		other, err := net.Dial("tcp", to.Host)
		if err != nil {
			_ = one.Close()
			continue
		}
		r.mu.Lock()
		r.through = append(r.through, one, other)
		r.mu.Unlock()
		for _, way := range [][2]net.Conn{{one, other}, {other, one}} {
			go func() {
				_, _ = io.Copy(way[0], way[1]) // it ends with the connection
				_ = way[0].Close()
			}()
		}
	}
}

// close the road, and end what goes along it.
func (r *road) close(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.gate.Close()
	for _, c := range r.through {
		_ = c.Close()
	}
	r.through = nil
}
