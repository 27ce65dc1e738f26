package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/test/helpers/cluster"
	"github.com/assay-bench/assay/test/helpers/pages"
)

// pagesOfARun are played with a run that has ended, whose name stands for NAME.
var pagesOfARun = []string{
	"docs/guide/notifications.md", "docs/guide/operate.md", "docs/guide/read-the-result.md", "docs/guide/security.md",
	"docs/guide/trust.md", "docs/guide/when-it-fails.md", "docs/guide/write-a-run.md",
	"docs/reference/conditions.md", "docs/reference/order-and-seeds.md", "docs/runbooks/AssayManagerDown.md", "docs/runbooks/AssayRunFailed.md",
	"docs/runbooks/AssayRunInvalid.md", "docs/runbooks/AssayRunQueuedTooLong.md", "docs/runbooks/AssayRunRegressed.md",
	"docs/runbooks/AssayStoreUnreachable.md",
}

// The commands of the pages about a run, as they are written, with a run that has ended and keeps its pods.
func TestThePages(t *testing.T) {
	if testing.Short() {
		t.Skip("one of all stories")
	}
	t.Parallel()
	s := newShell(t, cluster.Namespace(t))
	run := cluster.Apply(t, s.ns, cluster.Beside(cluster.RunYAML("pages", "", "  retain: Always\n  design: {blocks: 2, warmup: 0s, duration: 2s}\n")))
	cluster.AwaitRun(t, run, 5*time.Minute)
	for _, path := range pagesOfARun {
		t.Run(strings.TrimSuffix(path[strings.LastIndex(path, "/")+1:], ".md"), func(t *testing.T) {
			page := pages.Open(t, "../..", path, s.Shell).Replace("NAMESPACE", s.ns).Replace("NAME", run.Name).Replace("RUN", run.Name).
				Replace("TARGET", "mariadb").Replace("--namespace team", "--namespace "+s.ns)
			if strings.HasSuffix(path, "notifications.md") {
				page.Replace("assay-system", s.ns) // where the chart is, it would be that of the manager
			}
			for page.Left() > 0 {
				page.Next()
			}
		})
	}
}
