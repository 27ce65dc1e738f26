package validity

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/engines"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"

	"github.com/assay-bench/assay/internal/trial/merge"
)

// loads are what a real server counted for loads of which is known how many of their
// statements changed a row.
type loads struct {
	Version       string `json:"version"`
	StorageEngine string `json:"storageEngine"`
	Loads         []struct {
		Load        string             `json:"load"`
		Promised    runner.Rows        `json:"promised"`
		Changed     float64            `json:"changed"`
		StatusDelta map[string]float64 `json:"statusDelta"`
	} `json:"loads"`
}

func readLoads(t *testing.T, file string) loads {
	t.Helper()
	var all loads
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Where a counter tells less than the truth, it tells of fewer no-ops, never of more.
func TestRowCounters(t *testing.T) {
	const (
		same      = "every update writes the value that is there"
		mostSame  = "950 of 1000 updates write the value that is there"
		duplicate = "of 1000 inserts every second meets a duplicate that is ignored"
	)
	// The share that is found, of the loads where it is not the true one.
	found := map[string]map[string]float64{
		"mysql-97-innodb": {},
		// By the changes of pages, of which a row makes 4 and 2 are taken for one.
		"mariadb-1011-innodb":  {mostSame: 0.90, duplicate: 0},
		"mariadb-1011-rocksdb": {same: 0, mostSame: 0},
	}
	for server, exceptions := range found {
		all := readLoads(t, filepath.Join("testdata", "rows", server+".json"))
		for _, load := range all.Loads {
			t.Run(server+"/"+load.Load, func(t *testing.T) {
				want, partly := exceptions[load.Load]
				truth := 1 - load.Changed/load.Promised.Sum()
				if !partly {
					want = truth
				}
				e, ok := serverChanged(counting(all.Version, load.StatusDelta), runner.Expectations{Rows: load.Promised, StorageEngine: all.StorageEngine}, 0)
				if !ok || math.Abs(e.share()-want) > 1e-9 || e.share() > truth+1e-9 {
					t.Errorf("found %.4f (%+v, %v), want %.4f of truly %.4f", e.share(), e, ok, want, truth)
				}
			})
		}
	}
}

// Without a promise, the statements that the server counted itself are held against the rows.
func TestStatementsOfRealServers(t *testing.T) {
	want := map[string]string{
		"300 of 1000 updates find no row": "at least 30.0 %",
		"700 of 1000 deletes find no row": "at least 70.0 %",
		"every update changes its row":    "",
	}
	files, err := filepath.Glob(filepath.Join("testdata", "rows", "*.json"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		all := readLoads(t, file)
		for _, load := range all.Loads {
			message, tested := want[load.Load]
			got := idleStatements(counting(all.Version, load.StatusDelta), runner.Expectations{StorageEngine: all.StorageEngine})
			if tested && ((got == "") != (message == "") || !strings.Contains(got, message)) {
				t.Errorf("%s, %s: got %q, want %q", file, load.Load, got, message)
			}
		}
	}
}

// counting is a result of one operation on a server that counted.
func counting(version string, deltas map[string]float64) contract.Result {
	return contract.Result{
		State: contract.Succeeded, Trial: contract.TrialRef{Phase: string(contract.PhaseRun)},
		Measurements: []contract.Measurement{{Name: contract.NameThroughput, Unit: "tx/s", N: new(int64(1))}},
		Server:       &contract.Server{Version: version, VersionComment: "(Debian)", StatusDelta: deltas},
	}
}

func TestCountersOfRows(t *testing.T) {
	tests := map[string]struct {
		version, comment, engine string
		want                     string // of updated rows
	}{
		"MySQL":                                  {"9.7.4", "(Debian)", "InnoDB", "Innodb_rows_updated"},
		"Percona Server":                         {"8.4.6-6", "Percona Server (GPL), Release 6", "InnoDB", "Innodb_rows_updated"},
		"MyRocks of Percona Server":              {"8.4.6-6", "Percona Server (GPL), Release 6", "ROCKSDB", "Rocksdb_rows_updated"},
		"a server that only speaks the protocol": {"8.0.33", "Another", "InnoDB", ""},
		"Aurora is not MySQL":                    {"8.0.mysql_aurora.3.08.0", "Source distribution", "InnoDB", ""},
		"MariaDB":                                {"11.8.6-MariaDB-0+deb13u1", "", "InnoDB", "Handler_update"},
		"MariaDB, another storage engine":        {"10.11.19-MariaDB", "", "Aria", "Handler_update"},
		"MyRocks of MariaDB":                     {"10.11.19-MariaDB", "", "RocksDB", "Rocksdb_rows_updated"},
		"MySQL, another storage engine":          {"9.7.4", "MySQL Community Server - GPL", "MyISAM", ""},
		"TiDB":                                   {"8.0.11-TiDB-v8.5.3", "", "InnoDB", ""},
	}
	for name, tc := range tests {
		known, _ := engines.Identify(tc.version, tc.comment, nil).Storage(tc.engine)
		var got string
		if known.Rows != nil {
			got = known.Rows.Updated
		}
		if got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

// writing makes of the run of 10636 transactions with 42544 writes one that promises as
// many, on MySQL.
func writing(deltas map[string]float64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, e *runner.Expectations) {
		e.Rows, e.WritesPerOperation, e.StorageEngine = runner.Rows{Inserted: 1, Updated: 2, Deleted: 1}, 4, "InnoDB"
		r.Server = &contract.Server{Version: "9.7.4", VersionComment: "(Debian)", StatusDelta: deltas}
	}
}

// changing is what the server counts when it changed so many rows of each kind.
func changing(inserted, updated, deleted float64) map[string]float64 {
	return map[string]float64{"Innodb_rows_inserted": inserted, "Innodb_rows_updated": updated, "Innodb_rows_deleted": deleted}
}

// inserting makes the run one of inserts alone, while the server reads so many pages from disk.
func inserting(rows, reads float64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, e *runner.Expectations) {
		e.Rows, e.StorageEngine, e.QueriesPerOperation = runner.Rows{Inserted: 1}, "InnoDB", 0
		r.Server = &contract.Server{Version: "10.11.19-MariaDB", Variables: map[string]string{"innodb_buffer_pool_size": "8388608"},
			StatusDelta: map[string]float64{"Handler_write": rows, "Innodb_buffer_pool_reads": reads}}
	}
}

// stating is a server that executed so many updates and changed so many rows.
func stating(statements, rows float64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		r.Server = &contract.Server{Version: "9.7.4", VersionComment: "(Debian)", Variables: map[string]string{"default_storage_engine": "InnoDB"},
			StatusDelta: map[string]float64{"Com_update": statements, "Innodb_rows_updated": rows, "Com_delete": 5, "Innodb_rows_deleted": 0}}
	}
}

// writes is how many statements the tool counts as kind write; the others are of the kind
// other then.
func writes(n float64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		for i, m := range r.Measurements {
			switch m.Labels[contract.LabelKind] {
			case "other":
				r.Measurements[i].Value = new(*m.Value + 42544 - n)
			case kindWrite:
				r.Measurements[i].Value = &n
			}
		}
	}
}

