package validity

import (
	"fmt"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// CheckLoad checks the result of the phase Prepare against the settings of the target. Its
// findings apply to every trial of the target.
func CheckLoad(r contract.Result) []Finding {
	if r.State != contract.Succeeded || r.Trial.Phase != string(contract.PhasePrepare) {
		return nil
	}
	var findings []Finding
	if message := unchecked(r, runner.Expectations{}); message != "" {
		findings = append(findings, Finding{Check: "checksum", Severity: Warning, Message: message})
	}
	if r.Data != nil && r.Data.DataSet != nil && r.Data.DataSet.NotKept != "" {
		findings = append(findings, Finding{Check: "data-set-not-kept", Severity: Warning, Message: fmt.Sprintf(
			"the data that was loaded serves this run, and no archive of the data set %s could be made of it: %s", r.Data.DataSet.Name, r.Data.DataSet.NotKept)})
	}
	if r.Server == nil {
		return findings
	}
	if r.Server.Version != "" && !engines.Of(*r.Server).Known() {
		findings = append(findings, Finding{Check: "server-unknown", Severity: Note, Message: fmt.Sprintf(
			"the server says that it is %q (version_comment %q), which is no flavor that Assay knows: what its counters and settings mean is not known, "+
				"so that changed rows, the durability of commits and the costs of its storage are not checked", r.Server.Version, r.Server.VersionComment)})
	}
	if message := unsynced(*r.Server); message != "" {
		findings = append(findings, Finding{Check: "binary-log", Severity: Note, Message: message})
	}
	if message := notDurable(*r.Server); message != "" {
		severity := Invalid
		// Storage in memory is not durable by definition.
		if r.Target != nil && r.Target.Storage != nil && inMemory(r.Target.Storage.Filesystem) {
			severity = Warning
		}
		findings = append(findings, Finding{Check: "durability", Severity: severity, Message: message})
	}
	return findings
}

// storageEngineOf the tables, as far as it is known.
func storageEngineOf(s contract.Server) string {
	if s.Durability != nil && s.Durability.StorageEngine != "" {
		return s.Durability.StorageEngine
	}
	return s.Variables["default_storage_engine"]
}

func inMemory(filesystem string) bool { return filesystem == "tmpfs" || filesystem == "ramfs" }

// notDurable: the settings promise a flush for every commit, and there were fewer.
func notDurable(s contract.Server) string {
	if s.Durability == nil {
		return ""
	}
	d := *s.Durability
	log, ok := promised(s, storageEngineOf(s))
	synced, counter, known := flushes(log, d.Counters)
	if !ok || !known || synced >= float64(d.Commits) {
		return ""
	}
	text := fmt.Sprintf("%s = %s promises that the log is flushed for every commit, but for %d commits the server requested %.0f flushes (%s), and took %.4f s: "+
		"its commits are not durable", log.CommitSetting, s.Variables[log.CommitSetting], d.Commits, synced, counter, d.Seconds)
	if why := engines.Of(s).Facts.NotFlushing; why != "" {
		text += ". " + why
	}
	return text
}
