package rules

import (
	"regexp"
	"strconv"
	"strings"
)

// counts are the heads of loops that try so many times, in all of the languages.
var counts = []*regexp.Regexp{
	regexp.MustCompile(`\b(?:for|while)\b.*<=?\s*([\d_]+)`),
	regexp.MustCompile(`\brange\(\s*(?:\d+\s*,\s*)?([\d_]+)\s*\)`),
	regexp.MustCompile(`\bin\s+\(?\d+\.\.=?([\d_]+)`),
	regexp.MustCompile(`\b([\d_]+)\.times\b`),
	regexp.MustCompile(`\(\d+\.\.\.?([\d_]+)\)\.each`),
	regexp.MustCompile(`\bfor\b.*\bin\s+\{\d+\.\.(\d+)\}`),
	regexp.MustCompile(`\bfor\b.*\bseq\s+(?:\d+\s+)?(\d+)`),
}

// pauses are the calls that sleep, by the ending of a file: a number, and how many milliseconds one of it is.
var pauses = map[string]map[*regexp.Regexp]float64{
	".py":   {regexp.MustCompile(`\bsleep\(\s*([\d_.]+)\s*\)`): 1e3},
	".rb":   {regexp.MustCompile(`\bsleep[( ]\s*([\d_.]+)`): 1e3},
	".php":  {regexp.MustCompile(`\busleep\(\s*([\d_]+)`): 1e-3, regexp.MustCompile(`\bsleep\(\s*([\d_]+)`): 1e3},
	".js":   {regexp.MustCompile(`\b(?:sleep|delay|pause|setTimeout)\((?:[^()]*,)?\s*([\d_.]+)\s*\)`): 1},
	".java": {regexp.MustCompile(`\bsleep\(\s*([\d_]+)`): 1},
	".cs":   {regexp.MustCompile(`\b(?:Sleep|Delay)\(\s*([\d_]+)`): 1},
	".rs":   {regexp.MustCompile(`sleep\(.*from_millis\(\s*([\d_]+)`): 1, regexp.MustCompile(`sleep\(.*from_secs\(\s*([\d_]+)`): 1e3},
	".c":    {regexp.MustCompile(`\busleep\(\s*(\d+)`): 1e-3, regexp.MustCompile(`\bsleep\(\s*(\d+)`): 1e3},
	".sh":   {regexp.MustCompile(`\bsleep\s+([\d.]+)`): 1e3},
}

// endsEarly is a loop that may end before its last try: by a condition in its head, or by what is in it.
var endsEarly = regexp.MustCompile(`&&|\band\b|\b(?:break|return|exit|last|raise|throw)\b`)

// bodyLines is how many lines behind the head of a loop are searched for its pause.
const bodyLines = 12

// shortTries are the lines with the heads of loops that try with pauses in between, and give up within less than patience.
func shortTries(ending string, lines []string) (out []int) {
	for i, line := range lines {
		times, is := countOf(line)
		if !is {
			continue
		}
		body := append([]string{line}, bodyOf(lines[i:])...)
		pause := 0.0
		for _, l := range body {
			pause += longest(pauses[ending], l)
		}
		if pause > 0 && times*pause < float64(patience.Milliseconds()) && endsEarly.MatchString(strings.Join(body, "\n")) {
			out = append(out, i+1)
		}
	}
	return out
}

// bodyOf a loop whose head is the first line: the lines behind it that are indented more.
func bodyOf(lines []string) []string {
	n := 1
	for n < len(lines) && n <= bodyLines && (strings.TrimSpace(lines[n]) == "" || n == 1 && strings.TrimSpace(lines[n]) == "{" || indent(lines[n]) > indent(lines[0])) {
		n++
	}
	return lines[1:n]
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// countOf a head of a loop.
func countOf(line string) (float64, bool) {
	for _, pattern := range counts {
		if m := pattern.FindStringSubmatch(line); m != nil {
			return numberOf(m[1])
		}
	}
	return 0, false
}

// longest time that a line names, in milliseconds; 0 for none.
func longest(patterns map[*regexp.Regexp]float64, line string) (most float64) {
	for pattern, unit := range patterns {
		for _, m := range pattern.FindAllStringSubmatch(line, -1) {
			if n, is := numberOf(m[1]); is {
				most = max(most, n*unit)
			}
		}
	}
	return most
}

func numberOf(text string) (float64, bool) {
	n, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	return n, err == nil
}
