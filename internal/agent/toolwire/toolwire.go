// Package toolwire is what the agent and the supervisor say to each other: HTTP/2 over one
// connection, which the supervisor opens to the agent's socket before any tool runs. Over it the
// agent is the client and the supervisor the server, because the agent gives the orders.
//
// The supervisor lives in the container of the tool, and may be the tool's by the time it
// answers. So the agent believes no answer: each has a limit of bytes and of time here or in
// package toolside.
package toolwire

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Version of this protocol. Both sides are of one release: another version is refused.
const Version = "assay.dev/tool/v2"

// Limits of what travels.
const (
	// MaxOrder is the maximum size of an order, in bytes: the files of a workload and more.
	MaxOrder = 16 << 20
	// MaxAnswer is the maximum size of an answer, except for files and a dialogue, in bytes.
	MaxAnswer = 256 << 10
	// MaxOutput is the maximum size of the output of a command with all its files, in bytes.
	MaxOutput = 64 << 20
	// MaxFiles is the maximum number of files that a command leaves, in addition to its output.
	MaxFiles = 256
)

// Names of the files with the output of a command. Those that it wrote itself are below
// DirFiles.
const (
	Stdout   = "stdout.txt"
	Stderr   = "stderr.txt"
	DirFiles = "files"
)

// Paths of the orders. %s is the name of a command.
const (
	// PathHello is the first order, a Greeting; the answer is a Hello.
	PathHello  = "/hello"
	PathUsage  = "/usage"
	PathWindow = "/usage/window"
	PathSpeed  = "/speed"
	// PathRelay orders a Relay, and answers with its port on loopback.
	PathRelay     = "/relay"
	PathOpenFiles = "/open-files"
	PathCommand   = "/commands/%s"
	// PathStart orders the start at an instant of the wall clock (a time.Time); one that has passed: at once. The answer
	// is the Instant of the start.
	PathStart = "/commands/%s/start"
	PathEnd   = "/commands/%s/end"
	// PathStop takes the time between SIGTERM and SIGKILL (a time.Duration).
	PathStop     = "/commands/%s/stop"
	PathDialogue = "/commands/%s/dialogue"
	PathFile     = "/commands/%s/files/"
)

// QueryTail of PathFile asks for so many bytes at the end of a file.
const QueryTail = "tail"

// Greeting is the first order to a supervisor.
type Greeting struct {
	// CPUs that the tool keeps to; nil for all.
	CPUs *contract.CPUs `json:"cpus,omitempty"`
}

// Hello is the first answer of a supervisor.
type Hello struct {
	// Version of the protocol.
	Version string `json:"version"`
	// Limits of the tool's container, with the CPUs that it keeps to.
	Limits contract.Limits `json:"limits"`
}

// Command is a program that is made ready to start.
type Command struct {
	// Path of the program, looked up in the PATH of the tool's container.
	Path string `json:"path"`
	// Args without the program's name.
	Args []string `json:"args,omitempty"`
	// Env are variables in addition to those of the tool's container.
	Env map[string]string `json:"env,omitempty"`
	// Files to write before the start, relative to the working directory.
	Files map[string][]byte `json:"files,omitempty"`
	// Collect are patterns of the files of the working directory that belong to the output.
	// Such files of an earlier command are removed.
	Collect []string `json:"collect,omitempty"`
	// Dialogue: the standard input and output are streams of PathDialogue.
	Dialogue bool `json:"dialogue,omitempty"`
}

// Ended says how a command ended.
type Ended struct {
	At Instant `json:"at"`
	// Code is the exit code; -1 for a process that died by a signal.
	Code int `json:"code"`
	// Signal that ended it, such as SIGKILL; empty for none.
	Signal string `json:"signal,omitempty"`
	// Voluntary and Involuntary context switches of all its threads; absent if unknown.
	Voluntary   *int64 `json:"voluntary,omitempty"`
	Involuntary *int64 `json:"involuntary,omitempty"`
	// Files of its output.
	Files []File `json:"files"`
}

// File is one file of an output.
type File struct {
	// Name with slashes: Stdout, Stderr, or a name below DirFiles.
	Name string `json:"name"`
	// Size in bytes.
	Size int64 `json:"size"`
}

// Relay orders a delay of round trips.
type Relay struct {
	// Target is the address of the server.
	Target string `json:"target"`
	// Delay of a round trip, in nanoseconds.
	Delay time.Duration `json:"delay"`
}

// OpenFiles are limits of open files (RLIMIT_NOFILE).
type OpenFiles struct {
	// Now is the present limit, and Most the highest that may be set.
	Now  uint64 `json:"now"`
	Most uint64 `json:"most"`
}

// Window has the first and the last sample of a window; they are absent where there are none. Gap
// is absent if no sample of it was late.
type Window struct {
	Samples *contract.UsageWindow `json:"samples,omitempty"`
	Gap     *contract.Gap         `json:"gap,omitempty"`
}

// Refusal is the body of an answer without success.
type Refusal struct {
	Message string `json:"message"`
}

// Instant is a time of the kernel's monotonic clock in nanoseconds, which all containers of a
// pod share.
type Instant int64

// Now is this instant.
func Now() Instant {
	var t unix.Timespec
	// It cannot fail for this clock.
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return Instant(t.Nano())
}

// Time is the instant on the clocks of this process, not before earliest and not after now.
func (i Instant) Time(earliest time.Time) time.Time {
	now, age := time.Now(), Now()-i
	age = max(0, min(age, Instant(now.Sub(earliest))))
	return now.Add(-time.Duration(age))
}

// Decode reads one JSON document of at most limit bytes.
func Decode(r io.Reader, limit int64, into any) error {
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return err
	}
	if int64(len(text)) > limit {
		return fmt.Errorf("more than %d bytes", limit)
	}
	return json.Unmarshal(text, into)
}
