package experiment

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/ground/config"
	"github.com/assay-bench/assay/runners"
)

// dataWork is that of a run of sysbench with a data set.
func dataWork(t *testing.T, change func(*v1alpha1.BenchmarkRunSpec, *config.Config)) Work {
	t.Helper()
	spec := v1alpha1.BenchmarkRunSpec{
		Targets:  []v1alpha1.Target{{Name: "db", MySQL: &v1alpha1.MySQLTarget{Flavor: "MySQL", StorageEngine: "InnoDB"}}},
		Data:     &v1alpha1.DataSet{Name: "sbtest"},
		Workload: v1alpha1.Workload{Sysbench: &v1alpha1.SysbenchWorkload{Test: "oltp_read_write", Threads: 4, Tables: 2, TableSize: 1000}},
	}
	cfg := config.Default()
	cfg.Results.Store.Endpoint, cfg.Results.Store.Bucket = "https://s3.example.com", "results"
	if change != nil {
		change(&spec, &cfg)
	}
	spec.SetDefaults()
	w, err := WorkOf(spec, Catalogue{Tool: runners.Find, Engine: engines.Find, Config: cfg})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func dataOf() DataOf {
	return DataOf{
		Target:  v1alpha1.Target{Name: "db", MySQL: &v1alpha1.MySQLTarget{Flavor: "MySQL", StorageEngine: "InnoDB"}},
		ImageID: "registry.example/mysql@sha256:feed", ToolImageID: "registry.example/sysbench@sha256:cafe", Seed: 42, Database: "assay",
		Resolved: v1alpha1.ResolvedTarget{Settings: []v1alpha1.ServerSetting{{Name: "innodb_page_size", Value: "16K"}, {Name: "innodb_buffer_pool_size", Value: "1G"}}},
	}
}

// The key is that of what the bytes depend on: all of it, and nothing else that runs differ in.
func TestDataKey(t *testing.T) {
	key := func(w Work, of DataOf) string {
		t.Helper()
		k, err := DataKey(w, of)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	want := key(dataWork(t, nil), dataOf())
	sysbench := func(change func(*v1alpha1.SysbenchWorkload)) func(*v1alpha1.BenchmarkRunSpec, *config.Config) {
		return func(spec *v1alpha1.BenchmarkRunSpec, _ *config.Config) { change(spec.Workload.Sysbench) }
	}
	for name, tt := range map[string]struct {
		spec func(*v1alpha1.BenchmarkRunSpec, *config.Config)
		of   func(*DataOf)
		same bool
	}{
		"another name of the target":      {of: func(of *DataOf) { of.Target.Name = "fast" }, same: true},
		"another registry":                {of: func(of *DataOf) { of.ImageID = "mirror.example/library/mysql@sha256:feed" }, same: true},
		"another registry of the tool":    {of: func(of *DataOf) { of.ToolImageID = "mirror.example/sysbench@sha256:cafe" }, same: true},
		"another buffer pool":             {of: func(of *DataOf) { of.Resolved.Settings[1].Value = "8G" }, same: true},
		"no buffer pool":                  {of: func(of *DataOf) { of.Resolved.Settings = of.Resolved.Settings[:1] }, same: true},
		"another spelling":                {of: func(of *DataOf) { of.Resolved.Settings[0].Name = "innodb-page-size" }, same: true},
		"another order of the settings":   {of: func(of *DataOf) { s := of.Resolved.Settings; s[0], s[1] = s[1], s[0] }, same: true},
		"another test of the same tables": {spec: sysbench(func(p *v1alpha1.SysbenchWorkload) { p.Test = "oltp_read_only" }), same: true},
		"more threads than tables":        {spec: sysbench(func(p *v1alpha1.SysbenchWorkload) { p.Threads = 64 }), same: true},

		"another image":          {of: func(of *DataOf) { of.ImageID = "registry.example/mysql@sha256:beef" }},
		"another flavor":         {of: func(of *DataOf) { of.Target.MySQL.Flavor = "Percona" }},
		"another storage engine": {of: func(of *DataOf) { of.Target.MySQL.StorageEngine = "RocksDB" }},
		"another page size":      {of: func(of *DataOf) { of.Resolved.Settings[0].Value = "8K" }},
		"a setting that is unknown": {of: func(of *DataOf) {
			of.Resolved.Settings = append(of.Resolved.Settings, v1alpha1.ServerSetting{Name: "new_one"})
		}},
		"another image of the tool": {of: func(of *DataOf) { of.ToolImageID = "registry.example/sysbench@sha256:beef" }},
		"another schema":            {of: func(of *DataOf) { of.Database = "other" }},
		"files of the user":         {of: func(of *DataOf) { of.Inputs = &v1alpha1.ResolvedInputs{SHA256: "aa"} }},
		"more rows":                 {spec: sysbench(func(p *v1alpha1.SysbenchWorkload) { p.TableSize = 1001 })},
		"more tables":               {spec: sysbench(func(p *v1alpha1.SysbenchWorkload) { p.Tables = 3 })},
	} {
		t.Run(name, func(t *testing.T) {
			of := dataOf()
			if tt.of != nil {
				tt.of(&of)
			}
			if got := key(dataWork(t, tt.spec), of); (got == want) != tt.same {
				t.Errorf("the key is the same: %v, want %v", got == want, tt.same)
			}
		})
	}
}

// The dump of the buffer pool is archived where it has a name of the user: then what decides it is part of the key.
func TestDataKeyOfANamedDump(t *testing.T) {
	of, w := dataOf(), dataWork(t, nil)
	of.Resolved.Settings = append(of.Resolved.Settings, v1alpha1.ServerSetting{Name: "innodb-buffer-pool-filename", Value: "dump"})
	first, err := DataKey(w, of)
	if err != nil {
		t.Fatal(err)
	}
	of.Resolved.Settings[1].Value = "8G"
	if second, err := DataKey(w, of); err != nil || first == second {
		t.Errorf("%s with both buffer pools (%v)", second, err)
	}
}

// A tool that draws its rows has other rows with another seed.
func TestDataKeyOfRowsThatAreDrawn(t *testing.T) {
	of := dataOf()
	of.Inputs = &v1alpha1.ResolvedInputs{SHA256: "aa"}
	w := dataWork(t, nil)
	first, err := DataKey(w, of)
	if err != nil {
		t.Fatal(err)
	}
	of.Seed++
	if second, err := DataKey(w, of); err != nil || first == second {
		t.Errorf("%s with both seeds (%v)", second, err)
	}
}

func TestCheckDataSet(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*v1alpha1.BenchmarkRunSpec, *config.Config)
		want   string
	}{
		"what works":    {nil, ""},
		"no data set":   {func(s *v1alpha1.BenchmarkRunSpec, c *config.Config) { s.Data, c.Results.Store.Endpoint = nil, "" }, ""},
		"no store":      {func(_ *v1alpha1.BenchmarkRunSpec, c *config.Config) { c.Results.Store.Endpoint = "" }, "chart value results.store"},
		"another TiDB":  {func(s *v1alpha1.BenchmarkRunSpec, _ *config.Config) { s.Targets[0].MySQL.Flavor = "TiDB" }, "one server of TiDB (spec.targets[0]) to another"},
		"another Dolt":  {func(s *v1alpha1.BenchmarkRunSpec, _ *config.Config) { s.Targets[0].MySQL.Flavor = "Dolt" }, "one server of Dolt"},
		"a bare insert": {func(s *v1alpha1.BenchmarkRunSpec, _ *config.Config) { s.Workload = loadsNothing(t) }, "loads nothing before its trials"},
	} {
		t.Run(name, func(t *testing.T) {
			err := CheckDataSet(dataWork(t, tt.change))
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// loadsNothing is a workload whose data is made in its trials.
func loadsNothing(t *testing.T) v1alpha1.Workload {
	t.Helper()
	var w v1alpha1.Workload
	if err := json.Unmarshal([]byte(`{"drivers":{"drivers":[{"language":"Go","name":"go-sql-driver"}],"benchmarks":[{"operation":"SelectOne"}]}}`), &w); err != nil {
		t.Fatal(err)
	}
	return w
}
