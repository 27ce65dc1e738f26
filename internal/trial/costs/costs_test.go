package costs

import (
	"maps"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

var start = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// at is an instant after the start of the window.
func at(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }

// used is the environment of a container whose CPU time grew between two samples.
func used(from, to, cpu float64, peak int64) contract.Environment {
	return contract.Environment{
		Before: &contract.Usage{At: at(from), CPUSeconds: new(7.0)}, After: &contract.Usage{At: at(to), CPUSeconds: new(7 + cpu), MemoryPeakBytes: &peak},
	}
}

// trial is one of 10 s with 2,000 operations a second, on a server that used 1.5 CPUs, with a client that used half of one.
func trial(change ...func(*contract.Result)) contract.Result {
	target := used(1, 9, 12, 3<<30)
	from, to := at(0), at(10)
	r := contract.Result{
		State: contract.Succeeded, Times: contract.Times{WindowStarted: &from, WindowEnded: &to}, Target: &target, Client: contract.Client{Environment: used(1, 9, 4, 1<<20)},
		Measurements: []contract.Measurement{{Name: contract.NameThroughput, Unit: "tx/s", Value: new(2000.0)}},
		Server: &contract.Server{
			Version: "9.7.0", VersionComment: "(Debian)", Variables: map[string]string{"default_storage_engine": "InnoDB"},
			StatusDelta: map[string]float64{"Innodb_data_written": 4e6, "Innodb_os_log_written": 2e6, "Innodb_data_fsyncs": 5000},
		},
	}
	for _, f := range change {
		f(&r)
	}
	return r
}

// shown are the costs as "value unit", by name.
func shown(ms []contract.Measurement) map[string]string {
	out := map[string]string{}
	for _, m := range ms {
		out[m.Name] = strconv.FormatFloat(*m.Value, 'g', 10, 64) + " " + m.Unit
	}
	return out
}

func TestOf(t *testing.T) {
	all := map[string]string{
		ServerCPU: "750 s/Mop", ClientCPU: "250 s/Mop", Written: "200 B/op", Flushes: "0.25 1/op", ServerMemory: "3221225472 B", ClientMemory: "1048576 B",
	}
	but := func(change map[string]string) map[string]string {
		out := map[string]string{}
		for name, value := range all {
			out[name] = value
		}
		for name, value := range change {
			if out[name] = value; value == "" {
				delete(out, name)
			}
		}
		return out
	}
	tests := map[string]struct {
		change func(*contract.Result)
		rate   Rate
		want   map[string]string
	}{
		"all that the evidence allows": {func(*contract.Result) {}, Rate{}, all},
		"a price":                      {func(*contract.Result) {}, Rate{PerHour: 0.36, Currency: "EUR"}, but(map[string]string{Price: "0.05 EUR/Mop"})},
		"a failed trial":               {func(r *contract.Result) { r.State = contract.Failed }, Rate{PerHour: 1, Currency: "EUR"}, map[string]string{}},
		"an external server":           {func(r *contract.Result) { r.Target = nil }, Rate{}, but(map[string]string{ServerCPU: "", ServerMemory: ""})},
		"a server that nobody can ask": {func(r *contract.Result) { r.Server = nil }, Rate{}, but(map[string]string{Written: "", Flushes: ""})},
		"no operation": {func(r *contract.Result) { r.Measurements[0].Value = new(0.0) }, Rate{PerHour: 1, Currency: "EUR"},
			map[string]string{ServerMemory: "3221225472 B", ClientMemory: "1048576 B"}},
		"operations of many kinds only": {func(r *contract.Result) { r.Measurements[0].Labels = map[string]string{"operation": "read"} }, Rate{},
			map[string]string{ServerMemory: "3221225472 B", ClientMemory: "1048576 B"}},
		"a rate per minute": {func(r *contract.Result) { r.Measurements[0].Unit = "tx/min" }, Rate{},
			map[string]string{ServerMemory: "3221225472 B", ClientMemory: "1048576 B"}},
		"no control group": {func(r *contract.Result) { r.Target.After.CPUSeconds, r.Target.After.MemoryPeakBytes = nil, nil }, Rate{},
			but(map[string]string{ServerCPU: "", ServerMemory: ""})},
		"a restarted server counts from 0 again": {func(r *contract.Result) {
			r.Server.StatusDelta["Innodb_data_written"], r.Server.StatusDelta["Innodb_data_fsyncs"] = -4, -1
		}, Rate{}, but(map[string]string{Written: "", Flushes: ""})},
		"a read that writes nothing costs nothing": {func(r *contract.Result) {
			r.Server.StatusDelta = map[string]float64{"innodb_data_written": 0, "innodb_os_log_written": 0, "innodb_data_fsyncs": 0}
		}, Rate{}, but(map[string]string{Written: "0 B/op", Flushes: "0 1/op"})},
		"a counter that is missing":            {func(r *contract.Result) { delete(r.Server.StatusDelta, "Innodb_data_written") }, Rate{}, but(map[string]string{Written: ""})},
		"the log of MySQL is in what it wrote": {func(r *contract.Result) { r.Server.StatusDelta["Innodb_os_log_written"] = 3e6 }, Rate{}, all},
		"the log of MariaDB is beside it":      {func(r *contract.Result) { r.Server.Version = "11.8.3-MariaDB" }, Rate{}, but(map[string]string{Written: "300 B/op"})},
		"MySQL puts off, and flushes": {func(r *contract.Result) {
			r.Server.Variables["innodb_page_size"] = "16384"
			maps.Copy(r.Server.StatusDelta, map[string]float64{
				"Innodb_redo_log_current_lsn": 3e6, "Innodb_redo_log_checkpoint_lsn": 1e6, "Innodb_buffer_pool_pages_flushed": 1000, "Innodb_lsn_current": 7, "Innodb_lsn_last_checkpoint": 7,
			})
		}, Rate{}, but(map[string]string{Debt: "100 B/op", Flushed: "819.2 B/op"})},
		"MariaDB pays for earlier windows": {func(r *contract.Result) {
			r.Server.Version = "11.8.3-MariaDB"
			maps.Copy(r.Server.StatusDelta, map[string]float64{"Innodb_lsn_current": 2e6, "Innodb_lsn_last_checkpoint": 8e6, "Innodb_buffer_pool_pages_flushed": 1000})
		}, Rate{}, but(map[string]string{Written: "300 B/op", Debt: "-300 B/op"})},
		"MySQL before its log had positions": {func(r *contract.Result) {
			r.Server.Version = "8.0.29"
			maps.Copy(r.Server.StatusDelta, map[string]float64{"Innodb_redo_log_current_lsn": 3e6, "Innodb_redo_log_checkpoint_lsn": 1e6})
		}, Rate{}, all},
		"RocksDB": {func(r *contract.Result) {
			r.Server.Version, r.Server.Variables["default_storage_engine"] = "10.11.19-MariaDB", "ROCKSDB"
			r.Server.StatusDelta = map[string]float64{"Rocksdb_wal_bytes": 1e6, "Rocksdb_flush_write_bytes": 2e6, "Rocksdb_compact_write_bytes": 5e6, "Rocksdb_wal_synced": 20000}
		}, Rate{}, but(map[string]string{Written: "400 B/op", Flushes: "1 1/op"})},
		"a server that is not known": {func(r *contract.Result) { r.Server.VersionComment = "Another" }, Rate{}, but(map[string]string{Written: "", Flushes: ""})},
		"another engine":             {func(r *contract.Result) { r.Server.Variables["default_storage_engine"] = "MyISAM" }, Rate{}, but(map[string]string{Written: "", Flushes: ""})},
		"counters that were read after the window began": {func(r *contract.Result) { read := at(5); r.Server.CountedFrom = &read }, Rate{},
			but(map[string]string{Written: "400 B/op", Flushes: "0.5 1/op"})},
		"counters that were read before the window began": {func(r *contract.Result) { read := at(-5); r.Server.CountedFrom = &read }, Rate{}, all},
		// All of the CPU time is for the operations of the window: what the tool took before and
		// after it is so much more.
		"a window that is too short for samples": {func(r *contract.Result) { r.Client.Environment = used(-10, 30, 5, 1<<20) }, Rate{}, all},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := trial(tc.change)
			got := Of([]contract.Result{r}, r, tc.rate)
			if diff := cmp.Diff(tc.want, shown(got)); diff != "" {
				t.Errorf("costs (-want +got):\n%s", diff)
			}
			for _, m := range got {
				if m.Direction != contract.LowerIsBetter || len(m.Labels) > 0 {
					t.Errorf("%+v", m)
				}
			}
		})
	}
}

