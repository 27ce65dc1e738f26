// Command resolution plays runs in the cluster that say how small a difference a design finds in so many minutes, and how often it
// sees one where none is. Each design stands beside its control. Plays of a case are added up over days: the figures of each run go
// into a file of the repository, its bundle stays outside.
//
//	resolution -for 30m                  the cases with the fewest plays, as many as end in that time
//	resolution -for 30m "reads-3-*"       those of these cases
//	resolution -table                    the tables of docs/evidence/resolution.md, from the figures; nothing is played
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/assay-bench/assay/internal/agent/environment"
	"github.com/assay-bench/assay/test/helpers/evidence"
)

const (
	// figuresFile and document are in the repository.
	figuresFile = "docs/evidence/resolution.json"
	document    = "docs/evidence/resolution.md"
	namespace   = "assay-resolution"
	// begin of the table in the document.
	begin = "<!-- rows: make bench-resolution writes them -->"
	// around a run: its servers start and its data is loaded, and all of it goes.
	around = 90 * time.Second
	// mostBusy are CPUs that the cluster may use at rest. A kind cluster of three nodes takes 0.31 (internal/trial/validity).
	mostBusy = 0.5
	// looking is how long the machine is looked at before a run, and patience how long it may take to become quiet.
	looking  = 5 * time.Second
	patience = 2 * time.Minute
)

func main() {
	length := flag.Duration("for", 30*time.Minute, "begin no run that would end later")
	bundles := flag.String("bundles", "out/resolution", "the folder for the bundles of the runs")
	table := flag.Bool("table", false, "only write the tables of "+document)
	flag.Parse()
	err := writeTables()
	if !*table && err == nil {
		ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		err = play(ctx, *length, *bundles, flag.Args())
		cancel()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "resolution:", err)
		os.Exit(1)
	}
}

// play the cases that match, until the time is over.
func play(ctx context.Context, length time.Duration, bundles string, patterns []string) error {
	chosen, err := matching(patterns)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(bundles, 0o755); err != nil {
		return err
	}
	for end := time.Now().Add(length); ; {
		all, err := load(figuresFile)
		if err != nil {
			return err
		}
		c := fewest(chosen, all)
		if time.Now().Add(c.Length + around).After(end) {
			fmt.Printf("the next run, %s, would end after the time that there is\n", c.Name)
			return nil
		}
		f, err := playOne(ctx, c, bundles, 1+plays(c, all))
		if err != nil {
			return err
		}
		if err := save(figuresFile, append(all, f)); err != nil {
			return err
		}
		if err := writeTables(); err != nil {
			return err
		}
		fmt.Printf("%s, play %d: %.4f (%.4f to %.4f), p %.2g, %d blocks in %.0f s, which vary by %.1f %% %s\n",
			f.Case, f.Play, f.Ratio, f.Low, f.High, f.P, f.Blocks, f.Seconds, 100*f.Spread, f.NoVerdict)
	}
}

// matching are the cases whose names match a pattern; all without one.
func matching(patterns []string) (out []Case, err error) {
	for _, c := range cases {
		is := len(patterns) == 0
		for _, p := range patterns {
			ok, err := path.Match(p, c.Name)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p, err)
			}
			is = is || ok
		}
		if is {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no case matches %s", strings.Join(patterns, ", "))
	}
	return out, nil
}

func plays(c Case, all []Figures) (n int) {
	for _, f := range all {
		if f.Case == c.Name {
			n = max(n, f.Play)
		}
	}
	return n
}

// fewest is the case with the fewest plays, the first of them.
func fewest(chosen []Case, all []Figures) Case {
	return slices.MinFunc(chosen, func(a, b Case) int { return plays(a, all) - plays(b, all) })
}

// playOne plays a case once, on a quiet machine.
func playOne(ctx context.Context, c Case, bundles string, n int) (Figures, error) {
	if err := quiet(ctx); err != nil {
		return Figures{}, err
	}
	name := c.run(n)
	base := filepath.Join(bundles, name)
	if err := os.WriteFile(base+".yaml", []byte(c.Manifest(n)), 0o600); err != nil {
		return Figures{}, err
	}
	fmt.Printf("%s, play %d: %s\n", c.Name, n, c.Length)
	// The exit code is that of the verdict; whether the run is good for anything, its bundle tells.
	if err := command(ctx, base+".txt", "out/bin/kubectl-assay", "-n", namespace, "run", "-f", base+".yaml"); err != nil && ctx.Err() != nil {
		return Figures{}, err
	}
	bundle := base + ".assay.tar"
	if err := command(ctx, "", "out/bin/kubectl-assay", "-n", namespace, "export", name, "--bundle", "-o", bundle); err != nil {
		return Figures{}, err
	}
	f, err := figuresOf(ctx, bundle, name)
	if err != nil {
		return Figures{}, err
	}
	machine := environment.Reader{}.Machine()
	f.Case, f.Play, f.Manifest, f.Date, f.Commit = c.Name, n, c.Digest(), time.Now().UTC().Truncate(time.Second), evidence.Commit()
	f.Machine = fmt.Sprintf("%d cores, %s, Linux %s", len(environment.Reader{}.Cores()), machine.CPUModel, machine.Kernel)
	return f, command(ctx, "", "kubectl", "-n", namespace, "delete", "benchmarkrun", name, "--cascade=foreground", "--wait")
}

// quiet waits until nothing but the cluster works on the machine.
func quiet(ctx context.Context) error {
	var r environment.Reader
	for end := time.Now().Add(patience); ; {
		before := r.Usage(0)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(looking):
		}
		after := r.Usage(0)
		if before.NodeCPUSeconds == nil || after.NodeCPUSeconds == nil {
			return errors.New("/proc/stat does not tell how busy this machine is")
		}
		busy := (*after.NodeCPUSeconds - *before.NodeCPUSeconds) / after.At.Sub(before.At).Seconds()
		if busy <= mostBusy {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("this machine is not quiet: %.2f CPUs are busy without a run, and %.2f is what a cluster takes: end the other work", busy, mostBusy)
		}
	}
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

// writeTables of the document.
func writeTables() error {
	all, err := load(figuresFile)
	if err != nil {
		return err
	}
	old, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	text, err := evidence.Replace(string(old), begin, tables(all))
	if err != nil {
		return err
	}
	return os.WriteFile(document, []byte(text), 0o644) //nolint:gosec // a page of the repository
}
