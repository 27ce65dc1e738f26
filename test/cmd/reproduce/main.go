// Command reproduce plays the small forms of the published experiments in the cluster, separate runs of each with a new start of the
// servers in each block, and writes docs/evidence/reproductions: a page for each source, with a verdict for each of its claims, and the
// charts of the source. It is played in pieces, and goes on where the last time ended: the figures of each run go into a file of the
// repository. Its bundle stays outside, but the last good one of each source, reduced, which is that of docs/gallery, with its manifest.
//
//	reproduce -for 30m             the sources with the fewest runs, as many as end in that time
//	reproduce -for 30m s3-node      this source alone
//	reproduce -page                the pages of what was played, from the figures; nothing is played
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
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
	// gallery has the last good run of each source.
	gallery = "docs/gallery"
	// index of the pages, and the beginning of its list.
	index = "docs/evidence/reproductions.md"
	begin = "<!-- rows: make reproduce writes them -->"
	// atFirst is what a run is taken to need before one was played.
	atFirst = 15 * time.Minute
	// slack is by how much a run may take longer than the longest before it.
	slack = 1.1
	// mostFailed runs of a source in a row, which are good for nothing, end its plays for a while.
	mostFailed = 2
	forAWhile  = 12 * time.Hour
)

// tallied is the line of a page that says how many rows have which verdict.
var tallied = regexp.MustCompile(`(?m)^(Of .* tested|No claim was tested).*$`)

func main() {
	length := flag.Duration("for", 30*time.Minute, "begin no run that would end later")
	bundles := flag.String("bundles", "out/reproduce", "the folder for the bundles of the runs")
	page := flag.Bool("page", false, "only write the pages of "+pages)
	flag.Parse()
	commit := evidence.Commit() // the images were just built of this tree
	all, err := readSources(".", flag.Args())
	if err == nil {
		err = writePages(".", all)
	}
	if !*page && err == nil {
		ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		p := player{top: ".", bundles: *bundles, commit: commit, machine: plays.Machine(), run: plays.Play.Run, read: plays.Read, reduce: plays.Reduce, remove: plays.Play.Remove}
		err = p.play(ctx, all, time.Now().Add(*length))
		cancel()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "reproduce:", err)
		os.Exit(1)
	}
}

// player of runs.
type player struct {
	// top folder of the repository, and that of the bundles; the commit that the images were built of; and the machine.
	top, bundles, commit, machine string
	// run plays a run in the cluster, read its bundle, reduce it, and remove it from the cluster.
	run    func(plays.Play, context.Context) (plays.Done, error)
	read   func(ctx context.Context, bundle, name string) (*stored.Run, error)
	reduce func(ctx context.Context, from, to string) error
	remove func(plays.Play, context.Context) error
}

// play the sources until the end, or until each has its runs.
func (p player) play(ctx context.Context, all []source, end time.Time) error {
	for {
		for i := range all {
			var err error
			if all[i].runs, err = plays.Load[claims.Run](all[i].figures()); err != nil {
				return err
			}
			all[i].machine = p.machine
		}
		s, why := next(all, time.Until(end))
		if s == nil {
			fmt.Println(why)
			return nil
		}
		if err := p.once(ctx, s); err != nil {
			return err
		}
		if err := writePages(p.top, all); err != nil {
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
			why = fmt.Sprintf("the last %d runs of %s are good for nothing: see %s; the next one may be played %s after the last", mostFailed, s.name, s.figures(), forAWhile)
		case s.takes() > left:
			why = fmt.Sprintf("the next run, of %s, takes about %s, and would end after the time that there is", s.name, s.takes().Round(time.Minute))
		case out == nil || cmp.Or(cmp.Compare(s.good(), out.good()), cmp.Compare(len(s.runs), len(out.runs))) < 0:
			out = s
		}
	}
	return out, why
}

// once plays a source, and keeps its figures before anything else can fail.
func (p player) once(ctx context.Context, s *source) error {
	n := 1
	for _, r := range s.runs {
		n = max(n, r.Play+1)
	}
	text, err := s.whole(n)
	if err != nil {
		return err
	}
	one := plays.Play{Namespace: namespace, Folder: p.bundles, Name: s.run(n), Manifest: text}
	fmt.Printf("%s, run %d: about %s\n", s.name, n, s.takes().Round(time.Minute))
	done, err := p.run(one, ctx)
	if err != nil {
		return err
	}
	run := claims.Run{NoVerdict: contract.Line(done.NoBundle)}
	if done.Bundle != "" {
		finished, err := p.read(ctx, done.Bundle, one.Name)
		if err != nil {
			return err
		}
		run = claims.Measure(s.asked(), finished)
	}
	run.Play, run.Manifest, run.Date = n, s.digest, time.Now().UTC().Truncate(time.Second)
	run.Commit, run.Machine, run.Busy = p.commit, p.machine, []float64{done.Before, done.After}
	run.Seconds, run.NoVerdict = time.Since(done.Began).Round(time.Second).Seconds(), cmp.Or(run.NoVerdict, done.Disturbed)
	if err := os.MkdirAll(filepath.Dir(s.figures()), 0o755); err != nil {
		return err
	}
	if err := plays.Save(s.figures(), append(s.runs, run)); err != nil {
		return err
	}
	fmt.Printf("%s, run %d: %d trials, %d left out, %.0f s %s\n", s.name, n, run.Trials, run.LeftOut, run.Seconds, run.NoVerdict)
	if run.NoVerdict == "" {
		err = p.show(ctx, s, done.Bundle, text)
	}
	return errors.Join(err, p.remove(one, ctx))
}

// show a good run in the gallery: its bundle, reduced, and its manifest.
func (p player) show(ctx context.Context, s *source, bundle, manifest string) error {
	if err := os.MkdirAll(filepath.Join(p.top, gallery), 0o755); err != nil {
		return err
	}
	base := filepath.Join(p.top, gallery, s.name)
	if err := p.reduce(ctx, bundle, base+".assay.tar"); err != nil {
		return err
	}
	return os.WriteFile(base+".yaml", []byte("# As make reproduce has played it. What is made of "+s.Small+" for that: test/cmd/reproduce/source.go.\n"+manifest), 0o644) //nolint:gosec // a file of the repository
}

// writePages of the sources that were played, and the list of them.
func writePages(top string, all []source) error {
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
		pictures, err := s.pictures(runs)
		if err != nil {
			return err
		}
		for _, p := range pictures {
			if err := os.WriteFile(filepath.Join(top, pages, p.File), []byte(p.SVG), 0o644); err != nil { //nolint:gosec // a picture of the page
				return err
			}
		}
	}
	written, err := filepath.Glob(filepath.Join(top, pages, "*.md"))
	if err != nil {
		return err
	}
	list := "None yet."
	if len(written) > 0 {
		list = ""
	}
	for _, path := range written {
		page, err := os.ReadFile(path) //nolint:gosec // a page of the repository
		if err != nil {
			return err
		}
		title, rest, _ := strings.Cut(strings.TrimPrefix(string(page), "# "), "\n")
		list += fmt.Sprintf("- [%s](%s/%s). %s\n", title, filepath.Base(pages), filepath.Base(path), tallied.FindString(rest))
	}
	old, err := os.ReadFile(filepath.Join(top, index))
	if err != nil {
		return err
	}
	text, err := evidence.Replace(string(old), begin, strings.TrimSuffix(list, "\n"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(top, index), []byte(text), 0o644) //nolint:gosec // a page of the repository
}