// In windows of real servers, MySQL's bytes are those of Innodb_data_written, whatever the version: it has the log in it. MariaDB's
// has the pages alone.
func TestWindowsOfRealServers(t *testing.T) {
	text, err := os.ReadFile("testdata/windows.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
	names := strings.Split(lines[0], "\t")
	for _, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		versions := []string{cells[0]}
		if !strings.Contains(cells[0], "MariaDB") {
			versions = append(versions, "8.0.29", "8.0.30", "8.4.6")
		}
		for _, version := range versions {
			r := trial(func(r *contract.Result) {
				r.Server.Version, r.Server.Variables["default_storage_engine"], r.Measurements[0].Value = version, cells[1], new(1.0)
				r.Server.StatusDelta = map[string]float64{}
				for i, cell := range cells[2:] {
					if r.Server.StatusDelta[names[i+2]], err = strconv.ParseFloat(cell, 64); err != nil {
						t.Fatal(err)
					}
				}
			})
			got, want := shown(Of([]contract.Result{r}, r, Rate{}))[Written], r.Server.StatusDelta["written"]/10
			if got != strconv.FormatFloat(want, 'g', 10, 64)+" B/op" {
				t.Errorf("%s as %s: it wrote %s, want %g", line, version, got, want)
			}
		}
	}
}

