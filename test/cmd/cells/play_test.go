package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/test/helpers/finished"
	"github.com/assay-bench/assay/test/helpers/plays"
)

// made has three pieces: two of targets at two loads, as finished.New makes runs, and one that takes long.
func made(t *testing.T) []full {
	t.Helper()
	f := full{path: published + "/made/full.yaml", name: "made"}
	for i, name := range []string{"made-1", "made-2", "made-3"} {
		p := piece{name: name, part: "target a", takes: time.Minute}
		if i == 2 {
			p.takes = 2 * time.Hour
		}
		p.spec.Retain = "Never"
		for _, threads := range []string{"2", "64"} {
			labels := map[string]string{"target": []string{"a", "b", "c"}[i], "threads": threads}
			p.places = append(p.places, place{trial: labels})
			f.cells = append(f.cells, cell{labels: labels, played: labels})
		}
		f.pieces = append(f.pieces, p)
	}
	f.cells = append(f.cells, cell{labels: map[string]string{"target": "d", "threads": "2"}, why: "a server of the user's"})
	return []full{f}
}

// playerOf made runs in the place of a cluster.
func playerOf(t *testing.T, top string, refused string) (player, *[]string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(top, filepath.Dir(page)), 0o755); err != nil {
		t.Fatal(err)
	}
	var played []string
	return player{
		top: top, commit: "abc", machine: "m",
		run: func(p plays.Play, _ context.Context) (plays.Done, error) {
			if p.Namespace != namespace || !strings.Contains(p.Manifest, "name: "+p.Name) {
				t.Errorf("%s in %s has the manifest\n%s", p.Name, p.Namespace, p.Manifest)
			}
			played = append(played, p.Name)
			d := plays.Done{Bundle: p.Name, Began: time.Now().Add(-2 * time.Minute)}
			if p.Name == refused {
				d.Bundle, d.NoBundle = "", "it was refused:\nno node fits"
			}
			return d, nil
		},
		with: func(ctx context.Context, _, name string, do func(*stored.Run) error) error {
			run, err := stored.Read(ctx, finished.New(t, finished.Options{Name: name}))
			if err != nil {
				return err
			}
			return do(run)
		},
		remove: func(plays.Play, context.Context) error { return nil },
	}, &played
}

// What ends in time is played once, what was refused has failed, and the next time goes on; a piece that is named is played again.
func TestPlay(t *testing.T) {
	all, dir := made(t), t.TempDir()
	p, played := playerOf(t, dir, "made-2")
	soon := time.Now().Add(time.Hour)
	for range 2 {
		if err := p.play(t.Context(), all, pieces{list: all[0].pieces}, soon); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(*played, " "); got != "made-1 made-2" {
		t.Errorf("played %s", got)
	}
	text, err := os.ReadFile(filepath.Join(dir, page))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| [made/full.yaml](../../config/samples/published/made/full.yaml) | 7 | 1 | 2 | 0 | 0 | 2 | 2 | 4 |\n",
		"| threads | a | b | c | d |\n| --- | --- | --- | --- | --- |\n" +
			"| 2 | measured | failed (1) | not yet | not obtainable (2) |\n| 64 | measured | failed (1) | not yet |  |\n\n" +
			"1. the run has no bundle: it was refused: no node fits\n2. a server of the user's\n",
		"| made-1 | target a | 2 | 1 min | 2.0 min | ", "| made-3 | target a | 2 | 120 min | - | - | - |\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page has no %q:\n%s", want, text)
		}
	}
	p, played = playerOf(t, dir, "")
	chosen, err := choose(all, []string{"made-2"})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.play(t.Context(), all, pieces{chosen, true}, soon); err != nil {
		t.Fatal(err)
	}
	known, err := plays.Load[Figures](filepath.Join(dir, figures))
	if err != nil || len(known) != 3 || len(*played) != 1 {
		t.Fatalf("%v, %d runs, played %s", err, len(known), *played)
	}
	want := map[string]Outcome{"target=b threads=2": {State: Measured}, "target=b threads=64": {State: Measured}}
	if f, has := latest(known, "made-2", known[1].Manifest); !has || !cmp.Equal(want, f.Cells) || f.Commit != "abc" {
		t.Errorf("the last run counts: %+v", f)
	}
	if _, has := latest(known, "made-2", "another"); has {
		t.Error("figures of another manifest count")
	}
}

// A run that cannot be removed is kept, and a piece that is not there is named.
func TestPlayEnds(t *testing.T) {
	all, dir := made(t), t.TempDir()
	p, _ := playerOf(t, dir, "")
	broken := errors.New("no cluster")
	p.remove = func(plays.Play, context.Context) error { return broken }
	if err := p.play(t.Context(), all, pieces{list: all[0].pieces}, time.Now().Add(time.Hour)); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if known, err := plays.Load[Figures](filepath.Join(dir, figures)); err != nil || len(known) != 1 {
		t.Errorf("%v, %d runs", err, len(known))
	}
	if _, err := choose(all, []string{"made-9"}); err == nil || err.Error() != "there is no piece made-9: there are made-1, made-2, made-3" {
		t.Errorf("%v", err)
	}
}
