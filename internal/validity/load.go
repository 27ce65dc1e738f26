package validity

import (
	"fmt"

	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
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
	if r.Server == nil {
		return findings
	}
	if message := unsynced(storageEngineOf(*r.Server), r.Server.Variables); message != "" {
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

// notDurable: MariaDB treats a data directory on the same device as /dev/shm as persistent
// memory, and then never flushes, regardless of its settings.
func notDurable(s contract.Server) string {
	if s.Durability == nil {
		return ""
	}
	d := *s.Durability
	log, ok := promised(storageEngineOf(s), s.Variables)
	synced, counter, known := flushes(log, d.Counters)
	if !ok || !known || synced >= float64(d.Commits) {
		return ""
	}
	return fmt.Sprintf("%s = %s promises that the log is flushed for every commit, but for %d commits the server requested %.0f flushes (%s), and took %.4f s: "+
		"its commits are not durable. Look for memory-mapped in the server's log: MariaDB does that when /dev/shm and the data "+
		"directory are on one device", log.setting, s.Variables[log.setting], d.Commits, synced, counter, d.Seconds)
}
