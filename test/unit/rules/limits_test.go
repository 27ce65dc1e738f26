package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// linesOf the violations of a rule.
func linesOf(violations []violation, rule string) string {
	var out []string
	for _, v := range violations {
		if v.rule == rule {
			_, line, _ := strings.Cut(v.where, ":")
			out = append(out, line)
		}
	}
	return strings.Join(out, " ")
}

// TestShortLimits has one statement for each example: line 4 is the first of it.
func TestShortLimits(t *testing.T) {
	for name, tt := range map[string]struct{ text, path, want, unused string }{
		"an upper bound":                        {text: "if took := time.Since(began); took > 500*time.Millisecond {\n}", want: "4"},
		"one without a variable":                {text: "if err != nil || time.Since(began) >= 10*time.Second {\n}", want: "4"},
		"one the other way round":               {text: "if 5*time.Second < time.Since(began) {\n}", want: "4"},
		"one of a constant":                     {text: "const most = time.Second\n_ = time.Since(began) > most", want: "5"},
		"one of a constant, times something":    {text: "const most = 2*time.Second\n_ = time.Since(began) > 4*most", want: "5"},
		"one of two instants":                   {text: "after := ended.Sub(began)\n_ = after > 5*time.Second", want: "5"},
		"the best of some":                      {text: "best = min(best, time.Since(began))\n_ = best > 5*time.Millisecond", want: "5"},
		"one of a list":                         {text: "late = append(late, a.Sub(b))\n_ = late[0] > time.Millisecond", want: "5"},
		"one in seconds":                        {text: "_ = time.Since(began).Seconds() > 2.5", want: "4"},
		"one that another function measured":    {text: "took := end()\nif took > 5*time.Second {\n}", want: "5"},
		"one of a benchmark within a test":      {text: "_ = testing.Benchmark(f).NsPerOp() > 1000", want: "4"},
		"a minute":                              {text: "if time.Since(began) > time.Minute {\n}"},
		"the limit of what hangs":               {text: "if time.Since(began) > hang.Limit {\n}"},
		"a lower bound":                         {text: "if took := time.Since(began); took < 100*time.Millisecond {\n}"},
		"a lower bound, early":                  {text: "if late := time.Since(at); late < 0 {\n}"},
		"a ratio":                               {text: "_ = time.Since(began) > 3*alone"},
		"what is no time":                       {text: "_ = len(a) > 3"},
		"a bar in a benchmark":                  {text: "}\nfunc BenchmarkF(b *testing.B) {\n_ = time.Since(began) > time.Second"},
		"a bubble, where no time passes":        {text: "synctest.Test(t, func(t *testing.T) {\n_ = time.Since(began) > time.Second\n})"},
		"a loop for so long":                    {text: "for begin := time.Now(); time.Since(begin) < 10*time.Second; {\n}", want: "4"},
		"a loop until an instant":               {text: "for end := time.Now().Add(20*time.Second); time.Now().Before(end); {\n}", want: "4"},
		"an instant that has passed":            {text: "end := time.Now().Add(20*time.Second)\nif time.Now().After(end) {\n}", want: "5"},
		"an instant that is yet to come":        {text: "end := time.Now().Add(20*time.Second)\nif end.Before(time.Now()) {\n}", want: "5"},
		"an instant that nobody waits for":      {text: "at := time.Now().Add(7*time.Millisecond)\nf(at)"},
		"a loop of patience":                    {text: "for end := time.Now().Add(hang.Limit); time.Now().Before(end); {\n}"},
		"a number of tries":                     {text: "for range 100 {\nif is() {\nreturn\n}\ntime.Sleep(20*time.Millisecond)\n}", want: "4"},
		"a number of tries, counted":            {text: "for i := 0; i < 100; i++ {\nif is() {\nbreak\n}\ntime.Sleep(20*time.Millisecond)\n}", want: "4"},
		"many tries":                            {text: "for range 6000 {\nif is() {\nreturn\n}\ntime.Sleep(20*time.Millisecond)\n}"},
		"pauses that end by themselves":         {text: "for range 4 {\nsample()\ntime.Sleep(300*time.Millisecond)\n}"},
		"a context":                             {text: "ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)", want: "4"},
		"a context until an instant":            {text: "ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(time.Second))", want: "4"},
		"a context of patience":                 {text: "ctx, cancel := context.WithTimeout(t.Context(), hang.Limit)"},
		"a context that has to end":             {text: "// timing: it has to run out\nctx, cancel := context.WithTimeout(t.Context(), time.Second)"},
		"the same, on its line":                 {text: "ctx, cancel := context.WithTimeout(t.Context(), time.Second) // timing: it has to run out"},
		"a mark without a reason":               {text: "// timing:\nctx, cancel := context.WithTimeout(t.Context(), time.Second)", want: "5"},
		"a mark of nothing":                     {text: "// timing: it is quick\nf()", unused: "4"},
		"a connection":                          {text: "conn.SetReadDeadline(time.Now().Add(5*time.Second))", want: "4"},
		"a connection that is over":             {text: "conn.SetDeadline(time.Now())"},
		"a client":                              {text: "c := &http.Client{Timeout: 5*time.Second}", want: "4"},
		"a dialer":                              {text: "c := net.Dialer{Timeout: time.Second}", want: "4"},
		"nothing came":                          {text: "select {\ncase <-done:\ncase <-time.After(20*time.Second):\nt.Fatal(\"late\")\n}", want: "6"},
		"nothing came, by a variable":           {text: "limit := time.After(time.Second)\nselect {\ncase <-limit:\nt.Error(\"late\")\n}", want: "6"},
		"nothing came for long":                 {text: "select {\ncase <-time.After(hang.Limit):\nt.Fatal(\"late\")\n}"},
		"nothing may come":                      {text: "select {\ncase <-done:\nt.Fatal(\"early\")\ncase <-time.After(50*time.Millisecond):\n}"},
		"a function that waits":                 {text: "await(t, run, 30*time.Second)", want: "4"},
		"a method that waits, and how it looks": {text: "x.eventuallyIs(t, time.Millisecond, 10*time.Second)", want: "4"},
		"a function that waits with patience":   {text: "await(t, run, time.Millisecond, time.Minute)"},
		"another function":                      {text: "run(t, 30*time.Second)"},
		"a flag of a command":                   {text: `run(t, "watch", "run", "--timeout", "2s")`, want: "4"},
		"a flag with its value":                 {text: `run(t, "kubectl", "wait", "--timeout=5s")`, want: "4"},
		"a flag in a list":                      {text: `args := []string{"upgrade", "--wait", "--timeout", "30s"}`, want: "4"},
		"a flag in a script":                    {text: `shell(t, "kubectl wait --for=delete pod --timeout=30s")`, want: "4"},
		"a flag with a longer name":             {text: `run(t, "--request-timeout", "5s")`, want: "4"},
		"a flag with patience":                  {text: `run(t, "--timeout", "3m")`},
		"a flag that is for ever":               {text: `run(t, "--timeout", "0s")`},
		"a flag that has to run out":            {text: "// timing: it has to run out\nrun(t, `--timeout`, `1s`)"},
		"another flag":                          {text: `run(t, "--interval", "50ms")`},
		"the command timeout":                   {text: `shell(t, "timeout 20 docker info")`, want: "4"},
		"a limit of the product":                {text: "r.Config.Timeouts.Upload.Duration = 4*time.Second", want: "4"},
		"a hold of the product":                 {text: "short := func(r *R) { r.Config.Queue.Hold.Suspended.Duration = 2*time.Second }", want: "4"},
		"a limit of the product with patience":  {text: "r.Config.Timeouts.Upload.Duration = hang.Limit"},
		"a limit of the product, none":          {text: "r.Config.Timeouts.Upload.Duration = 0"},
		"a limit that has to run out":           {text: "r.Config.Timeouts.Upload.Duration = time.Second // timing: it has to run out"},
		"a suite in a cluster":                  {path: "test/e2e/a_test.go", text: "_ = time.Since(began) > time.Second", want: "4"},
		"a suite with figures":                  {path: "test/bench/a_test.go", text: "_ = time.Since(began) > time.Second"},
		"what helps tests":                      {path: "test/helpers/x/a.go", text: "_ = time.Since(began) > time.Second", want: "4"},
		"a program":                             {path: "p/a.go", text: "_ = time.Since(began) > time.Second"},
	} {
		t.Run(name, func(t *testing.T) {
			path := tt.path
			if path == "" {
				path = "p/a_test.go"
			}
			s, _, err := parse(path, fmt.Appendf(nil, "package p\n\nfunc f() {\n%s\n}\n", tt.text))
			if err != nil {
				t.Fatal(err)
			}
			got := shortLimits([]source{s})
			if diff := cmp.Diff([]string{tt.want, tt.unused}, []string{linesOf(got, timingRule), linesOf(got, unusedMark)}); diff != "" {
				t.Errorf("lines with a short limit, and with a mark of nothing (-want +got):\n%s", diff)
			}
		})
	}
}

