package target

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestDescribe(t *testing.T) {
	full := contract.Result{
		Server: &contract.Server{
			Version: "9.7.1", VersionComment: "(Debian)", TLSVersion: "TLSv1.3", Cipher: "TLS_AES_256_GCM_SHA384", RoundTrip: &contract.Probe{P50Seconds: 0.0001424},
			Durability: &contract.Durability{StorageEngine: "InnoDB", Commits: 50, Counters: map[string]int64{"innodb_data_fsyncs": 120, "innodb_os_log_fsyncs": 50}},
		},
		Target: &contract.Environment{Storage: &contract.Storage{
			Filesystem: "ext4", Device: "/dev/nvme1n1", Fsync: &contract.Probe{P50Seconds: 0.00051, P99Seconds: 0.002},
		}},
	}
	tests := map[string]struct {
		res  contract.Result
		want v1alpha1.TargetStatus
	}{
		"all that can be known": {full, v1alpha1.TargetStatus{
			Name: "db", ServerVersion: "9.7.1", TLS: &v1alpha1.TLSStatus{Version: "TLSv1.3", Cipher: "TLS_AES_256_GCM_SHA384"}, RoundTripSeconds: "0.000142", FsyncsPerCommit: "1.00",
			Storage: &v1alpha1.StorageStatus{Filesystem: "ext4", Device: "/dev/nvme1n1", FsyncP50Seconds: "0.000510", FsyncP99Seconds: "0.002000"},
		}},
		"a server without TLS that tells of nothing": {
			contract.Result{Server: &contract.Server{Version: "5.7.22", Durability: &contract.Durability{StorageEngine: "InnoDB", Commits: 50}}},
			v1alpha1.TargetStatus{Name: "db", ServerVersion: "5.7.22"},
		},
		"a log that is never forced": {
			contract.Result{Server: &contract.Server{Version: "11.8.6-MariaDB", Durability: &contract.Durability{StorageEngine: "ROCKSDB", Commits: 50, Counters: map[string]int64{"rocksdb_wal_synced": 0}}}},
			v1alpha1.TargetStatus{Name: "db", ServerVersion: "11.8.6-MariaDB", FsyncsPerCommit: "0.00"},
		},
		"the counters of a server that is not known mean nothing": {
			contract.Result{Server: &contract.Server{Version: "8.0.33", VersionComment: "Another", Variables: map[string]string{"log_bin": "ON"},
				Durability: &contract.Durability{StorageEngine: "InnoDB", Commits: 50, Counters: map[string]int64{"innodb_data_fsyncs": 120}}}},
			v1alpha1.TargetStatus{Name: "db", ServerVersion: "8.0.33"},
		},
		"a server that nobody can ask": {contract.Result{}, v1alpha1.TargetStatus{Name: "db"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := Describe(&v1alpha1.BenchmarkRun{}, v1alpha1.TargetStatus{Name: "db"}, tt.res, engine.Facts{})
			if diff := cmp.Diff(Description{Status: tt.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A setting that varies has no one value, and what a commit cost before the load is not what it costs in the trials.
func TestDescribeLeavesOutWhatVaries(t *testing.T) {
	res := contract.Result{Server: &contract.Server{
		Version: "11.8.6-MariaDB", Variables: map[string]string{"sync_binlog": "0", "log_bin": "OFF"}, NonDefault: map[string]string{"back_log": "80", "port": "3306"},
		Durability: &contract.Durability{StorageEngine: "InnoDB", Commits: 50, Counters: map[string]int64{"innodb_os_log_fsyncs": 50}},
	}}
	for name, tc := range map[string]struct {
		varies, flushes string
		want            []v1alpha1.ServerSetting
	}{
		"nothing":               {"threads", "1.00", []v1alpha1.ServerSetting{{Name: "log_bin", Value: "OFF"}, {Name: "sync_binlog", Value: "0"}, {Name: "back_log", Value: "80"}, {Name: "port", Value: "3306"}}},
		"what a commit costs":   {"config.sync_binlog", "", []v1alpha1.ServerSetting{{Name: "log_bin", Value: "OFF"}, {Name: "back_log", Value: "80"}, {Name: "port", Value: "3306"}}},
		"what is no default":    {"config.back_log", "1.00", []v1alpha1.ServerSetting{{Name: "log_bin", Value: "OFF"}, {Name: "sync_binlog", Value: "0"}, {Name: "port", Value: "3306"}}},
		"what the server hides": {"config.no_such", "1.00", []v1alpha1.ServerSetting{{Name: "log_bin", Value: "OFF"}, {Name: "sync_binlog", Value: "0"}, {Name: "back_log", Value: "80"}, {Name: "port", Value: "3306"}}},
	} {
		t.Run(name, func(t *testing.T) {
			run := &v1alpha1.BenchmarkRun{Spec: v1alpha1.BenchmarkRunSpec{Matrix: []v1alpha1.Axis{{Name: tc.varies}}}}
			got := Describe(run, v1alpha1.TargetStatus{Name: "db"}, res, engine.Facts{}).Status
			if diff := cmp.Diff(tc.want, append(got.Durability, got.NonDefault...)); diff != "" || got.FsyncsPerCommit != tc.flushes {
				t.Errorf("flushes %q (-want +got):\n%s", got.FsyncsPerCommit, diff)
			}
		})
	}
}
