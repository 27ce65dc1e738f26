package contract

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unicode/utf8"
)

// Lengths of what a tool or a server says, in bytes. The raw output beside a result has all of it.
const (
	// MaxMessage of a failure, and of a finding about a trial.
	MaxMessage = 2 << 10
	// MaxText of a problem, of a warning, or of a line that is quoted.
	MaxText = 1 << 10
	// MaxValue of a variable of the server and of any other text of a result.
	MaxValue = 16 << 10
	// MaxName of a measurement, a unit, an error or a label.
	MaxName = 253
	// MaxLabelValue of a label.
	MaxLabelValue = 1 << 10
)

// Numbers of entries of the lists of a result that are cut. Measurements and errors never are: a
// result with too many of them is refused.
const (
	// MaxProblems, MaxWarnings and MaxViolations are kept; the last one says how many more there were.
	MaxProblems   = 200
	MaxWarnings   = 50
	MaxViolations = 50
	// MaxArgs of a command line are kept.
	MaxArgs = 512
	// MaxLabels of a measurement.
	MaxLabels = 32
	// MaxErrors are kinds of errors.
	MaxErrors = 1000
)

// Bounds of a result. Zero is no bound.
type Bounds struct {
	// JSONBytes of the uncompressed JSON.
	JSONBytes int
	// Elements of all lists and objects together, such as 3 for a point of a time series.
	Elements int
	// OtherElements are those of one field that has no measurements, such as the variables of the server.
	OtherElements int
	// Measurements of the measured window, and as many of the warm-up.
	Measurements int
}

// DefaultBounds are those that a result is written with: a day of intervals of 9 seconds for eight
// measurements, or 20,000 measurements.
func DefaultBounds() Bounds {
	return Bounds{JSONBytes: MaxJSONBytes, Elements: 2_000_000, OtherElements: 100_000, Measurements: 20_000}
}

// ErrTooLarge is what every TooLargeError is.
var ErrTooLarge = errors.New("the result is too large")

// TooLargeError is the error for a result beyond a bound.
type TooLargeError struct {
	// What is too large or too many, such as "measurements".
	What string
	// Most is the bound.
	Most int
}

// Error has the bound.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the result is too large: more than %d %s", e.Most, e.What)
}

// Is makes every TooLargeError an ErrTooLarge.
func (e *TooLargeError) Is(target error) bool { return target == ErrTooLarge }

// cutMark ends what is kept of a text that was cut.
const cutMark = "... (cut: %d of %d bytes)"

// Cut keeps the beginning of a text of more than n bytes, and says at its end that it was cut and
// how much of it is shown. A text that was cut before, and fits, stays as it is. The result has at
// most n bytes and is clean (Clean), unless n is too small for the mark.
func Cut(text string, n int) string {
	text = Clean(text)
	if len(text) <= n {
		return text
	}
	mark := len(fmt.Sprintf(cutMark, len(text), len(text)))
	kept := CutTo(text, n-mark)
	return kept + fmt.Sprintf(cutMark, len(kept), len(text))
}

// CutInside keeps the beginning and the end of a text of more than n bytes, and says between them that it was cut and how much of it is
// shown. It is for sentences that say first what is wrong, then what others said of it, and at last the remedy. The result has at most n
// bytes and is clean (Clean), unless n is too small for the mark.
func CutInside(text string, n int) string {
	text = Clean(text)
	if len(text) <= n {
		return text
	}
	const mark = cutMark + " ..."
	room := max(n-len(fmt.Sprintf(mark, len(text), len(text))), 0)
	head := CutTo(text, room/2)
	from := len(text) - (room - len(head))
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return head + fmt.Sprintf(mark, len(head)+len(text)-from, len(text)) + text[from:]
}

