package benchmarkrun

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"

	"github.com/assay-bench/assay/internal/contract"
	"github.com/assay-bench/assay/internal/settings"
)

// maxListed bounds the lists of settings in the status.
const maxListed = 40

// describeServer puts into the status what the server said of itself, and where it
// differs from what was asked for.
func (s *scope) describeServer(st *v1alpha1.TargetStatus, res *contract.Result) {
	if res == nil {
		return
	}
	if res.Target != nil {
		s.describeMachine(st, res.Target)
	}
	if res.Server == nil {
		return
	}
	st.ServerVersion = res.Server.Version
	describeConnection(st, res.Server)
	st.Durability = durabilityOf(res.Server.Variables)
	st.NonDefault = nil
	for _, name := range slices.Sorted(maps.Keys(res.Server.NonDefault)) {
		if len(st.NonDefault) < maxListed {
			st.NonDefault = append(st.NonDefault, v1alpha1.ServerSetting{Name: name, Value: shorten(res.Server.NonDefault[name])})
		}
	}
	s.compareSettings(st, res.Server.Variables)
}

// describeMachine describes the machine and the storage of the database pod.
func (s *scope) describeMachine(st *v1alpha1.TargetStatus, env *contract.Environment) {
	for i := range s.run.Status.Nodes {
		if n := &s.run.Status.Nodes[i]; n.Name == st.NodeName {
			n.CPUModel = env.Machine.CPUModel
		}
	}
	if env.Storage == nil {
		return
	}
	st.Storage = &v1alpha1.StorageStatus{Filesystem: env.Storage.Filesystem, Device: shorten(env.Storage.Device), WriteCache: env.Storage.WriteCache}
	if fsync := env.Storage.Fsync; fsync != nil {
		st.Storage.FsyncP50Seconds, st.Storage.FsyncP99Seconds = microseconds(fsync.P50Seconds), microseconds(fsync.P99Seconds)
	}
}

// describeConnection describes a session of the benchmark's account.
func describeConnection(st *v1alpha1.TargetStatus, server *contract.Server) {
	st.TLS = nil
	if server.TLSVersion != "" {
		st.TLS = &v1alpha1.TLSStatus{Version: server.TLSVersion, Cipher: server.Cipher}
	}
	if server.RoundTrip != nil {
		st.RoundTripSeconds = microseconds(server.RoundTrip.P50Seconds)
	}
	st.FsyncsPerCommit = commitFsyncs(server.Durability)
}

// logCounters count how often a server forced its log to the device, the most telling
// one first: that of the data counts the log's files too.
var logCounters = map[string][]string{
	"innodb":  {"innodb_os_log_fsyncs", "innodb_data_fsyncs"},
	"rocksdb": {"rocksdb_wal_synced"},
}

// commitFsyncs for each commit; empty where the server does not tell.
func commitFsyncs(d *contract.Durability) string {
	if d == nil || d.Commits <= 0 {
		return ""
	}
	for _, name := range logCounters[strings.ToLower(d.StorageEngine)] {
		if n, told := d.Counters[name]; told {
			return strconv.FormatFloat(float64(n)/float64(d.Commits), 'f', 2, 64)
		}
	}
	return ""
}

// microseconds are seconds to the microsecond: probes are not more exact.
func microseconds(seconds float64) string {
	return strconv.FormatFloat(seconds, 'f', 6, 64)
}

// compareSettings tells which settings the server ignored or changed, whoever asked for
// them.
func (s *scope) compareSettings(st *v1alpha1.TargetStatus, variables map[string]string) {
	st.Differences = nil
	t := s.target(st.Name).MySQL
	if t == nil {
		return
	}
	var asked []contract.Setting
	sources := map[string]v1alpha1.SettingSource{}
	for _, set := range s.resolved(st.Name).Settings {
		asked = append(asked, contract.Setting{Name: set.Name, Value: set.Value})
		sources[set.Name] = set.Source
	}
	for _, d := range settings.Differences(settings.Requested(asked, t.StorageEngine), variables) {
		source := sources[d.Name]
		if len(st.Differences) < maxListed {
			st.Differences = append(st.Differences, v1alpha1.SettingDifference{
				Name: d.Name, Requested: d.Requested, Effective: d.Effective, Source: source,
			})
		}
		effective := "it has no such variable"
		if d.Effective != nil {
			effective = "it uses " + *d.Effective
		}
		by := ""
		if source != "" && source != v1alpha1.SourceSpec {
			by = fmt.Sprintf(" (source %s)", source)
		}
		s.find(v1alpha1.Finding{
			Target: st.Name, Check: "effective-settings", Severity: "Warning",
			Message: fmt.Sprintf("the server was asked for %s = %s%s, but %s", d.Name, d.Requested, by, effective),
		})
	}
}

// shorten cuts values such as optimizer_switch, which are whole in the result.
func shorten(value string) string {
	const most = 120
	if len(value) <= most {
		return value
	}
	return value[:most] + "..."
}
