package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/mathematics/stats"
	"github.com/assay-bench/assay/runners/drivers"
)

// bench is a language with everything that its runs need.
type bench struct {
	subject
	image   string
	port    int
	seconds float64
	pairs   int
}

// answer is what is needed of a harness's answer, and of the loop's.
type answer struct {
	State       string     `json:"state"`
	Reason      string     `json:"reason"`
	Operations  int64      `json:"operations"`
	Nanoseconds int64      `json:"nanoseconds"`
	Histogram   [][2]int64 `json:"histogram"`
}

// imageOf looks up an image by its name.
func imageOf(list, name string) (string, error) {
	data, err := os.ReadFile(list)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(data)) {
		if image, reference, ok := strings.Cut(strings.TrimSpace(line), " "); ok && image == name {
			return strings.TrimPrefix(reference, "docker.io/library/"), nil
		}
	}
	return "", fmt.Errorf("%s has no image %s: make images builds it", list, name)
}

// process is a harness or a loop: a line is a request, and has a line as its answer.
type process struct {
	command    *exec.Cmd
	in         io.WriteCloser
	out        *bufio.Reader
	complaints bytes.Buffer
}

// start a command in the image, on the network of this machine.
func (b bench) start(ctx context.Context, command ...string) (*process, error) {
	args := append([]string{
		"run", "--rm", "--interactive", "--cpuset-cpus", "1", "--network", "host", "--read-only", "--tmpfs", "/tmp", "--env", "HOME=/tmp",
		"--env", "ASSAY_USERNAME=assay", "--env", "ASSAY_PASSWORD=assay", "--entrypoint", command[0], b.image,
	}, command[1:]...)
	p := &process{command: exec.CommandContext(ctx, "docker", args...)}
	p.command.Stderr = &p.complaints
	var err error
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, p.command.Start()
}

// ask says a line and reads the answer.
func (p *process) ask(request string) (answer, error) {
	var a answer
	if _, err := io.WriteString(p.in, request+"\n"); err != nil {
		return a, err
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("%s had no answer: %w", request, err)
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return a, fmt.Errorf("%s was answered by %s: %w", request, line, err)
	}
	if a.State != "" && a.State != "ok" {
		return a, fmt.Errorf("%s was answered: %s: %s", request, a.State, a.Reason)
	}
	return a, nil
}

// end of the requests is the end of the process; what it complained of is in the error.
func (p *process) end() error {
	if err := errors.Join(p.in.Close(), p.command.Wait()); err != nil {
		return fmt.Errorf("%w: %s", err, &p.complaints)
	}
	return nil
}

const hello = `{"id":1,"do":"hello","protocol":"assay.dev/driver/v2"}`

// startHarness with its connection open.
func (b bench) startHarness(ctx context.Context, prepare string) (*process, error) {
	p, err := b.start(ctx, b.harness...)
	if err != nil {
		return nil, err
	}
	for _, request := range []string{hello, prepare} {
		if _, err := p.ask(request); err != nil {
			return nil, fmt.Errorf("the harness: %w", errors.Join(err, p.end()))
		}
	}
	return p, nil
}

func (b bench) prepare(driver string) string {
	return fmt.Sprintf(`{"id":2,"do":"prepare","connection":"c","driver":%q,"version":"","host":"127.0.0.1","port":%d,"database":"assay","tls":false,"options":{}}`,
		driver, b.port)
}

func runOf(kind, statement string, seconds float64) string {
	return fmt.Sprintf(`{"id":3,"do":"run","connection":"c","kind":%q,"scheme":"SingleRow","session":"Dedicated","commit":false,"inline":false,"statement":%q,`+
		`"head":"","group":"","separator":"","tail":"","data":"","rowsPerOperation":1,"chunk":1,"concurrency":1,"operations":0,"seconds":%g}`, kind, statement, seconds)
}

// null is the median of an operation that does nothing, in ns, of a second behind a warm-up.
func (b bench) null(ctx context.Context, kind string) (median float64, n int64, err error) {
	statement := map[string]string{"Execute": "DO 1", "Query": "SELECT 1"}[kind]
	p, err := b.startHarness(ctx, b.prepare("null"))
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, p.end()) }()
	if _, err := p.ask(runOf(kind, statement, warmup)); err != nil {
		return 0, 0, err
	}
	a, err := p.ask(runOf(kind, statement, 1))
	if err != nil {
		return 0, 0, err
	}
	rank := (a.Operations + 1) / 2
	for _, bucket := range a.Histogram {
		if rank -= bucket[1]; rank <= 0 {
			return float64(drivers.Lowest(bucket[0])), a.Operations, nil
		}
	}
	return 0, 0, fmt.Errorf("the histogram has fewer than the %d operations", a.Operations)
}

// warmup in seconds, of harness and loop alike: Java compiles while it runs.
const warmup = 1.0

// compare takes the pairs of two processes: the median of the rate of SELECT 1 through the
// harness over that of the loop by hand, and the median of both rates.
func (b bench) compare(ctx context.Context, order *rand.Rand) (ratio, harness, loop float64, err error) {
	through, err := b.startHarness(ctx, b.prepare(b.driver))
	if err != nil {
		return 0, 0, 0, err
	}
	defer func() { err = errors.Join(err, through.end()) }()
	byHand, err := b.start(ctx, append(append([]string{}, b.loop...), b.driver, "127.0.0.1", strconv.Itoa(b.port), "assay")...)
	if err != nil {
		return 0, 0, 0, err
	}
	defer func() { err = errors.Join(err, byHand.end()) }()
	rates := func(seconds float64) (of [2]float64, err error) {
		first := order.IntN(2)
		for _, i := range []int{first, 1 - first} {
			var a answer
			if i == 0 {
				a, err = through.ask(runOf("Query", "SELECT 1", seconds))
			} else {
				a, err = byHand.ask(fmt.Sprint(seconds))
			}
			if err != nil {
				return of, err
			}
			of[i] = float64(a.Operations) / (float64(a.Nanoseconds) / 1e9)
		}
		return of, nil
	}
	if _, err := rates(warmup); err != nil {
		return 0, 0, 0, err
	}
	var ratios, harnesses, loops []float64
	for range b.pairs {
		of, err := rates(b.seconds)
		if err != nil {
			return 0, 0, 0, err
		}
		ratios, harnesses, loops = append(ratios, of[0]/of[1]), append(harnesses, of[0]), append(loops, of[1])
	}
	return median(ratios), median(harnesses), median(loops), nil
}

func median(sample []float64) float64 {
	e, err := stats.EstimateMedian(sample)
	if err != nil {
		return math.NaN()
	}
	return e.Median
}