func TestShortLimitsOfLanguages(t *testing.T) {
	for name, tt := range map[string]struct{ path, text, want string }{
		"Python, what a harness had":    {"harness/python/tests/test_units.py", "self.assertTrue(meter.nanoseconds < (lowest + (1 << shift)) * 2 + 10_000, (index, meter.nanoseconds))", "1"},
		"Python, assertLess":            {"harness/python/tests/test_units.py", "self.assertLess(time.perf_counter() - began, 2.5)", "1"},
		"Python, assertGreater":         {"harness/python/tests/test_units.py", "self.assertGreater(5, took)", "1"},
		"Python, a bare assert":         {"harness/python/tests/test_units.py", "    assert elapsed < 5", "1"},
		"Python, a timeout":             {"harness/python/tests/test_units.py", "process.communicate(timeout=5)", "1"},
		"Python, patience":              {"harness/python/tests/test_units.py", "process.communicate(timeout=60)", ""},
		"Python, a lower bound":         {"harness/python/tests/test_units.py", "self.assertGreaterEqual(meter.nanoseconds, 20_000_000)", ""},
		"Python, something was counted": {"harness/python/tests/test_units.py", `self.assertGreater(collection["nanoseconds"], 0)`, ""},
		"Python, two measured times":    {"harness/python/tests/test_units.py", "self.assertTrue(lowest <= meter.nanoseconds, (index, meter.nanoseconds))", ""},
		"Python, a comment":             {"harness/python/tests/test_units.py", "# assert elapsed < 5", ""},
		"Python, with a reason":         {"harness/python/tests/test_units.py", "# timing: it has to run out\nprocess.communicate(timeout=5)", ""},
		"Python, a program":             {"harness/python/harness/measure.py", "assert elapsed < 5", ""},
		"Node.js":                       {"harness/node/test/a.test.js", "  assert.ok(performance.now() - began < 1000);", "1"},
		"Node.js, by if":                {"harness/node/test/a.test.js", "  if (elapsed > 1000) throw new Error('slow');", "1"},
		"Node.js, expect":               {"harness/node/test/a.test.js", "  expect(elapsed).toBeLessThan(1000);", "1"},
		"Node.js, a timeout":            {"harness/node/test/a.test.js", "test('x', { timeout: 5_000 }, async () => {", "1"},
		"Node.js, patience":             {"harness/node/test/a.test.js", "test('x', { timeout: 60_000 }, async () => {", ""},
		"Node.js, what is asked for":    {"harness/node/test/a.test.js", "  assert.strictEqual(await collects({ operations: 0, seconds: 0.01 }), false);", ""},
		"Java":                          {"harness/java/test/dev/T.java", "    check(System.nanoTime() - began < 1_000_000);", "1"},
		"Java, a timeout":               {"harness/java/test/dev/T.java", "  @Timeout(5)", "1"},
		"Java, how late":                {"runners/x/java/test/T.java", "    equal(late >= 0 && late < 1000, true);", "1"},
		"Java, too early":               {"runners/x/java/test/T.java", "    equal(late >= 0, true);", ""},
		"Java, later":                   {"runners/x/java/test/T.java", "    equal(later < 1000, true);", ""},
		"Java, a delay":                 {"runners/x/java/test/T.java", "    check(startDelay < 50);", "1"},
		"Java, tries":                   {"runners/x/java/test/T.java", "    for (int i = 0; i < 500 && !core.isStopRequested(); i++) {\n      Thread.sleep(10);\n    }", "1"},
		"Java, tries with patience":     {"runners/x/java/test/T.java", "    for (int i = 0; i < 6000 && !core.isStopRequested(); i++) {\n      Thread.sleep(10);\n    }", ""},
		"Java, pauses":                  {"runners/x/java/test/T.java", "    for (int i = 0; i < 5; i++) {\n      Thread.sleep(10);\n    }", ""},
		"Java, no pause in the loop":    {"runners/x/java/test/T.java", "    for (int i = 0; i < 5 && more(); i++) {\n      next();\n    }\n    Thread.sleep(10);", ""},
		"Python, tries":                 {"harness/python/tests/test_units.py", "for _ in range(100):\n    if ready():\n        break\n    time.sleep(0.05)", "1"},
		"Python, lag":                   {"harness/python/tests/test_units.py", "    assert replica_lag < 5", "1"},
		"Ruby, tries":                   {"harness/ruby/tests/run.rb", "50.times do\n  break if ready?\n  sleep 0.1\nend", "1"},
		"PHP, tries":                    {"harness/php/tests/run.php", "for ($i = 0; $i < 100; $i++) {\n    if (ready()) {\n        break;\n    }\n    usleep(10000);\n}", "1"},
		"Node.js, tries":                {"harness/node/test/a.test.js", "  for (let i = 0; i < 50 && !ready; i++) {\n    await new Promise((done) => setTimeout(done, 20));\n  }", "1"},
		"C, tries":                      {"harness/c/test/test.c", "  for (int i = 0; i < 100 && !ready(); i++) {\n    usleep(1000);\n  }", "1"},
		"C#, tries":                     {"harness/dotnet/tests/A.cs", "        for (var i = 0; i < 100 && !ready; i++)\n        {\n            Thread.Sleep(10);\n        }", "1"},
		"Rust, tries":                   {"harness/rust/src/run.rs", "#[cfg(test)]\n    for _ in 0..100 {\n        if ready() {\n            break;\n        }\n        thread::sleep(Duration::from_millis(10));\n    }", "2"},
		"a script, tries":               {"hack/e2e.sh", "for _ in {1..20}; do\n  ready && break\n  sleep 1\ndone", "1"},
		"a script, tries by seq":        {"hack/e2e.sh", "for i in $(seq 1 20); do ready && exit 0; sleep 0.5; done", "1"},
		"Java, a bucket":                {"harness/java/test/dev/T.java", "      equal(index < Histogram.PLACES, true);", ""},
		"Ruby":                          {"harness/ruby/tests/run.rb", "assert_operator elapsed, :<, 5", "1"},
		"Ruby, a timeout":               {"harness/ruby/tests/run.rb", "Timeout.timeout(5) do", "1"},
		"PHP":                           {"harness/php/tests/run.php", "    $t->same('quick', true, microtime(true) - $began < 1);", "1"},
		"Rust, in its tests":            {"harness/rust/src/run.rs", "fn f() {}\n#[cfg(test)]\nmod tests {\n    assert!(began.elapsed() < Duration::from_secs(1));", "4"},
		"Rust, a lower bound":           {"harness/rust/src/run.rs", "#[cfg(test)]\n    assert!(timing.nanoseconds > 0);", ""},
		"Rust, a program":               {"harness/rust/src/run.rs", "    assert!(began.elapsed() < Duration::from_secs(1));", ""},
		"C":                             {"harness/c/test/test.c", "  CHECK(elapsed < 1000000, \"slow\");", "1"},
		"C, a bucket":                   {"harness/c/test/test.c", "  CHECK(index == lowest && index < HISTOGRAM_BUCKETS, \"the bucket\");", ""},
		"C#":                            {"harness/dotnet/tests/A.cs", "            t.Same(\"quick\", true, watch.ElapsedMilliseconds < 100);", "1"},
		"C#, an option of a driver":     {"harness/dotnet/tests/A.cs", `            t.Same("options", true, server.Take().Contains(";Timeout=5"));`, ""},
		"a script":                      {"hack/e2e.sh", "wait_until 20 answers || fail", "1"},
		"a script with patience":        {"hack/e2e.sh", "wait_until 60 answers || fail", ""},
		"a script, timeout":             {"hack/e2e.sh", "runs() { timeout" + " 20 docker info; }", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			var tests []document
			if text := testsIn(tt.path, tt.text); text != "" {
				tests = append(tests, document{tt.path, text})
			}
			if got := linesOf(shortLimitsOfLanguages(tests), timingRule); got != tt.want {
				t.Errorf("lines with a short limit: %q, want %q", got, tt.want)
			}
		})
	}
}
