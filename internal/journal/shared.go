package journal

import (
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/contract"
)

// Shared keeps each text and each set of labels once, over many parts: the records of a long run
// repeat the same ones for every trial. The zero value is ready.
type Shared struct {
	texts  map[string]string
	labels map[string]map[string]string
}

// ValueBytes is about how much memory a value of a record takes that shares its texts.
const ValueBytes = 64

// Compact is a part for reading only: what is needed to write it again is gone, and so are the
// digests of what was delivered. Its texts are shared with those of other parts. Nothing can be added to it.
func (s *Shared) Compact(r Records) Records {
	r.read, r.written = nil, nil
	for i := range r.Records {
		rec := &r.Records[i]
		rec.Delivered = nil // the results are compared with them part by part
		rec.Target, rec.Reason = s.text(rec.Target), s.text(rec.Reason)
		rec.TargetNodeName, rec.ClientImageID, rec.ClientQOSClass = s.text(rec.TargetNodeName), s.text(rec.ClientImageID), s.text(rec.ClientQOSClass)
		for j := range rec.ClientNodeNames {
			rec.ClientNodeNames[j] = s.text(rec.ClientNodeNames[j])
		}
		for j := range rec.Values {
			v := &rec.Values[j]
			v.Name, v.Unit, v.Direction = s.text(v.Name), s.text(v.Unit), contract.Direction(s.text(string(v.Direction)))
			v.Labels = s.set(v.Labels)
		}
		rec.Steadiness = s.text(rec.Steadiness)
		rec.Values = slices.Clip(rec.Values)
	}
	return r
}

// Memory is about how many bytes the records of a compact part take.
func (r Records) Memory() int {
	const record, finding, speed, name = 640, 96, 40, 16
	n := 0
	for _, rec := range r.Records {
		n += record + len(rec.Message) + ValueBytes*len(rec.Values) + speed*len(rec.MachineSpeed) + name*len(rec.ClientNodeNames)
		for _, f := range rec.Findings {
			n += finding + len(f.Message)
		}
	}
	return n
}

func (s *Shared) text(t string) string {
	if kept, is := s.texts[t]; is {
		return kept
	}
	if s.texts == nil {
		s.texts = map[string]string{}
	}
	s.texts[t] = t
	return t
}

func (s *Shared) set(labels map[string]string) map[string]string {
	if len(labels) == 0 {
		return nil
	}
	var key strings.Builder
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		key.WriteString(name + "\x00" + labels[name] + "\x00")
	}
	if kept, is := s.labels[key.String()]; is {
		return kept
	}
	if s.labels == nil {
		s.labels = map[string]map[string]string{}
	}
	s.labels[key.String()] = labels
	return labels
}
