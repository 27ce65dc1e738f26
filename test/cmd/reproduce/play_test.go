package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/test/cmd/reproduce/claims"
	"github.com/assay-bench/assay/test/helpers/evidence"
	"github.com/assay-bench/assay/test/helpers/finished"
	"github.com/assay-bench/assay/test/helpers/plays"
)

// made is a source of which finished.New makes runs, in a folder of its own.
func made(t *testing.T) *source {
	t.Helper()
	top := t.TempDir()
	text := begin + "\n\nNone yet.\n" + evidence.End
	if err := os.MkdirAll(filepath.Join(top, filepath.Dir(index)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(top, index), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	side := func(target string) map[string]string { return map[string]string{"target": target, "threads": "2"} }
	s := &source{
		name: "made", top: top, small: []byte("apiVersion: assay.dev/v1alpha1\nkind: BenchmarkRun\nmetadata: {name: made}\nspec:\n  targets: [{name: a}, {name: b}]\n"),
		Source: claims.Source{
			Title: "Made", Published: "By nobody.", Runs: 3, Margin: 0.25, MarginOf: "None.", Groups: []claims.Group{{Heading: "group"}}, Forms: []claims.Form{{
				Heading: "of b over a", Charts: []claims.Chart{{File: "made-b", Kind: claims.Bars, Heading: "b"}}, Corner: []string{"threads"}, Part: claims.Part{Name: "latency.avg", Over: map[string]string{"target": "a"}, OverHere: map[string]string{"target": "a"}},
				Rows: []claims.Part{{Here: map[string]string{"threads": "2"}}}, Columns: []claims.Part{{Heads: []string{"b"}, Here: map[string]string{"target": "b"}}},
			}},
		},
		claims: []claims.Claim{{Says: "b over a", Ratio: 1.5, Printed: "1.5x", Measurement: "throughput", Of: side("b"), To: side("a")}},
	}
	var err error
	if s.forms, err = s.Lay(nil); err != nil {
		t.Fatal(err)
	}
	if s.digest, err = s.digestOf(); err != nil {
		t.Fatal(err)
	}
	return s
}

// playerOf made runs in the place of a cluster: they have these ratios, and the one of that number is disturbed.
func playerOf(t *testing.T, s *source, ratios []float64, disturbed int, notRemoved error) (player, *[]string) {
	t.Helper()
	var played []string
	return player{
		top: s.top, commit: "abc", machine: "m",
		run: func(p plays.Play, _ context.Context) (plays.Done, error) {
			if !strings.Contains(p.Manifest, "name: "+p.Name) {
				t.Errorf("%s has the manifest\n%s", p.Name, p.Manifest)
			}
			played = append(played, p.Name)
			d := plays.Done{Bundle: p.Name, Began: time.Now().Add(-5 * time.Minute), Before: 0.3, After: 0.4}
			if len(played) == disturbed {
				d.Disturbed = "other work"
			}
			return d, nil
		},
		read: func(ctx context.Context, _, name string) (*stored.Run, error) {
			run, err := stored.Read(ctx, finished.New(t, finished.Options{Name: name, Blocks: claims.Blocks, Ratio: ratios[(len(played)-1)%len(ratios)]}))
			if err == nil {
				run.Object.Status.Phase = v1alpha1.PhaseComplete
			}
			return run, err
		},
		reduce: func(_ context.Context, from, to string) error { return os.WriteFile(to, []byte("of "+from), 0o600) },
		remove: func(plays.Play, context.Context) error { return notRemoved },
	}, &played
}

// Three good runs are played, a disturbed one is no run of them, and the page says what they show, in the form of the source too.
func TestPlay(t *testing.T) {
	s := made(t)
	p, played := playerOf(t, s, []float64{1.5, 1.49, 1.51, 1.5}, 2, nil)
	if err := p.play(t.Context(), []source{*s}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(*played, " "); got != "made-1 made-2 made-3 made-4" {
		t.Errorf("played %s", got)
	}
	page, err := os.ReadFile(s.page())
	if err != nil {
		t.Fatal(err)
	}
	// The disturbed one is not shown.
	shown, err := os.ReadFile(filepath.Join(s.top, gallery, "made.assay.tar"))
	if err != nil || string(shown) != "of made-4" {
		t.Errorf("shown: %s, %v", shown, err)
	}
	if manifest, err := os.ReadFile(filepath.Join(s.top, gallery, "made.yaml")); err != nil || !strings.Contains(string(manifest), "name: made-4") {
		t.Errorf("%v\n%s", err, manifest)
	}
	list, err := os.ReadFile(filepath.Join(s.top, index))
	if err != nil || !strings.Contains(string(list), "- [Made](reproductions/made.md). Of 1 claim tested: 1 **reproduced**.\n") {
		t.Errorf("%v, %s", err, list)
	}
	if picture, err := os.ReadFile(filepath.Join(filepath.Dir(s.page()), "made-b.svg")); err != nil || !strings.Contains(string(picture), ">1.5x (") {
		t.Errorf("%v\n%s", err, picture)
	}
	for _, want := range []string{"Of 1 claim tested: 1 **reproduced**.", "![b](made-b.svg)", "| 2 | ", "other work |", "0.30, 0.40", "### of b over a\n\n| threads | b |\n| --- | --: |\n| 2 | - / 1.5x |\n"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
}

// A run that cannot be removed from the cluster is kept all the same, and the next time goes on with the next number.
func TestPlayGoesOn(t *testing.T) {
	s := made(t)
	broken := errors.New("no cluster")
	p, _ := playerOf(t, s, []float64{1.5}, 0, broken)
	if err := p.play(t.Context(), []source{*s}, time.Now().Add(time.Hour)); !errors.Is(err, broken) {
		t.Fatalf("%v", err)
	}
	p, played := playerOf(t, s, []float64{1.5, 1.51}, 0, nil)
	if err := p.play(t.Context(), []source{*s}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	runs, err := plays.Load[claims.Run](s.figures())
	if got := strings.Join(*played, " "); got != "made-2 made-3" || err != nil || len(runs) != 3 || runs[0].Commit != "abc" || runs[2].Seconds < 300 {
		t.Errorf("played %s, %v, %d runs", got, err, len(runs))
	}
}

// The run of another manifest is not taken for that which was to be played.
func TestAnotherRunInTheBundle(t *testing.T) {
	s := made(t)
	p, _ := playerOf(t, s, []float64{1.5}, 0, nil)
	p.read = func(ctx context.Context, _, name string) (*stored.Run, error) {
		return plays.Read(ctx, filepath.Join(top, "docs/evidence/demo.assay.tar"), name)
	}
	if err := p.play(t.Context(), []source{*s}, time.Now().Add(time.Hour)); err == nil || !strings.Contains(err.Error(), "has the run demo, not made-1") {
		t.Errorf("%v", err)
	}
}

// A run that is refused has no bundle. It is kept, and after two of them there are no more.
func TestRefusedRunsEnd(t *testing.T) {
	s := made(t)
	p, _ := playerOf(t, s, nil, 0, nil)
	refused := 0
	p.run = func(plays.Play, context.Context) (plays.Done, error) {
		refused++
		return plays.Done{NoBundle: "it was refused:\nno node fits", Began: time.Now()}, nil
	}
	if err := p.play(t.Context(), []source{*s}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(s.page())
	if err != nil || refused != 2 || strings.Count(string(page), "it was refused: no node fits") != 2 {
		t.Errorf("%v, played %d times:\n%s", err, refused, page)
	}
}
