package hostile

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// unchecked writes a result as somebody does who keeps to no bound: the digest is right, and
// nothing else is looked at.
func unchecked(res contract.Result) ([]byte, error) {
	plain, err := json.Marshal(res)
	if err != nil {
		return nil, err
	}
	return zipped(string(plain))
}

// zipped is a text as gzip.
func zipped(text string) ([]byte, error) {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	if _, err := zip.Write([]byte(text)); err != nil {
		return nil, err
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// encoder writes results, and those of the measured window in its own way.
func encoder(ofRun func(res contract.Result) ([]byte, error)) func(contract.Result) ([]byte, error) {
	return func(res contract.Result) ([]byte, error) {
		if res.Trial.Phase != string(contract.PhaseRun) {
			return contract.Encode(res)
		}
		return ofRun(res)
	}
}

// many is a result with a list of n items in the JSON of a field, written without making them.
func many(field, open, item string, n int, closing string) func(res contract.Result) ([]byte, error) {
	return func(res contract.Result) ([]byte, error) {
		res.Measurements = nil
		plain, err := json.Marshal(res)
		if err != nil {
			return nil, err
		}
		head := strings.TrimSuffix(string(plain), "}")
		return zipped(head + "," + field + ":" + open + strings.Repeat(item+",", n-1) + item + closing + "}")
	}
}

// labelled has n values of the main measurement, with a label of random text each.
func labelled(n, length int) func(contract.Trial) *contract.Result {
	return func(trial contract.Trial) *contract.Result {
		res := goodResult(trial)
		if trial.Ref.Phase != string(contract.PhaseRun) {
			return res
		}
		rng := rand.New(rand.NewPCG(1, uint64(trial.Ref.Client)))
		for i := range n {
			res.Measurements = append(res.Measurements, contract.Measurement{
				Name: contract.NameThroughput, Unit: "tx/s", Value: new(float64(i)), Labels: map[string]string{"operation": random(rng, length)},
			})
		}
		return res
	}
}

func random(rng *rand.Rand, n int) string {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte('!' + rng.IntN(90))
	}
	return string(out)
}

// says is a client whose result has a text everywhere where a tool or a server may say something.
func says(text string) func(contract.Trial) *contract.Result {
	return func(trial contract.Trial) *contract.Result {
		res := goodResult(trial)
		if trial.Ref.Phase != string(contract.PhaseRun) {
			return res
		}
		res.Tool.Version, res.Tool.Args, res.Client.Warnings = text, []string{text}, []string{text}
		res.Server = &contract.Server{Version: text, Variables: map[string]string{"v": text}}
		for i := range 1000 {
			res.Problems = append(res.Problems, contract.Problem{Source: "run/stdout", Line: i, Text: text[:min(len(text), 4096)]})
		}
		res.State, res.Failure = contract.Failed, &contract.Failure{Reason: contract.ReasonToolFailed, Message: text}
		return res
	}
}

// odd are names and values with characters that JSON, YAML, shells and terminals treat specially.
var odd = []string{"a\x00b", "line\nbreak", `quo"te'`, "$(rm -rf /)", "{{.Values}}", "\u202eright to left", "\xff\xfe", strings.Repeat("ö", 120), "../../etc/passwd", "null"}

// oddNames is a result whose labels and errors have odd names.
func oddNames(trial contract.Trial) *contract.Result {
	res := goodResult(trial)
	if trial.Ref.Phase == string(contract.PhaseRun) {
		for i, text := range odd {
			res.Errors = append(res.Errors, contract.ErrorCount{Name: text, Count: 1})
			res.Measurements = append(res.Measurements, contract.Measurement{
				Name: contract.NameThroughput, Unit: text, Value: new(1.0), Labels: map[string]string{fmt.Sprint(i, text): text},
			})
		}
	}
	return res
}
