package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// A real server's data is loaded once: the first run keeps it in an object store of the cluster, the next one restores it on another
// volume and measures on it without a load, and an archive of which one byte is another is refused.
func TestDataIsLoadedOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("only in make e2e-full")
	}
	s := startObjectStore(t)
	s.use(t, "")
	ns := cluster.Namespace(t)
	const design = "  design: {blocks: 2, warmup: 0s, duration: 4s}\n  data: {name: sbtest, policy: %s}\n"
	made := cluster.AwaitRun(t, cluster.Apply(t, ns, small("make", 1, fmt.Sprintf(design, v1alpha1.DataMake))), 8*time.Minute)
	cluster.Complete(t, made)
	first := made.TargetStatus(made.Spec.Targets[0].Name)
	if d := first.Data; d == nil || d.Origin != v1alpha1.DataOriginMade || d.Bytes == nil || *d.Bytes < 1<<20 || len(first.Load) == 0 || made.Status.Progress.Done != 0 {
		t.Fatalf("the run that makes the data: %+v, load %+v, %d trials", d, first.Load, made.Status.Progress.Done)
	}

	used := cluster.AwaitRun(t, cluster.Apply(t, ns, small("use", 1, fmt.Sprintf(design, v1alpha1.DataUse))), 8*time.Minute)
	cluster.Complete(t, used)
	second := used.TargetStatus(used.Spec.Targets[0].Name)
	if d := second.Data; d == nil || d.Origin != v1alpha1.DataOriginRestored || d.Key != first.Data.Key || d.Archive != first.Data.Archive {
		t.Errorf("the run that uses it: %+v, want what was made: %+v", d, first.Data)
	}
	if len(second.Load) > 0 || used.Status.Progress.Succeeded != 2 {
		t.Errorf("load %+v, %d of 2 trials have a result", second.Load, used.Status.Progress.Succeeded)
	}
	for _, rec := range cluster.Records(t, used) {
		for _, fact := range []string{"data/rows", "data/checksum"} {
			if rec.Facts.Map()[fact] == "" {
				t.Errorf("trial %d does not say %s: %v", rec.Index, fact, rec.Facts.Map())
			}
		}
	}

	flip := fmt.Sprintf("f=$(ls /data/objects/%s/a/b/kind/%s/_data/sbtest/%s/*/part-000) && printf X | dd of=$f bs=1 seek=1000 conv=notrunc", bucket, ns, first.Data.Key)
	if out, err := s.inStore(t, flip).CombinedOutput(); err != nil {
		t.Fatalf("changing a part: %v: %s", err, out)
	}
	damaged := cluster.AwaitRun(t, cluster.Apply(t, ns, small("damaged", 1, fmt.Sprintf(design, v1alpha1.DataUseOrMake))), 8*time.Minute)
	if c := cluster.Condition(damaged, v1alpha1.ConditionFailed); c.Reason != v1alpha1.ReasonDataSetDamaged || !strings.Contains(c.Message, "remove the data set") {
		t.Errorf("the run of a changed archive: %+v", c)
	}
	if len(cluster.Records(t, damaged)) > 0 {
		t.Error("something was measured on a damaged archive")
	}
}
