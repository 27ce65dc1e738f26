package mysqld

import (
	"slices"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
)

const (
	mib int64 = 1 << 20
	gib int64 = 1 << 30

	// reserve is the memory of a server in addition to its caches: the program, the data
	// dictionary, the performance schema and a few dozen connections. MySQL 9.7 needs the
	// most, about 400 MiB with its own settings.
	reserve = 512 * mib
	// stockPool is the default buffer pool of every server of the family, in bytes.
	stockPool = 128 * mib
	// stockRedo is the largest default redo log: 100 MiB of MySQL, before 96 MiB of MariaDB
	// and of MySQL before 8.0.30.
	stockRedo = 100 * mib
	// maxRedo bounds the time of a recovery, and the size of a snapshot.
	maxRedo = 4 * gib
	// minBlockCache is the minimum that Assay sets.
	minBlockCache = 32 * mib
)

// roundDown keeps whole GiB from 1 GiB on, and whole parts of the given size below.
// MySQL before 8.4 rounds the buffer pool up to a multiple of its chunks, 128 MiB, and
// from 1 GiB on of eight of them.
func roundDown(n, part int64) int64 {
	if n >= gib {
		part = gib
	}
	return max(n/part*part, 0)
}

// bufferPool is the InnoDB buffer pool in bytes for a shape; 0 where no more than the server's
// default of 128 MiB fits.
//
//	pool = 3/4 x (memory - data in memory - 512 MiB), rounded down to 1 GiB (128 MiB below 1 GiB)
//
// 1 GiB of memory gives 384 MiB, 4 GiB give 2 GiB, 16 GiB give 11 GiB. The share of a large
// machine is that of MySQL's innodb_dedicated_server (75 % above 4 GiB, 50 % from 1 to 4 GiB);
// the reserve reduces it on small machines. A quarter is left for connections, temporary
// tables and the page cache: a connection of sysbench needs about 1 MiB.
func bufferPool(s engine.Shape) int64 {
	pool := roundDown((s.Available()-reserve)/4*3, 128*mib)
	if pool <= stockPool {
		return 0
	}
	return pool
}

// redoBytes is the capacity of the redo log in bytes for a shape; 0 where the server's default
// of 100 MiB is enough, or the size of the volume is unknown.
//
//	redo log = 1/4 of the buffer pool, at most 1/16 of the volume, at most 4 GiB, in whole 2 MiB
//
// A full log forces pages out of the buffer pool: with 100 MiB a server with much memory
// writes each page over and over. MySQL's innodb_dedicated_server takes about half of
// the pool (8.0.30); it is less here, because a snapshot of the volume holds the log
// twice and every reset copies it.
func redoBytes(s engine.Shape) int64 {
	redo := min(bufferPool(s)/4, s.DataBytes/16, maxRedo) / (2 * mib) * (2 * mib)
	if redo <= stockRedo {
		return 0
	}
	return redo
}

// blockCache is the block cache of RocksDB in bytes for a shape.
//
//	cache = 1/2 x (memory - data in memory - 512 MiB), rounded down to 1 GiB (32 MiB below 1 GiB), at least 32 MiB
//
// RocksDB's default of 512 MiB does not fit into a small machine and is too small for a large
// one. The share is half, because memtables (two of 64 MiB for each column family) and the
// page cache, through which RocksDB reads compressed blocks, need memory too. (Callaghan,
// "Tuning the RocksDB block cache", 2016: 20 % where the data fits into neither cache, all
// where it fits into the block cache.)
func blockCache(s engine.Shape) int64 {
	return max(roundDown((s.Available()-reserve)/2, 32*mib), minBlockCache)
}

// Defaults are the settings for a shape. redoLog is the name of the setting for the capacity
// of the redo log. With RocksDB its cache gets the memory, and InnoDB, which holds only the
// system tables, keeps its defaults.
func Defaults(s engine.Shape, storageEngine, redoLog string) []contract.Setting {
	if storageEngine == RocksDB {
		return []contract.Setting{engine.Number("rocksdb_block_cache_size", blockCache(s))}
	}
	var out []contract.Setting
	if pool := bufferPool(s); pool > 0 {
		out = append(out, engine.Number("innodb_buffer_pool_size", pool))
	}
	if redo := redoBytes(s); redo > 0 {
		out = append(out, engine.Number(redoLog, redo))
	}
	return out
}

// Stock are the default limits of a server; of several versions, the lowest.
type Stock struct {
	Connections, PreparedStatements, OpenTables int64
}

// Limits are the settings that raise the server's limits to a demand, each with some headroom.
// open_files_limit is not among them: every server of the family derives it from
// max_connections and table_open_cache, and logs a warning when the pod does not allow it.
func Limits(d contract.Demand, stock Stock) []contract.Setting {
	return slices.Concat(
		engine.Raised("max_connections", d.Connections, stock.Connections, 0),
		engine.Raised("max_prepared_stmt_count", d.PreparedStatements, stock.PreparedStatements, 0),
		// The version is unknown here, and another version may have twice as much by default.
		engine.Raised("table_open_cache", d.Tables, stock.OpenTables, 2*stock.OpenTables))
}
