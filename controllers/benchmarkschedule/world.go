package benchmarkschedule

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// World is what a pass decides from. gather fills it in; nobody changes it afterwards.
type World struct {
	// Schedule as the API server has it.
	Schedule *v1alpha1.BenchmarkSchedule
	// Now is the time of the pass.
	Now time.Time
	// Runs of the schedule.
	Runs []Run
	// Gone are active runs of the status that somebody deleted.
	Gone []string
	// Inputs are the template and what it names; the zero value without onChange.
	Inputs Inputs
	// History of the schedule; empty for one without a ConfigMap.
	History contract.History
	// HistoryVersion is the version of its ConfigMap; empty for none. HistorySHA256 is the digest of the history.
	HistoryVersion, HistorySHA256 string
	// HistoryImmutable: somebody made the ConfigMap immutable, so that it has to be made anew. HistoryUID is its UID.
	HistoryImmutable bool
	HistoryUID       types.UID
	// HistoryOwned: it goes with the schedule.
	HistoryOwned bool
	// HistoryBytes of etcd are what the ConfigMap takes, whatever is in it.
	HistoryBytes int64
	// HistoryReason and HistoryError are why the history cannot be used; empty where it can.
	HistoryReason, HistoryError string
	// Ended are entries of runs that have ended and are not in the history.
	Ended []contract.PastRun
	// MoreEnded: there are others, for the next pass.
	MoreEnded bool
}

// Run of a schedule.
type Run struct {
	Name string
	UID  types.UID
	// Created is when.
	Created time.Time
	// Scheduled is the time that it was started for; zero for another trigger.
	Scheduled time.Time
	// Change is the token of the change that it measures; empty for none.
	Change string
	// Replaces are the UIDs of the runs that are deleted for it.
	Replaces []string
	// Ended, at Completed, with or without success.
	Ended     bool
	Completed time.Time
	Succeeded bool
	// Deleting: it is on its way out.
	Deleting bool
}

// Inputs are what a template names.
type Inputs struct {
	// Digest of the template's spec and of what it names; empty where something is missing. The spec is as the status knows
	// it, if it was not written since.
	Digest string
	// Fresh is the Digest with the spec as this manager reads it, and SpecDigest that of the spec alone.
	Fresh, SpecDigest string
	// Images whose tags were looked up, in the order of their names.
	Images []v1alpha1.SeenImage
	// Asked: there are images to be looked up. Unresolved is why one could not be; empty where all could.
	Asked      bool
	Unresolved string
	// Reason and Message of what is missing.
	Reason, Message string
}
