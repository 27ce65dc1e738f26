package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
)

// options of the command line.
type options struct {
	manager, crds, output string
	sizes, schedules      string
	// window is how long a played client measures.
	window time.Duration
	// rest is how long schedules are watched at rest.
	rest time.Duration
	// limit for one size.
	limit   time.Duration
	verbose bool
	profile string
}

func main() {
	var o options
	flag.StringVar(&o.manager, "manager", "", "the manager's binary")
	flag.StringVar(&o.crds, "crds", "config/crd/bases", "folder of the CRDs")
	flag.StringVar(&o.output, "output", "testdata/oltp_read_write.stdout", "what sysbench wrote; every played client delivers it")
	flag.StringVar(&o.sizes, "sizes", "1,10,100,1000,100/20", "runs at once, separated by commas; RUNS/NODES for fewer nodes than 2 per run; none")
	flag.StringVar(&o.schedules, "schedules", "1000/100", "schedules, and how many of them are due at one instant; none")
	flag.DurationVar(&o.rest, "rest", time.Minute, "how long schedules are watched at rest")
	flag.DurationVar(&o.window, "window", time.Second, "how long a played client measures")
	flag.DurationVar(&o.limit, "limit", 2*time.Hour, "time limit of one size")
	flag.BoolVar(&o.verbose, "v", false, "print the requests that the API server counted, by verb and resource")
	flag.StringVar(&o.profile, "profile", "", "folder for profiles of a manager that was built with testdata/pprof.go.txt")
	flag.Parse()
	ctrl.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-scale:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	sizes, err := parseSizes(o.sizes)
	if err != nil {
		return err
	}
	crowd, err := parseSchedules(o.schedules)
	if err != nil {
		return err
	}
	if len(sizes) > 0 {
		fmt.Print(conditions(o))
	}
	var all []figures
	for _, s := range sizes {
		f, err := measure(ctx, o, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
		all = append(all, f)
		fmt.Print(table(all))
	}
	verdicts := judge(all)
	if crowd.all > 0 {
		fmt.Print(conditionsOfSchedules(o, crowd))
		f, err := measureSchedules(ctx, o, crowd)
		if err != nil {
			return fmt.Errorf("schedules: %w", err)
		}
		fmt.Print(f)
		verdicts = append(verdicts, judgeSchedules(f)...)
	}
	missed := 0
	for _, v := range verdicts {
		fmt.Println(v)
		if v.missed {
			missed++
		}
	}
	if missed > 0 {
		return fmt.Errorf("%d of %d bars are missed", missed, len(verdicts))
	}
	return nil
}

// size is how many runs at once, on how many nodes.
type size struct{ runs, nodes int }

// String names a size as the flag does.
func (s size) String() string {
	if s.queued() {
		return fmt.Sprintf("%d/%d", s.runs, s.nodes)
	}
	return strconv.Itoa(s.runs)
}

// queued says whether runs have to wait for nodes.
func (s size) queued() bool { return s.nodes < 2*s.runs }

// none of what an option asks for.
const none = "none"

func parseSizes(text string) ([]size, error) {
	if text == none {
		return nil, nil
	}
	var out []size
	for part := range strings.SplitSeq(text, ",") {
		runs, nodes, limited := strings.Cut(strings.TrimSpace(part), "/")
		s := size{}
		var err error
		if s.runs, err = strconv.Atoi(runs); err != nil || s.runs < 1 {
			return nil, fmt.Errorf("-sizes: %q is no number of runs: write such as 10, or 100/20 for 100 runs on 20 nodes", part)
		}
		s.nodes = 2 * s.runs
		if limited {
			if s.nodes, err = strconv.Atoi(nodes); err != nil || s.nodes < 2 {
				return nil, fmt.Errorf("-sizes: %q: a run needs 2 nodes: write such as 100/20", part)
			}
		}
		out = append(out, s)
	}
	return out, nil
}

// warmupRuns go before what is counted: the manager's first run pays for
// connections and caches of all that follow.
const warmupRuns = 2

// measure plays one size with a server and a manager of its own.
func measure(ctx context.Context, o options, s size) (figures, error) {
	ctx, cancel := context.WithTimeout(ctx, o.limit)
	defer cancel()
	srv, err := startServer(o.crds, false)
	if err != nil {
		return figures{}, err
	}
	defer srv.stop()
	p, err := newPlayer(srv, o)
	if err != nil {
		return figures{}, err
	}
	if err := p.makeNodes(ctx, s.nodes); err != nil {
		return figures{}, err
	}
	// The API server does not end before the watches do.
	ctx, unwatch := context.WithCancel(ctx)
	defer unwatch()
	if err := p.watch(ctx); err != nil {
		return figures{}, err
	}
	m, err := startManager(ctx, o, srv)
	if err != nil {
		return figures{}, err
	}
	defer m.stop()
	// A run of one trial tells apart what a run writes once and what it writes for
	// every trial.
	snapshots := make([]snapshot, 0, 3)
	for _, c := range []crowd{{"warmup", min(warmupRuns, s.nodes/2), trials}, {"short", 1, 1}, {"run", s.runs, trials}} {
		stop := func() {}
		if c.prefix == "run" {
			go p.beat(ctx, s.nodes)
			stop = m.startProfile(o.profile, s)
		}
		err := p.carryOut(ctx, m, c)
		stop()
		if err != nil {
			return figures{}, fmt.Errorf("%s: %w", c.prefix, err)
		}
		now, err := takeSnapshot(ctx, srv, m, p)
		if err != nil {
			return figures{}, err
		}
		snapshots = append(snapshots, now)
	}
	start, before, after := snapshots[0], snapshots[1], snapshots[2]
	if o.verbose {
		fmt.Print(requestTable(before, after, s.runs*trials))
	}
	f := newFigures(s, before, after, p.took)
	f.split(newWrites(start, before))
	return f, nil
}
