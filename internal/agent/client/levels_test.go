package client

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// The levels are in what real servers answered: lines of server/status-before.txt in the raw outputs of docs/evidence/mariadb-mysql.assay.tar
// (trials 0 and 1). The list of MySQL is beside its status variables, for an account that may read it.
func TestLevelsOfRealServers(t *testing.T) {
	const mysql = "Innodb_buffer_pool_bytes_dirty\t3620864\nInnodb_buffer_pool_pages_dirty\t221\n" +
		"Innodb_redo_log_checkpoint_lsn\t24931206\nInnodb_redo_log_current_lsn\t27269480\nInnodb_redo_log_flushed_to_disk_lsn\t27269450\n"
	const mariadb = "Innodb_buffer_pool_bytes_dirty\t11042816\nInnodb_buffer_pool_pages_dirty\t674\nInnodb_checkpoint_age\t6111561\n" +
		"Innodb_history_list_length\t475\nInnodb_lsn_current\t6155965\nInnodb_lsn_flushed\t6155965\nInnodb_lsn_last_checkpoint\t44404\n"
	level := func(numbers ...*int64) *contract.Level {
		return &contract.Level{CheckpointAgeBytes: numbers[0], DirtyBytes: numbers[1], HistoryLength: numbers[2]}
	}
	n := func(n int64) *int64 { return &n }
	tests := map[string]struct {
		version, comment, engine, status string
		want                             *contract.Level
	}{
		"MySQL":                              {"9.7.4-2", "(Debian)", "", mysql, level(n(2338274), n(3620864), nil)},
		"MySQL that tells the history list":  {"9.7.4-2", "(Debian)", "", mysql + "trx_rseg_history_len\t497\n", level(n(2338274), n(3620864), n(497))},
		"MySQL before its log had positions": {"8.0.29", "(Debian)", "", "Innodb_buffer_pool_bytes_dirty\t3620864\n", level(nil, n(3620864), nil)},
		"MariaDB":                            {"10.11.19-MariaDB-0+deb12u1", "Debian 12", "", mariadb, level(n(6111561), n(11042816), n(475))},
		"Percona Server that tells it among its status": {"8.4.5-5", "Percona Server (GPL), Release 5", "", mysql + "Innodb_history_list_length\t12\n", level(n(2338274), n(3620864), n(12))},
		"a checkpoint that overtook the log":            {"9.7.4-2", "(Debian)", "", "Innodb_redo_log_checkpoint_lsn\t9\nInnodb_redo_log_current_lsn\t8\n", nil},
		"a gauge that is no number":                     {"9.7.4-2", "(Debian)", "", "Innodb_buffer_pool_bytes_dirty\tmany\n", nil},
		"RocksDB, of which nothing is known":            {"10.11.19-MariaDB-0+deb12u1", "Debian 12", "ROCKSDB", mariadb, nil},
		"a server that only speaks the protocol":        {"8.0.11-TiDB-v8.5.1", "TiDB Server", "", mysql, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			status := map[string]string{}
			for line := range strings.Lines(tc.status) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), "\t")
				status[name] = value
			}
			facts := serverFacts{server: &contract.Server{Version: tc.version, VersionComment: tc.comment, Variables: map[string]string{"default_storage_engine": "InnoDB"}}}
			if diff := cmp.Diff(tc.want, levelOf(facts, tc.engine, status)); diff != "" {
				t.Errorf("level (-want +got):\n%s", diff)
			}
		})
	}
}
