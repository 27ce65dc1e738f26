// Package plays runs manifests in the cluster that this checkout made, one after the other, for programs whose figures are added up over
// days. In: a manifest. Out: the bundle of its run, outside of the repository. It waits for a machine on which nothing but the cluster
// works, and refuses one that does not become quiet. Figures of runs are lists in files of the repository, one run in a line.
package plays

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/assay-bench/assay/internal/agent/environment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/internal/record/stored"
)

const (
	// mostBusy are CPUs that the cluster may use at rest. A kind cluster of three nodes takes 0.31 (internal/trial/validity).
	mostBusy = 0.5
	// looking is how long the machine is looked at before a run, and patience how long it may take to become quiet.
	looking  = 5 * time.Second
	patience = 2 * time.Minute
)

// Play of a manifest.
type Play struct {
	// Namespace of the run, and Folder of what it leaves: manifest, output and bundle.
	Namespace, Folder string
	// Name of the run, which is that in the manifest.
	Name string
	// Manifest of the run.
	Manifest string
}

// Done is what is known of a play besides its bundle.
type Done struct {
	// Bundle is its path. A run that was refused has none, and NoBundle is why.
	Bundle, NoBundle string
	// Began when the machine was quiet.
	Began time.Time
	// Before and After are the CPUs of the machine that were busy without the run.
	Before, After float64
	// Disturbed says that the machine did not become quiet again after the run; empty if it did.
	Disturbed string
}

// Run plays on a quiet machine, and looks at it again when the run has ended. The exit code of the run is that of its verdict, and decides
// nothing here: whether the run is good for anything, its bundle tells. The run stays in the cluster until Remove.
func (p Play) Run(ctx context.Context) (d Done, err error) {
	if d.Before, err = quiet(ctx, patience); err != nil {
		return d, err
	}
	d.Began = time.Now()
	if err := os.MkdirAll(p.Folder, 0o755); err != nil {
		return d, err
	}
	base := filepath.Join(p.Folder, p.Name)
	if err := os.WriteFile(base+".yaml", []byte(p.Manifest), 0o600); err != nil {
		return d, err
	}
	if err := command(ctx, base+".txt", "out/bin/kubectl-assay", "-n", p.Namespace, "run", "-f", base+".yaml"); err != nil && ctx.Err() != nil {
		return d, err
	}
	d.Bundle = base + ".assay.tar"
	if err := command(ctx, "", "out/bin/kubectl-assay", "-n", p.Namespace, "export", p.Name, "--bundle", "-o", d.Bundle); err != nil {
		d.Bundle, d.NoBundle = "", err.Error()
		return d, ctx.Err()
	}
	var busy *BusyError
	if d.After, err = quiet(ctx, patience); errors.As(err, &busy) {
		d.Disturbed, err = "after the run: "+err.Error(), nil
	}
	return d, err
}

// Read the run of a play from its bundle, without its results (With). It fails for a run of another name.
func Read(ctx context.Context, path, name string) (run *stored.Run, err error) {
	err = With(ctx, path, name, func(r *stored.Run) error {
		run = r
		return nil
	})
	return run, err
}

// Digest of what is played: figures of another one are of something else.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}

// With the run of a play from its bundle, do something. Its results can be read until that returns. It fails for a run of another name.
func With(ctx context.Context, path, name string, do func(*stored.Run) error) error {
	b, err := bundle.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	run, err := stored.Read(ctx, b)
	if err != nil {
		return err
	}
	if run.Object.Name != name {
		return fmt.Errorf("%s has the run %s, not %s", path, run.Object.Name, name)
	}
	return do(run)
}

// Remove the run, if it is there, with all that belongs to it.
func (p Play) Remove(ctx context.Context) error {
	return command(ctx, "", "kubectl", "-n", p.Namespace, "delete", "benchmarkrun", p.Name, "--ignore-not-found", "--cascade=foreground", "--wait")
}

// Machine that plays, in words.
func Machine() string {
	r := environment.Reader{}
	machine := r.Machine()
	return fmt.Sprintf("%d cores, %s, Linux %s", len(r.Cores()), machine.CPUModel, machine.Kernel)
}

// BusyError is the error for a machine that does not become quiet.
type BusyError struct {
	// CPUs that are busy.
	CPUs float64
}

// Error has the number and the limit.
func (e *BusyError) Error() string {
	return fmt.Sprintf("this machine is not quiet: %.2f CPUs are busy without a run, and %.2f is what a cluster takes: end the other work", e.CPUs, mostBusy)
}

// quiet waits until nothing but the cluster works on the machine, and returns the CPUs that are busy then. It fails with a BusyError.
func quiet(ctx context.Context, patience time.Duration) (float64, error) {
	var r environment.Reader
	for end := time.Now().Add(patience); ; {
		before := r.Usage(0)
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(looking):
		}
		busy, err := busyBetween(before, r.Usage(0))
		if err != nil || busy <= mostBusy {
			return busy, err
		}
		if time.Now().After(end) {
			return busy, &BusyError{busy}
		}
	}
}

// busyBetween two looks at the machine, in CPUs.
func busyBetween(before, after contract.Usage) (float64, error) {
	if before.NodeCPUSeconds == nil || after.NodeCPUSeconds == nil {
		return 0, errors.New("/proc/stat does not tell how busy this machine is")
	}
	return (*after.NodeCPUSeconds - *before.NodeCPUSeconds) / after.At.Sub(before.At).Seconds(), nil
}

// command runs a program; its output goes into a file, if one is named, and into the error.
func command(ctx context.Context, output, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	text, err := cmd.CombinedOutput()
	if output != "" {
		if err := os.WriteFile(output, text, 0o600); err != nil {
			return err
		}
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, text)
	}
	return nil
}

// Load the figures of earlier plays; none of a file that is not there.
func Load[T any](path string) (all []T, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return all, nil
}

// Save figures, one run in a line.
func Save[T any](path string, all []T) error {
	text := []byte("[\n")
	for i, f := range all {
		line, err := json.Marshal(f)
		if err != nil {
			return err
		}
		text = append(append(text, "  "...), line...)
		if i < len(all)-1 {
			text = append(text, ',')
		}
		text = append(text, '\n')
	}
	// What is there is never half written.
	draft := path + ".new"
	if err := os.WriteFile(draft, append(text, "]\n"...), 0o644); err != nil { //nolint:gosec // a file of the repository
		return err
	}
	return os.Rename(draft, path)
}
