package contract

import (
	"fmt"
	"strings"
)

// Keys in a trial's ConfigMap.
const (
	// KeyTrial holds the trial's JSON.
	KeyTrial = "trial.json"
	// KeyStart holds the published start time (RFC 3339 with nanoseconds).
	KeyStart = "start"
	// KeyLog, in a result's ConfigMap, holds the last lines of a pod that failed; the
	// name of the container goes before it.
	KeyLog = "log.txt"
)

// Keys of the journal.
const (
	// KeyPlan holds a part of the plan (internal/trial/journal).
	KeyPlan = "plan.json.gz"
	// KeyRecords holds the records of up to 100 attempts at trials.
	KeyRecords = "records.json.gz"
	// KeySummary holds a part of the summary over all cells.
	KeySummary = "summary.json.gz"
)

// Keys of a report's ConfigMap.
const (
	// KeyReport holds the tables of the report as Markdown.
	KeyReport = "report.md"
	// KeyReportSummary holds the document of a run for programs (docs/contracts/cli-run.v1.schema.json).
	KeyReportSummary = "summary.json"
)

// NameReportPage is the name of the page in the object store, in the folder of its run.
const NameReportPage = "report.html"

// KeyHistory, in the ConfigMap of HistoryName, holds the history of a schedule.
const KeyHistory = "history.json.gz"

// Keys of a published target's ConfigMap, and of its copy.
const (
	// KeyQuotedRun holds the tool's output of the measured phase.
	KeyQuotedRun = "run"
	// KeyQuotedLoad holds the tool's output of loading the data.
	KeyQuotedLoad = "load"
	// KeyQuoted, in the copy, holds the parsed numbers (internal/trial/quoted).
	KeyQuoted = "quoted.json"
)

// Keys in a target's Secret.
const (
	KeyUsername = "username"
	KeyPassword = "password"
	KeyCA       = "ca.crt"
	KeyCert     = "tls.crt"
	KeyKey      = "tls.key"
	// KeyAgent is what the requests to the agent of a target that Assay provides are signed with; only agents have it.
	KeyAgent = "agent.key"
	// KeyServerCert and KeyServerKey are the certificate of a server that Assay provides;
	// only the database pod has them.
	KeyServerCert = "server.crt"
	KeyServerKey  = "server.key"
)

// maxChildName leaves room for what Kubernetes appends to the names of pods and
// writes into labels of 63 characters (a StatefulSet's revision: 11).
const maxChildName = 52

// ChildName joins the run's name and a suffix; when that is too long, the run's
// name is cut and marked with a hash, so that two runs never share a child.
func ChildName(run, suffix string) string {
	name := run + "-" + suffix
	if len(name) <= maxChildName {
		return name
	}
	mark := Digest([]byte(run))[:8]
	keep := max(maxChildName-len(suffix)-len(mark)-2, 1)
	return run[:keep] + "-" + mark + "-" + suffix
}

// TargetName is the name of a target's StatefulSet, Service, Secret, ConfigMap, NetworkPolicy and PodDisruptionBudget.
func TargetName(run, target string) string { return ChildName(run, target+"-db") }

// ReplicaName is the name of a replica's StatefulSet, Service, ConfigMap, NetworkPolicy and PodDisruptionBudget.
func ReplicaName(run, target string, index int) string {
	return ChildName(run, fmt.Sprintf("%s-replica-%d", target, index))
}

// TenantServerName is that of the server of a tenant from the second on, where each has one of its own.
func TenantServerName(run, target string, tenant int) string {
	return ChildName(run, fmt.Sprintf("%s-tenant-%d", target, tenant))
}

// ClientName is the name of the ServiceAccount, Role and RoleBinding of a run's client pods.
func ClientName(run string) string { return ChildName(run, "assay-client") }

// LoadName is the name of the Job that loads a target, and of its trial ConfigMap.
func LoadName(run, target string) string { return ChildName(run, target+"-load") }

// ReloadName is the name of the Job that loads a target after the run gave its nodes back so
// many times; that of LoadName for none.
func ReloadName(run, target string, releases int32) string {
	return ChildName(run, again(target+"-load", releases))
}

