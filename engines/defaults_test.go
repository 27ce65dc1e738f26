package engines

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/engines/engine"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
)

const (
	mib int64 = 1 << 20
	gib int64 = 1 << 30
)

// caches are the settings whose values are memory that a server takes.
var caches = map[string]bool{"innodb_buffer_pool_size": true, "rocksdb_block_cache_size": true, "tidb_server_memory_limit": true, "gomemlimit": true}

// TestDefaultsFitEveryShape: no default needs more memory than there is, none is
// refused, and more memory never makes a cache smaller.
func TestDefaultsFitEveryShape(t *testing.T) {
	for _, e := range All() {
		for _, storageEngine := range e.StorageEngines {
			t.Run(e.Flavor+" "+storageEngine, func(t *testing.T) {
				before := map[string]int64{}
				for memory := 256 * mib; memory <= 1024*gib; memory += memory / 8 {
					s := engine.Shape{MemoryBytes: memory, DataBytes: 10 * gib}
					checkDefaults(t, e, storageEngine, s, memory)
					for _, d := range e.Defaults(s, storageEngine) {
						if n := mustSize(t, d.Value); n < before[d.Name] {
							t.Errorf("%d MiB: %s = %s, less than with less memory", memory/mib, d.Name, d.Value)
						} else {
							before[d.Name] = n
						}
					}
					for _, data := range []int64{memory / 4, memory / 2, memory, 2 * memory} {
						s.DataBytes, s.DataInMemory = data, true
						checkDefaults(t, e, storageEngine, s, memory-data)
					}
				}
			})
		}
	}
}

// checkDefaults takes the memory that is left to the server.
func checkDefaults(t *testing.T, e engine.Engine, storageEngine string, s engine.Shape, left int64) {
	t.Helper()
	defaults := e.Defaults(s, storageEngine)
	if refusals := settings.Validate(e.Owned, "defaults", defaults); len(refusals) > 0 {
		t.Errorf("%+v: %v", s, refusals)
	}
	if merged := settings.Merge(defaults); len(merged) != len(defaults) {
		t.Errorf("%+v: a name is there twice: %+v", s, defaults)
	}
	for _, d := range defaults {
		n := mustSize(t, d.Value)
		if n <= 0 {
			t.Errorf("%+v: %s = %s", s, d.Name, d.Value)
		}
		// Up to 640 MiB nothing but the smallest cache is taken.
		if caches[d.Name] && n > max(left*4/5, 32*mib) {
			t.Errorf("%+v: %s = %s, of %d", s, d.Name, d.Value, left)
		}
		if !caches[d.Name] && n > s.DataBytes/16 {
			t.Errorf("%+v: %s = %s does not fit into the volume", s, d.Name, d.Value)
		}
	}
}

