package export

import (
	"io"
	"strings"
	"time"

	"github.com/assay-bench/assay/internal/stored"
)

// JSON of pytest-benchmark. Times are in seconds, and lower is better: it knows nothing else.
type (
	pytestFile struct {
		MachineInfo map[string]string `json:"machine_info"`
		CommitInfo  map[string]string `json:"commit_info"`
		Benchmarks  []pytestBenchmark `json:"benchmarks"`
		Datetime    string            `json:"datetime"`
		Version     string            `json:"version"`
	}
	pytestBenchmark struct {
		Group     string            `json:"group"`
		Name      string            `json:"name"`
		Fullname  string            `json:"fullname"`
		Params    map[string]string `json:"params"`
		Param     string            `json:"param"`
		ExtraInfo map[string]string `json:"extra_info"`
		Options   map[string]any    `json:"options"`
		Stats     pytestStats       `json:"stats"`
	}
	pytestStats struct {
		Min            float64   `json:"min"`
		Max            float64   `json:"max"`
		Mean           float64   `json:"mean"`
		Stddev         float64   `json:"stddev"`
		Rounds         int       `json:"rounds"`
		Median         float64   `json:"median"`
		IQR            float64   `json:"iqr"`
		Q1             float64   `json:"q1"`
		Q3             float64   `json:"q3"`
		IQROutliers    int       `json:"iqr_outliers"`
		StddevOutliers int       `json:"stddev_outliers"`
		Outliers       string    `json:"outliers"`
		LD15IQR        float64   `json:"ld15iqr"`
		HD15IQR        float64   `json:"hd15iqr"`
		Ops            *float64  `json:"ops,omitempty"`
		Total          float64   `json:"total"`
		Iterations     int       `json:"iterations"`
		Data           []float64 `json:"data"`
	}
)

// pytestVersion is that of pytest-benchmark whose format this is.
const pytestVersion = "5.1.0"

// writePytest writes each time that counts as a benchmark whose rounds are the trials.
func writePytest(out io.Writer, run *stored.Run) error {
	o := run.Object
	file := pytestFile{
		MachineInfo: map[string]string{"node": "see status.nodes of " + o.Namespace + "/" + o.Name}, CommitInfo: map[string]string{},
		Benchmarks: []pytestBenchmark{}, Datetime: endOf(run).Format("2006-01-02T15:04:05.000000"), Version: pytestVersion,
	}
	for _, s := range seriesOf(run) {
		values, ok := s.inSeconds()
		if !ok || s.direction == higher {
			continue
		}
		one := pytestOf(toolOf(run), s, values)
		if all := Caveats(run); len(all) > 0 {
			one.ExtraInfo["caveat"] = strings.Join(all, "; ")
		}
		file.Benchmarks = append(file.Benchmarks, one)
	}
	return encodeIndented(out, file)
}

func pytestOf(tool string, s *series, values []float64) pytestBenchmark {
	v := spreadOf(values)
	low, high := v.inner(values)
	b := pytestBenchmark{
		Group: s.measurement(), Name: s.measurement() + "[" + s.place() + "]", Fullname: tool + "::" + s.measurement() + "[" + s.place() + "]",
		Params: map[string]string{"target": s.target}, Param: s.place(), ExtraInfo: map[string]string{}, Options: map[string]any{},
		Stats: pytestStats{
			Min: v.min, Max: v.max, Mean: v.mean, Stddev: v.dev, Rounds: v.n, Median: v.median, IQR: v.q3 - v.q1, Q1: v.q1, Q3: v.q3,
			IQROutliers: len(v.below) + len(v.above), StddevOutliers: v.far, Outliers: v.outliers(), LD15IQR: low, HD15IQR: high,
			Total: v.mean * float64(v.n), Iterations: 1, Data: values,
		},
	}
	for axis, value := range s.parameters {
		b.Params[axis] = value.String()
	}
	if v.mean > 0 {
		ops := 1 / v.mean
		b.Stats.Ops = &ops
	}
	return b
}

// endOf a run; the time of its creation for one that has not ended.
func endOf(run *stored.Run) time.Time {
	if t := run.Object.Status.CompletionTime; t != nil {
		return t.UTC()
	}
	return run.Object.CreationTimestamp.UTC()
}
