package contract

// TargetReason is the class of the end of a server, or of a refusal, from the documented list.
type TargetReason string

// Reasons for which `agent target` ends, as in api/v1alpha1/reasons.go.
const (
	ReasonInitialisationFailed TargetReason = "InitialisationFailed"
	ReasonServerRefusedSetting TargetReason = "ServerRefusedSetting"
	ReasonServerCrashed        TargetReason = "ServerCrashed"
	ReasonServerKilled         TargetReason = "ServerKilled"
	ReasonServerMissing        TargetReason = "ServerMissing"
	ReasonStorageFailed        TargetReason = "StorageFailed"
	ReasonVolumeUnfit          TargetReason = "RetainedVolumeUnfit"
)

// TargetTermination is the termination message of `agent target`.
type TargetTermination struct {
	// Reason is one of the reasons.
	Reason TargetReason `json:"reason"`
	// Message is for people: the failure, the remedy, and the last lines of the server's log.
	Message string `json:"message"`
}

// Encode returns JSON that fits into a termination message; a message that is too long is cut at its end.
func (t TargetTermination) Encode() []byte {
	return fitMessage(t.Message, func(message string) any { t.Message = message; return t })
}
