package benchmarkrun

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/kubelet"
	"github.com/assay-bench/assay/test/helpers/objectstore"
)

// dataContent is the archive of the played agents: two parts.
var dataContent = []string{"the first part", "the last part"}

// withDataSets plays the agents of a load with a data set: they do what the offer says, with a real store.
func withDataSets(t *testing.T, ns string, s *objectstore.Server, inner kubelet.Client) kubelet.Client {
	t.Helper()
	http := s.HTTP(t)
	return func(trial contract.Trial) *contract.Result {
		res := inner(trial)
		if trial.DataSet == "" {
			return res
		}
		offer, err := offerOf(t, ns, trial)
		if err != nil {
			return fails(res, contract.ReasonDataSetFailed, err.Error())
		}
		now := time.Now().UTC().Truncate(time.Second)
		report := &contract.DataSetReport{DataSetRef: offer.DataSet, Made: now, Copy: &contract.Copy{Files: 3, Bytes: 1000}}
		res.Data.DataSet = report
		if offer.Restore != nil {
			report.Restored, report.Made = offer.SHA256, offer.Restore.Made
			for i, part := range offer.Archive.Parts {
				data, err := sendPart(t, http, "GET", part, "")
				if err != nil || contract.Digest(data) != part.SHA256 || string(data) != dataContent[i] {
					return fails(res, contract.ReasonDataSetDamaged, fmt.Sprintf("part %d is %q: %v", i, data, err))
				}
			}
			return res
		}
		res.Times.MeasureStarted, res.Times.MeasureEnded = new(now.Add(-time.Minute)), &now
		for i, content := range dataContent {
			if _, err := sendPart(t, http, "PUT", offer.Archive.Parts[i], content); err != nil {
				return fails(res, contract.ReasonDataSetFailed, err.Error())
			}
			report.Copy.Parts = append(report.Copy.Parts, contract.DataPart{SHA256: contract.Digest([]byte(content)), Bytes: int64(len(content))})
		}
		return res
	}
}

