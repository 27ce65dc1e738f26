package runner

import "encoding/json"

// Turn is one step of a conversation with a tool. Beside the tool the agent has a
// connection to the server of its own, on which it makes ready what the tool works on, and
// looks at what the tool did: a tool is not believed.
type Turn struct {
	// Needs are the indexes of earlier turns that have to have gone well; otherwise the
	// agent leaves this one out.
	Needs []int
	// Unsupported looks at what became of the turns before, and returns why the tool cannot do
	// this one, such as that it did not name it among what it can do; then nothing of the turn
	// is done. Empty: the tool can. Nil: nothing is to be looked at.
	Unsupported func(before []Exchange) string
	// Setup are statements that the agent executes before the request.
	Setup []string
	// Request is a JSON object; nil: nothing is said to the tool.
	Request json.RawMessage
	// Brief: the transcript has only the SHA-256 of the request, which follows from the trial.
	Brief bool
	// Counters are status variables of the server, by its own names, that are read just before
	// the request and just after the answer. Not every server has all.
	Counters []string
	// Questions are queries of one row that the agent puts to the server after the answer.
	Questions []string
}

// Exchange is what became of a Turn. It is one line of the transcript among the raw output.
type Exchange struct {
	// Turn is the index in Command.Dialogue.
	Turn int `json:"turn"`
	// Skipped: a turn that this one needs did not go well.
	Skipped bool `json:"skipped,omitempty"`
	// Unsupported is why the tool was not asked, from Turn.Unsupported.
	Unsupported string `json:"unsupported,omitempty"`
	// Error is that of the server, to a statement or question of the agent; what comes after
	// it in the turn was left out.
	Error string `json:"error,omitempty"`
	// Request as it was sent, or a text with its SHA-256.
	Request json.RawMessage `json:"request,omitempty"`
	// Answer of the tool; nil when it gave none. A line that is no JSON is a text here.
	Answer json.RawMessage `json:"answer,omitempty"`
	// Counters of the server: the differences over the request, those of the agent's own
	// connection taken off; names in lower case.
	Counters map[string]int64 `json:"counters,omitempty"`
	// Rows are the answers of the server to the questions; a value is nil for NULL.
	Rows [][]*string `json:"rows,omitempty"`
}

// WentWell says that no error was met, and that the tool, if it was asked, could do it.
func (x Exchange) WentWell(t Turn) bool {
	if x.Skipped || x.Unsupported != "" || x.Error != "" {
		return false
	}
	if t.Request == nil {
		return true
	}
	var answer struct {
		State string `json:"state"`
	}
	return json.Unmarshal(x.Answer, &answer) == nil && answer.State == "ok"
}