var noOpCases = map[string]struct {
	change   func(*contract.Result, *runner.Expectations)
	severity Severity // none: nothing is said
	message  string
}{
	"all writes change a row":                {writing(changing(10636, 21272, 10636)), "", ""},
	"more rows than promised":                {writing(changing(99999, 99999, 99999)), "", ""},
	"1 in 100 is no word worth":              {writing(changing(10636-425, 21272, 10636)), "", ""},
	"more than 1 in 100":                     {writing(changing(10636-426, 21272, 10636)), Warning, "1.0 % of the writes changed nothing, and count as throughput: the server changed Innodb_rows_inserted 10210 of 10636"},
	"1 in 10":                                {writing(changing(10636, 21272-4254, 10636)), Warning, "Innodb_rows_updated 17018 of 21272"},
	"more than 1 in 10":                      {writing(changing(10636, 21272-4255, 10636)), Invalid, "Innodb_rows_updated 17017 of 21272"},
	"more of one kind do not make up for it": {writing(changing(99999, 99999, 0)), Invalid, "25.0 % of the writes changed nothing"},
	"the tool sees what the server does not": {all(writing(changing(10636, 21272, 10636)), writes(20000)), Invalid, "53.0 % of the writes changed nothing, and count as throughput: the tool counted 20000 of 42544 writing statements"},
	"the tool alone":                         {all(writing(nil), writes(41000)), Warning, "3.6 % of the writes"},
	"no server, as of another database":      {all(writing(nil), writes(41000), func(r *contract.Result, _ *runner.Expectations) { r.Server = nil }), Warning, "3.6 % of the writes"},
	"a server without counters":              {all(writing(nil), unsplit, onTiDB), Note, "not observable: 42544 changes were expected"},
	"a server of which not every counter is": {all(writing(map[string]float64{"Innodb_rows_inserted": 0}), unsplit), Note, "not observable"},
	"a server that had a part of the statements": {all(writing(map[string]float64{"Innodb_rows_inserted": 0, "Innodb_rows_updated": 0, "Innodb_rows_deleted": 0, "Questions": 212720 / 2}), unsplit),
		Note, "not observable"},
	"a server that was started meanwhile":       {all(writing(changing(-5, -5, -5)), unsplit), Note, "not observable"},
	"one client of several cannot be judged":    {all(writing(changing(0, 0, 0)), func(_ *contract.Result, e *runner.Expectations) { e.Clients = 2 }), "", ""},
	"one client of several, by the tool":        {all(writing(changing(0, 0, 0)), writes(0), func(_ *contract.Result, e *runner.Expectations) { e.Clients = 2 }), Invalid, "the tool counted 0 of 42544"},
	"too few to speak of a share":               {all(writing(changing(0, 0, 0)), unsplit, func(r *contract.Result, e *runner.Expectations) { e.Rows = runner.Rows{Updated: 99. / 10636} }), "", ""},
	"nothing is promised":                       {all(writing(changing(0, 0, 0)), func(_ *contract.Result, e *runner.Expectations) { e.Rows, e.WritesPerOperation = runner.Rows{}, 0 }), "", ""},
	"promised by kinds of operations":           {all(writing(changing(0, 100, 0)), unsplit, ofKinds), Invalid, "80.0 % of the writes changed nothing, and count as throughput: the server changed Innodb_rows_updated 100 of 500"},
	"promised by kinds of operations, all done": {all(writing(changing(0, 500, 0)), unsplit, ofKinds), "", ""},
}

