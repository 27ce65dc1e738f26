package integrity

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	objectstore "github.com/assay-bench/assay/internal/ground/store"
)

// ObjectDigest returns the hex SHA-256 of an object, which is at a key in the folder of the run; empty for
// one that is not there.
type ObjectDigest func(key string) (string, error)

// checkArchive is the finding of a trial about what did not reach the object store.
const checkArchive = "archive-lost"

// objects of one client against what its result says of them. The result was compared before.
func (c *comparison) objects(rec contract.Record, cm *corev1.ConfigMap) error {
	res, err := contract.Decode(cm.BinaryData[contract.KeyResult])
	if err != nil {
		return nil //nolint:nilerr // the attempt failed for that: its record says so, and nothing was taken from it
	}
	for _, o := range objectsOf(res, cm.BinaryData[contract.KeyRaw]) {
		key := objectstore.Within(res.Trial, o)
		have, err := c.scope.Object(key)
		switch {
		case err != nil:
			return fmt.Errorf("reading object %s: %w", key, err)
		case have == "" && c.absent(rec, res.Trial):
			c.report.Absent++
			continue
		case have == "":
			c.found(Finding{Lost, inStore, fmt.Sprintf("object %s: it is not there", key)})
		case have != o.SHA256:
			c.found(tampered(inStore, "object %s: it has the SHA-256 %.12s, and had %.12s when it was collected", key, have, o.SHA256))
		}
		c.report.Objects++
	}
	return nil
}

// objectsOf a result are those that are not in its ConfigMap, which has these raw files.
func objectsOf(res contract.Result, raw []byte) []contract.Object {
	var out []contract.Object
	if res.RawSHA256 != "" && res.RawSHA256 != contract.Digest(raw) {
		out = append(out, contract.Object{Name: contract.KeyRaw, SHA256: res.RawSHA256})
	}
	if res.Whole != nil {
		out = append(out, *res.Whole)
	}
	return out
}

// absent says whether the run has recorded that objects of a client did not reach the store: of
// an attempt that failed, or by the finding, which of a load is in the status.
func (c *comparison) absent(rec contract.Record, ref contract.TrialRef) bool {
	if contract.Phase(ref.Phase) != contract.PhaseRun {
		return slices.ContainsFunc(c.run.Status.Findings, func(f v1alpha1.Finding) bool {
			return f.Check == checkArchive && f.Trial == nil && f.Target == ref.Target && ofClient(f.Client, ref)
		})
	}
	return rec.State == contract.Failed || slices.ContainsFunc(rec.Findings, func(f contract.RecordedFinding) bool {
		return f.Check == checkArchive && ofClient(f.Client, ref)
	})
}

func ofClient(client *int32, ref contract.TrialRef) bool {
	return client != nil && int(*client) == ref.Client
}