// Shorten cuts what a tool or a server said to its length: the texts of the result, and the lists of problems,
// warnings, violations, wrong results and arguments. It marks what it cut. No number is lost, and nothing of the argument is changed.
func Shorten(r Result) Result {
	if r.Failure != nil {
		r.Failure = &Failure{Reason: Reason(Cut(string(r.Failure.Reason), MaxName)), Message: Cut(r.Failure.Message, MaxMessage)}
	}
	r.Problems = shortenProblems(r.Problems)
	r.Tool.Args = shortenList(r.Tool.Args, MaxArgs, MaxText)
	r.Client.Warnings = shortenList(r.Client.Warnings, MaxWarnings, MaxText)
	if r.Target != nil {
		target := *r.Target
		target.Warnings = shortenList(target.Warnings, MaxWarnings, MaxText)
		r.Target = &target
	}
	if r.Data != nil && r.Data.Check != nil {
		data, check := *r.Data, *r.Data.Check
		check.Violations = shortenList(check.Violations, MaxViolations, MaxText)
		data.Check, r.Data = &check, &data
	}
	if r.Answers != nil {
		r.Answers = &Answers{Compared: r.Answers.Compared, Wrong: shortenList(r.Answers.Wrong, MaxViolations, MaxText)}
	}
	short, _ := shortenTexts(reflect.ValueOf(r))
	return short.Interface().(Result)
}

func shortenProblems(all []Problem) []Problem {
	if len(all) == 0 {
		return all
	}
	out := slices.Clone(all[:min(len(all), MaxProblems)])
	for i := range out {
		out[i].Source, out[i].Text = Cut(out[i].Source, MaxName), Cut(out[i].Text, MaxText)
	}
	if more := len(all) - len(out); more > 0 {
		out[len(out)-1] = Problem{Source: "problems", Text: fmt.Sprintf("(cut: %d more)", more+1)}
	}
	return out
}

func shortenList(all []string, most, length int) []string {
	if len(all) == 0 {
		return all
	}
	out := slices.Clone(all[:min(len(all), most)])
	for i := range out {
		out[i] = Cut(out[i], length)
	}
	if more := len(all) - len(out); more > 0 {
		out[len(out)-1] = fmt.Sprintf("(cut: %d more)", more+1)
	}
	return out
}

// shortenTexts is a value whose texts have at most MaxValue bytes; changed is false where they have
// already. It copies what it has to change and nothing else.
func shortenTexts(v reflect.Value) (short reflect.Value, changed bool) {
	switch v.Kind() {
	case reflect.String:
		if v.Len() > MaxValue {
			return reflect.ValueOf(Cut(v.String(), MaxValue)).Convert(v.Type()), true
		}
	case reflect.Pointer:
		if v.IsNil() {
			return v, false
		}
		if short, changed := shortenTexts(v.Elem()); changed {
			p := reflect.New(v.Type().Elem())
			p.Elem().Set(short)
			return p, true
		}
	case reflect.Struct:
		return shortenFields(v)
	case reflect.Slice:
		return shortenItems(v)
	case reflect.Map:
		return shortenEntries(v)
	default: // a number or a truth value
	}
	return v, false
}

func shortenFields(v reflect.Value) (out reflect.Value, changed bool) {
	out = v
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() {
			continue // of time.Time
		}
		short, is := shortenTexts(v.Field(i))
		if is && !changed {
			out, changed = reflect.New(v.Type()).Elem(), true
			out.Set(v)
		}
		if is {
			out.Field(i).Set(short)
		}
	}
	return out, changed
}

func shortenItems(v reflect.Value) (out reflect.Value, changed bool) {
	switch v.Interface().(type) {
	case []Interval, []Bucket: // numbers, and many
		return v, false
	}
	out = v
	for i := range v.Len() {
		short, is := shortenTexts(v.Index(i))
		if is && !changed {
			out, changed = reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v), true
		}
		if is {
			out.Index(i).Set(short)
		}
	}
	return out, changed
}

func shortenEntries(v reflect.Value) (out reflect.Value, changed bool) {
	out = v
	for each := v.MapRange(); each.Next(); {
		short, is := shortenTexts(each.Value())
		if is && !changed {
			out, changed = reflect.MakeMap(v.Type()), true
			for all := v.MapRange(); all.Next(); {
				out.SetMapIndex(all.Key(), all.Value())
			}
		}
		if is {
			out.SetMapIndex(each.Key(), short)
		}
	}
	return out, changed
}
