// Command harness measures what the driver harnesses cost: the median time of an operation
// of the driver null, and the rate of SELECT 1 through a harness over that of a minimal loop
// with the same driver, written by hand. `make bench-harness` runs it; docs/evidence/performance.md has
// the figures.
//
// A harness and a loop are started together and take turns, in pairs of short runs in random
// order, so that what the machine does in the meantime hits both. What a process has by chance,
// as where its memory lies, lasts as long as the process; so the median of the pairs of two
// processes is one observation, and the interval is over the processes.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/assay-bench/assay/internal/mathematics/stats"
)

// leastRatio is the bar of the rate, and the bars of the driver null are in the table.
const leastRatio = 0.98

// subject is a language: how its harness and its loop are started in the image, its driver,
// and the bar of the driver null in microseconds; 0 for none.
type subject struct {
	language, driver string
	harness, loop    []string
	bar              float64
}

var subjects = []subject{
	{language: "node", driver: "mysql2", bar: 3, harness: words("node --expose-gc /opt/harness/main.js"), loop: words("node /opt/harness/bench/select1.js")},
	{language: "python", driver: "PyMySQL", bar: 3, harness: words("python3 /opt/harness/main.py"), loop: words("python3 /opt/harness/bench/select1.py")},
	{language: "go", driver: "go-sql-driver", bar: 1, harness: words("/opt/harness/harness"), loop: words("/opt/harness/bench")},
	{language: "java", driver: "mariadb-java-client", bar: 1, harness: words("java -XX:+UseSerialGC -Xlog:disable -Xlog:all=warning:stderr -cp /opt/harness/lib/* dev.assay.harness.Main"),
		loop: words("java -XX:+UseSerialGC -Xlog:disable -Xlog:all=warning:stderr -cp /opt/harness/lib/* dev.assay.harness.bench.Loop")},
	{language: "rust", driver: "mysql", bar: 1, harness: words("/opt/harness/harness"), loop: words("/opt/harness/bench")},
	{language: "c", driver: "libmariadb", bar: 1, harness: words("/opt/harness/harness"), loop: words("/opt/harness/bench")},
	{language: "php", driver: "mysqli", harness: words("php /opt/harness/main.php"), loop: words("php /opt/harness/bench/loop.php")},
	{language: "ruby", driver: "mysql2", harness: words("ruby /opt/harness/main.rb"), loop: words("ruby /opt/harness/bench/loop.rb")},
}

func words(command string) []string { return strings.Fields(command) }

func main() { os.Exit(run()) }

func run() int {
	processes := flag.Int("processes", 20, "processes of each harness and of each loop")
	pairs := flag.Int("pairs", 10, "pairs of runs of two processes")
	seconds := flag.Float64("seconds", 0.2, "length of each run")
	only := flag.String("only", "", "languages, separated by commas; all without it")
	port := flag.Int("port", 23310, "port of the server on loopback (hack/test-server.sh)")
	images := flag.String("images", "out/images.txt", "list of images")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	missed := 0
	for _, s := range subjects {
		if *only != "" && !strings.Contains(","+*only+",", ","+s.language+",") {
			continue
		}
		image, err := imageOf(*images, "runner-drivers-"+s.language)
		if err == nil {
			var ok bool
			ok, err = measure(ctx, bench{s, image, *port, *seconds, *pairs}, *processes)
			if !ok {
				missed++
			}
		}
		if err != nil {
			fmt.Printf("%s: %v\n", s.language, err)
			missed++
		}
	}
	if missed > 0 {
		fmt.Printf("%d languages missed a bar\n", missed)
		return 1
	}
	return 0
}

// measure prints the figures of a language, and says whether they are within the bars.
func measure(ctx context.Context, b bench, processes int) (bool, error) {
	ok := true
	for _, kind := range []string{"Execute", "Query"} {
		median, n, err := b.null(ctx, kind)
		if err != nil {
			return false, err
		}
		verdict := ""
		if b.bar > 0 && median > b.bar*1000 {
			verdict, ok = fmt.Sprintf("  over the bar of %g us", b.bar), false
		}
		fmt.Printf("%-7s null, %-8s median %5.0f ns per operation, n=%d%s\n", b.language, kind+":", median, n, verdict)
	}
	order := rand.New(rand.NewPCG(42, 0))
	var ratios, harness, loop []float64
	for range processes {
		r, h, l, err := b.compare(ctx, order)
		if err != nil {
			return false, err
		}
		ratios, harness, loop = append(ratios, r), append(harness, h), append(loop, l)
	}
	e, err := stats.EstimateMedian(ratios)
	if err != nil {
		return false, err
	}
	interval, verdict := "", ""
	if e.Interval != nil {
		interval = fmt.Sprintf(", %.1f %% interval %.3f to %.3f", 100*e.Interval.Coverage, e.Interval.Low, e.Interval.High)
	}
	if e.Median < leastRatio {
		verdict, ok = fmt.Sprintf("  below the bar of %g", leastRatio), false
	}
	fmt.Printf("%-7s SELECT 1 by %s: %.0f per s through the harness, %.0f by hand: median of the ratio %.3f%s, n=%d processes of %d pairs of %s%s\n",
		b.language, b.driver, median(harness), median(loop), e.Median, interval, e.N, b.pairs, time.Duration(b.seconds*1e9), verdict)
	return ok, nil
}
