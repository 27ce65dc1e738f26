package e2e

import (
	"bufio"
	"context"
	"io"
	"math/rand/v2"
	"os/exec"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// killer is a shell that waits on a node and knows the process: it kills within milliseconds. docker exec and a search need
// longer than some steps take.
type killer struct {
	mu      sync.Mutex
	orders  io.Writer
	answers *bufio.Scanner
}

const shellOfKiller = `while read -r order; do case $order in
	look) pid=$(pgrep -x -n manager);;
	kill) name=; read -r name 2>/dev/null </proc/$pid/comm; [ "$name" = manager ] && kill -KILL $pid && echo killed || echo none; pid=0;;
	esac; done`

func newKiller(t *testing.T, node string) *killer {
	t.Helper()
	shell := exec.Command("docker", "exec", "-i", node, "sh", "-c", shellOfKiller)
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
	k := &killer{orders: orders, answers: bufio.NewScanner(answers)}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		for ; ctx.Err() == nil; time.Sleep(200 * time.Millisecond) {
			k.look()
		}
	}()
	t.Cleanup(func() {
		stop()
		_ = orders.Close()
		if err := shell.Wait(); err != nil {
			t.Errorf("the shell on %s: %v", node, err)
		}
	})
	return k
}

// look for the process; an order that fails shows in the next kill.
func (k *killer) look() {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, _ = io.WriteString(k.orders, "look\n")
}

// kill the manager; false when there was none.
func (k *killer) kill() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, err := io.WriteString(k.orders, "kill\n")
	return err == nil && k.answers.Scan() && k.answers.Text() == "killed"
}

// ambush kills the manager where a random kill hardly ever does: when the last record of a run is written, and when it has
// ended. Each once for each run, until the context ends; each kill is told to hits.
func (c *campaign) ambush(ctx context.Context, hits chan<- string) {
	var all sync.WaitGroup
	defer all.Wait()
	met := sync.Map{}
	strike := func(key string) {
		if _, was := met.Load(key); !was && ctx.Err() == nil && c.kill() {
			met.Store(key, true)
			hits <- key
		}
	}
	all.Go(func() {
		follow(ctx, c.ns, &v1alpha1.BenchmarkRunList{}, func(run *v1alpha1.BenchmarkRun) {
			if run.Finished() {
				strike(run.Name + " teardown")
			}
		})
	})
	all.Go(func() {
		follow(ctx, c.ns, &corev1.ConfigMapList{}, func(cm *corev1.ConfigMap) {
			run := cm.Labels[v1alpha1.LabelRun]
			if cm.Name == contract.RecordsName(run, 0) && recordsAll(cm) {
				// The delay spreads the kills over all that follows.
				time.Sleep(time.Duration(rand.Int64N(int64(60 * time.Millisecond))))
				strike(run + " conclude")
			}
		})
	})
}

// recordsAll: the records of a run of a campaign end with the last trial.
func recordsAll(cm *corev1.ConfigMap) bool {
	records, err := journal.DecodeRecords(cm.BinaryData[contract.KeyRecords])
	if err != nil || len(records.Records) == 0 {
		return false
	}
	last := records.Records[len(records.Records)-1]
	return last.Final && int(last.Index)+1 == trialsOfKilled
}

// follow the objects of a namespace.
func follow[T client.Object](ctx context.Context, ns string, list client.ObjectList, see func(T)) {
	for ; ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		events, err := cluster.API.Watch(ctx, list, client.InNamespace(ns))
		if err != nil {
			continue // the API server may be slow
		}
		for event := range events.ResultChan() {
			if obj, is := event.Object.(T); is && event.Type != watch.Deleted {
				see(obj)
			}
		}
		events.Stop()
	}
}
