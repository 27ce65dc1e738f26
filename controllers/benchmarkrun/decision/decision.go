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

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// State says where something stands: Waiting, Failed or Done, and nothing else.
type State interface{ isState() }

// Waiting says that something has to happen first.
type Waiting struct {
	// Reason and Message go into the condition.
	Reason, Message string
	// Until is when to look again; zero leaves that to the usual interval and to events.
	Until time.Time
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

// WaitFor formats the message of a Waiting.
func WaitFor(reason, format string, args ...any) Waiting {
	return Waiting{Reason: reason, Message: fmt.Sprintf(format, args...)}
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

// Create makes an object that is never changed afterwards. It succeeds when the
// object exists and belongs to the run.
type Create struct{ Object Object }

// Replace writes an object under the lock of the resource version that it was read with.
type Replace struct{ Object Object }

// Scale sets the number of replicas of a StatefulSet of the run.
type Scale struct {
	// Name of the StatefulSet.
	Name string
	// Replicas, 0 or 1.
	Replicas int32
}

// Delete removes an object, with a precondition of its UID, and in the background what it owns.
type Delete struct{ Object Object }

func (Create) isAction()  {}
func (Replace) isAction() {}
func (Scale) isAction()   {}
func (Delete) isAction()  {}
