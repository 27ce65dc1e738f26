// Command reproduce plays the small forms of the published experiments in the cluster, three separate runs of each with a new start of the
// servers in each block, and writes docs/evidence/reproductions: a page for each source, with a verdict for each of its claims. It is played
// in pieces, and goes on where the last time ended: the figures of each run go into a file of the repository, its bundle stays outside.
//
//	reproduce -for 30m             the sources with the fewest runs, as many as end in that time
//	reproduce -for 30m s3-node      runs of this source, also beyond three
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
)

func main() {
	length := flag.Duration("for", 30*time.Minute, "begin no run that would end later")
	bundles := flag.String("bundles", "out/reproduce", "the folder for the bundles of the runs")
	page := flag.Bool("page", false, "only write the pages of "+pages)
	flag.Parse()
	all, err := readSources(".", flag.Args())
	if err == nil {
		err = writePages(all)
	}
	if !*page && err == nil {
		ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		err = play(ctx, all, *bundles, limits{time.Now().Add(*length), len(flag.Args()) > 0})
		cancel()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "reproduce:", err)
		os.Exit(1)
	}
}

// limits of what is played.
type limits struct {
	// end is when the last run has to be over.
	end time.Time
	// further runs than claims.Runs are played.
	further bool
}

// play the sources until the time is over, or each has its runs.
func play(ctx context.Context, all []source, bundles string, l limits) error {
	for {
		for i := range all {
			var err error
			if all[i].runs, err = plays.Load[claims.Run](all[i].figures()); err != nil {
				return err
			}
		}
		s, why := next(all, time.Until(l.end), l.further)
		if s == nil {
			fmt.Println(why)
			return nil
		}
		run, err := s.play(ctx, bundles)
		if err != nil {
			return err
		}
		s.runs = append(s.runs, run)
		if err := os.MkdirAll(pages, 0o755); err != nil {
			return err
		}
		if err := plays.Save(s.figures(), s.runs); err != nil {
			return err
		}
		if err := writePages(all); err != nil {
			return err
		}
		fmt.Printf("%s, run %d: %d trials, %d left out, %.0f s %s\n", s.name, run.Play, run.Trials, run.LeftOut, run.Seconds, run.NoVerdict)
	}
}

// next is the source with the fewest runs of those whose run ends in the time that is left, the first of them; nil and why there is none.
// One whose runs are good for nothing has its turn with the others.
func next(all []source, left time.Duration, further bool) (out *source, why string) {
	why = fmt.Sprintf("each source has %d runs: name one to play it further", claims.Runs)
	for i := range all {
		s := &all[i]
		switch {
		case s.good() >= claims.Runs && !further:
		case s.takes() > left:
			why = fmt.Sprintf("the next run, of %s, takes about %s, and would end after the time that there is", s.name, s.takes().Round(time.Minute))
		case out == nil || cmp.Or(cmp.Compare(s.good(), out.good()), cmp.Compare(len(s.runs), len(out.runs))) < 0:
			out = s
		}
	}
	return out, why
}

// play a source once, on a quiet machine.
func (s *source) play(ctx context.Context, bundles string) (claims.Run, error) {
	n := 1
	for _, r := range s.runs {
		n = max(n, r.Play+1)
	}
	text, err := s.manifest(n)
	if err != nil {
		return claims.Run{}, err
	}
	one := plays.Play{Namespace: namespace, Folder: bundles, Name: s.run(n), Manifest: text}
	fmt.Printf("%s, run %d: about %s\n", s.name, n, s.takes().Round(time.Minute))
	began := time.Now()
	path, err := one.Run(ctx)
	if err != nil {
		return claims.Run{}, err
	}
	run, err := s.measure(ctx, path, one.Name)
	if err != nil {
		return claims.Run{}, err
	}
	run.Play, run.Manifest, run.Date = n, s.digest, time.Now().UTC().Truncate(time.Second)
	run.Commit, run.Machine = evidence.Commit(), plays.Machine()
	if err := one.Remove(ctx); err != nil {
		return claims.Run{}, err
	}
	run.Seconds = time.Since(began).Round(time.Second).Seconds()
	return run, nil
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
	return claims.Measure(s.Source, s.claims, run)
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
		if err := os.WriteFile(s.page(), []byte(s.text(runs)), 0o644); err != nil { //nolint:gosec // a page of the repository
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
