package e2e

import (
	"bufio"
	"context"
	"io"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// killer is a shell that waits on a node: it kills within milliseconds, and docker exec needs longer than some steps.
type killer struct {
	mu      sync.Mutex
	orders  io.Writer
	answers *bufio.Scanner
}

func newKiller(t *testing.T, node string) *killer {
	t.Helper()
	shell := exec.Command("docker", "exec", "-i", node, "sh", "-c", `while read -r order; do pkill -KILL -x manager && echo killed || echo none; done`)
	orders, err := shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = orders.Close()
		if err := shell.Wait(); err != nil {
			t.Errorf("the shell on %s: %v", node, err)
		}
	})
	return &killer{orders: orders, answers: bufio.NewScanner(answers)}
}

// kill the manager; false when there was none.
func (k *killer) kill() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, err := io.WriteString(k.orders, "kill\n")
	return err == nil && k.answers.Scan() && k.answers.Text() == "killed"
}

// brief are the steps that a random kill hardly ever meets.
var brief = []string{"conclude", "teardown"}

// ambush kills the manager as soon as a run is at a brief step, once for each run and step, until the context ends. Each
// kill is told to hits.
func (c *campaign) ambush(ctx context.Context, hits chan<- string) {
	met := map[string]bool{}
	for ; ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		events, err := cluster.API.Watch(ctx, &v1alpha1.BenchmarkRunList{}, client.InNamespace(c.ns))
		if err != nil {
			continue // the API server may be slow
		}
		for event := range events.ResultChan() {
			run, is := event.Object.(*v1alpha1.BenchmarkRun)
			if !is || ctx.Err() != nil {
				continue
			}
			step := stepOf(run)
			if key := run.Name + " " + step; slices.Contains(brief, step) && !met[key] && c.kill() {
				met[key] = true
				hits <- key
			}
		}
		events.Stop()
	}
}
