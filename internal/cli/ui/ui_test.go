package ui

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/record/stored"
	"github.com/assay-bench/assay/internal/show/readout"
	"github.com/assay-bench/assay/internal/verdict/analysis"
	"github.com/assay-bench/assay/test/helpers/finished"
)

func cluster(t *testing.T, funcs interceptor.Funcs, objects ...client.Object) client.Reader {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithInterceptorFuncs(funcs).Build()
}

// pages of a cluster, without the guard. A report has the name of its run only.
func pages(api client.Reader) *site {
	s := newSite(api, "ns", Reading{Report: func(ctx context.Context, from stored.Source, out io.Writer) error {
		run, err := from.Run(ctx)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "<title>%s</title><main>\nthe report", run.Name)
		return err
	}})
	s.now = func() time.Time { return time.Date(2026, 11, 1, 13, 10, 0, 0, time.UTC) }
	return s
}

// get a page: its status and its text.
func get(t *testing.T, h http.Handler, path string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:1234"+path, http.NoBody)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func says(t *testing.T, w *httptest.ResponseRecorder, code int, texts ...string) {
	t.Helper()
	if w.Code != code {
		t.Errorf("got status %d, want %d: %s", w.Code, code, w.Body)
	}
	for _, text := range texts {
		if !strings.Contains(w.Body.String(), text) {
			t.Errorf("the page does not say %q: %s", text, w.Body)
		}
	}
}

// Who has not got the secret from the terminal gets nothing, whatever else a request has.
func TestGuard(t *testing.T) {
	g := newGuard("127.0.0.1:1234", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "inside") }))
	w := get(t, g, "/?token="+g.lasting)
	says(t, w, http.StatusOK, `content="0; url=/"`)
	cookies := w.Result().Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || strings.Contains(w.Body.String()+cookies[0].Value, g.lasting) {
		t.Fatalf("got cookies %v", cookies)
	}
	signed := func(r *http.Request) { r.AddCookie(cookies[0]) }
	says(t, get(t, g, "/run/ns/a", signed), http.StatusOK, "inside")
	for name, tt := range map[string]struct {
		path   string
		code   int
		change func(*http.Request)
	}{
		"no cookie":                         {"/", http.StatusForbidden, func(*http.Request) {}},
		"the cookie of another server":      {"/", http.StatusForbidden, func(r *http.Request) { r.AddCookie(&http.Cookie{Name: g.cookie, Value: "x"}) }},
		"another secret":                    {"/?token=x", http.StatusForbidden, signed},
		"no secret":                         {"/?token=", http.StatusForbidden, signed},
		"a name that was rebound":           {"/", http.StatusMisdirectedRequest, func(r *http.Request) { signed(r); r.Host = "evil.example:1234" }},
		"another port":                      {"/", http.StatusMisdirectedRequest, func(r *http.Request) { signed(r); r.Host = "127.0.0.1:80" }},
		"the secret, and a rebound name":    {"/?token=" + g.lasting, http.StatusMisdirectedRequest, func(r *http.Request) { r.Host = "evil.example:1234" }},
		"a request that writes":             {"/", http.StatusMethodNotAllowed, func(r *http.Request) { signed(r); r.Method = http.MethodPost }},
		"another site":                      {"/", http.StatusForbidden, func(r *http.Request) { signed(r); r.Header.Set("Sec-Fetch-Site", "cross-site") }},
		"a program that does not tell":      {"/", http.StatusForbidden, func(r *http.Request) { signed(r); r.Header.Del("Sec-Fetch-Site") }},
		"another server on this machine":    {"/", http.StatusForbidden, func(r *http.Request) { signed(r); r.Header.Set("Sec-Fetch-Site", "same-site") }},
		"the session in place of the token": {"/?token=" + g.session, http.StatusForbidden, func(*http.Request) {}},
	} {
		t.Run(name, func(t *testing.T) {
			w := get(t, g, tt.path, tt.change)
			if w.Code != tt.code || strings.Contains(w.Body.String(), "inside") || len(w.Result().Cookies()) > 0 {
				t.Errorf("got %d, %v: %s", w.Code, w.Result().Cookies(), w.Body)
			}
		})
	}
	for _, header := range []string{"Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Resource-Policy", "Cache-Control"} {
		if w.Header().Get(header) == "" {
			t.Errorf("there is no %s", header)
		}
	}
}

