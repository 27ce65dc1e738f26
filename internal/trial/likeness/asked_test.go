package likeness

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// What the spec sets differently for two servers is what is compared. What a server did by itself is not.
func TestSettingsOfTheSpecAreTheFactor(t *testing.T) {
	type facts = map[string]string
	type asks = []contract.Setting
	tests := map[string]struct {
		// servers are MySQL 9.7 unless another one is named.
		server               string
		firstHas, secondHas  facts
		firstAsks, secondAsk asks
		want                 []string
	}{
		"on one side only": {
			secondHas: facts{"innodb_io_capacity": "100"}, secondAsk: asks{{Name: "innodb-io-capacity", Value: "100"}},
			want: []string{"innodb_io_capacity: 10000 | 100 (of the factor)"},
		},
		"both sides, with other values": {
			firstHas: facts{"innodb_flush_log_at_trx_commit": "2"}, secondHas: facts{"innodb_flush_log_at_trx_commit": "0"},
			firstAsks: asks{{Name: "innodb_flush_log_at_trx_commit", Value: "2"}}, secondAsk: asks{{Name: "innodb_flush_log_at_trx_commit", Value: "0"}},
			want: []string{"innodb_flush_log_at_trx_commit: 2 | 0, SecondFaster (of the factor)"},
		},
		"both sides, with one value that a server did not take": {
			secondHas: facts{"innodb_io_capacity": "100"},
			firstAsks: asks{{Name: "innodb_io_capacity", Value: "10K"}}, secondAsk: asks{{Name: "innodb_io_capacity", Value: "10240"}},
			want: []string{"innodb_io_capacity: 10000 | 100"},
		},
		"both sides, with one value in two spellings that a server did not take": {
			secondHas: facts{"innodb_doublewrite": "OFF"},
			firstAsks: asks{{Name: "innodb_doublewrite", Value: "1"}}, secondAsk: asks{{Name: "innodb_doublewrite", Value: "DETECT_AND_RECOVER"}},
			want: []string{"innodb_doublewrite: ON | OFF, SecondFaster"},
		},
		"both sides alike": {
			firstHas: facts{"innodb_io_capacity": "100"}, secondHas: facts{"innodb_io_capacity": "100"},
			firstAsks: asks{{Name: "innodb_io_capacity", Value: "100"}}, secondAsk: asks{{Name: "innodb_io_capacity", Value: "100"}},
		},
		"the redo log by its files on one side, by its capacity on the other one, to the same effect": {
			firstHas:  facts{"innodb_redo_log_capacity": "", "innodb_log_file_size": "104857600", "innodb_log_files_in_group": "2"},
			secondHas: facts{"innodb_redo_log_capacity": "209715200"},
			firstAsks: asks{{Name: "innodb_log_file_size", Value: "100M"}}, secondAsk: asks{{Name: "innodb_redo_log_capacity", Value: "200M"}},
		},
		"the same redo log, of which a server took half": {
			firstHas:  facts{"innodb_redo_log_capacity": "", "innodb_log_file_size": "104857600", "innodb_log_files_in_group": "2"},
			secondHas: facts{"innodb_redo_log_capacity": "104857600"},
			firstAsks: asks{{Name: "innodb_log_file_size", Value: "100M"}}, secondAsk: asks{{Name: "innodb_redo_log_capacity", Value: "200M"}},
			want: []string{"innodb_redo_log_capacity: 209715200 | 104857600, FirstFaster"},
		},
		"other redo logs by two names": {
			firstHas:  facts{"innodb_redo_log_capacity": "", "innodb_log_file_size": "104857600", "innodb_log_files_in_group": "2"},
			secondHas: facts{"innodb_redo_log_capacity": "104857600"},
			firstAsks: asks{{Name: "innodb_log_file_size", Value: "100M"}}, secondAsk: asks{{Name: "innodb_redo_log_capacity", Value: "100M"}},
			want: []string{"innodb_redo_log_capacity: 209715200 | 104857600, FirstFaster (of the factor)"},
		},
		"an option that switches a variable off": {
			secondHas: facts{"log_bin": "OFF"}, secondAsk: asks{{Name: "skip-log-bin"}},
			want: []string{"log_bin: ON | OFF, SecondFaster (of the factor)"},
		},
		"what the server changed because of it stays a difference": {
			secondHas: facts{"innodb_io_capacity": "3000000", "innodb_io_capacity_max": "6000000"}, secondAsk: asks{{Name: "innodb_io_capacity", Value: "3000000"}},
			want: []string{"innodb_io_capacity_max: 20000 | 6000000", "innodb_io_capacity: 10000 | 3000000 (of the factor)"},
		},
		"the setting of another storage engine has no effect, and is not asked for": {
			server: "mariadb-10.11", firstHas: facts{"default_storage_engine": "RocksDB", "rocksdb_block_cache_size": "536870912"},
			secondHas: facts{"default_storage_engine": "RocksDB", "rocksdb_block_cache_size": "268435456"}, secondAsk: asks{{Name: "innodb_buffer_pool_size", Value: "256M"}},
			want: []string{"rocksdb_block_cache_size: 536870912 | 268435456, FirstFaster"},
		},
		"a variable that no catalogue knows": {
			firstHas: facts{"set/innodb_ft_cache_size": "8000000"}, secondHas: facts{"set/innodb_ft_cache_size": "16777216"},
			secondAsk: asks{{Name: "innodb-ft-cache-size", Value: "16M"}},
			want:      []string{"innodb_ft_cache_size: 8000000 | 16777216 (of the factor)"},
		},
		"a pool of threads": {
			server: "mariadb-10.11", secondHas: facts{"thread_handling": "pool-of-threads"}, secondAsk: asks{{Name: "thread_handling", Value: "pool-of-threads"}},
			want: []string{"thread_handling: one-thread-per-connection | pool-of-threads (of the factor)"},
		},
		"a default that only one side of a MariaDB left": {
			server: "mariadb-10.11", secondHas: facts{"set/eq_range_index_dive_limit": "7"}, secondAsk: asks{{Name: "eq_range_index_dive_limit", Value: "7"}},
			want: []string{"eq_range_index_dive_limit: its default | 7 (of the factor)"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if tc.server == "" {
				tc.server = "mysql-9.7"
			}
			in := Input{First: sideWith(t, "a", tc.server, tc.firstHas), Second: sideWith(t, "b", tc.server, tc.secondHas), Factor: OfTargets}
			in.First.Settings, in.Second.Settings = tc.firstAsks, tc.secondAsk
			c := Compare(in)
			if diff := cmp.Diff(tc.want, differences(c)); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
			back := Compare(Input{First: in.Second, Second: in.First, Factor: OfTargets})
			for i, d := range c.Differences {
				if back.Differences[i].OfFactor != d.OfFactor {
					t.Errorf("the other way round %+v is %+v", d, back.Differences[i])
				}
			}
		})
	}
}

// Sides that have to be alike may differ in what is compared.
func TestAFactorIsNotUnlike(t *testing.T) {
	in := Input{First: sideWith(t, "a", "mysql-9.7", nil), Second: sideWith(t, "b", "mysql-9.7", map[string]string{"innodb_doublewrite": "OFF"}), Factor: OfTargets}
	if got := Compare(in).Unlike([]Class{Durability}); got != "durability differs: innodb_doublewrite (a: on, b: off)" {
		t.Errorf("what nobody set: %q", got)
	}
	in.Second.Settings = []contract.Setting{{Name: "innodb_doublewrite", Value: "OFF"}}
	if got := Compare(in).Unlike([]Class{Durability}); got != "" {
		t.Errorf("what the spec sets: %q", got)
	}
}
