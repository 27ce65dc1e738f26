package likeness

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// sideWith has one trial on a recorded server, with other values of some facts.
func sideWith(t *testing.T, name, server string, other map[string]string) Side {
	t.Helper()
	facts := factsOfServer(defaultsOf(t, server)).Map()
	maps.Copy(facts, other)
	maps.DeleteFunc(facts, func(_, v string) bool { return v == "" })
	return Side{Name: name, Records: []contract.Record{{Facts: contract.NewFacts(facts)}, {Facts: contract.NewFacts(facts)}}}
}

// differences of two sides as "name: first | second, effect".
func differences(c Comparison) []string {
	var out []string
	for _, d := range c.Differences {
		text := d.Name + ": " + d.First + " | " + d.Second
		if d.Faster != "" {
			text += ", " + string(d.Faster)
		}
		if d.OfFactor {
			text += " (of the factor)"
		} else if !d.Matters {
			text += " (not known to matter)"
		}
		out = append(out, text)
	}
	return out
}

func TestCompare(t *testing.T) {
	type facts = map[string]string
	tests := map[string]struct {
		first, second       string
		firstHas, secondHas facts
		factor              Factor
		want                []string
	}{
		"alike": {first: "mysql-9.7", second: "mysql-9.7"},
		"an archive against a run without a data set": {
			first: "mysql-9.7", second: "mysql-9.7", secondHas: facts{"data/origin": "restored from an archive"},
			want: []string{"data/origin: from no archive | restored from an archive"},
		},
		"a volume that was retained against a run without": {
			first: "mysql-9.7", second: "mysql-9.7", secondHas: facts{"data/origin": "on the volume of run first (u), target db"},
			want: []string{"data/origin: from no archive | on the volume of run first (u), target db"},
		},
		"two volumes that were retained": {
			first: "mysql-9.7", second: "mysql-9.7", firstHas: facts{"data/origin": "on the volume of run first (u), target db"},
			secondHas: facts{"data/origin": "on the volume of run second (v), target db"},
			want:      []string{"data/origin: on the volume of run first (u), target db | on the volume of run second (v), target db"},
		},
		"one volume, before and after a run wrote into it": {
			first: "mysql-9.7", second: "mysql-9.7", firstHas: facts{"data/origin": "on the volume of run first (u), target db"},
			secondHas: facts{"data/origin": "on the volume of run first (u), target db, written into by run w (v) from 2026-11-27T19:00:00Z on"},
			want:      []string{"data/origin: on the volume of run first (u), target db | on the volume of run first (u), target db, written into by run w (v) from 2026-11-27T19:00:00Z on"},
		},
		"volumes of two VolumeSnapshots": {
			first: "mysql-9.7", second: "mysql-9.7", firstHas: facts{"data/origin": "of VolumeSnapshot tables (u) of run first (v), target db"},
			secondHas: facts{"data/origin": "of VolumeSnapshot tables (w) of run first (v), target db"},
			want:      []string{"data/origin: of VolumeSnapshot tables (u) of run first (v), target db | of VolumeSnapshot tables (w) of run first (v), target db"},
		},
		"volumes of one VolumeSnapshot": {
			first: "mysql-9.7", second: "mysql-9.7", firstHas: facts{"data/origin": "of VolumeSnapshot tables (u) of run first (v), target db"},
			secondHas: facts{"data/origin": "of VolumeSnapshot tables (u) of run first (v), target db"},
		},
		"one volume that was retained": {
			first: "mysql-9.7", second: "mysql-9.7", firstHas: facts{"data/origin": "on the volume of run first (u), target db"},
			secondHas: facts{"data/origin": "on the volume of run first (u), target db"},
		},
		"a load that an archive was made of against a run without a data set": {
			first: "mysql-9.7", second: "mysql-9.7", firstHas: facts{"data/origin": "loaded by the tool"},
		},
		"a setting": {
			first: "mysql-9.7", second: "mysql-9.7", secondHas: facts{"innodb_flush_log_at_trx_commit": "2"},
			want: []string{"innodb_flush_log_at_trx_commit: 1 | 2, SecondFaster"},
		},
		"spellings of the same": {
			first: "mysql-9.7", second: "mysql-9.7", firstHas: facts{"innodb_doublewrite": "DETECT_AND_RECOVER", "log_bin": "1", "character_set_server": "utf8"},
			secondHas: facts{"character_set_server": "utf8mb3"},
		},
		"a binary log that is off is not flushed": {
			first: "mysql-9.7", second: "mysql-9.7", secondHas: facts{"log_bin": "OFF", "sync_binlog": "0"},
			want: []string{"log_bin: ON | OFF, SecondFaster"},
		},
		"0 is no flush, and 100 are fewer than one each": {
			first: "mysql-9.7", second: "mysql-9.7", firstHas: facts{"sync_binlog": "0"}, secondHas: facts{"sync_binlog": "100"},
			want: []string{"sync_binlog: 0 | 100, FirstFaster"},
		},
		"the redo log by files and by its capacity": {
			first: "mysql-9.7", second: "mysql-9.7",
			firstHas: facts{"innodb_redo_log_capacity": "", "innodb_log_file_size": "52428800", "innodb_log_files_in_group": "2"},
		},
		"a larger redo log": {
			first: "mysql-9.7", second: "mysql-9.7", secondHas: facts{"innodb_redo_log_capacity": "1073741824"},
			want: []string{"innodb_redo_log_capacity: 104857600 | 1073741824, SecondFaster"},
		},
		"a setting that the other server lacks counts as what that server does": {
			first: "mariadb-10.11", second: "mariadb-11.8", firstHas: facts{"innodb_snapshot_isolation": "", "innodb_undo_tablespaces": ""},
			factor: OfTargets,
			want: []string{
				"innodb_snapshot_isolation: OFF | ON", "character_set_server: latin1 | utf8mb4", "collation_server: latin1_swedish_ci | utf8mb4_uca1400_ai_ci",
				"server/version: 10.11.19-MariaDB-0+deb12u1 Debian 12 | 11.8.6-MariaDB-0+deb13u1 from Debian -- Please help get to 10k stars at https://github.com/MariaDB/Server (of the factor)",
			},
		},
		"each engine's own log": {
			first: "mariadb-10.11", second: "mariadb-10.11", secondHas: facts{"default_storage_engine": "RocksDB", "rocksdb_flush_log_at_trx_commit": "2", "innodb_doublewrite": "OFF", "rocksdb_block_cache_size": "134217728"},
			factor: OfTargets,
			want:   []string{"rocksdb_flush_log_at_trx_commit: 1 | 2, SecondFaster", "default_storage_engine: InnoDB | RocksDB (of the factor)"},
		},
		"what InnoDB does says nothing of tables in RocksDB": {
			first: "mariadb-11.8", second: "mariadb-11.8", secondHas: facts{"default_storage_engine": "RocksDB"}, factor: OfTargets,
			want: []string{"rocksdb_block_cache_size: 134217728 | 536870912, SecondFaster", "default_storage_engine: InnoDB | RocksDB (of the factor)"},
		},
		"machines, images and what nobody knows of": {
			first: "mysql-9.7", second: "mysql-9.7", factor: OfDrivers,
			firstHas: facts{
				"target/cpu": "A", "target/cpus": "2", "client/kernel": "6.1", "client/image": "a", "server/image": "x", "client/machine": "1", "set/innodb_ft_cache_size": "1",
				"connection/tls": "TLSv1.3", "storage/filesystem": "ext4",
			},
			secondHas: facts{
				"target/cpu": "B", "target/cpus": "4", "client/kernel": "6.2", "client/image": "b", "server/image": "y", "client/machine": "2", "set/innodb_ft_cache_size": "2",
			},
			want: []string{
				"connection/tls: TLSv1.3 | none, SecondFaster", "target/cpu: A | B", "target/cpus: 2 | 4, SecondFaster", "client/kernel: 6.1 | 6.2", "server/image: x | y",
				"innodb_ft_cache_size: 1 | 2 (not known to matter)", "client/machine: 1 | 2 (not known to matter)", "client/image: a | b (of the factor)",
			},
		},
		"nodes that are two machines": {
			first: "mysql-9.7", second: "mysql-9.7", firstHas: facts{"target/node": "a", "target/machine": "1"}, secondHas: facts{"target/node": "b", "target/machine": "2"},
			want: []string{"target/node: a | b", "target/machine: 1 | 2 (not known to matter)"},
		},
		"nodes that are one machine": {
			first: "mysql-9.7", second: "mysql-9.7", firstHas: facts{"target/node": "a", "target/machine": "1"}, secondHas: facts{"target/node": "b", "target/machine": "1"},
		},
		"nodes whose machines nobody knows": {
			first: "mysql-9.7", second: "mysql-9.7", firstHas: facts{"target/node": "a"}, secondHas: facts{"target/node": "b"}, want: []string{"target/node: a | b"},
		},
		"a node that was started again": {
			first: "mysql-9.7", second: "mysql-9.7", firstHas: facts{"target/node": "a", "target/machine": "1"}, secondHas: facts{"target/node": "a", "target/machine": "2"},
			want: []string{"target/machine: 1 | 2 (not known to matter)"},
		},
		"data": {
			first: "mysql-9.7", second: "mysql-9.7", firstHas: facts{"data/rows": "10 rows", "data/checksum": "12 (9.7)"}, secondHas: facts{"data/rows": "10 rows", "data/checksum": "13 (9.7)"},
			want: []string{"data/checksum: 12 (9.7) | 13 (9.7)"},
		},
		"checksums of other versions": {
			first: "mysql-9.7", second: "mysql-9.7", firstHas: facts{"data/checksum": "12 (9.7)"}, secondHas: facts{"data/checksum": "13 (8.0)"},
		},
		"settings of MySQL are without effect in TiDB": {
			first: "tidb-8.5", second: "tidb-8.5", secondHas: facts{"innodb_flush_log_at_trx_commit": "7", "tidb_enable_1pc": "ON"},
			want: []string{"tidb_enable_1pc: OFF | ON, SecondFaster"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			in := Input{First: sideWith(t, "a", tc.first, tc.firstHas), Second: sideWith(t, "b", tc.second, tc.secondHas), Factor: tc.factor}
			if diff := cmp.Diff(tc.want, differences(Compare(in))); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
			// The other way round the effects are the other way round.
			back := Compare(Input{First: in.Second, Second: in.First, Factor: tc.factor})
			swap := map[Effect]Effect{FirstFaster: SecondFaster, SecondFaster: FirstFaster}
			for i, d := range Compare(in).Differences {
				if o := back.Differences[i]; o.First != d.Second || o.Second != d.First || swap[o.Faster] != d.Faster {
					t.Errorf("the other way round %+v is %+v", d, o)
				}
			}
		})
	}
}

