package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 20000, "simulated experiments for a row; rows that cost more have a part of it")
	seed := flag.Uint64("seed", 1, "of all random numbers")
	only := flag.String("only", "", "only rows whose name or conditions contain this")
	flag.Parse()
	began := time.Now()
	missed, err := table(play(*rounds, *seed, *only))
	fmt.Fprintf(os.Stderr, "%.0f s, seed %d\n", time.Since(began).Seconds(), *seed)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if missed > 0 {
		fmt.Fprintf(os.Stderr, "%d bars are missed\n", missed)
		os.Exit(1)
	}
}

// play the simulations, as many side by side as there are processors. The random numbers of a row
// depend on the seed and on its place only.
func play(rounds int, seed uint64, only string) (all []simulation, played []row) {
	for _, group := range [][]simulation{comparisons(), severalRuns(), powers(), sequences(), seriesRows(), sweeps(), gates(), alarms(), starts(), predictions(), lossRows(), noisy()} {
		all = append(all, group...)
	}
	simulated := len(all)
	all = append(all, analyses()...)
	rows := make([]row, len(all))
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				rows[i] = all[i].play(rand.New(rand.NewPCG(seed, uint64(i))), rounds)
			}
		})
	}
	chosen := func(i int) bool { return strings.Contains(all[i].name+all[i].conditions, only) }
	for i := range simulated {
		if chosen(i) {
			next <- i
		}
	}
	close(next)
	workers.Wait()
	for i := simulated; i < len(all); i++ { // these are measured, with nothing beside them
		if chosen(i) {
			rows[i] = all[i].play(rand.New(rand.NewPCG(seed, uint64(i))), rounds)
		}
	}
	return all, rows
}

// table prints the rows and returns the number of missed bars.
func table(all []simulation, rows []row) (missed int, err error) {
	lines := []string{"| What\t| Conditions\t| Bar\t| Result\t| ±\t| Rounds\t|\t|", "| ---\t| ---\t| ---\t| --:\t| --:\t| --:\t| ---\t|"}
	for i, r := range rows {
		if r.rounds == 0 {
			continue // not chosen
		}
		mark := "met"
		switch {
		case r.bar.missedBy(r):
			missed++
			mark = "MISSED"
		case r.bar.String() == "":
			mark = ""
		}
		lines = append(lines, fmt.Sprintf("| %s\t| %s\t| %s\t| %s\t| %s\t| %d\t| %s\t|", all[i].name, all[i].conditions, r.bar, r.bar.format(r.value), r.bar.format(r.standardError), r.rounds, mark))
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 1, ' ', 0)
	if _, err := fmt.Fprintln(out, strings.Join(lines, "\n")); err != nil {
		return missed, err
	}
	return missed, out.Flush()
}