// What the clients cost is added up, each over its own samples; without one of them it is unknown.
func TestSeveralClients(t *testing.T) {
	first, second := trial(), trial()
	second.Client.Environment = used(2, 4, 3, 2<<20)
	got := shown(Of([]contract.Result{first, second}, first, Rate{}))
	if got[ClientCPU] != "1000 s/Mop" || got[ClientMemory] != "3145728 B" || got[ServerCPU] != "750 s/Mop" {
		t.Errorf("costs %v", got)
	}
	second.Client.After = nil
	got = shown(Of([]contract.Result{first, second}, first, Rate{}))
	if _, has := got[ClientCPU]; has {
		t.Errorf("without the evidence of a client its CPU is %s", got[ClientCPU])
	}
	if _, has := got[ClientMemory]; has {
		t.Errorf("without the evidence of a client its memory is %s", got[ClientMemory])
	}
}

// The log is counted once, whichever counter of the server has it.
func TestTheLogIsCountedOnce(t *testing.T) {
	text, err := os.ReadFile("testdata/inserts.tsv")
	if err != nil {
		t.Fatal(err)
	}
	// The log of the 2,000 rows, and the pages that the server wrote meanwhile, in bytes of a row.
	want := map[string]float64{"9.7": 10766848, "8.0.15": 3417600, "5.7.22": 5443072, "10.11.19-MariaDB-0+deb12u1": 2386548, "11.8.6-MariaDB-0+deb13u1 from Debian": 2404798,
		"10.11.19-MariaDB (RocksDB)": 2108000}
	var names []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case names == nil:
			names = cells
		default:
			r := trial(func(r *contract.Result) {
				r.Server.Version, r.Server.Variables["default_storage_engine"], r.Measurements[0].Value = cells[0], cells[1], new(200.0)
				r.Server.StatusDelta = map[string]float64{}
				for i, cell := range cells[2:] {
					if cell == "-" { // the server has no such counter
						continue
					}
					if r.Server.StatusDelta[names[i+2]], err = strconv.ParseFloat(cell, 64); err != nil {
						t.Fatal(err)
					}
				}
			})
			for _, m := range Of([]contract.Result{r}, r, Rate{}) {
				if v := *m.Value; m.Name == Written && math.Abs(v-want[cells[0]]/2000) > 1e-6 || m.Name == Flushes && (v < 1 || v > 2) {
					t.Errorf("%s: %s is %g %s", cells[0], m.Name, v, m.Unit)
				}
			}
			delete(want, cells[0])
		}
	}
	if len(want) > 0 {
		t.Errorf("servers without a line: %v", want)
	}
}

// A tool may print any throughput. A cost beyond what a number can be would make the whole record
// unreadable: JSON has no infinity.
func TestCostsAreFinite(t *testing.T) {
	r := trial(func(r *contract.Result) {
		r.Measurements[0].Value = new(math.SmallestNonzeroFloat64)
		r.Server.StatusDelta["Innodb_data_written"] = math.MaxFloat64
	})
	got := shown(Of([]contract.Result{r}, r, Rate{PerHour: 1, Currency: "EUR"}))
	if diff := cmp.Diff(map[string]string{ServerMemory: "3221225472 B", ClientMemory: "1048576 B"}, got); diff != "" {
		t.Errorf("costs of a throughput of almost 0 differ (-want +got):\n%s", diff)
	}
}

// An operation of a load is a row, over the whole load: what its tool says of its own rate is of a part of that time.
func TestTheOperationOfALoadIsARow(t *testing.T) {
	load := trial(func(r *contract.Result) {
		r.Data = &contract.Data{Loaded: &contract.LoadReport{}}
		r.Measurements = append(r.Measurements, contract.Measurement{Name: contract.NameRowRate, Unit: "rows/s", Value: new(1000.0)})
	})
	got := shown(Of([]contract.Result{load}, load, Rate{}))
	if got[ServerCPU] != "1500 s/Mop" || got[ClientCPU] != "500 s/Mop" || got[Written] != "400 B/op" {
		t.Errorf("%v", got)
	}
	// A client that has loaded its part in half of the time, with half a CPU, used half as much as the first.
	early, ended := load, at(5)
	early.Times.WindowEnded, early.Client.Environment = &ended, used(1, 4, 1.5, 1<<20)
	if got := shown(Of([]contract.Result{load, early}, load, Rate{})); got[ClientCPU] != "750 s/Mop" {
		t.Errorf("of two clients: %s", got[ClientCPU])
	}
	if got := shown(Of([]contract.Result{early, load}, load, Rate{})); got[ServerCPU] != "" {
		t.Errorf("the server was asked when half of the load was done: %s", got[ServerCPU])
	}
	load.Measurements = load.Measurements[:1]
	if got := shown(Of([]contract.Result{load}, load, Rate{})); got[ServerCPU] != "" || got[Written] != "" {
		t.Errorf("of no known rows: %v", got)
	}
}