func mustSize(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestDefaults(t *testing.T) {
	set := func(pairs ...string) (out []contract.Setting) {
		for i := 0; i < len(pairs); i += 2 {
			out = append(out, contract.Setting{Name: pairs[i], Value: pairs[i+1]})
		}
		return out
	}
	tests := map[string]struct {
		flavor, storageEngine string
		shape                 engine.Shape
		want                  []contract.Setting
	}{
		"a small machine keeps the server's own": {"MySQL", "InnoDB", engine.Shape{MemoryBytes: 512 * mib, DataBytes: 10 * gib}, nil},
		"1 GiB": {"MariaDB", "InnoDB", engine.Shape{MemoryBytes: gib, DataBytes: 10 * gib},
			set("innodb_buffer_pool_size", "402653184")},
		"16 GiB, MySQL": {"MySQL", "InnoDB", engine.Shape{MemoryBytes: 16 * gib, DataBytes: 100 * gib},
			set("innodb_buffer_pool_size", "11811160064", "innodb_redo_log_capacity", "2952790016")},
		"16 GiB, MariaDB": {"MariaDB", "InnoDB", engine.Shape{MemoryBytes: 16 * gib, DataBytes: 100 * gib},
			set("innodb_buffer_pool_size", "11811160064", "innodb_log_file_size", "2952790016")},
		"16 GiB, Percona Server": {"Percona", "InnoDB", engine.Shape{MemoryBytes: 16 * gib, DataBytes: 100 * gib},
			set("innodb_buffer_pool_size", "11811160064", "innodb_redo_log_capacity", "2952790016")},
		"a small volume keeps the redo log small": {"MySQL", "InnoDB", engine.Shape{MemoryBytes: 16 * gib, DataBytes: 10 * gib},
			set("innodb_buffer_pool_size", "11811160064", "innodb_redo_log_capacity", "671088640")},
		"a volume that is not known, or too small, keeps the server's redo log": {"MySQL", "InnoDB", engine.Shape{MemoryBytes: 16 * gib},
			set("innodb_buffer_pool_size", "11811160064")},
		"a very large machine": {"MySQL", "InnoDB", engine.Shape{MemoryBytes: 256 * gib, DataBytes: 1024 * gib},
			set("innodb_buffer_pool_size", "205084688384", "innodb_redo_log_capacity", "4294967296")},
		"data in memory": {"MySQL", "InnoDB", engine.Shape{MemoryBytes: 16 * gib, DataBytes: 8 * gib, DataInMemory: true},
			set("innodb_buffer_pool_size", "5368709120", "innodb_redo_log_capacity", "536870912")},
		"RocksDB on a small machine gets less than its own 512 MiB": {"MariaDB", "RocksDB", engine.Shape{MemoryBytes: 512 * mib, DataBytes: 10 * gib},
			set("rocksdb_block_cache_size", "33554432")},
		"RocksDB": {"Percona", "RocksDB", engine.Shape{MemoryBytes: 16 * gib, DataBytes: 10 * gib},
			set("rocksdb_block_cache_size", "7516192768")},
		"TiDB": {"TiDB", "InnoDB", engine.Shape{MemoryBytes: 4 * gib, DataBytes: gib, DataInMemory: true},
			set("tidb_server_memory_limit", "2576351232")},
		"Dolt": {"Dolt", "InnoDB", engine.Shape{MemoryBytes: gib, DataBytes: gib},
			set("gomemlimit", "858783744")},
		"TiDB takes no limit below 512 MiB": {"TiDB", "InnoDB", engine.Shape{MemoryBytes: 512 * mib}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			e, _ := Find(tc.flavor)
			if diff := cmp.Diff(tc.want, e.Defaults(tc.shape, tc.storageEngine)); diff != "" {
				t.Errorf("defaults (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	many := contract.Demand{Connections: 3000, PreparedStatements: 276000, Tables: 3000}
	tests := map[string]struct {
		flavor string
		demand contract.Demand
		want   []contract.Setting
	}{
		"nothing is asked for": {"MySQL", contract.Demand{}, nil},
		"as much as a server has by itself": {"MySQL",
			contract.Demand{Connections: 119, PreparedStatements: 16350, Tables: 1968}, nil},
		"one more of each": {"MariaDB", contract.Demand{Connections: 120, PreparedStatements: 16351, Tables: 1969}, []contract.Setting{
			{Name: "max_connections", Value: "152"}, {Name: "max_prepared_stmt_count", Value: "16383"}, {Name: "table_open_cache", Value: "4000"},
		}},
		"3000 threads with 92 statements each": {"MySQL", many, []contract.Setting{
			{Name: "max_connections", Value: "3032"}, {Name: "max_prepared_stmt_count", Value: "276032"}, {Name: "table_open_cache", Value: "4000"},
		}},
		"many tables": {"Percona", contract.Demand{Connections: 1, PreparedStatements: 1, Tables: 10000}, []contract.Setting{
			{Name: "table_open_cache", Value: "10032"},
		}},
		"TiDB with its own tokens": {"TiDB", contract.Demand{Connections: 968, PreparedStatements: 276000, Tables: 3000}, nil},
		"TiDB":                     {"TiDB", many, []contract.Setting{{Name: "token_limit", Value: "3032"}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			e, _ := Find(tc.flavor)
			got := e.Limits(tc.demand)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("limits (-want +got):\n%s", diff)
			}
			if refusals := settings.Validate(e.Owned, "limits", got); len(refusals) > 0 {
				t.Error(refusals)
			}
			// To apply them twice is to apply them once.
			if diff := cmp.Diff(settings.Merge(got), settings.Merge(got, e.Limits(tc.demand))); diff != "" {
				t.Errorf("twice (-once +twice):\n%s", diff)
			}
		})
	}
}
