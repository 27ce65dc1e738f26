package client

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assay-bench/assay/internal/ground/contract"
)

var aRef = contract.DataSetRef{Name: "sbtest", Key: "k"}

// made is an archive of loadedTables.
func made() *contract.DataSet {
	return &contract.DataSet{
		Version: contract.DataSetVersion, DataSetRef: aRef, Run: "maker", Made: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
		Tables: loadedTables(), Files: 12, Bytes: 1 << 30, Parts: []contract.DataPart{{SHA256: "d", Bytes: 7}},
	}
}

// newDataRig is a load with an offer of a data set.
func newDataRig(t *testing.T, target *fakeTarget, restore *contract.DataSet) *rig {
	t.Helper()
	r := newRig(t, "good", contract.PhasePrepare, func(trial *contract.Trial) { trial.Agent, trial.DataSet = target.address, aRef.Name })
	r.api.dataOffer = &contract.DataOffer{
		Version: contract.DataOfferVersion, DataSet: aRef, Restore: restore, Archive: contract.Archive{Parts: []contract.SignedPart{{URL: "https://store/part"}}, PartBytes: 1 << 20},
	}
	if restore != nil {
		r.api.dataOffer.SHA256 = "manifest"
	}
	return r
}

// A load with nothing to restore loads, counts, and has the archive made of what was counted.
func TestADataSetIsMade(t *testing.T) {
	target := newFakeTarget(t)
	res := runAll(t, []*rig{newDataRig(t, target, nil)})[0]
	want := &contract.Data{Tables: loadedTables(), DataSet: &contract.DataSetReport{DataSetRef: aRef, Copy: new(aCopy())}}
	if diff := cmp.Diff(want, res.Data, cmpopts.IgnoreFields(contract.DataSetReport{}, "Made")); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	if last := target.calls[len(target.calls)-1]; last != "POST /archive t/archive" {
		t.Errorf("the last call is %q, want the archive", last)
	}
	if res.Times.MeasureEnded == nil || !res.Data.DataSet.Made.Equal(*res.Times.MeasureEnded) {
		t.Errorf("made %s, and the tool ended %v", res.Data.DataSet.Made, res.Times.MeasureEnded)
	}
}

// A load that is restored starts no tool: it has no time of a load, and no statistics are taken again.
func TestADataSetIsRestored(t *testing.T) {
	target := newFakeTarget(t)
	target.drop = 1
	r := newDataRig(t, target, made())
	res := runAll(t, []*rig{r})[0]
	want := &contract.Data{Tables: loadedTables(), DataSet: &contract.DataSetReport{DataSetRef: aRef, Restored: "manifest", Made: made().Made, Copy: new(aCopy())}}
	if diff := cmp.Diff(want, res.Data); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	if res.Times.MeasureStarted != nil || res.Times.MeasureEnded != nil || len(res.Tool.Args) > 0 || len(res.Measurements) > 0 {
		t.Errorf("the tool ran: %+v, %v", res.Times, res.Tool.Args)
	}
	// Before anything is asked of the server, and once: the ID is the same each time.
	if first := target.calls[:2]; !slices.Equal(first, []string{"POST /fetch t/fetch", "POST /fetch t/fetch"}) || slices.Contains(r.server.asked, "analyze") {
		t.Errorf("calls %v, asked %v", target.calls, r.server.asked)
	}
}

// Where the load serves the run without an archive, one that cannot be made takes nothing from it.
func TestADataSetThatIsNotKept(t *testing.T) {
	target := newFakeTarget(t)
	target.refuse = &contract.Refusal{Reason: contract.ReasonPartFailed, Message: "i/o timeout"}
	r := newDataRig(t, target, nil)
	r.api.dataOffer.MayFail = true
	res := runAll(t, []*rig{r})[0]
	want := &contract.Data{Tables: loadedTables(), DataSet: &contract.DataSetReport{DataSetRef: aRef, NotKept: "making the data set sbtest: i/o timeout"}}
	if diff := cmp.Diff(want, res.Data, cmpopts.IgnoreFields(contract.DataSetReport{}, "Made")); diff != "" || res.State != contract.Succeeded {
		t.Errorf("%s, data (-want +got):\n%s", res.State, diff)
	}
}

// What is restored has to be what was loaded, and what the agent refuses is not used.
func TestADataSetThatCannotBeUsed(t *testing.T) {
	fewer := made()
	fewer.Tables[0].Rows++
	other := made()
	other.Tables[0].Checksum = new(int64(5))
	another := made()
	another.Key = "another"
	for name, tt := range map[string]struct {
		restore *contract.DataSet
		refuse  *contract.Refusal
		reason  contract.Reason
		says    string
	}{
		"other rows":      {fewer, nil, contract.ReasonDataDiffers, "table sbtest1 has 1000 rows instead of 1001: remove it, and make it again"},
		"another content": {other, nil, contract.ReasonDataDiffers, "has the checksum 4294967295 instead of 5"},
		"another key":     {another, nil, contract.ReasonDataSetFailed, "the offer is for the data set sbtest, key k, and has the archive of sbtest, key another"},
		"damage": {made(), &contract.Refusal{Reason: contract.ReasonPartDamaged, Message: "part 0 has 6 bytes"},
			contract.ReasonDataSetDamaged, "restoring the data set sbtest: part 0 has 6 bytes"},
		"no store": {nil, &contract.Refusal{Reason: contract.ReasonPartFailed, Message: "i/o timeout"},
			contract.ReasonDataSetFailed, "making the data set sbtest: i/o timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			target := newFakeTarget(t)
			target.refuse = tt.refuse
			r := newDataRig(t, target, tt.restore)
			if err := r.agent.Run(t.Context()); err == nil {
				t.Error("it is no error")
			}
			res, _ := r.outcome(t)
			if f := res.Failure; f == nil || f.Reason != tt.reason || !strings.Contains(f.Message, tt.says) {
				t.Errorf("got %+v, want %s with %q", f, tt.reason, tt.says)
			}
		})
	}
}
