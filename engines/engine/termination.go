package engine

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Reason is the class of the end of a server, or of a refusal, from one documented
// list.
type Reason string

// Reasons for which `agent target` ends. Where a second try can help is said.
const (
	// ReasonInitialisationFailed: no usable data directory could be made, or the
	// benchmark's account could not.
	ReasonInitialisationFailed Reason = "InitialisationFailed"
	// ReasonServerRefusedSetting: the server refused a setting.
	ReasonServerRefusedSetting Reason = "ServerRefusedSetting"
	// ReasonServerCrashed: the server ended without being told to. A second try
	// can help.
	ReasonServerCrashed Reason = "ServerCrashed"
	// ReasonServerKilled: the server died by SIGKILL, most likely for want of
	// memory. A second try can help.
	ReasonServerKilled Reason = "ServerKilled"
	// ReasonServerMissing: the image has no server of the flavor that can run, or lacks
	// the storage engine.
	ReasonServerMissing Reason = "ServerMissing"
	// ReasonStorageFailed: a volume is full or cannot be written. A second try can
	// help once there is room.
	ReasonStorageFailed Reason = "StorageFailed"
)

// maxTermination is how much of a termination message Kubernetes keeps, in bytes.
const maxTermination = 4096

// Termination is the termination message of `agent target`.
type Termination struct {
	// Reason is one of the reasons.
	Reason Reason `json:"reason"`
	// Message is for people: what happened, what to do, and the last lines of the
	// server's log.
	Message string `json:"message"`
}

// Encode gives JSON that Kubernetes keeps whole: a message that is too long loses
// its end.
func (t Termination) Encode() []byte {
	for {
		out, err := json.Marshal(t)
		if err != nil {
			// Two strings always marshal.
			panic(fmt.Sprintf("encode termination: %v", err))
		}
		over := len(out) - maxTermination
		if over <= 0 || t.Message == "" {
			return out
		}
		// JSON writes up to six bytes for one; to cut too little is to cut again.
		t.Message = cutTo(t.Message, len(t.Message)-max(over/6, 1))
	}
}

// cutTo keeps the first n bytes, or fewer so that no character is torn.
func cutTo(s string, n int) string {
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
