package likeness

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestFactsOf(t *testing.T) {
	data := func(rows, sum int64) *contract.Data {
		return &contract.Data{Tables: []contract.Table{{Name: "b", Rows: 5, Checksum: new(int64(7))}, {Name: "A", Rows: rows, Checksum: &sum}}}
	}
	source := Source{
		ServerImageID: "sha256:s", ClientImageID: "sha256:c", Node: "worker-3", FsyncsPerCommit: "1.02", SameBytes: true,
		Loaded: contract.Result{Data: data(3, 9), Server: &contract.Server{Version: "9.7.0"}},
		Result: contract.Result{
			Tool:   contract.Tool{Name: "sysbench", Version: "1.0.20"},
			Client: contract.Client{Environment: contract.Environment{Machine: contract.Machine{CPUModel: "A", Kernel: "6.1", CPUs: new(int64(8))}}},
			Target: &contract.Environment{
				Machine: contract.Machine{CPUModel: "B", BootID: "id", Governor: "performance"}, Limits: contract.Limits{CPUs: new(2.5), MemoryBytes: new(int64(1 << 30))},
				Storage: &contract.Storage{Filesystem: "ext4", WriteCache: contract.WriteBack},
			},
			Server: &contract.Server{
				Version: "9.7.0", VersionComment: "Debian", TLSVersion: "TLSv1.3", Cipher: "AES",
				Variables:  map[string]string{"log_bin": "ON", "sync_binlog": "1", "nobody_compares": "1"},
				NonDefault: map[string]string{"log_bin": "ON", "innodb_ft_cache_size": "9", "datadir": "/data/", "server_id": "1", "gtid_executed": "x", "init_connect": ""},
			},
		},
	}
	want := map[string]string{
		"client/cpu": "A", "client/cpu-set": "all",
		"client/cpus": "8", "client/image": "sha256:c", "client/kernel": "6.1", "client/tool": "sysbench 1.0.20", "connection/cipher": "AES",
		"connection/tls": "TLSv1.3", "log_bin": "ON", "server/fsyncs-per-commit": "1.02", "server/image": "sha256:s", "server/replicas": "0",
		"server/version": "9.7.0 Debian", "set/init_connect": "''", "set/innodb_ft_cache_size": "9", "storage/filesystem": "ext4", "storage/write-cache": "WriteBack",
		"sync_binlog": "1", "target/cpu": "B", "target/cpus": "2.5", "target/governor": "performance", "target/machine": "id", "target/memory": "1073741824", "target/node": "worker-3",
	}
	got := FactsOf(source).Map()
	rows, sums := got["data/rows"], got["data/checksum"]
	delete(got, "data/rows")
	delete(got, "data/checksum")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	for name, tc := range map[string]struct {
		loaded     contract.Result
		rows, sums bool
	}{
		"the same":       {contract.Result{Data: data(3, 9), Server: source.Loaded.Server}, true, true},
		"other rows":     {contract.Result{Data: data(4, 9), Server: source.Loaded.Server}, false, true},
		"other contents": {contract.Result{Data: data(3, 8), Server: source.Loaded.Server}, true, false},
		"unknown data":   {contract.Result{}, false, false},
	} {
		source.Loaded = tc.loaded
		got := FactsOf(source).Map()
		if (got["data/rows"] == rows) != tc.rows || (got["data/checksum"] == sums) != tc.sums {
			t.Errorf("%s: %q and %q", name, got["data/rows"], got["data/checksum"])
		}
	}
}

// A variable that the trials vary is no circumstance of one, under none of its names.
func TestFactsOfTrialsThatVarySettings(t *testing.T) {
	variables := map[string]string{"transaction_isolation": "SERIALIZABLE", "tx_isolation": "SERIALIZABLE", "sync_binlog": "1", "innodb_ft_cache_size": "9", "back_log": "80"}
	source := Source{Result: contract.Result{Server: &contract.Server{Version: "11.8.6", Variables: variables, NonDefault: variables}}}
	for _, tc := range []struct{ varied, left []string }{
		{nil, []string{"set/back_log", "set/innodb_ft_cache_size", "sync_binlog", "transaction_isolation", "tx_isolation"}},
		{[]string{"tx_isolation", "back_log"}, []string{"set/innodb_ft_cache_size", "sync_binlog"}},
		{[]string{"transaction_isolation", "sync_binlog", "innodb_ft_cache_size"}, []string{"set/back_log"}},
	} {
		source.Varied = tc.varied
		got := FactsOf(source).Map()
		for name := range got {
			if strings.HasPrefix(name, "connection/") || strings.HasPrefix(name, "server/") {
				delete(got, name)
			}
		}
		if diff := cmp.Diff(tc.left, slices.Sorted(maps.Keys(got))); diff != "" {
			t.Errorf("%v vary: variables in the facts (-want +got):\n%s", tc.varied, diff)
		}
	}
}