// The address that a browser is opened with is good for one visit; the printed one stays.
func TestOneVisit(t *testing.T) {
	g := newGuard("127.0.0.1:1234", http.NotFoundHandler())
	path := strings.TrimPrefix(g.address(g.once()), "http://127.0.0.1:1234")
	says(t, get(t, g, path), http.StatusOK)
	says(t, get(t, g, path), http.StatusForbidden, "not any more")
	says(t, get(t, g, "/?token="+g.lasting), http.StatusOK)
	says(t, get(t, g, "/?token="+g.lasting), http.StatusOK)
}

// The command listens on the loopback address only, prints where, and ends with its context.
func TestServe(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, to := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- serve(ctx, pages(cluster(t, interceptor.Funcs{})), listening{out: to, notes: io.Discard})
	}()
	var address string
	if _, err := fmt.Fscanln(out, &address); err != nil || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatal(address, err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil || answer.StatusCode != http.StatusOK || len(answer.Cookies()) != 1 {
		t.Fatal(answer, err)
	}
	_ = answer.Body.Close()
	// Linux has all of 127/8: a server on all addresses would answer here.
	elsewhere := strings.Replace(request.URL.Host, "127.0.0.1", "127.0.0.2", 1)
	if c, err := (&net.Dialer{Timeout: time.Second}).DialContext(t.Context(), "tcp", elsewhere); err == nil { // timing: it has to fail
		_ = c.Close()
		t.Errorf("%s answers, too", elsewhere)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func running(t *testing.T) *finished.Run {
	return finished.New(t, finished.Options{Name: "going", Change: func(run *v1alpha1.BenchmarkRun) {
		run.Status.Conditions, run.Status.CompletionTime = nil, nil
		run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionTrue}, {Type: v1alpha1.ConditionPlaced, Status: metav1.ConditionTrue},
			{Type: v1alpha1.ConditionTargetsReady, Status: metav1.ConditionTrue}, {Type: v1alpha1.ConditionDataLoaded, Status: metav1.ConditionTrue}}
		run.Status.Phase = v1alpha1.PhaseMeasuring
		run.Status.Progress.Planned, run.Status.Progress.Current = 40, "b threads=64 block 7"
	}})
}

func TestRuns(t *testing.T) {
	objects := append(finished.New(t, finished.Options{}).Objects(), running(t).Objects()...)
	h := pages(cluster(t, interceptor.Funcs{}, objects...)).handler()
	says(t, get(t, h, "/"), http.StatusOK, `<a href="/run/ns/run">run</a>`, `<a href="/run/ns/going">going</a>`, `<svg class="icon open" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">`, "&nbsp;Running</td>", `<svg class="icon open"`, "&nbsp;4 Exploratory</td>", "b threads=64 block 7", `value="ns"`)
	says(t, get(t, h, "/?namespace="), http.StatusOK, `<a href="/run/ns/run">run</a>`, ">Namespace</th>")
	says(t, get(t, h, "/?namespace=other"), http.StatusOK, "There are no runs here")
	says(t, get(t, h, "/?namespace=%3Cb%3E"), http.StatusBadRequest, "No namespace has this name")
	says(t, get(t, h, "/nothing"), http.StatusNotFound, "no such page")
}

func TestRun(t *testing.T) {
	objects := append(finished.New(t, finished.Options{}).Objects(), running(t).Objects()...)
	h := pages(cluster(t, interceptor.Funcs{}, objects...)).handler()
	w := get(t, h, "/run/ns/run")
	says(t, w, http.StatusOK, "<h1>run</h1>", "<strong>EXPLORATORY</strong>", `href="/report/ns/run"`, "Higher is better: ratios to the baseline</figcaption>", "medians with their spread</figcaption>", "What this does not say", `<dd><svg class="icon open"`)
	if strings.Contains(w.Body.String(), "live.js") {
		t.Error("a run that has ended is asked again")
	}
	says(t, get(t, h, "/run/ns/going"), http.StatusOK, "data-live", `<script src="/live.js"`, `<progress max="40" value="24"`, "b threads=64 block 7", "Trials so far: throughput, tx/s", "The last trial of each target: throughput, tx/s", "<svg",
		"trial 23, b, threads=64, block 5: 297.9 tx/s, counts: no: disturbed", "a: trial 22, threads=64, in block 5. b: trial 23, threads=64, in block 5. It is the first one of 2 clients.", notLive)
	if strings.Contains(w.Body.String(), notLive) {
		t.Error("a run that has ended has no trial that runs")
	}
	says(t, get(t, h, "/run/ns/none"), http.StatusNotFound, "not there")
	says(t, get(t, h, "/run/ns/%3Cscript%3E"), http.StatusBadRequest, "No object has this name")
	report := get(t, h, "/report/ns/run")
	says(t, report, http.StatusOK, "<title>run</title>", "<main>\n<nav ", `<a href="/?namespace=ns">Runs</a>`, `<a href="/run/ns/run">This run</a>`, "</nav>\nthe report")
	if got := report.Header().Get("Content-Security-Policy"); !strings.Contains(got, "'sha256-") || strings.Contains(got, "script-src") {
		t.Errorf("the report has the policy %q", got)
	}
}

