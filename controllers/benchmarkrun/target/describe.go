package target

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
	"github.com/assay-bench/assay/internal/trial/validity"
)

// maxListed bounds the lists of settings in the status.
const maxListed = 40

// Description is what a server said of itself when its data was loaded.
type Description struct {
	// Status of the target, with what the server said.
	Status v1alpha1.TargetStatus
	// CPUModel of its node; empty where nobody could look.
	CPUModel string
	// Findings about where that differs from what was asked for; all of them.
	Findings []v1alpha1.Finding
}

// Describe a target of the run, whose status is st, by the result of loading it. provided are the
// facts of the flavor that Assay provides; zero for an external target.
func Describe(run *v1alpha1.BenchmarkRun, st v1alpha1.TargetStatus, res contract.Result, provided engine.Facts) Description {
	out := Description{Status: *st.DeepCopy()}
	if res.Target != nil {
		out.CPUModel = res.Target.Machine.CPUModel
		describeStorage(&out.Status, res.Target)
	}
	if res.Server == nil {
		return out
	}
	out.Status.ServerVersion = res.Server.Version
	describeConnection(&out.Status, res.Server)
	out.Status.Durability = durabilityOf(*res.Server)
	out.leaveOutVaried(run, *res.Server)
	out.Status.NonDefault = nil
	for _, name := range slices.Sorted(maps.Keys(res.Server.NonDefault)) {
		if len(out.Status.NonDefault) < maxListed && !run.Spec.Varies(name) {
			out.Status.NonDefault = append(out.Status.NonDefault, v1alpha1.ServerSetting{Name: name, Value: shorten(res.Server.NonDefault[name])})
		}
	}
	out.compareSettings(run, res.Server.Variables, provided.Unshown)
	return out
}

// leaveOutVaried: what the server had for the load is that of no trial, and neither is what a commit cost then. The parameters of
// each trial have its own.
func (d *Description) leaveOutVaried(run *v1alpha1.BenchmarkRun, server contract.Server) {
	d.Status.Durability = slices.DeleteFunc(d.Status.Durability, func(s v1alpha1.ServerSetting) bool { return run.Spec.Varies(s.Name) })
	if slices.ContainsFunc(validity.CommitCosts(server), run.Spec.Varies) {
		d.Status.FsyncsPerCommit = ""
	}
}

// describeStorage describes where the data of a database pod lies.
func describeStorage(st *v1alpha1.TargetStatus, env *contract.Environment) {
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
	st.FsyncsPerCommit = ""
	if n, known := validity.FlushesPerCommit(*server); known {
		st.FsyncsPerCommit = strconv.FormatFloat(n, 'f', 2, 64)
	}
}

// microseconds are seconds to the microsecond: probes are not more exact.
func microseconds(seconds float64) string {
	return strconv.FormatFloat(seconds, 'f', 6, 64)
}

// compareSettings lists the settings that the server ignored or changed, whoever asked
// for them.
func (d *Description) compareSettings(run *v1alpha1.BenchmarkRun, variables map[string]string, hidden func(name string) bool) {
	st := &d.Status
	st.Differences = nil
	t := run.Target(st.Name).MySQL
	if t == nil {
		return
	}
	var asked []contract.Setting
	sources := map[string]v1alpha1.SettingSource{}
	for _, set := range run.ResolvedTarget(st.Name).Settings {
		asked = append(asked, contract.Setting{Name: set.Name, Value: set.Value})
		sources[set.Name] = set.Source
	}
	for _, diff := range settings.Differences(settings.Requested(asked, t.StorageEngine), variables, hidden) {
		source := sources[diff.Name]
		if len(st.Differences) < maxListed {
			st.Differences = append(st.Differences, v1alpha1.SettingDifference{
				Name: diff.Name, Requested: diff.Requested, Effective: diff.Effective, Source: source,
			})
		}
		effective := "it has no such variable"
		if diff.Effective != nil {
			effective = "it uses " + *diff.Effective
		}
		by := ""
		if source != "" && source != v1alpha1.SourceSpec {
			by = fmt.Sprintf(" (source %s)", source)
		}
		d.Findings = append(d.Findings, v1alpha1.Finding{
			Target: st.Name, Check: "effective-settings", Severity: string(validity.Warning),
			Message: fmt.Sprintf("the server was asked for %s = %s%s, but %s", diff.Name, diff.Requested, by, effective),
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
