package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
)

// TerminationVersion names the format of Termination. A reader refuses any other.
const TerminationVersion = "assay.dev/termination/v1"

// maxTermination is the limit of Kubernetes for a termination message, in bytes.
const maxTermination = 4096

// Termination is the termination message of `agent client`. It reaches the manager by another
// way than the result, so each confirms the other.
type Termination struct {
	// Version is always TerminationVersion.
	Version string `json:"version"`
	// SHA256 is the Digest of the bytes under KeyResult; empty when no result could be delivered.
	SHA256 string `json:"sha256,omitempty"`
	// State is that of the result.
	State State `json:"state"`
	// Reason is set exactly when State is Failed.
	Reason Reason `json:"reason,omitempty"`
	// Message is for people, set with Reason.
	Message string `json:"message,omitempty"`
	// NotUploaded says why not all objects of the result reached the store, in at most 1000
	// bytes; empty when they did, or when there were none.
	NotUploaded string `json:"notUploaded,omitempty"`
	// At is when the client was done, where no kubelet says so (AnnotationTold); nil otherwise.
	At *time.Time `json:"at,omitempty"`
}

// Encode returns JSON that fits into a termination message; a message that is too long is cut at its end.
func (t Termination) Encode() []byte {
	return fitMessage(t.Message, func(message string) any { t.Message = message; return t })
}

// fitMessage marshals the value of with for the longest message that fits into a termination message.
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
		// JSON needs up to six bytes for one byte, so one cut may not be enough.
		message = CutTo(message, len(message)-max(over/6, 1))
	}
}

// ParseTermination reads a termination message. An empty message (the container was killed)
// and one that the agent did not write are errors.
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

// CutTo keeps the first n bytes, or fewer to keep the last character whole.
func CutTo(s string, n int) string {
	if n = max(n, 0); n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