// What limits a number stands at it on the page of a run, and below the table what that means.
func TestDoubtsStandAtTheNumber(t *testing.T) {
	objects := finished.New(t, finished.Options{}).Objects()
	for _, o := range objects {
		if run, is := o.(*v1alpha1.BenchmarkRun); is {
			run.Status.Summary[0].SaturatedTrialCount, run.Status.Summary[0].Caveat = 2, "the period of the quota <b>"
		}
	}
	says(t, get(t, pages(cluster(t, interceptor.Funcs{}, objects...)).handler(), "/run/ns/run"), http.StatusOK,
		"saturated 2/", ", [1]<", "saturated: the offered rate was not achieved", "[1] the period of the quota &lt;b&gt;")
}

// A look between two trials reads nothing that was read.
func TestLooksReadOnce(t *testing.T) {
	read := 0
	api := cluster(t, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, o ...client.GetOption) error {
		read++
		return c.Get(ctx, key, obj, o...)
	}}, running(t).Objects()...)
	h := pages(api).handler()
	get(t, h, "/run/ns/going")
	before := read
	says(t, get(t, h, "/run/ns/going"), http.StatusOK, "<svg")
	if read != before+1 {
		t.Errorf("a second look read %d objects", read-before)
	}
}

// What tenants write is text.
func TestHostile(t *testing.T) {
	const evil = `<img src=x onerror=alert(1)>"'&` + "\x1b[2J"
	run := running(t)
	run.Object.Status.Progress.Current, run.Object.Status.Headline = evil, evil
	run.Object.Status.Findings = []v1alpha1.Finding{{Check: "c", Severity: "Invalid", Message: evil}}
	run.Object.Status.Comparisons[0].Value = strings.Repeat(evil, 200)
	h := pages(cluster(t, interceptor.Funcs{}, run.Objects()...)).handler()
	for _, path := range []string{"/", "/run/ns/going"} {
		w := get(t, h, path)
		says(t, w, http.StatusOK, "&lt;img src=x")
		if text := w.Body.String(); strings.Contains(text, "<img") || strings.Contains(text, "\x1b") || len(text) > 200_000 {
			t.Errorf("%s has %d bytes with what a tenant wrote: %s", path, len(text), text)
		}
	}
}

// Who may not read something sees which right is missing, and the frame of the page.
func TestForbidden(t *testing.T) {
	no := func(verb, resource string) error {
		return apierrors.NewForbidden(schema.GroupResource{Group: "assay.dev", Resource: resource}, "", fmt.Errorf("User \"jane\" cannot %s resource %q in API group \"assay.dev\"", verb, resource))
	}
	h := pages(cluster(t, interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			return no("list", "benchmarkruns")
		},
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, o ...client.GetOption) error {
			if _, is := obj.(*v1alpha1.BenchmarkRun); is {
				return c.Get(ctx, key, obj, o...)
			}
			return no("get", "configmaps")
		},
	}, running(t).Objects()...)).handler()
	says(t, get(t, h, "/"), http.StatusForbidden, "A right is missing", "cannot list resource &#34;benchmarkruns&#34;", "All namespaces")
	says(t, get(t, h, "/run/ns/going"), http.StatusOK, "There are no pictures. A right is missing", "cannot get resource &#34;configmaps&#34;")
}