// The size of a container is its quota. A kubelet with the static CPU manager takes that off a container with CPUs of its own (since
// Kubernetes 1.33): then it is those CPUs, so that it has one size with and without a quota, and on every machine.
func TestSizeOfAContainer(t *testing.T) {
	tests := map[string]struct {
		limits contract.Limits
		want   string
	}{
		"a quota":                            {contract.Limits{CPUs: new(2.0)}, "2"},
		"a quota, and as many CPUs":          {contract.Limits{CPUs: new(2.0), CPUSet: "2-3"}, "2"},
		"a quota that is less than its CPUs": {contract.Limits{CPUs: new(1.5), CPUSet: "2-3"}, "1.5"},
		"CPUs of its own without a quota":    {contract.Limits{CPUSet: "2-3"}, "2"},
		"no limit at all":                    {contract.Limits{}, "16"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			in := contract.Environment{Machine: contract.Machine{CPUs: new(int64(16))}, Limits: tc.limits}
			got := FactsOf(Source{Result: contract.Result{Target: &in, Client: contract.Client{Environment: in}}}).Map()
			if got["target/cpus"] != tc.want || got["client/cpus"] != tc.want {
				t.Errorf("CPUs of the target %q and of the client %q, want %q", got["target/cpus"], got["client/cpus"], tc.want)
			}
		})
	}
}

// Whether the connections of a window took up earlier TLS sessions, as servers counted of ten connections of one client (MySQL 9.7 and
// MariaDB 11.8): MariaDB gave no session that could be taken up.
func TestSessionsOfConnections(t *testing.T) {
	of := func(tls string, delta map[string]float64) contract.Server {
		return contract.Server{TLSVersion: tls, StatusDelta: delta}
	}
	tests := map[string]struct {
		server contract.Server
		want   string
	}{
		"MySQL with TLS 1.2":                     {of("TLSv1.2", map[string]float64{"Connections": 11, "Ssl_finished_accepts": 10, "Ssl_session_cache_hits": 9}), "reused"},
		"MySQL with TLS 1.3, which counts twice": {of("TLSv1.3", map[string]float64{"Connections": 11, "Ssl_finished_accepts": 10, "Ssl_session_cache_hits": 18}), "reused"},
		"MariaDB":                                {of("TLSv1.3", map[string]float64{"Connections": 11, "Ssl_finished_accepts": 10, "Ssl_session_cache_hits": 0}), "new"},
		"few connections, as of a tool that connected before its window": {of("TLSv1.3", map[string]float64{"Connections": 2, "Ssl_finished_accepts": 34, "Ssl_session_cache_hits": 0}), ""},
		"a server that does not count them":                              {of("TLSv1.3", map[string]float64{"Connections": 11}), ""},
		"no TLS":                                                         {of("", map[string]float64{"Connections": 11, "Ssl_session_cache_hits": 0}), ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := FactsOf(Source{Result: contract.Result{Server: &tc.server}}).Map()[factSessions]
			if got != tc.want {
				t.Errorf("sessions are %q, want %q", got, tc.want)
			}
		})
	}
}

// A target that nobody can look into has facts of the client only.
func TestFactsOfAnUnknownServer(t *testing.T) {
	got := FactsOf(Source{Result: contract.Result{Tool: contract.Tool{Name: "ycsb"}}}).Map()
	if diff := cmp.Diff(map[string]string{"client/tool": "ycsb"}, got); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
}

// Equal pods on other nodes of their machine are alike, and memory that is far from the CPUs is told.
func TestPlaceOf(t *testing.T) {
	for name, tt := range map[string]struct {
		cpus, memory, want string
	}{
		"no limits":         {"", "", "CPUs of all of 2 nodes, memory of all"},
		"CPUs of one":       {"1", "", "CPUs of 1 of 2 nodes, memory of all"},
		"both of one":       {"1", "1", "CPUs of 1 of 2 nodes, memory of 1"},
		"of others":         {"1", "0", "CPUs of 1 of 2 nodes, memory of 1, from which the CPUs may be far"},
		"the memory of one": {"", "0", "CPUs of all of 2 nodes, memory of 1, from which the CPUs may be far"},
	} {
		if got := placeOf(contract.Limits{CPUNodes: tt.cpus, MemoryNodes: tt.memory}, 2); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// A client on the CPU of its server says so: it is another measurement than one on a CPU of its own.
func TestOneCPU(t *testing.T) {
	of := func(boot string, cpus int64, set string) contract.Environment {
		return contract.Environment{Machine: contract.Machine{BootID: boot, CPUs: &cpus}, Limits: contract.Limits{CPUSet: set}}
	}
	tests := map[string]struct {
		server, client contract.Environment
		want           string
		one            bool
	}{
		"one for both":                   {of("a", 2, "1"), of("a", 2, "1"), "one, that of the server", true},
		"one each":                       {of("a", 2, "0"), of("a", 2, "1"), "1 of 2", false},
		"one each, of two machines":      {of("a", 2, "1"), of("b", 2, "1"), "1 of 2", false},
		"both on all":                    {of("a", 2, ""), of("a", 2, ""), "all", false},
		"both on the same two":           {of("a", 4, "2-3"), of("a", 4, "2-3"), "2 of 4", false},
		"a machine that has one":         {of("a", 1, ""), of("a", 1, ""), "one, that of the server", true},
		"a machine that nobody can name": {of("", 2, "1"), of("", 2, "1"), "1 of 2", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			facts := FactsOf(Source{Result: contract.Result{Client: contract.Client{Environment: tc.client}, Target: &tc.server}})
			if got := facts.Map()["client/cpu-set"]; got != tc.want || OnOneCPU(facts) != tc.one {
				t.Errorf("%q, %t, want %q, %t", got, OnOneCPU(facts), tc.want, tc.one)
			}
		})
	}
}
