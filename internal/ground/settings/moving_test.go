package settings

import "testing"

func TestMoves(t *testing.T) {
	for name, want := range map[string]bool{
		"gtid_executed": true, "GTID_Binlog_Pos": true, "timestamp": true, "innodb_buffer_pool_dump_status": true,
		"innodb_buffer_pool_size": false, "innodb_io_capacity_max": false, "": false,
	} {
		if got := Moves(name); got != want {
			t.Errorf("Moves(%q) = %v, want %v", name, got, want)
		}
	}
}
