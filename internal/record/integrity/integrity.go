package integrity

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/journal"
)

// Kind of a finding.
type Kind string

const (
	// Tampered: an object is there, and is not what its digest says.
	Tampered Kind = "tampered"
	// Lost: an object is gone.
	Lost Kind = "lost"
)

// Finding is one disagreement.
type Finding struct {
	// Kind is Tampered or Lost.
	Kind Kind
	// Object is the name of the ConfigMap; "status" for the status of the run, and "object store"
	// for an object there.
	Object string
	// Message says what differs, for people.
	Message string
}

// String is the finding for people, with its object.
func (f Finding) String() string {
	if f.Object == statusOf || f.Object == inStore {
		return f.Message
	}
	return fmt.Sprintf("ConfigMap %s: %s", f.Object, f.Message)
}

const (
	// statusOf is the Object of a finding about the status of a run.
	statusOf = "status"
	// inStore is the Object of a finding about an object in the object store.
	inStore = "object store"
)

func tampered(object, format string, args ...any) Finding {
	return Finding{Tampered, object, fmt.Sprintf(format, args...)}
}

// Stored is what a ConfigMap holds, without its contents.
type Stored struct {
	// Exists: it is there and belongs to the run. One of that name that belongs to somebody
	// else is as good as gone, and Foreign.
	Exists, Foreign bool
	// Digests are the hex SHA-256 of the stored bytes, by key.
	Digests map[string]string
	// Previous is the digest that a part of the journal has of the part before; empty in the first part.
	Previous string
	// Unreadable says why a part of the journal could not be decoded; empty when it could.
	Unreadable string
	// Meta of the ConfigMap when it exists.
	Meta metav1.ObjectMeta
}

// StoredIn a ConfigMap; nil for one that is not there. The name of the run is part of neither.
func StoredIn(cm *corev1.ConfigMap, run metav1.Object) Stored {
	if cm == nil {
		return Stored{}
	}
	if !metav1.IsControlledBy(cm, run) {
		return Stored{Foreign: true}
	}
	s := Stored{Exists: true, Digests: DigestsIn(cm), Meta: *cm.ObjectMeta.DeepCopy()}
	for _, key := range []string{contract.KeyPlan, contract.KeyRecords, contract.KeySummary} {
		if gz, is := cm.BinaryData[key]; is {
			var err error
			if s.Previous, err = journal.Link(gz); err != nil {
				s.Unreadable = err.Error()
			}
		}
	}
	return s
}

// DigestsIn a ConfigMap: of all that it holds but the log that the manager adds.
func DigestsIn(cm *corev1.ConfigMap) map[string]string {
	out := make(map[string]string, len(cm.BinaryData)+len(cm.Data))
	for key, data := range cm.BinaryData {
		out[key] = contract.Digest(data)
	}
	for key, text := range cm.Data {
		if key != contract.KeyLog {
			out[key] = contract.Digest([]byte(text))
		}
	}
	return out
}

// Delivery compares what a client delivered with what the record says of it. What was added
// to the ConfigMap since is left alone.
func Delivery(want contract.RecordedDelivery, got Stored) []Finding {
	switch {
	case got.Foreign:
		return []Finding{{Lost, want.ConfigMap, "it was deleted, and another object has its name"}}
	case !got.Exists:
		return []Finding{{Lost, want.ConfigMap, "it was deleted after its result was collected"}}
	}
	var out []Finding
	for _, key := range slices.Sorted(maps.Keys(want.Digests)) {
		switch have, is := got.Digests[key]; {
		case !is:
			out = append(out, tampered(want.ConfigMap, "%s was removed after it was collected", key))
		case have != want.Digests[key]:
			out = append(out, tampered(want.ConfigMap, "%s has the SHA-256 %.12s, and had %.12s when it was collected", key, have, want.Digests[key]))
		}
	}
	return out
}

// Part is a part of the plan, the records or the summary.
type Part struct {
	// Name of its ConfigMap, and Key of its bytes.
	Name, Key string
	// Stored there.
	Stored
}

// Parts compares a row of parts, each with the digest that the one behind it has of it, and the
// last one with the anchor. From a part that differs on, the ones before it are not vouched
// for, and not compared.
func Parts(parts []Part, anchor string) []Finding {
	var out []Finding
	by, want := "the status", anchor
	for _, p := range slices.Backward(parts) {
		have := p.Digests[p.Key]
		switch {
		case !p.Exists:
			out = append(out, Finding{Lost, p.Name, "it was deleted"})
			return slices.Concat(out, lost(parts, p.Name))
		case have != want:
			out = append(out, tampered(p.Name, "%s has the SHA-256 %.12s, and %s says %.12s", p.Key, have, by, cmp.Or(want, "nothing")))
			return slices.Concat(out, lost(parts, p.Name))
		}
		by, want = "ConfigMap "+p.Name, p.Previous
	}
	switch {
	case want != "" && len(parts) == 0:
		out = append(out, tampered(statusOf, "the status has the SHA-256 %.12s of a part, and counts none", want))
	case want != "":
		out = append(out, tampered(parts[0].Name, "it names a part before it, and is the first one"))
	}
	return out
}

// lost parts before the one of a name.
func lost(parts []Part, before string) []Finding {
	var out []Finding
	for _, p := range parts {
		if p.Name == before {
			break
		}
		if !p.Exists {
			out = append(out, Finding{Lost, p.Name, "it was deleted"})
		}
	}
	return out
}

// Head compares the head of the journal with that in the status, during the run. The journal is
// written first: a status that is one record behind is that of a manager that died in between.
// Last is the last part of the records, or the empty first one.
func Head(anchor v1alpha1.IntegrityStatus, last journal.Records) error {
	head := last.Head()
	if rec := last.Last(); rec != nil && head != anchor.Head && rec.Previous == anchor.Head {
		return nil
	}
	if head != anchor.Head {
		return fmt.Errorf("the records end with the SHA-256 %.12s, and the status says %.12s", cmp.Or(head, "nothing"), cmp.Or(anchor.Head, "nothing"))
	}
	if stored := last.Stored(); stored != "" && stored != anchor.RecordsSHA256 {
		return fmt.Errorf("it has the SHA-256 %.12s, and the status says %.12s", stored, cmp.Or(anchor.RecordsSHA256, "nothing"))
	}
	return nil
}
