// Command cells plays the published experiments at full size as far as this machine allows: every cell of every matrix once, with less data
// and in windows that are too short to say anything, so that each is known to run. The manifests of config/samples/published are reduced by
// one rule (test/helpers/fullsize) and divided into pieces of minutes. It is played in pieces, and goes on where the last time ended: what became of each
// cell goes into a file of the repository, the bundles stay outside.
//
//	cells -for 30m                the pieces that were not played as they are now, as many as end in that time
//	cells -for 30m s4-sweep-2      these pieces, also again
//	cells -list                    the pieces, with their cells and how long they are taken to need
//	cells -manifest s4-sweep-2     the manifest of a piece
//	cells -page                    the page of what was played, from the figures; nothing is played
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/test/helpers/evidence"
	"github.com/assay-bench/assay/test/helpers/plays"
)

const (
	// page and figures are in the repository.
	page      = "docs/evidence/full-size.md"
	figures   = "docs/evidence/full-size.json"
	namespace = "assay-cells"
	// slack is by how much a run may take longer than the one before it.
	slack = 1.1
)

func main() {
	length := flag.Duration("for", 30*time.Minute, "begin no run that would end later")
	bundles := flag.String("bundles", "out/cells", "the folder for the bundles of the runs")
	onlyPage := flag.Bool("page", false, "only write "+page)
	list := flag.Bool("list", false, "only list the pieces")
	manifest := flag.String("manifest", "", "only print the manifest of this piece")
	flag.Parse()
	if err := do(*length, *bundles, *manifest, *onlyPage, *list, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "cells:", err)
		os.Exit(1)
	}
}

func do(length time.Duration, bundles, manifest string, onlyPage, list bool, names []string) error {
	commit := evidence.Commit() // the images were just built of this tree
	all, err := readAll(".")
	if err != nil {
		return err
	}
	if list {
		listPieces(all)
		return nil
	}
	if manifest != "" {
		chosen, err := choose(all, []string{manifest})
		if err != nil {
			return err
		}
		text, err := chosen[0].manifest()
		fmt.Print(text)
		return err
	}
	if onlyPage {
		return writePage(".", all)
	}
	chosen, err := choose(all, names)
	if err != nil {
		return err
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	p := player{top: ".", bundles: bundles, commit: commit, machine: plays.Machine(), run: plays.Play.Run, with: plays.With, remove: plays.Play.Remove}
	return p.play(ctx, all, pieces{chosen, len(names) > 0}, time.Now().Add(length))
}

// listPieces of all manifests, and how long all of them are taken to need.
func listPieces(all []full) {
	sum := time.Duration(0)
	for _, f := range all {
		if len(f.pieces) == 0 {
			fmt.Printf("%-16s %4d cells  none of them can be had here\n", f.name, len(f.cells))
		}
		for _, p := range f.pieces {
			fmt.Printf("%-16s %4d cells  about %-6s %s\n", p.name, len(p.places), p.takes.Round(time.Second), p.part)
			sum += p.takes
		}
	}
	fmt.Printf("%-16s             about %s\n", "all", sum.Round(time.Minute))
}

// choose pieces by their names, all without one.
func choose(all []full, names []string) (out []piece, err error) {
	var known []string
	for _, f := range all {
		for _, p := range f.pieces {
			known = append(known, p.name)
			if len(names) == 0 || slices.Contains(names, p.name) {
				out = append(out, p)
			}
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("there is no piece %s: there are %s", name, strings.Join(known, ", "))
		}
	}
	return out, nil
}

// player of pieces.
type player struct {
	// top folder of the repository, and that of the bundles; the commit that the images were built of; and the machine.
	top, bundles, commit, machine string
	// run plays a run in the cluster, with does something with its bundle, and remove removes it from the cluster.
	run    func(plays.Play, context.Context) (plays.Done, error)
	with   func(ctx context.Context, bundle, name string, do func(*stored.Run) error) error
	remove func(plays.Play, context.Context) error
}

// pieces to play, and whether again those that were played as they are now.
type pieces struct {
	list  []piece
	again bool
}

// play the chosen pieces that end in time.
func (p player) play(ctx context.Context, all []full, chosen pieces, end time.Time) error {
	for _, one := range chosen.list {
		known, err := plays.Load[Figures](filepath.Join(p.top, figures))
		if err != nil {
			return err
		}
		digest, err := one.digest()
		if err != nil {
			return err
		}
		before, played := latest(known, one.name, digest)
		needs := cmp.Or(time.Duration(slack*before.Seconds*float64(time.Second)), one.takes)
		switch {
		case played && !chosen.again:
			continue
		case needs > time.Until(end):
			fmt.Printf("%s takes about %s, and would end after the time that there is\n", one.name, needs.Round(time.Minute))
			continue
		}
		fmt.Printf("%s: about %s\n", one.name, needs.Round(time.Minute))
		f, err := p.once(ctx, one)
		if err != nil {
			return err
		}
		f.Manifest = digest
		if err := plays.Save(filepath.Join(p.top, figures), append(known, f)); err != nil {
			return err
		}
		if err := writePage(p.top, all); err != nil {
			return err
		}
		fmt.Printf("%s: %s, %.0f s\n", one.name, counted(f.Cells), f.Seconds)
		if err := p.remove(p.of(one, ""), ctx); err != nil {
			return err
		}
	}
	return nil
}

func (p player) of(one piece, manifest string) plays.Play {
	return plays.Play{Namespace: namespace, Folder: p.bundles, Name: one.name, Manifest: manifest}
}

// once plays a piece. One that was refused has no bundle, and all its cells have failed.
func (p player) once(ctx context.Context, one piece) (Figures, error) {
	text, err := one.manifest()
	if err != nil {
		return Figures{}, err
	}
	done, err := p.run(p.of(one, text), ctx)
	if err != nil {
		return Figures{}, err
	}
	f := Figures{Piece: one.name, Commit: p.commit, Machine: p.machine, Date: time.Now().UTC().Truncate(time.Second)}
	f.Seconds = time.Since(done.Began).Round(time.Second).Seconds()
	if done.Bundle == "" {
		f.Cells = failedAll(one.places, contract.Line("the run has no bundle: "+done.NoBundle))
		return f, nil
	}
	err = p.with(ctx, done.Bundle, one.name, func(run *stored.Run) (err error) {
		f.Cells, err = outcomesOf(ctx, one.places, run)
		return err
	})
	return f, err
}

// writePage of what was played.
func writePage(top string, all []full) error {
	played, err := plays.Load[Figures](filepath.Join(top, figures))
	if err != nil {
		return err
	}
	text, err := pageOf(all, played)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(top, page), []byte(text), 0o644) //nolint:gosec // a page of the repository
}
