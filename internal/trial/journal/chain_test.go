package journal

import (
	"math"
	"testing"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func encoded(t *testing.T, r Records) []byte {
	t.Helper()
	data, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func reread(t *testing.T, r Records) Records {
	t.Helper()
	again, err := DecodeRecords(encoded(t, r))
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// The digest of a record is that of its bytes as they are stored, whoever reads them and
// however often the part is written again.
func TestTheHeadIsThatOfTheStoredBytes(t *testing.T) {
	special := func(r *contract.Record) { r.Message = "<html> & \u2028 \"quoted\"" }
	r := BeginChain("plan")
	if r.Head() != "plan" {
		t.Fatalf("head %q before the first record", r.Head())
	}
	heads := []string{r.Head()}
	for i := range int32(5) {
		r = r.Add(record(i, 0, contract.Succeeded, true, special))
		heads = append(heads, r.Head())
		if i%2 == 0 {
			r = reread(t, r)
		}
		if r.Head() != heads[len(heads)-1] {
			t.Fatalf("record %d: the head changed when it was stored", i)
		}
	}
	for i, rec := range reread(t, r).Records {
		if rec.Previous != heads[i] {
			t.Errorf("record %d has the link %.12s, want %.12s", i, rec.Previous, heads[i])
		}
	}
	if head, err := reread(t, r).CheckLinks("plan"); err != nil || head != heads[5] {
		t.Errorf("links: %q, %v", head, err)
	}
	if _, err := reread(t, r).CheckLinks("another plan"); err == nil {
		t.Error("the first record fits to another plan")
	}
}

// The next part goes on with the chain, and has the digest of the whole part before it.
func TestPartsAreChained(t *testing.T) {
	r := reread(t, BeginChain("plan").Add(record(0, 0, contract.Succeeded, true)))
	for what, next := range map[string]Records{"of a part that was read": r.Next(), "of one that is written now": BeginChain("plan").Add(record(0, 0, contract.Succeeded, true)).Next()} {
		second := reread(t, next.Add(record(1, 0, contract.Succeeded, true)))
		if second.PreviousPart() != contract.Digest(encoded(t, r)) || second.Records[0].Previous != r.Head() {
			t.Errorf("the part behind that %s: part %.12s, record %.12s", what, second.PreviousPart(), second.Records[0].Previous)
		}
		if previous, err := Link(encoded(t, second)); previous != second.PreviousPart() || err != nil {
			t.Errorf("link %q %v", previous, err)
		}
	}
}

// With 64 clients the digests take more room than the rest of a record: a part is full earlier.
func TestPartsOfManyClientsFit(t *testing.T) {
	part := BeginChain("plan")
	for i := range int32(150) {
		if i%10 == 0 {
			part = reread(t, part) // the size is that of the part as it was read
		}
		if part.Full() {
			part = part.Next()
		}
		part = part.Add(record(i, 0, contract.Succeeded, true, func(r *contract.Record) {
			for c := range 64 {
				name := contract.ResultName(contract.TrialName("run", i, 0), c)
				r.Delivered = append(r.Delivered, contract.RecordedDelivery{ConfigMap: name, Digests: map[string]string{
					contract.KeyResult: contract.Digest(noise(8)), contract.KeyRaw: contract.Digest(noise(8)),
				}})
			}
			for range 5 {
				r.Findings = append(r.Findings, contract.RecordedFinding{Check: "noise", Message: string(noise(300))})
			}
			for range 100 {
				r.Values = append(r.Values, contract.RecordedValue{Name: "v", Labels: map[string]string{"operation": string(noise(10))}, Value: float64(i) / 7})
			}
		}))
		if part.Full() {
			if data := encoded(t, part); len(data) > 700<<10 {
				t.Fatalf("part %d has %d records in %d bytes", part.Part, len(part.Records), len(data))
			}
		}
	}
	if part.Part < 2 {
		t.Errorf("150 records with 128 digests each are in %d parts", part.Part+1)
	}
}

func TestRecordsAreCounted(t *testing.T) {
	r, n := BeginChain("plan"), int32(0)
	add := func(index, attempt int32, state contract.State, final bool) {
		r, n = r.Add(record(index, attempt, state, final)), n+1
		if r.Count() != n {
			t.Errorf("%d records behind trial %d, attempt %d: want %d", r.Count(), index, attempt, n)
		}
	}
	add(0, 0, contract.Succeeded, true)
	add(1, 0, contract.Failed, false)
	add(1, 1, contract.Failed, false)
	r = r.Next()
	add(1, 2, contract.Succeeded, true)
	add(2, 0, contract.Failed, true)
	add(3, 0, contract.Failed, false)
}

// A record that cannot be encoded is an error, and no link to nothing.
func TestRecordThatCannotBeEncoded(t *testing.T) {
	r := BeginChain("plan").Add(record(0, 0, contract.Succeeded, true, func(r *contract.Record) {
		r.Values = []contract.RecordedValue{{Name: "x", Value: math.NaN()}}
	})).Add(record(1, 0, contract.Succeeded, true))
	if _, err := r.Encode(); err == nil {
		t.Error("it was encoded")
	}
	if _, err := r.Next().Add(record(2, 0, contract.Succeeded, true)).Encode(); err == nil {
		t.Error("the next part was encoded")
	}
}
