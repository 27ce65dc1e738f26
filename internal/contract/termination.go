package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// TerminationVersion names the format of Termination. A reader refuses any other.
const TerminationVersion = "assay.dev/termination/v1"

// maxTermination is how much of a termination message Kubernetes keeps, in bytes.
const maxTermination = 4096

// Termination is the termination message of `agent client`. It reaches the
// manager on another way than the result, so that the two confirm each other.
type Termination struct {
	// Version is always TerminationVersion.
	Version string `json:"version"`
	// SHA256 is the Digest of the bytes under KeyResult; empty when no result
	// could be delivered.
	SHA256 string `json:"sha256,omitempty"`
	// State is that of the result.
	State State `json:"state"`
	// Reason is set exactly when State is Failed.
	Reason Reason `json:"reason,omitempty"`
	// Message is for people, set with Reason.
	Message string `json:"message,omitempty"`
}

// Encode gives JSON that Kubernetes keeps whole: a message that is too long loses
// its end.
func (t Termination) Encode() []byte {
	return fitMessage(t.Message, func(message string) any { t.Message = message; return t })
}

// fitMessage marshals what with returns for a message that is as long as
// Kubernetes keeps.
func fitMessage(message string, with func(message string) any) []byte {
	for {
		out, err := json.Marshal(with(message))
		if err != nil {
			// Strings always marshal.
			panic(fmt.Sprintf("encode termination: %v", err))
		}
		over := len(out) - maxTermination
		if over <= 0 || message == "" {
			return out
		}
		// JSON writes up to six bytes for one; to cut too little is to cut again.
		message = CutTo(message, len(message)-max(over/6, 1))
	}
}

// ParseTermination reads a termination message. A container that was killed left
// none, or one by another hand: both are errors.
func ParseTermination(message []byte) (Termination, error) {
	var t Termination
	if len(message) == 0 {
		return t, errors.New("termination message: empty: the container was killed, or is not an agent's")
	}
	if err := json.Unmarshal(message, &t); err != nil {
		return Termination{}, fmt.Errorf("termination message: %w", err)
	}
	switch {
	case t.Version != TerminationVersion:
		return Termination{}, fmt.Errorf("termination message: version: got %q, want %q: use an agent and a manager of the same release",
			t.Version, TerminationVersion)
	case t.State == Succeeded && t.SHA256 != "":
	case t.State == Failed && t.Reason != "":
	default:
		return Termination{}, fmt.Errorf("termination message: state %q with reason %q and digest %q contradicts itself", t.State, t.Reason, t.SHA256)
	}
	return t, nil
}

// CutTo keeps the first n bytes, or fewer so that no character is torn.
func CutTo(s string, n int) string {
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