// The default settings of MySQL and MariaDB are those of the finding that compares durability, and
// more.
func TestDefaultsOfMySQLAndMariaDB(t *testing.T) {
	c := Compare(Input{First: sideWith(t, "mysql", "mysql-9.7", nil), Second: sideWith(t, "mariadb", "mariadb-10.11", nil), Factor: OfTargets})
	if got, want := differences(c)[0], "log_bin: ON | OFF, SecondFaster"; got != want || c.Objections()[0].Name != "log_bin" {
		t.Errorf("%q, want %q first", got, want)
	}
	for _, name := range []string{"innodb_flush_neighbors", "innodb_io_capacity", "character_set_server", "performance_schema", "innodb_flush_method"} {
		i := slices.IndexFunc(c.Differences, func(d Difference) bool { return d.Name == name })
		if is := i >= 0 && c.Differences[i].Matters; is == (name == "innodb_flush_method") {
			t.Errorf("%s differs: %v", name, is)
		}
	}
}

// Values that change within a side are all named, and the direction is then unknown.
func TestSeveralValuesOfASide(t *testing.T) {
	first, second := sideWith(t, "a", "mysql-9.7", nil), sideWith(t, "b", "mysql-9.7", nil)
	second.Records = append(second.Records, sideWith(t, "b", "mysql-9.7", map[string]string{"log_bin": "OFF"}).Records...)
	want := []string{"log_bin: ON | OFF or ON"}
	if diff := cmp.Diff(want, differences(Compare(Input{First: first, Second: second}))); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
}

