package target

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/assay-bench/assay/engines/engine"
)

// inputs are what the manager said, checked.
type inputs struct {
	target   engine.Target
	password string
	engine   engine.Engine
}

// loadInputs reads and checks the target and the password. The settings are
// validated again: the file may be older than the rules.
func loadInputs(o Options) (inputs, error) {
	var in inputs
	data, err := os.ReadFile(o.TargetFile)
	if err != nil {
		return in, fail(engine.ReasonInitialisationFailed, "reading the target: %v", err)
	}
	if err := json.Unmarshal(data, &in.target); err != nil {
		return in, fail(engine.ReasonInitialisationFailed, "%s: %v", o.TargetFile, err)
	}
	t := in.target
	if t.Version != engine.TargetVersion {
		return in, fail(engine.ReasonInitialisationFailed, "%s: version: got %q, want %q: use an agent and a manager of the same release",
			o.TargetFile, t.Version, engine.TargetVersion)
	}
	if t.Database == "" || t.Username == "" || t.StorageEngine == "" || t.Port < 1 || t.Port > 65535 {
		return in, fail(engine.ReasonInitialisationFailed, "%s: database, username, storageEngine and port (1 to 65535) are needed", o.TargetFile)
	}
	password, err := os.ReadFile(o.PasswordFile)
	if err != nil {
		return in, fail(engine.ReasonInitialisationFailed, "reading the password: %v", err)
	}
	if in.password = string(password); in.password == "" {
		return in, fail(engine.ReasonInitialisationFailed, "%s: the password is empty", o.PasswordFile)
	}
	e, known := o.Engine(t.Flavor)
	if !known {
		return in, fail(engine.ReasonServerMissing, "the agent has no engine %q", t.Flavor)
	}
	in.engine = e
	if refusals := engine.Validate(e, "settings", t.Settings); len(refusals) > 0 {
		return in, fail(engine.ReasonConfigurationRejected, "%v", errors.Join(refusals...))
	}
	return in, nil
}

// failure is the end of the agent, with the reason that the manager reads.
type failure struct {
	engine.Termination
}

func (f *failure) Error() string { return fmt.Sprintf("%s: %s", f.Reason, f.Message) }

func fail(reason engine.Reason, format string, args ...any) error {
	return &failure{engine.Termination{Reason: reason, Message: fmt.Sprintf(format, args...)}}
}

// maxLog is how much of the server's log goes into a termination message, in bytes.
const maxLog = 2 << 10

// failWithLog adds the last lines of the server's log.
func failWithLog(reason engine.Reason, lines []string, format string, args ...any) error {
	text := strings.Join(lines, "\n")
	if over := len(text) - maxLog; over > 0 {
		text = text[over:]
		if _, rest, ok := strings.Cut(text, "\n"); ok {
			text = rest
		}
		text = strings.ToValidUTF8(text, "")
	}
	message := fmt.Sprintf(format, args...)
	if text != "" {
		message += ". The last lines of its log:\n" + text
	}
	return fail(reason, "%s", message)
}
