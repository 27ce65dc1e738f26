package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/test/helpers/cluster"
	"github.com/assay-bench/assay/test/helpers/pages"
)

// The pages about the plugin of kubectl and about several runs, as they are written, with runs of one experiment: those that the
// pages name were measured before, and the page starts one of its own. It wants a machine without other work, because disturbed
// trials predict nothing.
func TestThePageOfThePlugin(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	s := newShell(t, cluster.Namespace(t))
	plain := func(name string) string {
		return cluster.RunYAML(name, "", "  design: {blocks: 2, warmup: 0s, duration: 2s}\n")
	}
	for _, name := range []string{"monday", "tuesday", "wednesday"} {
		s.usable(name, plain(name))
		if out, err := s.run("kubectl assay export " + name + " --bundle"); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	page := pages.Open(t, "../..", "docs/guide/kubectl-assay.md", s.Shell).Retry(s.again).
		Replace("nightly-1", "monday").
		// One of twenty sound repetitions lies outside.
		Replace("--check demo-rerun", fmt.Sprintf("--check demo || test $? = %d", exit.Outside))
	page.Next() // prints a manifest, and plans it
	s.write("benchmark.yaml", plain("demo"))
	for page.Left() > 0 {
		page.Next()
	}
	pages.Open(t, "../..", "docs/guide/compare.md", s.Shell).Replace("RUN RUN...", "monday tuesday").Next()
}

// usable measures a run, again when other work on this machine has disturbed all its trials.
func (s shell) usable(name, manifest string) {
	s.t.Helper()
	for try := 0; ; try++ {
		got := cluster.AwaitRun(s.t, cluster.Apply(s.t, s.ns, manifest), 5*time.Minute)
		valid := apimeta.FindStatusCondition(got.Status.Conditions, v1alpha1.ConditionValid)
		switch {
		case valid != nil && valid.Reason != v1alpha1.ReasonNoUsableTrial:
			return
		case valid == nil || try == 2:
			s.t.Fatalf("run %s: %s", name, got.Status.Headline)
		}
		if out, err := s.run("kubectl delete bmr " + name + " --wait"); err != nil {
			s.t.Fatalf("%v: %s", err, out)
		}
	}
}

// The page of the first look, with servers of this cluster. Trials that other work on this machine disturbs decide nothing.
func TestFirstLook(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	s := newShell(t, cluster.Namespace(t))
	pages.Open(t, "../..", "docs/guide/first-look.md", s.Shell).
		Replace("mysql:9.7 mariadb:11.8", fmt.Sprintf("mysql:9.7 mariadb:10.11 --within 2m || test $? = %d", exit.Invalid)).Next()
	out, err := s.run(`kubectl get bmr -o jsonpath='{.items[0].status.resolved.clientShape} {.items[0].status.resolved.targets[*].shape}'`)
	if err != nil || !strings.Contains(string(out), "memory") {
		t.Errorf("what was chosen does not stand in the status: %v, %s", err, out)
	}
	t.Logf("%s", out)
}
