// Package store is where the objects of runs are in an object store, and what can be said of them.
//
// In: the prefix of the operator, the run and the execution. Out: the key of each object. A
// key holds the UID of the run, the attempt, the client and the digest of the content, so that
// no two contents have one key, and nothing is ever overwritten.
//
// Package s3 speaks with the store.
package store

import (
	"fmt"
	"path"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Layout is where the objects of one run are.
type Layout struct {
	// Prefix of the operator; may be empty.
	Prefix string
	// Cluster, Namespace and Run are names.
	Cluster, Namespace, Run string
}

// Folder of the run in the bucket, with a slash at its end.
func (l Layout) Folder(uid string) string {
	return path.Join(l.Prefix, l.Cluster, l.Namespace, l.Run, uid) + "/"
}

// Key of an object of a client.
func (l Layout) Key(ref contract.TrialRef, o contract.Object) string {
	return l.Folder(ref.RunUID) + Within(ref, o)
}

// Within is where an object of a client is in the folder of its run.
func Within(ref contract.TrialRef, o contract.Object) string {
	return fmt.Sprintf("%s/client-%d/%s-%s", execution(ref), ref.Client, o.SHA256, o.Name)
}

// ReportKey is that of the page of a run with this digest.
func (l Layout) ReportKey(uid, sha256 string) string {
	return l.Folder(uid) + "report/" + sha256 + "-" + contract.NameReportPage
}

// dataFolder is beside those of runs, whose names begin with a letter.
const dataFolder = "_data"

// DataFolder has the archive of a data set of the namespace: its manifest, and the parts of each load that brought some.
func (l Layout) DataFolder(ref contract.DataSetRef) string {
	return path.Join(l.Prefix, l.Cluster, l.Namespace, dataFolder, ref.Name, ref.Key) + "/"
}

// DataKey is the key of the manifest of a data set.
func (l Layout) DataKey(ref contract.DataSetRef) string { return l.DataFolder(ref) + "manifest.json" }

// DataPartKey is the key of a part, from 0, that a load of a run brings.
func (l Layout) DataPartKey(ref contract.DataSetRef, runUID, target string, part int) string {
	return fmt.Sprintf("%s%s-%s/part-%03d", l.DataFolder(ref), runUID, target, part)
}

// execution names the phase on a target, or the attempt at a trial.
func execution(ref contract.TrialRef) string {
	switch contract.Phase(ref.Phase) {
	case contract.PhasePrepare:
		return "load-" + ref.Target
	case contract.PhaseCleanup:
		return "cleanup-" + ref.Target
	}
	index := 0
	if ref.Index != nil {
		index = *ref.Index
	}
	return fmt.Sprintf("trial-%05d-attempt-%d", index, ref.Attempt)
}

// Item is an object at its key.
type Item struct {
	contract.Object
	// Key in the bucket.
	Key string
}

// Signed is a request that the store accepts until it expires.
type Signed struct {
	// URL with the signature.
	URL string
	// Headers that the request must have.
	Headers map[string]string
	// Expires is the last moment of the request.
	Expires time.Time
}

// State of an object in the store.
type State string

// States of objects.
const (
	// Present: the store holds just this content.
	Present State = "Present"
	// Absent: the store has no such object.
	Absent State = "Absent"
	// Different: the store holds another content under the key.
	Different State = "Different"
	// Unreachable: the store did not answer, or not in a way that can be understood.
	Unreachable State = "Unreachable"
)
