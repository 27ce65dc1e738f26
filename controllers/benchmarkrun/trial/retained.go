package trial

import (
	"fmt"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
)

// SameServer says whether the server of a target is that which wrote the volume it measures on: a tag may have been moved since that run.
// The state is Done for a target with a volume of its own.
func SameServer(in Input, target string) decision.State {
	from, now := in.Run.ResolvedTarget(target).Retained, in.Run.TargetStatus(target).ImageID
	switch {
	case from == nil:
		return decision.Done{}
	case now == "":
		return decision.WaitFor(v1alpha1.ReasonProgressing, "target %s: waiting for the digest of its image", target)
	case experiment.ImageDigest(now) != experiment.ImageDigest(from.ImageID):
		return decision.FailWith(v1alpha1.ReasonRetainedVolumeUnfit, "target %s: its image %s is %s by now, and the files of the volume were written with %s: "+
			"name the image by its digest in both runs, and load again", target, in.Run.ResolvedTarget(target).Image, experiment.ImageDigest(now), experiment.ImageDigest(from.ImageID))
	}
	return decision.Done{}
}

// RetainedData is what the status says of data that an earlier run left on its volume; nil for any other.
func RetainedData(run *v1alpha1.BenchmarkRun, target string) *v1alpha1.TargetData {
	from := run.ResolvedTarget(target).Retained
	if from == nil {
		return nil
	}
	return &v1alpha1.TargetData{Key: from.Key, Origin: v1alpha1.DataOriginRetained, MadeTime: from.LoadedTime}
}

// retainedBy says whose data a target has, for the facts of a trial; empty for its own.
func retainedBy(run *v1alpha1.BenchmarkRun, target string) string {
	from := run.ResolvedTarget(target).Retained
	if from == nil {
		return ""
	}
	return fmt.Sprintf("run %s (%s), target %s", from.RunName, from.RunUID, from.Target)
}
