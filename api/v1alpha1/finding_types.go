package v1alpha1

// Severities of findings.
const (
	// SeverityInvalid: the result contradicts itself, and is not part of the summary.
	SeverityInvalid = "Invalid"
	// SeverityDisturbed: interference during the measurement. The result is not part of the
	// summary.
	SeverityDisturbed = "Disturbed"
	// SeverityWarning: the result is part of the summary, with a doubt.
	SeverityWarning = "Warning"
	// SeverityNote: a fact beside the result, without a doubt.
	SeverityNote = "Note"
)

// MaxFindings is how many findings a status keeps: MaxItems of status.findings.
const MaxFindings = 20

// Finding is the result of a validity check.
type Finding struct {
	// trial is the index of the trial that the finding is about; absent for one about the
	// whole run.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Trial *int32 `json:"trial,omitempty"`
	// client is the index of the client that the finding is about, where a trial has several.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Client *int32 `json:"client,omitempty"`
	// target that the finding is about.
	// +optional
	Target Name `json:"target,omitempty"`
	// check is the name of the validity check, see docs/reference/checks.md.
	// +required
	Check Name `json:"check"`
	// severity is Invalid (the result contradicts itself; not part of the summary), Disturbed
	// (interference during the measurement; not part of the summary), Warning (part of the
	// summary, with a doubt) or Note (a fact, without a doubt).
	// +required
	// +kubebuilder:validation:Enum=Invalid;Disturbed;Warning;Note
	Severity string `json:"severity"`
	// message for people, with the numbers.
	// +required
	// +kubebuilder:validation:MaxLength=4096
	Message string `json:"message"`
}