// unsplit takes the number of writes away, as with a tool that does not tell.
func unsplit(r *contract.Result, e *runner.Expectations) { e.WritesPerOperation = 0 }

func onTiDB(r *contract.Result, _ *runner.Expectations) { r.Server.Version = "8.0.11-TiDB-v8.5.3" }

func ofKinds(r *contract.Result, e *runner.Expectations) {
	e.Rows, e.RowsOf = runner.Rows{}, map[string]runner.Rows{"update": {Updated: 1}, "insert": {Inserted: 1}}
	mixed(map[string]int64{"update": 500}, nil)(r, e)
}

func TestNoOpWrites(t *testing.T) {
	for name, tc := range noOpCases {
		t.Run(name, func(t *testing.T) {
			r, f := run(t), expected
			tc.change(&r, &f)
			got := Check(r, f)
			if tc.severity == "" {
				if len(got) > 0 {
					t.Errorf("got %+v, want no finding", got)
				}
				return
			}
			got = slices.DeleteFunc(got, func(f Finding) bool { return f.Check == "server-statements" })
			if len(got) != 1 || got[0].Check != "no-op-writes" || got[0].Severity != tc.severity || !strings.Contains(got[0].Message, tc.message) {
				t.Errorf("got %+v, want %s with %q", got, tc.severity, tc.message)
			}
		})
	}
}

// The server's counters hold the work of all clients, less what the clients that ended
// later did after they were read.
func TestNoOpWritesOfSeveralClients(t *testing.T) {
	together := merge.Skew{Clients: make([]merge.ClientSkew, 2), Overlap: new(1.0)}
	apart := merge.Skew{Clients: make([]merge.ClientSkew, 2), Overlap: new(0.9)}
	never := merge.Skew{Clients: make([]merge.ClientSkew, 2), Overlap: new(0.0)}
	tests := map[string]struct {
		change func(*contract.Result, *runner.Expectations)
		skew   merge.Skew
		want   Severity
	}{
		"all writes change a row":                             {writing(changing(10636, 21272, 10636)), together, ""},
		"a fifth of the updates changes none":                 {writing(changing(10636, 17018, 10636)), together, Warning},
		"half of the updates changes none":                    {writing(changing(10636, 10000, 10636)), together, Invalid},
		"counters that were read before one ended":            {writing(changing(0.9*10636, 0.9*21272, 0.9*10636)), apart, ""},
		"the same, of clients that ended together":            {writing(changing(0.89*10636, 0.89*21272, 0.89*10636)), together, Invalid},
		"nothing tells":                                       {all(writing(nil), unsplit, onTiDB), together, Note},
		"one client: Check has said it":                       {writing(changing(0, 0, 0)), merge.Skew{Clients: make([]merge.ClientSkew, 1)}, ""},
		"clients that never measured together":                {all(writing(changing(10636, 21272, 10636)), unsplit), never, ""},
		"a server that was started again":                     {all(writing(map[string]float64{"Uptime": -5, "Innodb_rows_inserted": 7, "Innodb_rows_updated": 7, "Innodb_rows_deleted": 7}), unsplit), together, Note},
		"clients of which is not known when they began: 95 %": {writing(changing(0.95*10636, 0.95*21272, 0.95*10636)), merge.Skew{Clients: make([]merge.ClientSkew, 2)}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r, f := run(t), expected
			tc.change(&r, &f)
			f.Clients = 2
			got := CheckMerged(r, f, tc.skew)
			if tc.want == "" && len(got) > 0 || tc.want != "" && (len(got) != 1 || got[0].Severity != tc.want || got[0].Check != "no-op-writes" || got[0].Message == "") {
				t.Errorf("got %+v, want %q", got, tc.want)
			}
		})
	}
}