// CleanupName is the name of the Job that cleans a target up.
func CleanupName(run, target string) string { return ChildName(run, target+"-cleanup") }

// RequestName is the name of the ProvisioningRequest for a pool of nodes, whose first pods are those of a target, or of the clients, which
// have no name; and of the PodTemplate by which nodes of that target, or of the clients, are asked for.
func RequestName(run, target string) string {
	return ChildName(run, strings.TrimSuffix("place-"+target, "-"))
}

// PlaceholderName is the name of a Job that keeps the place of a pod, from 0.
func PlaceholderName(run string, index int) string {
	return ChildName(run, fmt.Sprintf("place-%d", index))
}

// TrialName is the name of the Job of one attempt at a trial and of its trial ConfigMap.
func TrialName(run string, index, attempt int32) string {
	return ChildName(run, again(fmt.Sprintf("trial-%05d", index), attempt))
}

// again is a suffix of what is made anew, after so many times.
func again(suffix string, times int32) string {
	if times == 0 {
		return suffix
	}
	return fmt.Sprintf("%s-r%d", suffix, times)
}

// ResultName is the name of the result ConfigMap of one client of a Job.
func ResultName(job string, client int) string { return fmt.Sprintf("%s-result-%d", job, client) }

// PlanName is the name of a part of the plan, from 0.
func PlanName(run string, part int32) string { return ChildName(run, fmt.Sprintf("plan-%04d", part)) }

// RecordsName is the name of a part of the records of the trials, from 0.
func RecordsName(run string, part int32) string {
	return ChildName(run, fmt.Sprintf("records-%04d", part))
}

// SummaryName is the name of a part of the summary, from 0.
func SummaryName(run string, part int32) string {
	return ChildName(run, fmt.Sprintf("summary-%04d", part))
}

// InputsName is the name of the ConfigMap with the files of the workload.
func InputsName(run string) string { return ChildName(run, "inputs") }

// QuotedName is the name of the ConfigMap with the numbers of a published target.
func QuotedName(run, target string) string { return ChildName(run, target+"-quoted") }

// kindsOfRuns are what kubectl writes before the slash of a run.
var kindsOfRuns = []string{"benchmarkrun.assay.dev/", "benchmarkruns.assay.dev/", "benchmarkrun/", "benchmarkruns/", "bmr/"}

// RunName is the name in KIND/NAME, as kubectl and `kubectl assay run -o name` print it, or the name itself.
func RunName(text string) string {
	for _, kind := range kindsOfRuns {
		if name, is := strings.CutPrefix(text, kind); is && !strings.ContainsAny(name, "/.") { // a path of a bundle has one of these
			return name
		}
	}
	return text
}

// ReportName is the name of the ConfigMap with the report of a run that has ended.
func ReportName(run string) string { return ChildName(run, "report") }

// ScheduledRunName is the name of a run of a schedule, by the pattern of its template and what started the run.
func ScheduledRunName(pattern, schedule, id string) string {
	if pattern == "" {
		pattern = "{schedule}-{id}"
	}
	return strings.NewReplacer("{schedule}", schedule, "{id}", id).Replace(pattern)
}

// maxRunNow is how much of the annotation assay.dev/run-now tells its values apart, in bytes.
const maxRunNow = 200

// RunNow is as much of the value of the annotation assay.dev/run-now as tells values apart.
func RunNow(value string) string { return Cut(value, maxRunNow) }

// RunNowPrefix is what RunNowID begins with.
const RunNowPrefix = "now-"

// RunNowID is the part of the name of a run that a value of the annotation assay.dev/run-now asks a schedule for.
func RunNowID(scheduleUID, value string) string {
	return RunNowPrefix + ShortID(scheduleUID, RunNow(value))
}

// ShortID is a name for a text, of one schedule only.
func ShortID(scheduleUID, text string) string { return Digest([]byte(scheduleUID + " " + text))[:8] }

// HistoryName is the name of the ConfigMap with the history of a schedule. It has a mark of the UID: one that was kept is in the way of
// no other schedule of the name.
func HistoryName(schedule, uid string) string {
	return ChildName(schedule, "history-"+Digest([]byte(uid))[:8])
}
