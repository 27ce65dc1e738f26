package e2e

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/cluster"
)

// Loads are trials: of two clients of sysbench together, over the number of rows and over the clients that load, and of YCSB. Each begins with nothing, and its rows are
// counted on a server that has written all of them.
func TestLoadsAreCompared(t *testing.T) {
	const design = "  design: {measures: Load, dataReset: PerTrial, blocks: 2, duration: 2m}\n"
	const sizes = "  matrix: [{name: tableSize, values: [1000, 4000]}]\n"
	for name, tt := range map[string]struct {
		text string
		rows []int64
		long bool
	}{
		"sysbench": {text: strings.Replace(cluster.RunYAML("loads", cluster.MariaDB, sizes+design), "  clients: {", "  clients: {count: 2, ", 1), rows: []int64{2000, 8000}},
		"clients":  {text: strings.Replace(cluster.RunYAML("loads", cluster.MariaDB, "  matrix: [{name: clients, values: [1, 2]}]\n"+design), "  clients: {", "  clients: {count: 2, ", 1), rows: []int64{4000, 4000}, long: true},
		"ycsb":     {text: ycsbYAML("loads", cluster.MySQL, "{workload: a, recordCount: 2000, threads: 2}", design), rows: []int64{2000}, long: true},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.long && testing.Short() {
				t.Skip("one of all stories")
			}
			ns := cluster.Namespace(t)
			got := cluster.AwaitRun(t, cluster.Apply(t, ns, tt.text), 10*time.Minute)
			cluster.Complete(t, got)
			if before := cluster.Stored(t, ns, contract.LoadName(got.Name, got.Status.Targets[0].Name), 0); before.Data == nil || len(before.Data.Tables) != 0 || before.Data.Snapshot == nil {
				t.Errorf("before the trials: %+v", before.Data)
			}
			if len(got.Status.Trials) != 2*len(tt.rows) {
				t.Fatalf("%d trials", len(got.Status.Trials))
			}
			for _, trial := range got.Status.Trials {
				checkLoadTrial(t, ns, trial, tt.rows, true)
			}
		})
	}
}

// On a server that exists the tables are dropped before each load, and at the end, so that the same run works again. Nobody stops it.
func TestLoadsOnAnExternalServer(t *testing.T) {
	if testing.Short() {
		t.Skip("only in make e2e-full")
	}
	ns := cluster.Namespace(t)
	address, secret := hostDatabase(t, ns)
	target := "  - name: db\n    external: {host: " + address + ", tls: Disabled, insecureSkipVerify: true, credentials: {name: " + secret.Name + "}}"
	for _, name := range []string{"loads", "again"} {
		got := cluster.AwaitRun(t, cluster.Apply(t, ns, cluster.RunYAML(name, target,
			"  matrix: [{name: tableSize, values: [1000, 4000]}]\n  design: {measures: Load, dataReset: PerTrial, blocks: 2, duration: 2m}\n  exclusive: false\n")), 5*time.Minute)
		cluster.Complete(t, got)
		if len(got.Status.Trials) != 4 || got.Status.Targets[0].CleanupResult == "" {
			t.Errorf("%d trials, %+v", len(got.Status.Trials), got.Status.Targets[0])
		}
		for _, trial := range got.Status.Trials {
			checkLoadTrial(t, ns, trial, []int64{2000, 8000}, false)
		}
	}
}

// checkLoadTrial: rows of each cell are what was loaded; provided is a server that is stopped after the load.
func checkLoadTrial(t *testing.T, ns string, trial v1alpha1.TrialStatus, rows []int64, provided bool) {
	t.Helper()
	res := storedResult(t, ns, trial.Result)
	if trial.Valid == nil || !*trial.Valid || res.Data == nil || res.Data.Loaded == nil || (res.Data.Reset != nil) != (trial.Index > 0) {
		t.Errorf("trial %d: %+v, %+v", trial.Index, trial, res.Data)
		return
	}
	after := res.Data.Loaded
	if after.StatisticsSeconds == nil || *after.StatisticsSeconds <= 0 || (after.FlushSeconds != nil) != provided {
		t.Errorf("trial %d: after the load: %+v", trial.Index, after)
	}
	value := func(name string) float64 {
		t.Helper()
		i := slices.IndexFunc(trial.Values, func(v v1alpha1.Value) bool { return v.Name == name && len(v.Labels) == 0 })
		if i < 0 {
			t.Errorf("trial %d has no %s: %+v", trial.Index, name, trial.Values)
			return 0
		}
		v, err := strconv.ParseFloat(string(trial.Values[i].Value), 64)
		if err != nil || v <= 0 {
			t.Errorf("trial %d: %s is %s", trial.Index, name, trial.Values[i].Value)
		}
		return v
	}
	took, loaded := value(contract.NameLoadTime), value(contract.NameRowsLoaded)
	if loaded != float64(rows[trial.Cell]) {
		t.Errorf("trial %d of cell %d loaded %g rows, want %d", trial.Index, trial.Cell, loaded, rows[trial.Cell])
	}
	writing, generating := value(contract.NameWritingTime), value(contract.NameGeneratingTime)
	// Of one client: of several, each part is that of the client in which it took longest.
	own := func(name string) float64 {
		m, found := res.Find(name, nil)
		if !found || m.Value == nil {
			t.Errorf("trial %d: the first client has no %s", trial.Index, name)
			return 0
		}
		return *m.Value
	}
	if in, out, all := own(contract.NameWritingTime), own(contract.NameGeneratingTime), own(contract.NameLoadTime); in+out > all {
		t.Errorf("trial %d: %g s in statements and %g s outside, of %g s", trial.Index, in, out, all)
	}
	flush := 0.0
	if provided {
		flush = value(contract.NameFlushTime)
	}
	t.Logf("trial %d: %g rows in %g s: %g rows/s, %g s in statements, %g s outside, statistics %g s, flush %g s", trial.Index, loaded, took,
		value(contract.NameRowRate), writing, generating, value(contract.NameStatisticsTime), flush)
}
