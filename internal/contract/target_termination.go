package contract

// TargetReason is the class of the end of a server, or of a refusal, from one documented
// list.
type TargetReason string

// Reasons for which `agent target` ends. Where a second try can help is said.
const (
	// ReasonInitialisationFailed: no usable data directory could be made, or the
	// benchmark's account could not.
	ReasonInitialisationFailed TargetReason = "InitialisationFailed"
	// ReasonServerRefusedSetting: the server refused a setting.
	ReasonServerRefusedSetting TargetReason = "ServerRefusedSetting"
	// ReasonServerCrashed: the server ended without being told to. A second try
	// can help.
	ReasonServerCrashed TargetReason = "ServerCrashed"
	// ReasonServerKilled: the server died by SIGKILL, most likely for want of
	// memory. A second try can help.
	ReasonServerKilled TargetReason = "ServerKilled"
	// ReasonServerMissing: the image has no server of the flavor that can run, or lacks
	// the storage engine.
	ReasonServerMissing TargetReason = "ServerMissing"
	// ReasonStorageFailed: a volume is full or cannot be written. A second try can
	// help once there is room.
	ReasonStorageFailed TargetReason = "StorageFailed"
)

// TargetTermination is the termination message of `agent target`.
type TargetTermination struct {
	// Reason is one of the reasons.
	Reason TargetReason `json:"reason"`
	// Message is for people: what happened, what to do, and the last lines of the
	// server's log.
	Message string `json:"message"`
}

// Encode gives JSON that Kubernetes keeps whole: a message that is too long loses
// its end.
func (t TargetTermination) Encode() []byte {
	return fitMessage(t.Message, func(message string) any { t.Message = message; return t })
}
