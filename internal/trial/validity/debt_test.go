package validity

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Windows of real servers: trials 0, 1 and 6 of docs/evidence/demo.assay.tar, and trial 3 of a run of batch schemes with libmariadb (23 November 2026).
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

// Windows of real servers of 8 s, in which 4 threads updated single rows: in each first one an open transaction held the purge up.
func TestPurgeOfAWindow(t *testing.T) {
	mysql, mariadb := contract.Server{Version: "9.7.4-2", VersionComment: "(Debian)"}, contract.Server{Version: "11.8.9-MariaDB-0+deb13u1 from Debian"}
	of := func(s contract.Server, begin, end, updates, commits float64) contract.Server {
		s.Levels = &contract.Levels{Begin: &contract.Level{HistoryLength: new(int64(begin))}, End: &contract.Level{HistoryLength: new(int64(end))}}
		s.StatusDelta = map[string]float64{"Com_update": updates, "Com_commit": commits}
		return s
	}
	const grew, later = "the history list of transactions that wait to be purged grew by ", ": the throughput is without work that comes later"
	begin, end := of(mysql, 519, 21641, 21647, 0), of(mysql, 519, 21641, 21647, 0)
	begin.Levels.Begin, end.Levels.End = nil, nil
	lost := of(mysql, 519, 21641, 21647, 0)
	lost.StatusDelta = nil
	both := of(mysql, 519, 21641, 21647, 0)
	both.StatusDelta["Innodb_redo_log_current_lsn"], both.StatusDelta["Innodb_redo_log_checkpoint_lsn"] = 1186612, 0
	tests := map[string]struct {
		server contract.Server
		want   string
	}{
		"MySQL whose purge is held up":                 {of(mysql, 519, 21641, 21647, 0), grew + "21,122, beside 21,647 writing statements" + later},
		"MySQL that purges":                            {of(mysql, 30, 476, 25792, 0), ""},
		"MariaDB whose purge is held up":               {of(mariadb, 21, 64017, 63998, 0), grew + "63,996, beside 63,998 writing statements" + later},
		"MariaDB that purges":                          {of(mariadb, 23, 2652, 48866, 0), ""},
		"transactions of several statements":           {of(mysql, 0, 9000, 40000, 10000), grew + "9,000, beside 10,000 COMMITs" + later},
		"purge that keeps up with half of them":        {of(mysql, 0, 10000, 20000, 0), ""},
		"a short window, in which purge begins":        {of(mariadb, 0, 1686, 1700, 0), ""},
		"a window that purges what was there":          {of(mysql, 21646, 15648, 20000, 0), ""},
		"nobody told the list at the begin":            {begin, ""},
		"nobody told the list at the end":              {end, ""},
		"a server that was restarted in between":       {lost, ""},
		"neither pages nor old versions are done with": {both, "the log that waits for its pages to be flushed grew by 1.19 MB, of 1.19 MB that were written to it; " + grew + "21,122, beside 21,647 writing statements" + later},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			tc.server.Variables = map[string]string{"default_storage_engine": "InnoDB"}
			if diff := cmp.Diff(tc.want, debt(contract.Result{Server: &tc.server}, runner.Expectations{})); diff != "" {
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
