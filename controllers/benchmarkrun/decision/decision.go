// Package decision has the words in which the rooms of a BenchmarkRun answer:
// where something stands, and what has to be done about it.
//
// A room decides from the values that it is given and from nothing else: it has
// no client, no clock and no logger. It returns a State and a list of Actions.
// The controller performs the actions in their order, stops at the first that
// fails, and only then writes the status.
package decision

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/ground/store"
)

// State says where something stands: Waiting, Failed or Done, and nothing else.
type State interface{ isState() }

// Waiting says that something has to happen first.
type Waiting struct {
	// Reason and Message go into the condition.
	Reason, Message string
	// Until is when to look again; zero leaves that to the usual interval and to events.
	Until time.Time
	// Timed: a limit counts from the time of the condition. So that is since when it has this reason, and not since when it has this status,
	// which another wait may have had before.
	Timed bool
}

// Failed says that it will not happen. The run ends.
type Failed struct {
	// Reason and Message go into the condition.
	Reason, Message string
}

// Done says that the next room may begin.
type Done struct {
	// Reason is empty for the usual one.
	Reason, Message string
}

func (Waiting) isState() {}
func (Failed) isState()  {}
func (Done) isState()    {}

// IsDone says whether a state is Done.
func IsDone(s State) bool {
	_, is := s.(Done)
	return is
}

// WaitFor formats the message of a Waiting.
func WaitFor(reason, format string, args ...any) Waiting {
	return Waiting{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// At is the wait with the time when to look again.
func (w Waiting) At(until time.Time) Waiting {
	w.Until = until
	return w
}

// FailWith formats the message of a Failed.
func FailWith(reason, format string, args ...any) Failed {
	return Failed{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// DoneWith formats the message of a Done.
func DoneWith(format string, args ...any) Done {
	return Done{Message: fmt.Sprintf(format, args...)}
}

// Object is an object of the API.
type Object interface {
	metav1.Object
	runtime.Object
}

// Action is one write to the cluster.
type Action interface{ isAction() }

// Existing says what becomes of a Create whose object exists already.
type Existing int

const (
	// Keep the object that exists, if it belongs to the run.
	Keep Existing = iota
	// KeepUnmarked keeps a result that no client has touched. The actions stop before
	// one that was marked or filled: its execution has begun.
	KeepUnmarked
	// Stop: somebody else wrote the object, and what follows from it is not known yet.
	Stop
)

// Create makes an object. It never changes one that exists.
type Create struct {
	Object   Object
	Existing Existing
}

// Replace writes an object under the lock of the resource version that it was read with.
type Replace struct{ Object Object }

// AddData writes one key of a ConfigMap of the run. One that is gone is left so, and one that
// belongs to somebody else is left alone.
type AddData struct{ Name, Key, Value string }

// Scale sets the number of replicas of a StatefulSet of the run.
type Scale struct {
	// Name of the StatefulSet, and its UID.
	Name string
	UID  types.UID
	// Replicas, 0 or 1.
	Replicas int32
}

// TakeVolume writes on a volume who uses it, or that its user gives it up, under the lock of the version that was read. Where somebody
// else has written on it meanwhile, nothing follows yet.
type TakeVolume struct {
	Volume *corev1.PersistentVolumeClaim
	User   resources.VolumeUser
	// Writes: the user may write into the data.
	Writes bool
}

// CreateSecret makes the Secret of a target, with credentials made while it is written.
// It succeeds when the Secret exists and belongs to the run.
type CreateSecret struct{ Target resources.Target }

// OfferUploads makes the Secret with signed URLs for what one client has for the object store.
// The URLs are signed while it is written.
type OfferUploads struct {
	// Secret without its data; its controller is the ConfigMap of the trial.
	Secret *corev1.Secret
	// Items in the order of the client.
	Items []store.Item
	// Life of the URLs.
	Life time.Duration
}

// OfferDataSet makes the Secret with signed URLs for the parts of a data set. The URLs are signed while it is written.
type OfferDataSet struct {
	// Secret without its data; its controller is the ConfigMap of the load.
	Secret *corev1.Secret
	// Offer without the requests of its parts.
	Offer contract.DataOffer
	// Keys of the parts.
	Keys []string
	// Life of the URLs.
	Life time.Duration
}

// StoreDataSet writes the manifest of a data set into the object store. Where there is another one, nothing follows from it yet.
type StoreDataSet struct {
	Key  string
	Data []byte
}

// MarkRun puts the hash of the resolved spec on the run, where selectors find it.
type MarkRun struct{ Hash string }

// Delete removes an object, with a precondition of its UID, and in the background what it owns.
type Delete struct{ Object Object }

func (Create) isAction()       {}
func (Replace) isAction()      {}
func (AddData) isAction()      {}
func (Scale) isAction()        {}
func (CreateSecret) isAction() {}
func (MarkRun) isAction()      {}
func (OfferUploads) isAction() {}
func (OfferDataSet) isAction() {}
func (StoreDataSet) isAction() {}
func (Delete) isAction()       {}
func (TakeVolume) isAction()   {}
