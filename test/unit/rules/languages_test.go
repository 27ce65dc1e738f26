package rules

import (
	"path"
	"regexp"
	"strings"
)

// The tests of other languages are searched line by line.

// measure is a word for a time that was measured, as the harnesses and their languages write it.
const measure = `(?:(?-i:\b(?:[Ll]ate|[Dd]elay|[Ll]ag)(?:ness|s|_\w+|[A-Z]\w*)?\b|\b\w+(?:_late|Late|_delay|Delay|_lag|Lag)\b)|[\w.$>()\[\]'"-]*(?:nanos|nano_?time|micros|millis|elapsed|took|duration|latency|seconds|perf_counter|monotonic|hrtime|microtime|performance\.now|Date\.now|[Ss]topwatch)[\w.$>()\[\]'"]*)`

// assertion is the begin of a line that asserts something.
const assertion = `^\s*(?:[\w.$>:-]*(?:assert|expect|check|verify|must|equal|same|true|ok)[\w!]*[\s(!]|raise |die |throw )`

// upperBounds are lines that fail when a measured time is too long. A lower bound is none: a busy machine keeps it.
var upperBounds = []*regexp.Regexp{
	regexp.MustCompile(`(?i)` + assertion + `.*` + measure + `[^<>=;,]*(?:<=?)[^<>=]*\d`),
	regexp.MustCompile(`(?i)` + assertion + `[^<>=;,]*\d[^<>=;,]*(?:>=?)\s*` + measure),
	regexp.MustCompile(`(?i)assert_?less(?:_?equal)?\s*\(.*` + measure + `.*,[^,]*\d`),
	regexp.MustCompile(`(?i)assert_?greater(?:_?equal)?\s*\(\s*\d[\d_*. ]*,.*` + measure),
	regexp.MustCompile(`(?i)` + measure + `.*\.(?:toBeLessThan\w*|isLessThan\w*|to be <|should be <)`),
	regexp.MustCompile(`(?i)assert_operator\b.*` + measure + `\s*,\s*:<`),
	regexp.MustCompile(`(?i)^\s*(?:\}?\s*(?:else\s*)?if|unless|elif)\b.*` + measure + `[^<>=;]*>=?[^<>=]*\d`),
}

// timeouts are limits of tests by the ending of their files: a number, and how many milliseconds one of it is.
var timeouts = map[string]map[*regexp.Regexp]float64{
	".py":   {regexp.MustCompile(`\btimeout\s*=\s*([\d_.]+)`): 1e3, regexp.MustCompile(`\.(?:join|wait)\(\s*([\d_.]+)\s*\)`): 1e3},
	".rb":   {regexp.MustCompile(`Timeout\.timeout\(?\s*([\d_.]+)`): 1e3, regexp.MustCompile(`\btimeout:\s*([\d_.]+)`): 1e3},
	".php":  {regexp.MustCompile(`\bset_time_limit\(\s*([\d_.]+)`): 1e3},
	".js":   {regexp.MustCompile(`\btimeout\s*[:=]\s*([\d_.]+)`): 1, regexp.MustCompile(`AbortSignal\.timeout\(\s*([\d_.]+)`): 1},
	".java": {regexp.MustCompile(`@Timeout\(\s*([\d_.]+)`): 1e3, regexp.MustCompile(`\btimeout\s*=\s*([\d_]+)`): 1, regexp.MustCompile(`Duration\.ofSeconds\(\s*([\d_]+)`): 1e3, regexp.MustCompile(`Duration\.ofMillis\(\s*([\d_]+)`): 1},
	".cs":   {regexp.MustCompile(`(?:\.Wait|WaitForExit|CancelAfter|WaitOne)\(\s*([\d_]+)`): 1, regexp.MustCompile(`TimeSpan\.FromSeconds\(\s*([\d_.]+)`): 1e3},
	".rs":   {regexp.MustCompile(`timeout\(.*from_secs\(\s*([\d_]+)`): 1e3, regexp.MustCompile(`timeout\(.*from_millis\(\s*([\d_]+)`): 1},
	".c":    {regexp.MustCompile(`\balarm\(\s*(\d+)`): 1e3},
	".sh":   {regexp.MustCompile(`\bwait_until\s+(\d+)\b`): 1e3, regexp.MustCompile(`(?:^|[\s({;|&])timeout\s+(\d+)s?\s`): 1e3, regexp.MustCompile(`--timeout[ =](\d+)s\b`): 1e3},
}

// testsOfLanguages are the tests below a folder that are in another language than Go. Scripts count all: tests go through most
// of them.
func testsOfLanguages(root string) ([]document, error) {
	var out []document
	for ending := range timeouts {
		err := walk(root, ending, func(path string, text []byte) error {
			if tests := testsIn(path, string(text)); tests != "" {
				out = append(out, document{path, tests})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

var inTests = regexp.MustCompile(`(?i)(^|/)(tests?|testing|spec)/|(^|/)(test_[^/]*|[^/]*[_.-]test)\.[a-z]+$|\.sh$`)

// testsIn a file: all of it, or in Rust what is behind the mark of its tests. The numbers of lines stay.
func testsIn(path, text string) string {
	if inTests.MatchString(path) {
		return text
	}
	before, tests, has := strings.Cut(text, "#[cfg(test)]")
	if !has || !strings.HasSuffix(path, ".rs") {
		return ""
	}
	return strings.Repeat("\n", strings.Count(before, "\n")) + tests
}

var markOfLine = regexp.MustCompile(`(?://|#)\s*` + timingMark + `\s*\S`)

// shortLimitsOfLanguages are the lines with a short limit.
func shortLimitsOfLanguages(tests []document) (out []violation) {
	for _, d := range tests {
		found, marks := map[int]bool{}, map[int]bool{}
		n := 0
		var bare []string
		for line := range strings.Lines(d.text) {
			n++
			bare = append(bare, withoutComment(line))
			marks[n] = markOfLine.MatchString(line)
			if !marks[n] {
				delete(marks, n)
			}
			if isShort(path.Ext(d.path), bare[n-1]) {
				found[n] = true
			}
		}
		for _, n := range shortTries(path.Ext(d.path), bare) {
			found[n] = true
		}
		out = append(out, unmarked(d.path, found, marks)...)
	}
	return out
}

// comment of a line, in all of the languages.
var comment = regexp.MustCompile(`(?:^|\s)(?://|#[^\[!]|/?\*\s).*`)

func withoutComment(line string) string { return comment.ReplaceAllString(line, "") }

func isShort(ending, line string) bool {
	for _, bound := range upperBounds {
		if ending != ".sh" && bound.MatchString(line) {
			return true
		}
	}
	for pattern, unit := range timeouts[ending] {
		for _, m := range pattern.FindAllStringSubmatch(line, -1) {
			if n, is := numberOf(m[1]); is && n > 0 && n*unit < float64(patience.Milliseconds()) {
				return true
			}
		}
	}
	return false
}
