// Command reproduce plays the small forms of the published experiments in the cluster, separate runs of each with a new start of the
// servers in each block, and writes docs/evidence/reproductions: a page for each source, with a verdict for each of its claims. It is played
// in pieces, and goes on where the last time ended: the figures of each run go into a file of the repository, its bundle stays outside.
//
//	reproduce -for 30m             the sources with the fewest runs, as many as end in that time
//	reproduce -for 30m s3-node      this source alone
//	reproduce -page                the pages of what was played, from the figures; nothing is played
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/test/cmd/reproduce/claims"
	"github.com/assay-bench/assay/test/helpers/evidence"
	"github.com/assay-bench/assay/test/helpers/plays"
)

const (
	// pages are in the repository, beside the figures that they are made of.
	pages     = "docs/evidence/reproductions"
	sources   = "test/cmd/reproduce/sources"
	namespace = "assay-reproduce"
	// index of the pages, and the beginning of its list.
	index = "docs/evidence/reproductions.md"
	begin = "<!-- rows: make reproduce writes them -->"
	// atFirst is what a run is taken to need before one was played.
	atFirst = 15 * time.Minute
	// slack is by how much a run may take longer than the longest before it.
	slack = 1.1
	// mostFailed runs of a source in a row, which are good for nothing, end its plays.
	mostFailed = 2
)

func main() {
	length := flag.Duration("for", 30*time.Minute, "begin no run that would end later")
	bundles := flag.String("bundles", "out/reproduce", "the folder for the bundles of the runs")
	page := flag.Bool("page", false, "only write the pages of "+pages)
	flag.Parse()
	commit := evidence.Commit() // the images were just built of this tree
	all, err := readSources(".", flag.Args())
	if err == nil {
		err = writePages(all)
	}
	if !*page && err == nil {
		ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		err = play(ctx, all, *bundles, commit, time.Now().Add(*length))
		cancel()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "reproduce:", err)
		os.Exit(1)
	}
}

// play the sources until the end, or until each has its runs.
func play(ctx context.Context, all []source, bundles, commit string, end time.Time) error {
	for {
		for i := range all {
			var err error
			if all[i].runs, err = plays.Load[claims.Run](all[i].figures()); err != nil {
				return err
			}
			all[i].machine = plays.Machine()
		}
		s, why := next(all, time.Until(end))
		if s == nil {
			fmt.Println(why)
			return nil
		}
		if err := s.play(ctx, bundles, commit); err != nil {
			return err
		}
		if err := writePages(all); err != nil {
			return err
		}
	}
}

// next is the source with the fewest runs of those whose run ends in the time that is left, the first of them; nil and why there is none.
// One whose runs are good for nothing has its turn with the others, until mostFailed of them.
func next(all []source, left time.Duration) (out *source, why string) {
	why = "each source has its runs"
	for i := range all {
		s := &all[i]
		switch {
		case s.good() >= s.Runs:
		case s.failed() >= mostFailed:
			why = fmt.Sprintf("the last %d runs of %s are good for nothing: see %s, and take them out of it to play on", mostFailed, s.name, s.figures())
		case s.takes() > left:
			why = fmt.Sprintf("the next run, of %s, takes about %s, and would end after the time that there is", s.name, s.takes().Round(time.Minute))
		case out == nil || cmp.Or(cmp.Compare(s.good(), out.good()), cmp.Compare(len(s.runs), len(out.runs))) < 0:
			out = s
		}
	}
	return out, why
}

// play a source once, on a quiet machine, and keep its figures.
func (s *source) play(ctx context.Context, bundles, commit string) error {
	n := 1
	for _, r := range s.runs {
		n = max(n, r.Play+1)
	}
	text, err := s.manifest(n)
	if err != nil {
		return err
	}
	one := plays.Play{Namespace: namespace, Folder: bundles, Name: s.run(n), Manifest: text}
	fmt.Printf("%s, run %d: about %s\n", s.name, n, s.takes().Round(time.Minute))
	done, err := one.Run(ctx)
	if err != nil {
		return err
	}
	run, err := s.measure(ctx, done.Bundle, one.Name)
	if err != nil {
		return err
	}
	run.Play, run.Manifest, run.Date = n, s.digest, time.Now().UTC().Truncate(time.Second)
	run.Commit, run.Machine, run.Busy = commit, s.machine, []float64{done.Before, done.After}
	run.Seconds, run.NoVerdict = time.Since(done.Began).Round(time.Second).Seconds(), cmp.Or(run.NoVerdict, done.Disturbed)
	if err := os.MkdirAll(pages, 0o755); err != nil {
		return err
	}
	if err := plays.Save(s.figures(), append(s.runs, run)); err != nil {
		return err
	}
	fmt.Printf("%s, run %d: %d trials, %d left out, %.0f s %s\n", s.name, n, run.Trials, run.LeftOut, run.Seconds, run.NoVerdict)
	return one.Remove(ctx)
}

// measure what the bundle of a run tells. It fails for another run.
func (s *source) measure(ctx context.Context, path, name string) (claims.Run, error) {
	b, err := bundle.Open(path)
	if err != nil {
		return claims.Run{}, err
	}
	defer func() { _ = b.Close() }()
	run, err := stored.Read(ctx, b)
	if err != nil {
		return claims.Run{}, err
	}
	if run.Object.Name != name {
		return claims.Run{}, fmt.Errorf("%s has the run %s, not %s", path, run.Object.Name, name)
	}
	return claims.Measure(s.claims, run), nil
}

// writePages of the sources that were played, and the list of them.
func writePages(all []source) error {
	for _, s := range all {
		runs, err := plays.Load[claims.Run](s.figures())
		if err != nil {
			return err
		}
		if len(runs) == 0 {
			continue
		}
		text, err := s.text(runs)
		if err != nil {
			return err
		}
		if err := os.WriteFile(s.page(), []byte(text), 0o644); err != nil { //nolint:gosec // a page of the repository
			return err
		}
	}
	written, err := filepath.Glob(filepath.Join(pages, "*.md"))
	if err != nil {
		return err
	}
	list := "None yet."
	if len(written) > 0 {
		list = ""
	}
	for _, path := range written {
		name := filepath.Base(path)
		list += fmt.Sprintf("- [%s](%s/%s)\n", strings.TrimSuffix(name, ".md"), filepath.Base(pages), name)
	}
	old, err := os.ReadFile(index)
	if err != nil {
		return err
	}
	text, err := evidence.Replace(string(old), begin, strings.TrimSuffix(list, "\n"))
	if err != nil {
		return err
	}
	return os.WriteFile(index, []byte(text), 0o644) //nolint:gosec // a page of the repository
}