// offerOf the manager for a load, which it waits for.
func offerOf(t *testing.T, ns string, trial contract.Trial) (contract.DataOffer, error) {
	t.Helper()
	for {
		var secrets corev1.SecretList
		if err := server.API.List(t.Context(), &secrets, client.InNamespace(ns), client.MatchingLabels{v1alpha1.LabelRunUID: trial.Ref.RunUID}); err != nil {
			return contract.DataOffer{}, err
		}
		for _, secret := range secrets.Items {
			if strings.HasSuffix(secret.Name, contract.DataOfferName(trial.Ref.Target+"-load")) {
				return contract.ParseDataOffer(secret.Data[contract.KeyDataOffer], trial.DataSet)
			}
		}
		select {
		case <-t.Context().Done():
			return contract.DataOffer{}, t.Context().Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func sendPart(t *testing.T, over *http.Client, method string, part contract.SignedPart, content string) ([]byte, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, part.URL, bytes.NewReader([]byte(content)))
	if err != nil {
		return nil, err
	}
	for name, value := range part.Headers {
		req.Header.Set(name, value)
	}
	res, err := over.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("the store answers %s: %s", res.Status, data)
	}
	return data, err
}

// withData is a run of a data set.
func withData(name string, policy v1alpha1.DataPolicy, change ...func(*v1alpha1.BenchmarkRun)) func(*v1alpha1.BenchmarkRun) {
	return func(run *v1alpha1.BenchmarkRun) {
		run.Name, run.Spec.Data = name, &v1alpha1.DataSet{Name: "sbtest", Policy: policy}
		for _, f := range change {
			f(run)
		}
	}
}

// A data set is made once. Runs that ask for the same load on the same server restore it, whatever they measure; a target that differs in
// what files depend on does not; and one that is damaged is refused.
func TestADataSetIsMadeOnce(t *testing.T) {
	t.Parallel()
	ns, s := server.Namespace(t), objectstore.Start(t)
	startManager(t, ns, nil, withObjects(t, s, "1Mi"))
	moved := func(job *batchv1.Job) string { // the tag of the tool is another image to the last run
		if job.Labels[v1alpha1.LabelRun] == "moved-tag" {
			return "registry.example/sysbench@sha256:f00d"
		}
		return "registry.example/sysbench@sha256:beef"
	}
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: withDataSets(t, ns, s, delivers(always(5))), Store: s.HTTP(t), ToolImageID: moved})
	play := func(change func(*v1alpha1.BenchmarkRun)) *v1alpha1.BenchmarkRun {
		run := newRun(t, ns, change)
		create(t, run)
		return run
	}
	made := await(t, play(withData("make", v1alpha1.DataMake)), "Complete", isTrue(v1alpha1.ConditionComplete))
	first := made.TargetStatus("db")
	if d := first.Data; d == nil || d.Origin != v1alpha1.DataOriginMade || d.Archive == "" || *d.Bytes != 1000 || d.MadeTime.IsZero() || len(first.Load) == 0 {
		t.Fatalf("made: %+v, load %+v", d, first.Load)
	}
	if made.Status.Progress.Done != 0 || made.Status.Outcome != "Loaded" || !isTrue(v1alpha1.ConditionValid)(made) || len(made.Status.Summary) > 0 {
		t.Errorf("a run that only loads: %d trials, outcome %s, conditions %+v", made.Status.Progress.Done, made.Status.Outcome, made.Status.Conditions)
	}
	folder := fmt.Sprintf("assay/default/%s/_data/sbtest/%s/", ns, first.Data.Key)
	manifest, err := os.ReadFile(s.Path(folder + "manifest.json"))
	if err != nil || contract.Digest(manifest) != first.Data.Archive {
		t.Errorf("the manifest is %q (%v), want the digest %s", manifest, err, first.Data.Archive)
	}

	used := await(t, play(withData("use", v1alpha1.DataUse, func(run *v1alpha1.BenchmarkRun) {
		run.Spec.Workload.Sysbench.Test, run.Spec.Workload.Sysbench.Threads = "oltp_read_only", 8
		run.Spec.Targets[0].MySQL.Config = map[string]string{"innodb_buffer_pool_size": "256M"}
	})), "Complete", isTrue(v1alpha1.ConditionComplete))
	if d := used.TargetStatus("db").Data; d.Origin != v1alpha1.DataOriginRestored || d.Key != first.Data.Key || d.Archive != first.Data.Archive || !d.MadeTime.Equal(&first.Data.MadeTime) {
		t.Errorf("used: %+v, made: %+v", d, first.Data)
	}
	if load := used.TargetStatus("db").Load; len(load) > 0 {
		t.Errorf("a load that was restored has figures: %+v", load)
	}
	if used.Status.Progress.Succeeded != 3 {
		t.Errorf("%d of 3 trials have a result", used.Status.Progress.Succeeded)
	}

	missing := failedWith(t, play(withData("other-files", v1alpha1.DataUse, func(run *v1alpha1.BenchmarkRun) {
		run.Spec.Targets[0].MySQL.Config = map[string]string{"innodb_page_size": "8K"}
	})), v1alpha1.ReasonDataSetMissing)
	if n := len(missing.Status.Targets); n != 1 || missing.TargetStatus("db").LoadResult != "" {
		t.Errorf("something was loaded: %+v", missing.Status.Targets)
	}

	if got := failedWith(t, play(withData("moved-tag", v1alpha1.DataUse)), v1alpha1.ReasonDataSetMissing); got.TargetStatus("db").LoadResult != "" {
		t.Errorf("something was loaded: %+v", got.Status.Targets)
	}

	// A byte of a part, and then the manifest.
	part := s.Path(folder + string(made.UID) + "-db/part-001")
	if err := os.WriteFile(part, []byte("the LAST part"), 0o600); err != nil {
		t.Fatal(err)
	}
	failedWith(t, play(withData("damaged", v1alpha1.DataUseOrMake)), v1alpha1.ReasonDataSetDamaged)
	if err := os.WriteFile(s.Path(folder+"manifest.json"), []byte(`{"version":"assay.dev/data-set/v1"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	failedWith(t, play(withData("forged", v1alpha1.DataUseOrMake)), v1alpha1.ReasonDataSetDamaged)
}

// Targets of one run that are the same to a load share it, and the record of their trials says which way each came by its data.
func TestTargetsShareADataSet(t *testing.T) {
	t.Parallel()
	ns, s := server.Namespace(t), objectstore.Start(t)
	startManager(t, ns, nil, withObjects(t, s, "1Mi"))
	startKubelet(t, &kubelet.Kubelet{Namespace: ns, Client: withDataSets(t, ns, s, delivers(always(5))), Store: s.HTTP(t)})
	run := newRun(t, ns, withData("share", v1alpha1.DataUseOrMake, func(run *v1alpha1.BenchmarkRun) {
		second := *run.Spec.Targets[0].DeepCopy()
		second.Name, second.MySQL.Config = "fast", map[string]string{"innodb_flush_log_at_trx_commit": "2"}
		run.Spec.Targets = append(run.Spec.Targets, second)
	}))
	create(t, run)
	got := await(t, run, "Complete", isTrue(v1alpha1.ConditionComplete))
	a, b := got.TargetStatus("db").Data, got.TargetStatus("fast").Data
	if a.Origin != v1alpha1.DataOriginMade || b.Origin != v1alpha1.DataOriginRestored || a.Key != b.Key || a.Archive != b.Archive {
		t.Errorf("the targets came by their data as %+v and %+v", a, b)
	}
	origins := map[string]string{}
	for _, rec := range records(t, got) {
		origins[rec.Target] = rec.Facts.Map()["data/origin"]
	}
	if origins["db"] != "loaded by the tool" || origins["fast"] != "restored from an archive" {
		t.Errorf("the records say %v", origins)
	}
}

// What a data set cannot be is refused, and the message says what would be right.
func TestDataSetsThatAreRefused(t *testing.T) {
	t.Parallel()
	ns := server.Namespace(t)
	startManager(t, ns, nil)
	const data = "deadline: 1h\n  data: {name: sbtest}"
	replicas := strings.Replace(server1, "storage:", "replication: {mode: Async}, storage:", 1)
	n := 0
	for name, bad := range map[string]badSpec{
		"no store":              {replace: "deadline: 1h", by: data, reason: v1alpha1.ReasonInvalidSpec, message: "no object store (chart value results.store)"},
		"no name":               {replace: "deadline: 1h", by: "deadline: 1h\n  data: {policy: Use}", refused: "spec.data.name"},
		"a name of two folders": {replace: "deadline: 1h", by: "deadline: 1h\n  data: {name: a/b}", refused: "spec.data.name"},
		"a policy that is none": {replace: "deadline: 1h", by: "deadline: 1h\n  data: {name: a, policy: Never}", refused: `supported values: "UseOrMake", "Use", "Make"`},
		"a gate without results": {replace: "deadline: 1h", by: "deadline: 1h\n  data: {name: a, policy: Make}\n  gate: {baseline: b, threshold: 25%}",
			refused: "gate has nothing to judge with data.policy: Make"},
		"an external target": {replace: target1, by: external("fullsecret") + "  data: {name: a}\n", refused: "data is for servers that Assay provides without replicas"},
		"replicas":           {replace: server1 + "\n", by: replicas + "\n  data: {name: a}\n", refused: "data is for servers that Assay provides without replicas"},
	} {
		n++
		t.Run(name, func(t *testing.T) { bad.try(t, ns, n) })
	}
}
