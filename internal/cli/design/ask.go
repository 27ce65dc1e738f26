package design

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// maxAnswers are read of a standard input, in bytes.
const maxAnswers = 64 << 10

func isTerminal(in io.Reader) bool {
	file, is := in.(*os.File)
	return is && term.IsTerminal(int(file.Fd()))
}

// questions to the user.
type questions struct {
	in  *bufio.Reader
	out io.Writer
}

// ask until nothing is wrong with the answer. No answer, and the end of all answers, is the default.
func (q questions) ask(what, otherwise string, wrong func(answer string) error) (string, error) {
	if otherwise != "" {
		what += " [" + otherwise + "]"
	}
	p := output.NewPage(q.out)
	for {
		p.Ask(what + ":")
		if err := p.Flush(); err != nil {
			return "", err
		}
		line, end := q.in.ReadString('\n')
		if end != nil && !errors.Is(end, io.EOF) {
			return "", fmt.Errorf("reading the answer: %w", end)
		}
		if line = strings.TrimSpace(line); line == "" {
			return otherwise, nil
		}
		err := wrong(line)
		if err == nil || end != nil {
			return line, err
		}
		p.Line(err.Error())
	}
}

// part of a draft that a flag says, and what is wrong with an answer.
type part struct {
	flag, what string
	into       *string
	wrong      func(string) error
}

// parts of a draft but for its targets.
func (d *draft) parts() []part {
	shape := func(flag string) func(string) error {
		return func(answer string) error { _, err := shapeOf(flag, answer); return err }
	}
	return []part{
		{"name", "Name of the run", &d.name, nameOrPrefix},
		{"tool", "Tool (" + strings.Join(tools(), ", ") + ")", &d.tool, func(answer string) error { _, err := toolOf(answer); return err }},
		{"target-shape", "Shape of the servers (a name, or cpu=2,memory=4Gi)", &d.targetShape, shape("target-shape")},
		{"client-shape", "Shape of the clients", &d.clientShape, shape("client-shape")},
		{"storage", "Size of the volume of each server", &d.storage, func(answer string) error {
			if _, err := resource.ParseQuantity(answer); err != nil {
				return fmt.Errorf("%q is no size: write one such as 10Gi", answer)
			}
			return nil
		}},
	}
}

// ask for what the flags leave open.
func (d *draft) ask(q questions, given func(flag string) bool) error {
	for _, one := range d.parts() {
		if given(one.flag) {
			continue
		}
		answer, err := q.ask(one.what, *one.into, one.wrong)
		if err != nil {
			return err
		}
		*one.into = answer
	}
	if given("target") {
		return nil
	}
	return d.askTargets(q)
}

// askTargets until there is no further one, each with its settings.
func (d *draft) askTargets(q questions) error {
	next := func(text string) error {
		_, err := serversOf(append(d.targets[:len(d.targets):len(d.targets)], text))
		return err
	}
	for {
		what := "A server, such as MySQL:9.7 or new=MySQL:9.7"
		if len(d.targets) > 0 {
			what = "Another one to compare with it (empty: no more)"
		}
		target, err := q.ask(what, "", next)
		if err != nil || target == "" {
			return err
		}
		if !strings.Contains(target, ",") {
			with := func(list string) string { return strings.TrimSuffix(target+","+list, ",") }
			list, err := q.ask("Its settings, such as innodb_flush_log_at_trx_commit=1 (empty: none)", "", func(list string) error {
				if _, err := serverOf(list); err == nil {
					return fmt.Errorf("%q is another server, which is asked for next: an empty answer is for no settings", contract.Line(list))
				}
				return next(with(list))
			})
			if err != nil {
				return err
			}
			target = with(list)
		}
		d.targets = append(d.targets, target)
	}
}

// command line that has what was asked for and what flags gave, so that no answer is lost when the run cannot be planned.
func (d *draft) command(given func(flag string) bool) string {
	words := []string{"kubectl assay new"}
	add := func(flag, value string) {
		words = append(words, "--"+flag+" '"+strings.ReplaceAll(value, "'", `'\''`)+"'")
	}
	for _, one := range d.parts() {
		add(one.flag, *one.into)
	}
	for _, one := range [][2]string{
		{"minimum-effect", d.minimumEffect}, {"threads", strconv.Itoa(d.threads)}, {"blocks", strconv.Itoa(d.blocks)},
		{"warmup", durationText(d.warmup)}, {"duration", durationText(d.duration)},
	} {
		if given(one[0]) {
			add(one[0], one[1])
		}
	}
	for _, target := range d.targets {
		add("target", target)
	}
	return strings.Join(words, " ")
}
