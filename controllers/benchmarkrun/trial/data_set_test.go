package trial

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/ground/store"
)

// loadOfData is the load of a run with a data set, whose client works.
func loadOfData() *cluster {
	c := newCluster()
	run := c.in.Run
	run.Spec.Data = &v1alpha1.DataSet{Name: "sbtest", Policy: v1alpha1.DataUseOrMake}
	run.Spec.Targets[0].MySQL.Storage.Size = resource.MustParse("10Gi")
	run.Status.Results = &v1alpha1.ResultsStatus{Store: "s3://results/"}
	run.Status.Resolved.Inputs = &v1alpha1.ResolvedInputs{SHA256: "aa"}
	run.Status.Targets = []v1alpha1.TargetStatus{{Name: "db", ImageID: "registry.example/mysql@sha256:feed"}}
	c.in.Config = config.Default()
	c.in.Results.Store.Endpoint, c.in.Results.Store.Bucket = "https://s3.example.com", "results"
	c.e = Load(c.in, "db")
	c.pods()
	c.trial.UID = "load"
	c.client(0).Phase = corev1.PodRunning
	c.client(0).ContainerStatuses = append(c.client(0).ContainerStatuses, corev1.ContainerStatus{Name: resources.RunnerContainer, ImageID: "registry.example/tool@sha256:beef"})
	return c
}

// refOf the data set of a load with these digests.
func (c *cluster) refOf(t *testing.T) contract.DataSetRef {
	t.Helper()
	key, err := experiment.DataKey(c.in.Work, experiment.DataOf{
		Target: c.in.Run.Spec.Targets[0], Resolved: c.in.Run.Status.Resolved.Targets[0], ImageID: "mysql@sha256:feed", ToolImageID: "tool@sha256:beef",
		Inputs: c.in.Run.Status.Resolved.Inputs, Seed: seed(c.in), Database: resources.Database,
	})
	if err != nil {
		t.Fatal(err)
	}
	return contract.DataSetRef{Name: "sbtest", Key: key}
}

// What the store says of a data set is what a load shows that waits for it: it neither waits in silence nor goes on.
func TestALoadSaysWhatTheStoreSays(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*cluster)
		says   decision.StoredDataSet
		want   decision.State
		offers bool
	}{
		"no archive": {says: decision.StoredDataSet{State: store.Absent}, offers: true},
		"the store is away": {says: decision.StoredDataSet{State: store.Unreachable, Problem: "connection refused"},
			want: decision.WaitFor(v1alpha1.ReasonRetrying, "looking for the data set sbtest in the object store: connection refused")},
		"a manifest that is damaged": {says: decision.StoredDataSet{State: store.Different, Problem: "no version"},
			want: decision.FailWith(v1alpha1.ReasonDataSetDamaged, "the data set sbtest of target db: no version: remove it, and make it again")},
		"the container runtime has not said the digest of the tool": {says: decision.StoredDataSet{State: store.Absent},
			change: func(c *cluster) { c.client(0).ContainerStatuses[1].ImageID = "" }},
		"the manager has no store any more": {change: func(c *cluster) { c.in.Results.Store.Endpoint = "" },
			want: decision.FailWith(v1alpha1.ReasonInvalidSpec, "spec.data: the manager has no object store any more (chart value results.store)")},
	} {
		t.Run(name, func(t *testing.T) {
			c := loadOfData()
			ref := c.refOf(t)
			if tt.change != nil {
				tt.change(c)
			}
			job := c.in.Children.Jobs[c.e.Name]
			known := c.known().With(decision.Named[*corev1.Secret](contract.DataOfferName(c.e.Name)), decision.Absent{}).
				With(decision.GetDataSet{Key: "default/ns/_data/sbtest/" + ref.Key + "/manifest.json", Ref: ref}, tt.says)
			ask := known.Ask()
			actions, state := offerDataSet(c.in, c.e, job, ask)
			if !ask.Complete() {
				t.Fatalf("it asks %+v", ask.Missing())
			}
			if diff := cmp.Diff(tt.want, state); diff != "" || (len(actions) > 0) != tt.offers {
				t.Errorf("%d actions, state (-want +got):\n%s", len(actions), diff)
			}
			if tt.offers {
				if o := actions[0].(decision.OfferDataSet).Offer; o.DataSet != ref || !o.MayFail || o.Restore != nil {
					t.Errorf("the offer is %+v", o)
				}
			}
			ask = known.Ask()
			if got := Decide(c.in, c.e, ask); tt.want != nil && !cmp.Equal(got.State, tt.want) {
				t.Errorf("the load shows %+v, want %+v", got.State, tt.want)
			}
		})
	}
}