// drying gives the run intervals in each of which so many writes of 100 changed a row.
func drying(changed ...float64) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, e *runner.Expectations) {
		e.WritesPerOperation = 1
		writes(0)(r, e)
		series := func(values []float64) func(*contract.Measurement) {
			return func(m *contract.Measurement) {
				m.Intervals = nil
				for i, n := range values {
					m.Intervals = append(m.Intervals, contract.Interval{AtSeconds: float64(i + 1), Value: &n})
				}
			}
		}
		edit(contract.NameThroughput, series(slices.Repeat([]float64{100}, len(changed))))(r, e)
		edit(contract.NameWrites, series(changed))(r, e)
	}
}

func TestDataRanDry(t *testing.T) {
	tests := map[string]struct {
		changed []float64
		want    string
	}{
		"every write changes a row":             {[]float64{100, 100, 100, 100, 100, 100, 100, 100}, ""},
		"the rows are gone from the fifth on":   {[]float64{100, 100, 100, 100, 40, 10, 0, 0}, "0.0 % of the writes changed nothing in the first quarter of the intervals, and 100.0 % in the last (more than half of them since the interval that ended at 5 s)"},
		"fewer and fewer, but more than a half": {[]float64{100, 90, 80, 70, 60, 60, 55, 51}, ""},
		"nothing from the start is another one": {[]float64{0, 0, 0, 0, 0, 0, 0, 0}, ""},
		"a stall of one interval":               {[]float64{100, 100, 0, 100}, ""},
		"two intervals":                         {[]float64{100, 0}, "ended at 2 s"},
		"one interval":                          {[]float64{100}, ""},
	}
	whole, f := run(t), expected
	drying(100, 0)(&whole, &f)
	writes(42544)(&whole, &f)
	if got := ranDry(whole, f); got != "" {
		t.Errorf("the numbers of the whole window do not say so, but: %s", got)
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r, f := run(t), expected
			drying(tc.changed...)(&r, &f)
			if got := ranDry(r, f); (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// countedLate makes the run one of a tool that connected a minute before its window of 10 s, in
// which the server's counters were read for the first time after so long.
func countedLate(after time.Duration) func(*contract.Result, *runner.Expectations) {
	return func(r *contract.Result, _ *runner.Expectations) {
		began := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
		r.Times.WindowStarted, r.Times.WindowEnded = &began, new(began.Add(10*time.Second))
		r.Times.MeasureStarted = new(began.Add(-time.Minute))
		r.Server.CountedFrom = new(began.Add(after))
	}
}

// Counters that are read when the window has begun miss what was done until then; that is no
// work that changed nothing, no batch, and no connection without TLS.
func TestCountersThatAreReadInsideTheWindow(t *testing.T) {
	const late = 600 * time.Millisecond // of 10 s, 6 %
	asked := 10636.0 * 20               // statements of the run
	share := map[string]float64{
		"Innodb_rows_inserted": 0.94 * 10636, "Innodb_rows_updated": 0.94 * 21272, "Innodb_rows_deleted": 0.94 * 10636, "Questions": 0.94 * asked,
	}
	tests := map[string]struct {
		change func(*contract.Result, *runner.Expectations)
		want   []string
	}{
		"what was done before is not counted":  {all(writing(share), countedLate(late)), nil},
		"they were read before the window":     {all(writing(share), countedLate(-late)), []string{"server-statements"}},
		"TLS of connections of the window":     {all(withTLS(map[string]float64{contract.StatusTLSAccepts: 1}), countedLate(-2*time.Minute)), []string{"tls"}},
		"fewer rows than were done after them": {all(writing(changing(0.8*10636, 0.8*21272, 0.8*10636)), countedLate(late)), []string{"no-op-writes"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r, f := run(t), expected
			tc.change(&r, &f)
			var got []string
			for _, finding := range Check(r, f) {
				got = append(got, finding.Check)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %+v, want %v", Check(r, f), tc.want)
			}
		})
	}
}
