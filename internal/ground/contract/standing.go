package contract

import "fmt"

// Annotations between the manager and clients that stand: those that measure one trial after the other.
const (
	// AnnotationNext, on the ConfigMap of clients that stand, is the name of the trial that they are to carry out, or NoTrial. The
	// manager sets it.
	AnnotationNext = "assay.dev/next"
	// AnnotationClients, on the ConfigMap of a trial, is the Job of clients that stood when the trial was made. Others may have taken
	// their place: those have the name of the trial (StandingName).
	AnnotationClients = "assay.dev/clients"
	// AnnotationTold, on a result ConfigMap, is what a client leaves of a trial that leaves the termination message of its pod
	// otherwise: a Termination with its time. The client sets it when it is done with the trial.
	AnnotationTold = "assay.dev/told"
)

// NoTrial tells clients that stand that there are no more trials.
const NoTrial = "-"

// StandingName is the name of the Job of clients that stand, and of their ConfigMap: that of the first attempt that they carry out.
func StandingName(run string, index, attempt int32) string {
	return ChildName(run, again(fmt.Sprintf("clients-%05d", index), attempt))
}

// StandingLookName is the name of the Job of clients that stand and begin with a look at the data of a target, and of their ConfigMap, after
// the run gave its nodes back so many times.
func StandingLookName(run, target string, releases int32) string {
	return ChildName(run, again(target+"-clients", releases)) // a target may be called clients-TARGET, so that the kind is behind it
}