// The key of a load is what it was told: a manager of another release, which would make another one, changes nothing.
func TestKeepDataSetByWhatTheLoadWasTold(t *testing.T) {
	ref := contract.DataSetRef{Name: "sbtest", Key: strings.Repeat("0f", 32)}
	made := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	size := int64(1000)
	archived := &contract.Copy{Files: 3, Bytes: size, Parts: []contract.DataPart{{SHA256: strings.Repeat("aa", 32), Bytes: 7}}}
	status := func(origin v1alpha1.DataOrigin) *v1alpha1.TargetData {
		return &v1alpha1.TargetData{Key: v1alpha1.Digest(ref.Key), Origin: origin, MadeTime: metav1.Time{Time: made}}
	}
	contradicts := decision.FailWith(v1alpha1.ReasonResultContradictory, "loading target db: the result does not say how it came by the data set sbtest")
	for name, tt := range map[string]struct {
		told   contract.DataOffer
		has    decision.StoredDataSet
		gone   bool
		report contract.DataSetReport
		state  decision.State
		want   *v1alpha1.TargetData
		stores bool
	}{
		"made": {report: contract.DataSetReport{DataSetRef: ref, Made: made, Copy: archived}, want: status(v1alpha1.DataOriginMade), stores: true},
		"another run was faster": {has: decision.StoredDataSet{State: store.Present, SHA256: "that of its manifest"},
			report: contract.DataSetReport{DataSetRef: ref, Made: made, Copy: archived}, want: func() *v1alpha1.TargetData {
				s := status(v1alpha1.DataOriginLoaded)
				s.Bytes = &size
				return s
			}()},
		"no archive, and the run may go on": {told: contract.DataOffer{MayFail: true}, report: contract.DataSetReport{DataSetRef: ref, Made: made, NotKept: "i/o timeout"},
			want: status(v1alpha1.DataOriginLoaded)},
		"no archive, and it may not": {report: contract.DataSetReport{DataSetRef: ref, Made: made, NotKept: "i/o timeout"}, state: contradicts},
		"neither an archive nor why": {told: contract.DataOffer{MayFail: true}, report: contract.DataSetReport{DataSetRef: ref, Made: made}, state: contradicts},
		"another key": {report: contract.DataSetReport{DataSetRef: contract.DataSetRef{Name: "sbtest", Key: strings.Repeat("1f", 32)}, Made: made, Copy: archived},
			state: contradicts},
		"restored, and told to load": {report: contract.DataSetReport{DataSetRef: ref, Made: made, Copy: archived, Restored: "manifest"}, state: contradicts},
		"the Secret is gone": {gone: true, report: contract.DataSetReport{DataSetRef: ref, Made: made, Copy: archived},
			state: decision.FailWith(v1alpha1.ReasonDataSetFailed, "loading target db: Secret run-db-load-data was deleted: it said which archive the load is restored from, or makes")},
	} {
		t.Run(name, func(t *testing.T) {
			c := loadOfData()
			tt.told.Version, tt.told.DataSet, tt.told.Archive.Parts = contract.DataOfferVersion, ref, []contract.SignedPart{{URL: "https://store/part"}}
			data, err := json.Marshal(tt.told)
			if err != nil {
				t.Fatal(err)
			}
			secret := resources.DataSecret(c.in.Run, c.trial)
			secret.Data = map[string][]byte{contract.KeyDataOffer: data}
			name := decision.Named[*corev1.Secret](secret.Name)
			if tt.has.State == "" {
				tt.has.State = store.Absent
			}
			known := c.known().With(name, secret).
				With(decision.GetDataSet{Key: "default/ns/_data/sbtest/" + ref.Key + "/manifest.json", Ref: ref}, tt.has)
			if tt.gone {
				known = known.With(name, decision.Absent{})
			}
			res := contract.Result{Data: &contract.Data{Tables: []contract.Table{{Name: "t", Rows: 1}}, DataSet: &tt.report}}
			ask := known.Ask()
			got := KeepDataSet(c.in, c.e, res, ask)
			if !ask.Complete() {
				t.Fatalf("it asks %+v", ask.Missing())
			}
			want := Came{State: tt.state, Status: tt.want}
			if tt.state == nil {
				want.State = decision.Done{}
			}
			if tt.stores && len(got.Actions) == 1 {
				do := got.Actions[0].(decision.StoreDataSet)
				want.Actions, want.Status.Archive, want.Status.Bytes = []decision.Action{do}, v1alpha1.Digest(contract.Digest(do.Data)), &size
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A run that gave its nodes back, and has its data in another way since then, says so.
func TestMixedOrigin(t *testing.T) {
	loaded := contract.NewFacts(map[string]string{"data/origin": "loaded by the tool"})
	restored := contract.NewFacts(map[string]string{"data/origin": "restored from an archive"})
	for name, tt := range map[string]struct {
		records  []contract.Record
		restored string
		want     string
	}{
		"nothing was measured": {restored: "m"},
		"another target":       {records: []contract.Record{{Target: "other", Facts: loaded}}, restored: "m"},
		"the same":             {records: []contract.Record{{Target: "db", Facts: restored}, {Target: "db"}}, restored: "m"},
		"restored since then":  {records: []contract.Record{{Target: "db", Facts: loaded}}, restored: "m", want: "so far was loaded by the tool, and since the run gave its nodes back it is restored from an archive"},
		"loaded since then":    {records: []contract.Record{{Target: "db", Facts: restored}}, want: "so far was restored from an archive, and since the run gave its nodes back it is loaded by the tool"},
	} {
		t.Run(name, func(t *testing.T) {
			c := loadOfData()
			c.in.Recorded = tt.records
			res := contract.Result{State: contract.Succeeded, Trial: c.e.Ref, Data: &contract.Data{DataSet: &contract.DataSetReport{Restored: tt.restored}}}
			got := LoadFindings(c.in, "db", []contract.Result{res}, c.known().Ask())
			if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || got[0].Check != "mixed-origin" || !strings.Contains(got[0].Message, tt.want)) {
				t.Errorf("got %+v, want %q", got, tt.want)
			}
		})
	}
}
