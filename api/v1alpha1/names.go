package v1alpha1

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Labels of everything that belongs to a run.
const (
	// LabelManagedBy has the value ManagedBy on every object that Assay makes.
	LabelManagedBy = "app.kubernetes.io/managed-by"
	// ManagedBy is the value of LabelManagedBy.
	ManagedBy = "assay"
	// LabelRun is the name of the run.
	LabelRun = "assay.dev/run"
	// LabelRole is one of the roles.
	LabelRole = "assay.dev/role"
	// LabelTarget is the name of the target.
	LabelTarget = "assay.dev/target"
	// LabelPhase is the phase of a client's Job: Prepare, Run or Cleanup.
	LabelPhase = "assay.dev/phase"
	// LabelTrial is the index of the trial in the plan.
	LabelTrial = "assay.dev/trial"
)

// Roles of a run's pods and objects.
const (
	RoleTarget = "target"
	RoleClient = "client"
	RoleTrial  = "trial"
	RoleResult = "result"
)

// Annotations.
const (
	// AnnotationReady is set by a client on its result ConfigMap when it can start.
	AnnotationReady = "assay.dev/ready"
)

// Keys in a trial's ConfigMap.
const (
	// KeyTrial holds the trial's JSON.
	KeyTrial = "trial.json"
	// KeyStart holds the published start time (RFC 3339 with nanoseconds).
	KeyStart = "start"
)

// Keys in a target's Secret.
const (
	KeyUsername = "username"
	KeyPassword = "password"
	KeyCA       = "ca.crt"
	KeyCert     = "tls.crt"
	KeyKey      = "tls.key"
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
	sum := sha256.Sum256([]byte(run))
	mark := hex.EncodeToString(sum[:4])
	keep := max(maxChildName-len(suffix)-len(mark)-2, 1)
	return run[:keep] + "-" + mark + "-" + suffix
}

// TargetName is the name of a target's StatefulSet, Service, Secret, ConfigMap,
// NetworkPolicy and PodDisruptionBudget.
func TargetName(run, target string) string { return ChildName(run, target+"-db") }

// ClientName is the name of the ServiceAccount, Role and RoleBinding of a run's
// client pods.
func ClientName(run string) string { return ChildName(run, "assay-client") }

// LoadName is the name of the Job that loads a target, and of its trial ConfigMap.
func LoadName(run, target string) string { return ChildName(run, target+"-load") }

// CleanupName is the name of the Job that cleans a target up.
func CleanupName(run, target string) string { return ChildName(run, target+"-cleanup") }

// TrialName is the name of a trial's Job and of its trial ConfigMap.
func TrialName(run string, index int32) string {
	return ChildName(run, fmt.Sprintf("trial-%05d", index))
}

// ResultName is the name of the result ConfigMap of one client of a Job.
func ResultName(job string, client int) string { return fmt.Sprintf("%s-result-%d", job, client) }
