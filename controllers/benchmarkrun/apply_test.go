package benchmarkrun

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/kubelet"
)

// inGit is a run as people write it: few fields, and values in other spellings than ours.
const inGit = `
apiVersion: assay.dev/v1alpha1
kind: BenchmarkRun
metadata:
  name: run
  labels: {team: databases}
  annotations: {example.com/owner: somebody}
spec:
  targets:
  - name: db
    shape: {inline: {cpu: 1000m, memory: 1024Mi, nodeSelector: {kind: t}}}
    mysql: {flavor: MariaDB, version: "10.11", sizing: Server, storage: {size: 1024Mi}}
  clients: {shape: {inline: {cpu: "1", memory: 1Gi, nodeSelector: {kind: c}}}}
  workload: {sysbench: {test: oltp_read_write, threads: 4, tables: 2, tableSize: 10000}}
  design: {blocks: 3, warmup: 0s, duration: 10000ms}
  exclusive: false
  deadline: 60m
`

// applier is kubectl with a way to apply, against the API server of the tests.
type applier struct {
	namespace, config string
	flags             []string
}

func (a applier) kubectl(t *testing.T, input string, args ...string) (string, error) {
	t.Helper()
	kubectl := filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kubectl")
	cmd := exec.CommandContext(t.Context(), kubectl, append([]string{"--kubeconfig=" + a.config, "--namespace=" + a.namespace}, args...)...)
	cmd.Stdin = strings.NewReader(input)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// apply has to succeed.
func (a applier) apply(t *testing.T, manifest string) {
	t.Helper()
	if out, err := a.kubectl(t, manifest, append([]string{"apply", "--filename=-"}, a.flags...)...); err != nil {
		t.Fatalf("kubectl apply %v: %v: %s", a.flags, err, out)
	}
}

// same is true when applying the manifest would change nothing, so that its controller sees no drift. kubectl reads the
// object twice, and a status that is written in between is a difference too, which another look does not see.
func (a applier) same(t *testing.T, manifest string) {
	t.Helper()
	var out string
	var err error
	for range 5 {
		if out, err = a.kubectl(t, manifest, append([]string{"diff", "--filename=-"}, a.flags...)...); err == nil {
			return
		}
	}
	t.Errorf("kubectl diff %v sees a difference (%v):\n%s", a.flags, err, out)
}

// A GitOps controller applies what is in Git again and again, in each of the ways that there are. While the run goes on and
// after its end there is no conflict, no difference and no new generation, and what the manager wrote stays. A changed
// manifest is refused with a message that says what to do, and the run goes on as it was.
func TestApplyingAgainChangesNothing(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{
		"as Flux does, on the server":           {"--server-side", "--field-manager=kustomize-controller"},
		"as Argo CD does, on the server":        {"--server-side", "--field-manager=argocd-controller"},
		"on the client, as kubectl and Argo CD": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := applier{namespace: server.Namespace(t), config: server.Kubeconfig(t, "", ""), flags: flags}
			run := newRun(t, a.namespace)
			startManager(t, a.namespace, nil)
			gate, good := make(chan struct{}), delivers(always(5))
			open := sync.OnceFunc(func() { close(gate) })
			startKubelet(t, &kubelet.Kubelet{Namespace: a.namespace, Client: func(trial contract.Trial) *contract.Result {
				<-gate
				return good(trial)
			}})
			t.Cleanup(open) // the kubelet ends only then
			a.apply(t, inGit)
			await(t, run, "loading", func(r *v1alpha1.BenchmarkRun) bool { return r.Status.Phase == v1alpha1.PhaseLoading })
			a.apply(t, inGit)
			a.same(t, inGit)
			open()
			for got := (&v1alpha1.BenchmarkRun{}); !got.Finished(); {
				a.apply(t, inGit)
				if err := server.API.Get(t.Context(), client.ObjectKeyFromObject(run), got); err != nil {
					t.Fatal(err)
				}
			}
			a.apply(t, inGit)
			a.same(t, inGit)
			await(t, run, "complete as it was applied", func(r *v1alpha1.BenchmarkRun) bool {
				return isTrue(v1alpha1.ConditionComplete)(r) && r.Generation == 1 && r.Labels[v1alpha1.LabelSpecHash] != "" && r.Labels["team"] == "databases"
			})
			out, err := a.kubectl(t, strings.ReplaceAll(inGit, "threads: 4", "threads: 8"), append([]string{"apply", "--filename=-"}, flags...)...)
			want := "workload cannot be changed: create a new BenchmarkRun with another name"
			if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || !strings.Contains(out, want) {
				t.Errorf("applying another workload: %v: %s, want %q", err, out, want)
			}
			a.same(t, inGit)
		})
	}
}
