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
	"os/signal"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/assay-bench/assay/test/helpers/evidence"
	"github.com/assay-bench/assay/test/helpers/plays"
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
	for end := time.Now().Add(length); ; {
		all, err := plays.Load[Figures](figuresFile)
		if err != nil {
			return err
		}
		c := fewest(chosen, all)
		if time.Now().Add(c.Length + around).After(end) {
			fmt.Printf("the next run, %s, would end after the time that there is\n", c.Name)
			return nil
		}
		f, err := playOne(ctx, c, bundles, 1+played(c, all))
		if err != nil {
			return err
		}
		if err := plays.Save(figuresFile, append(all, f)); err != nil {
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

// played is the number of the last play of a case.
func played(c Case, all []Figures) (n int) {
	for _, f := range all {
		if f.Case == c.Name {
			n = max(n, f.Play)
		}
	}
	return n
}

// fewest is the case with the fewest plays, the first of them.
func fewest(chosen []Case, all []Figures) Case {
	return slices.MinFunc(chosen, func(a, b Case) int { return played(a, all) - played(b, all) })
}

// playOne plays a case once, on a quiet machine.
func playOne(ctx context.Context, c Case, bundles string, n int) (Figures, error) {
	one := plays.Play{Namespace: namespace, Folder: bundles, Name: c.run(n), Manifest: c.Manifest(n)}
	fmt.Printf("%s, play %d: %s\n", c.Name, n, c.Length)
	done, err := one.Run(ctx)
	if err != nil {
		return Figures{}, err
	}
	if why := done.NoBundle + done.Disturbed; why != "" {
		return Figures{}, errors.New(why)
	}
	f, err := figuresOf(ctx, done.Bundle, one.Name)
	if err != nil {
		return Figures{}, err
	}
	f.Case, f.Play, f.Manifest, f.Date = c.Name, n, c.Digest(), time.Now().UTC().Truncate(time.Second)
	f.Commit, f.Machine = evidence.Commit(), plays.Machine()
	return f, one.Remove(ctx)
}

// writeTables of the document.
func writeTables() error {
	all, err := plays.Load[Figures](figuresFile)
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
