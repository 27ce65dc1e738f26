package contract

// TargetReason is the class of the end of a server, or of a refusal, from the documented list.
type TargetReason string

// Reasons for which `agent target` ends.
const (
	// ReasonInitialisationFailed: the data directory or the benchmark's account could not be
	// created.
	ReasonInitialisationFailed TargetReason = "InitialisationFailed"
	// ReasonServerRefusedSetting: the server refused a setting.
	ReasonServerRefusedSetting TargetReason = "ServerRefusedSetting"
	// ReasonServerCrashed: the server ended unexpectedly. A retry can help.
	ReasonServerCrashed TargetReason = "ServerCrashed"
	// ReasonServerKilled: the server was killed by SIGKILL, most likely because memory ran
	// out. A retry can help.
	ReasonServerKilled TargetReason = "ServerKilled"
	// ReasonServerMissing: the image has no server of the flavor that starts, or lacks the
	// storage engine.
	ReasonServerMissing TargetReason = "ServerMissing"
	// ReasonStorageFailed: a volume is full or cannot be written. A retry can help after space
	// is freed.
	ReasonStorageFailed TargetReason = "StorageFailed"
)

// TargetTermination is the termination message of `agent target`.
type TargetTermination struct {
	// Reason is one of the reasons.
	Reason TargetReason `json:"reason"`
	// Message is for people: the failure, the remedy, and the last lines of the server's log.
	Message string `json:"message"`
}

// Encode returns JSON that fits into a termination message; a message that is too long is cut
// at its end.
func (t TargetTermination) Encode() []byte {
	return fitMessage(t.Message, func(message string) any { t.Message = message; return t })
}
