package validity

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Windows of real servers: trials 0, 1 and 6 of docs/evidence/demo.assay.tar, and trial 3 of docs/gallery/s0-batch-schemes.assay.tar.
func TestDebtOfAWindow(t *testing.T) {
	mysql := func(end, paid, flushed float64) contract.Server {
		return contract.Server{Version: "9.7.4-2", VersionComment: "(Debian)", StatusDelta: map[string]float64{
			"Innodb_redo_log_current_lsn": end, "Innodb_redo_log_checkpoint_lsn": paid, "Innodb_buffer_pool_pages_flushed": flushed, "Innodb_buffer_pool_reads": 3}}
	}
	mariadb := func(end, paid, flushed float64) contract.Server {
		return contract.Server{Version: "10.11.19-MariaDB-0+deb12u1", StatusDelta: map[string]float64{
			"Innodb_lsn_current": end, "Innodb_lsn_last_checkpoint": paid, "Innodb_buffer_pool_pages_flushed": flushed, "Innodb_buffer_pool_reads": 3}}
	}
	const put, later = "the log that waits for its pages to be flushed grew by ", " were flushed: the throughput is without work that comes later"
	old := mysql(1186612, 0, 0)
	old.Version = "8.0.29"
	tests := map[string]struct {
		server contract.Server
		engine string
		want   string
	}{
		"MySQL that flushed nothing":            {mysql(1186612, 0, 0), "", put + "1.19 MB, of 1.19 MB that were written to it, and 0 pages" + later},
		"MySQL that flushed pages":              {mysql(841144, 0, 71), "", put + "0.841 MB, of 0.841 MB that were written to it, and 71 pages" + later},
		"MariaDB that flushed nothing":          {mariadb(590814, 0, 0), "", put + "0.591 MB, of 0.591 MB that were written to it, and 0 pages" + later},
		"MariaDB that paid for a third":         {mariadb(21548708, 14969635, 312), "", ""},
		"a window that pays for earlier ones":   {mariadb(21548708, 40000000, 312), "", ""},
		"a server that writes for itself alone": {mariadb(60000, 0, 0), "", ""},
		"MySQL before its log had positions":    {old, "", ""},
		"another storage engine":                {mysql(1186612, 0, 0), "ROCKSDB", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.server.Variables = map[string]string{"default_storage_engine": "InnoDB", "innodb_buffer_pool_size": "134217728"}
			if diff := cmp.Diff(tc.want, debt(contract.Result{Server: &tc.server}, runner.Expectations{StorageEngine: tc.engine})); diff != "" {
				t.Errorf("debt (-want +got):\n%s", diff)
			}
		})
	}
}

// A window without a read from the device measures memory.
func TestCachedWhole(t *testing.T) {
	of := func(reads, n float64) contract.Result {
		s := contract.Server{Version: "9.7.4-2", VersionComment: "(Debian)", StatusDelta: map[string]float64{"Innodb_buffer_pool_reads": reads},
			Variables: map[string]string{"default_storage_engine": "InnoDB", "innodb_buffer_pool_size": "134217728"}}
		return contract.Result{Server: &s, Measurements: []contract.Measurement{{Name: contract.NameThroughput, N: new(int64(n))}}}
	}
	tests := map[string]struct {
		result contract.Result
		want   string
	}{
		"no read":                 {of(0, 1000), "no page was read from the device (Innodb_buffer_pool_reads): all data that was used is in memory (innodb_buffer_pool_size = 134217728)"},
		"a read":                  {of(1, 1000), ""},
		"no work":                 {of(0, 0), ""},
		"nobody asked the server": {contract.Result{}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, cachedWhole(tc.result, runner.Expectations{})); diff != "" {
				t.Errorf("in memory (-want +got):\n%s", diff)
			}
		})
	}
}