// A variable that both sides vary is in no facts: what is compared has one value of it, and the class is known to be alike.
func TestUnlikeWhereAVariableVaries(t *testing.T) {
	of := func(isolation string, varied ...string) Side {
		facts := map[string]string{"transaction_isolation": isolation, "server/version": "9.7.1"}
		leaveOut(facts, varied)
		return Side{Name: isolation, Records: []contract.Record{{Facts: contract.NewFacts(facts)}}, Varied: varied}
	}
	for name, tc := range map[string]struct {
		first, second Side
		want          string
	}{
		"it differs":         {of("SERIALIZABLE"), of("READ-COMMITTED"), "isolation differs: transaction_isolation (SERIALIZABLE: SERIALIZABLE, READ-COMMITTED: READ-COMMITTED)"},
		"it is the axis":     {of("SERIALIZABLE", "transaction_isolation"), of("READ-COMMITTED", "transaction_isolation"), ""},
		"by its older name":  {of("SERIALIZABLE", "tx_isolation"), of("READ-COMMITTED", "transaction_isolation"), ""},
		"of one side":        {of("SERIALIZABLE", "transaction_isolation"), of("READ-COMMITTED"), "isolation is not known of both sides"},
		"another one varies": {of("SERIALIZABLE", "sync_binlog"), of("READ-COMMITTED", "sync_binlog"), "isolation differs: transaction_isolation (SERIALIZABLE: SERIALIZABLE, READ-COMMITTED: READ-COMMITTED)"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Compare(Input{First: tc.first, Second: tc.second, Factor: OfTargets}).Unlike([]Class{Isolation}); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

func TestUnlike(t *testing.T) {
	machine := map[string]string{"target/cpu": "A", "client/cpu": "A", "log_bin": "ON"}
	other := map[string]string{"target/cpu": "B", "client/cpu": "A", "log_bin": "OFF"}
	tests := map[string]struct {
		first, second string
		has           map[string]string
		require       []Class
		want          string
	}{
		"nothing is required":            {"mysql-9.7", "mysql-9.7", other, nil, ""},
		"what is required is alike":      {"mysql-9.7", "mysql-9.7", other, []Class{Caches}, ""},
		"durability":                     {"mysql-9.7", "mysql-9.7", other, []Class{Durability}, "durability differs: log_bin (a: on, b: off)"},
		"two classes":                    {"mysql-9.7", "mysql-9.7", other, []Class{Durability, CPU}, "durability differs: log_bin (a: on, b: off); cpu differs: target/cpu (a: A, b: B)"},
		"what nobody has looked at":      {"mysql-9.7", "mysql-9.7", other, []Class{Data}, "data is not known of both sides"},
		"a CPU that one side lacks":      {"mysql-9.7", "mysql-9.7", map[string]string{"target/cpu": "A"}, []Class{CPU}, "cpu is not known of both sides"},
		"servers that share no setting":  {"mysql-9.7", "tidb-8.5", other, []Class{Durability}, "durability is not known of both sides"},
		"the speed of machines, unknown": {"mysql-9.7", "mysql-9.7", other, []Class{MachineSpeed}, "machineSpeed is not known of both sides"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := Compare(Input{First: sideWith(t, "a", tc.first, machine), Second: sideWith(t, "b", tc.second, tc.has)})
			if diff := cmp.Diff(tc.want, c.Unlike(tc.require)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The speed of the machines counts from a difference on that is certain and larger than its bound.
func TestMachineSpeed(t *testing.T) {
	side := func(seconds float64) Side {
		s := Side{}
		for i := range 8 {
			s.Records = append(s.Records, contract.Record{MachineSpeed: []contract.RecordedSpeed{
				{Side: "Target", Kernel: "Integer", Seconds: seconds * (1 + 0.001*float64(i))}, {Side: "Client", Kernel: "RoundTrip", Seconds: seconds * (1 + 0.001*float64(i))},
			}})
		}
		return s
	}
	for name, tc := range map[string]struct {
		second float64
		want   []string
	}{
		"alike":                    {1.01, nil},
		"a slower CPU":             {1.1, []string{"machine-speed/Target/Integer: 1 | 1.1, FirstFaster"}},
		"a faster CPU":             {0.9, []string{"machine-speed/Target/Integer: 1 | 0.9, SecondFaster"}},
		"a slower network as well": {1.5, []string{"machine-speed/Client/RoundTrip: 1 | 1.5, FirstFaster", "machine-speed/Target/Integer: 1 | 1.5, FirstFaster"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := Compare(Input{First: side(1), Second: side(tc.second)})
			if diff := cmp.Diff(tc.want, differences(c)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if slices.Contains(c.Unknown, MachineSpeed) {
				t.Error("the speed is said to be unknown")
			}
		})
	}
}

// A list is bounded, and what matters is in it.
func TestDifferencesAreBounded(t *testing.T) {
	first, facts := map[string]string{}, map[string]string{"log_bin": "OFF"}
	for i := range 100 {
		name := setPrefix + strings.Repeat("x", i+1)
		first[name], facts[name] = "2", "1"
	}
	c := Compare(Input{First: sideWith(t, "a", "mysql-9.7", first), Second: sideWith(t, "b", "mysql-9.7", facts)})
	if len(c.Differences) != MaxDifferences || c.More != 101-MaxDifferences || c.Differences[0].Name != "log_bin" {
		t.Errorf("%d differences and %d more, %+v first", len(c.Differences), c.More, c.Differences[0])
	}
	if all := c.Objections(); len(all) != 1 || all[0].Name != "log_bin" {
		t.Errorf("objections %+v", all)
	}
}