func TestPagesAreBounded(t *testing.T) {
	s := pages(cluster(t, interceptor.Funcs{}, finished.New(t, finished.Options{}).Objects()...))
	s.read.Report = func(_ context.Context, _ stored.Source, out io.Writer) error {
		_, err := out.Write(make([]byte, maxPage+1))
		return err
	}
	says(t, get(t, s.handler(), "/report/ns/run"), http.StatusBadGateway, "too long for a page")
}

// Why a gate did not pass stands on the page of the run.
func TestGateOfARun(t *testing.T) {
	why := metav1.Condition{Type: v1alpha1.ConditionPassed, Status: metav1.ConditionFalse, Reason: "Slower", Message: "a became slower than the baseline"}
	run := finished.New(t, finished.Options{Change: func(run *v1alpha1.BenchmarkRun) {
		run.Spec.Gate = &v1alpha1.Gate{Baseline: "expected"}
		run.Status.Conditions = append(run.Status.Conditions, why)
	}})
	says(t, get(t, pages(cluster(t, interceptor.Funcs{}, run.Objects()...)).handler(), "/run/ns/run"), http.StatusOK, `<p class="say bad"><svg class="icon bad"`, "<strong>GATE FAILED</strong> Slower: "+why.Message, "&nbsp;GateFailed</dd>")
}

// Two runs are compared as the command does it; a run that is not what it has stored is named.
func TestCompare(t *testing.T) {
	objects := append(finished.New(t, finished.Options{}).Objects(), running(t).Objects()...)
	s := pages(cluster(t, interceptor.Funcs{}, objects...))
	var asked []string
	var fails error
	s.read.Compare = func(_ context.Context, runs []stored.Source, notes io.Writer) (readout.Comparisons, error) {
		for _, r := range runs {
			asked = append(asked, r.String())
		}
		_, _ = io.WriteString(notes, "compared: 1 part <b>")
		c := v1alpha1.ComparisonEntry{Family: v1alpha1.FamilyPrimary, Factor: v1alpha1.FactorTarget, Value: "b <b>", Baseline: "a", Name: "latency.avg", Direction: "LowerIsBetter", Verdict: v1alpha1.VerdictFaster,
			Ratio: "1.00002", IntervalLow: "1.00001", IntervalHigh: "1.6", BlockCount: 5, PlannedBlockCount: 6}
		result := analysis.RunsResult{Comparisons: []analysis.RunsComparison{{ComparisonEntry: c, Ratios: []string{"1.49", "1.51"}}}}
		doc := readout.OverRuns([]string{"run", "other"}, result, analysis.Declaration{ErrorRate: 0.05, MinimumEffect: 0.02}, []string{"run x has failed"})
		doc.Between = []string{"kernel <b>"}
		return doc, fails
	}
	h := s.handler()
	w := get(t, h, "/compare?run=ns/run")
	says(t, w, http.StatusOK, `value="ns/run"`, `<option value="ns/run">`)
	if text := w.Body.String(); strings.Contains(text, "ns/going") || len(asked) > 0 {
		t.Errorf("a run that goes on is offered, or something was compared: %v, %s", asked, text)
	}
	w = get(t, h, "/compare?run=ns/run&run=other")
	says(t, w, http.StatusOK, `<p class="say bad"><svg class="icon bad"`, "<strong>NOT EVERY RUN CAN BE RELIED ON</strong>", "<strong>FASTER</strong> &#43;0.002 % (&#43;0.001 to &#43;60 %), 5 of 6 blocks: b &lt;b&gt; against a, latency.avg",
		">5 of 6 blocks<", "b &lt;b&gt; against a, latency.avg: 1.49, 1.51", "lower is better →", "kernel &lt;b&gt;", "run x has failed", "compared: 1 part &lt;b&gt;", "<svg")
	if diff := cmp.Diff([]string{"BenchmarkRun ns/run", "BenchmarkRun ns/other"}, asked); diff != "" {
		t.Error(diff)
	}
	fails = exit.ErrDiffers
	w = get(t, h, "/compare?run=ns/run&run=ns/other")
	says(t, w, http.StatusOK, "Nothing is compared: a run is not what it has stored", "compared: 1 part")
	if strings.Contains(w.Body.String(), "FASTER") {
		t.Error("runs that were changed have a verdict")
	}
	says(t, get(t, h, "/compare?run=ns/run&run=../x"), http.StatusBadRequest, "NAMESPACE/NAME")
	says(t, get(t, h, "/compare?run=ns/a&run=ns/b&run=ns/c"), http.StatusBadRequest, "Two runs")
}
