package main

import (
	"bytes"

	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"k8s.io/client-go/rest"
)

// samples are the metrics of a process at one moment, by name.
type samples map[string]*dto.MetricFamily

// scrape reads the manager's metrics in the format that has native histograms,
// whose buckets are narrow enough for percentiles.
func scrape(ctx context.Context, url string) (samples, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("reading the manager's metrics: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	return decode(resp.Body, expfmt.ResponseFormat(resp.Header))
}

// scrapeServer reads the API server's metrics.
func scrapeServer(ctx context.Context, c *rest.Config) (samples, error) {
	client, err := rest.HTTPClientFor(c)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(c.Host, "/")+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/plain;version=0.0.4")
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("reading the API server's metrics: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("reading the API server's metrics: %s", resp.Status)
	}
	return decode(bytes.NewReader(text), expfmt.ResponseFormat(resp.Header))
}

func decode(body io.Reader, format expfmt.Format) (samples, error) {
	out := samples{}
	for d := expfmt.NewDecoder(body, format); ; {
		f := &dto.MetricFamily{}
		err := d.Decode(f)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("decoding metrics: %w", err)
		}
		out[f.GetName()] = f
	}
}

// has says whether a metric bears all of these labels.
func has(m *dto.Metric, labels map[string]string) bool {
	found := 0
	for _, l := range m.Label {
		if want, is := labels[l.GetName()]; is && want == l.GetValue() {
			found++
		}
	}
	return found == len(labels)
}

// counter is the sum of all counters of a name that bear the labels.
func (s samples) counter(name string, labels map[string]string) float64 {
	sum := 0.0
	for _, m := range s[name].GetMetric() {
		if has(m, labels) {
			sum += m.GetCounter().GetValue()
		}
	}
	return sum
}

// gauge of a name; 0 when there is none.
func (s samples) gauge(name string) float64 {
	for _, m := range s[name].GetMetric() {
		return m.GetGauge().GetValue()
	}
	return 0
}

// histogram with exponential buckets: the one with index i holds the values in
// (b^(i-1), b^i], with b = 2^(2^-schema).
type histogram struct {
	schema  int32
	buckets map[int]int64
	zero    int64
	count   uint64
	sum     float64
}

// native histogram of a name with the labels.
func (s samples) native(name string, labels map[string]string) (histogram, error) {
	for _, m := range s[name].GetMetric() {
		h := m.GetHistogram()
		if !has(m, labels) || h.Schema == nil {
			continue
		}
		out := histogram{schema: h.GetSchema(), buckets: map[int]int64{}, count: h.GetSampleCount(), sum: h.GetSampleSum(), zero: int64(h.GetZeroCount())}
		i, n, next := 0, int64(0), 0
		for _, span := range h.PositiveSpan {
			i += int(span.GetOffset())
			for range span.GetLength() {
				n += h.PositiveDelta[next]
				out.buckets[i] = n
				i++
				next++
			}
		}
		return out, nil
	}
	return histogram{}, fmt.Errorf("there is no native histogram %s%v", name, labels)
}

// coarser halves the resolution until the histogram has the schema.
func (h histogram) coarser(schema int32) histogram {
	for h.schema > schema {
		buckets := map[int]int64{}
		for i, n := range h.buckets {
			buckets[(i+1)>>1] += n
		}
		h.buckets, h.schema = buckets, h.schema-1
	}
	return h
}

// since is what was added after an earlier histogram. A histogram that grew too
// large has become coarser meanwhile.
func (h histogram) since(before histogram) histogram {
	schema := min(h.schema, before.schema)
	h, before = h.coarser(schema), before.coarser(schema)
	out := histogram{schema: schema, buckets: map[int]int64{}, zero: h.zero - before.zero, count: h.count - before.count, sum: h.sum - before.sum}
	for i, n := range h.buckets {
		if n -= before.buckets[i]; n > 0 {
			out.buckets[i] = n
		}
	}
	return out
}

// quantile is the middle (geometric) of the bucket in which the q-th value lies; NaN
// without values.
func (h histogram) quantile(q float64) float64 {
	total := h.zero
	var indexes []int
	for i, n := range h.buckets {
		indexes, total = append(indexes, i), total+n
	}
	if total == 0 {
		return math.NaN()
	}
	slices.Sort(indexes)
	rank, seen := int64(math.Ceil(q*float64(total))), h.zero
	if seen >= rank {
		return 0
	}
	for _, i := range indexes {
		if seen += h.buckets[i]; seen >= rank {
			return math.Exp2((float64(i) - 0.5) * math.Exp2(-float64(h.schema)))
		}
	}
	return math.NaN()
}
