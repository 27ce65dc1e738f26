package journal

import (
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Shared keeps each text and each set of labels once, over many parts: the records of a long run
// repeat the same ones for every trial. The zero value is ready.
type Shared struct {
	texts  map[string]string
	labels map[string]map[string]string
	facts  map[contract.Facts]bool
	bytes  int
}

// maxFacts are the different circumstances of trials that are kept. Those of an honest run are a few
// for each target. A record whose circumstances are new beyond that has none.
const maxFacts = 256

// Memory is about how many bytes the shared texts and labels take.
func (s *Shared) Memory() int { return s.bytes }

// ValueBytes is about how much memory a value of a record takes that shares its texts.
const ValueBytes = 64

// textBytes and labelsBytes are about what an entry of a map of texts, and of one of maps, takes
// beside its texts.
const textBytes, labelsBytes = 64, 448

// Compact is a part for reading only: what is needed to write it again is gone, and so are the
// digests of what was delivered. Its texts are shared with those of other parts. Nothing can be added to it.
func (s *Shared) Compact(r Records) Records {
	r.read, r.written = nil, nil
	for i := range r.Records {
		rec := &r.Records[i]
		rec.Delivered = nil // the results are compared with them part by part
		rec.Target, rec.Reason = s.text(rec.Target), s.text(rec.Reason)
		rec.Facts = s.circumstances(rec.Facts)
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
		if d := rec.Decision; d != nil {
			n += finding + len(d.Why)
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
	s.bytes += textBytes + len(t)
	return t
}

func (s *Shared) circumstances(f contract.Facts) contract.Facts {
	if s.facts[f] || f == "" {
		return f
	}
	if len(s.facts) >= maxFacts {
		return ""
	}
	if s.facts == nil {
		s.facts = map[contract.Facts]bool{}
	}
	s.facts[f] = true
	s.bytes += textBytes + len(f)
	return f
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
	s.bytes += labelsBytes + 2*key.Len()
	return labels
}
