package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// bench is a language with everything that its runs need.
type bench struct {
	subject
	image   string
	port    int
	seconds float64
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

// inImage is a command in the image, on the network of this machine.
func (b bench) inImage(ctx context.Context, command []string) *exec.Cmd {
	args := append([]string{
		"run", "--rm", "--interactive", "--cpuset-cpus", "1", "--network", "host", "--read-only", "--tmpfs", "/tmp", "--env", "HOME=/tmp",
		"--env", "ASSAY_USERNAME=assay", "--env", "ASSAY_PASSWORD=assay", "--entrypoint", command[0], b.image,
	}, command[1:]...)
	return exec.CommandContext(ctx, "docker", args...)
}

// converse says all requests at once, and returns the answers.
func (b bench) converse(ctx context.Context, requests ...string) ([]answer, error) {
	cmd := b.inImage(ctx, b.harness)
	cmd.Stdin = strings.NewReader(strings.Join(requests, "\n") + "\n")
	var said, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &complaints
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("the harness: %w: %s", err, complaints.String())
	}
	var out []answer
	lines := bufio.NewScanner(&said)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var a answer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			return nil, fmt.Errorf("the harness answered %s: %w", lines.Text(), err)
		}
		if a.State != "ok" {
			return nil, fmt.Errorf("the harness answered: %s: %s", a.State, a.Reason)
		}
		out = append(out, a)
	}
	if len(out) != len(requests) {
		return nil, fmt.Errorf("%d requests had %d answers: %s", len(requests), len(out), complaints.String())
	}
	return out, nil
}

const hello = `{"id":1,"do":"hello","protocol":"assay.dev/driver/v1"}`

// null is the median of an operation that does nothing, in ns, after a warm-up.
func (b bench) null(ctx context.Context, kind string) (median float64, n int64, err error) {
	statement := map[string]string{"Execute": "DO 1", "Query": "SELECT 1"}[kind]
	run := `{"id":%d,"do":"run","connection":"c","kind":"` + kind + `","scheme":"SingleRow","transaction":"Autocommit","session":"Dedicated","statement":"` +
		statement + `","seconds":%g}`
	answers, err := b.converse(ctx, hello, `{"id":2,"do":"prepare","connection":"c","driver":"null"}`,
		fmt.Sprintf(run, 3, 0.5), fmt.Sprintf(run, 4, b.seconds))
	if err != nil {
		return 0, 0, err
	}
	a := answers[3]
	rank := (a.Operations + 1) / 2
	for _, bucket := range a.Histogram {
		if rank -= bucket[1]; rank <= 0 {
			return float64(bucket[0]), a.Operations, nil
		}
	}
	return 0, 0, fmt.Errorf("the histogram has fewer than the %d operations", a.Operations)
}

// throughHarness is the rate of SELECT 1 through the harness.
func (b bench) throughHarness(ctx context.Context) (float64, error) {
	run := `{"id":%d,"do":"run","connection":"c","kind":"Query","scheme":"SingleRow","transaction":"Autocommit","session":"Dedicated","statement":"SELECT 1","seconds":%g}`
	requests := []string{hello, fmt.Sprintf(
		`{"id":2,"do":"prepare","connection":"c","driver":%q,"host":"127.0.0.1","port":%d,"database":"assay","tls":"Disabled"}`, b.driver, b.port)}
	if b.warms {
		requests = append(requests, fmt.Sprintf(run, len(requests)+1, warmup))
	}
	answers, err := b.converse(ctx, append(requests, fmt.Sprintf(run, len(requests)+1, b.seconds))...)
	if err != nil {
		return 0, err
	}
	return rate(answers[len(answers)-1]), nil
}

// warmup in seconds, of harness and loop alike.
const warmup = 1.0

// byHand is the rate of the loop without a harness.
func (b bench) byHand(ctx context.Context) (float64, error) {
	args := []string{b.driver, "127.0.0.1", strconv.Itoa(b.port), fmt.Sprint(b.seconds), "assay"}
	if b.warms {
		args = append(args, fmt.Sprint(warmup))
	}
	cmd := b.inImage(ctx, append(append([]string{}, b.loop...), args...))
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	said, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("the loop by hand: %w: %s", err, complaints.String())
	}
	var a answer
	if err := json.Unmarshal(said, &a); err != nil {
		return 0, fmt.Errorf("the loop by hand printed %s: %w", said, err)
	}
	return rate(a), nil
}

func rate(a answer) float64 { return float64(a.Operations) / (float64(a.Nanoseconds) / 1e9) }
