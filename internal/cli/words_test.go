package cli

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-bench/assay/internal/cli/exit"
)

// jargon is what no user has to know: words of the libraries, and of the language.
var jargon = regexp.MustCompile(`KUBERNETES_MASTER|flags? in the group|flag\(s\)|arg\(s\)|strconv|shorthand|cobra|unmarshal|goroutine|invalid configuration|groupVersion|REST mapping|dial tcp: lookup`)

// kubeconfigOf an API server at an address.
func kubeconfigOf(t *testing.T, server string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	text := `{apiVersion: v1, kind: Config, current-context: here, clusters: [{name: c, cluster: {server: "` + server + `"}}], users: [{name: u, user: {token: t}}],
contexts: [{name: here, context: {cluster: c, user: u}}, {name: there, context: {cluster: c, user: u, namespace: ns}}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Whoever calls a command wrongly, or without a cluster, learns what is wrong and what to do, in our words.
func TestErrorsInOurWords(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	t.Setenv("KUBECONFIG", none)
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	answers := func(code int) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
		t.Cleanup(s.Close)
		return kubeconfigOf(t, s.URL)
	}
	encrypted := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(encrypted.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("apiVersion: [v1"), 0o600); err != nil {
		t.Fatal(err)
	}
	without := filepath.Join(t.TempDir(), "without")
	if err := os.WriteFile(without, []byte("{apiVersion: v1, kind: Config, clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}], contexts: [{name: here, context: {cluster: c}}]}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ line, want string }{
		"no kubeconfig":                  {"get", "there is no cluster: no kubeconfig was found in " + none + "; name one with --kubeconfig or with the variable KUBECONFIG"},
		"a kubeconfig that is not there": {"get --kubeconfig /no/such", "--kubeconfig: stat /no/such: no such file"},
		"a kubeconfig that is none":      {"get --kubeconfig " + broken, "--kubeconfig: "},
		"a context of no kubeconfig":     {"get --context x", "there is no cluster"},
		"an unknown context":             {"get --context nope --kubeconfig " + kubeconfigOf(t, gone.URL), `--context: the kubeconfig has no context "nope": it has here, there`},
		"no current context":             {"get --kubeconfig " + without, "the kubeconfig has no current context: choose one of here with --context"},
		"a server that is not there":     {"get --kubeconfig " + kubeconfigOf(t, gone.URL), "the API server " + gone.URL + " cannot be reached: is the cluster there, and is the context the right one"},
		"a server of another authority":  {"get run --kubeconfig " + kubeconfigOf(t, encrypted.URL), "the API server " + encrypted.URL + " cannot be reached"},
		"credentials that are too old":   {"get run --kubeconfig " + answers(http.StatusUnauthorized), "the cluster does not accept your credentials: log in again"},
		"a cluster without Assay":        {"get run --kubeconfig " + answers(http.StatusNotFound), "the cluster does not know the objects of Assay: it is not installed there"},
		"another reader of it":           {"verify run --kubeconfig " + answers(http.StatusNotFound), "the cluster does not know the objects of Assay"},
		"a right that is missing":        {"get --kubeconfig " + answers(http.StatusForbidden), "the role view or edit of the namespace"},
		"no file":                        {"run", "missing: --filename\nusage: kubectl assay run -f FILE [flags]\nkubectl assay run --help has all of it"},
		"a file that is not there":       {"plan -f /no/such", "reading the manifest: open /no/such"},
		"no name":                        {"watch", "missing: RUN\nusage: kubectl assay watch RUN"},
		"too few names":                  {"compare a", "missing: RUN|BUNDLE RUN|BUNDLE..."},
		"too many names":                 {"watch a b", "2 arguments, and it takes only RUN"},
		"more than one may have":         {"get a b", "2 arguments, and it takes only [RUN|BUNDLE]"},
		"a name where there is none":     {"plan a", `kubectl assay plan takes no argument, and has "a"`},
		"neither of two options":         {"export a", "missing: --bundle or --format"},
		"both of two options":            {"export a --bundle --format csv", "give only one of --bundle and --format"},
		"a misspelt command":             {"wacth a", `there is no command "wacth": did you mean watch?`},
		"an unknown command":             {"frobnicate", `there is no command "frobnicate": use one of baseline, `},
		"a misspelt command of a group":  {"baseline promot a", `there is no command "promot": did you mean promote?`},
		"an unknown command of a group":  {"baseline zzz", "use one of promote\nusage: kubectl assay baseline COMMAND"},
		"a misspelt option":              {"get --measurment x", "there is no option --measurment: did you mean --measurement?"},
		"an unknown option":              {"get --zzzzzz", "there is no option --zzzzzz\nusage: kubectl assay get [RUN|BUNDLE] [flags]"},
		"an unknown short option":        {"get -x", "there is no option -x"},
		"an option without its value":    {"watch a --interval", "missing: the value behind --interval"},
		"a short one without its value":  {"get a -m", "missing: the value behind -m"},
		"a time that is none":            {"watch a --interval soon", `--interval "soon": it needs a time such as 90s, 5m or 2h`},
		"a number that is none":          {"logs a --trial x", `--trial "x": it needs a whole number`},
		"a port that is none":            {"ui --port 70000", `--port "70000": it needs a whole number of at most 65535`},
		"a format that is none":          {"get -o xml", `--output "xml": use table, json or yaml`},
	} {
		t.Run(name, func(t *testing.T) {
			var out, problems bytes.Buffer
			code := Main(strings.Fields(tt.line), &out, &problems)
			if code != exit.Problem || out.Len() > 0 || !strings.HasPrefix(problems.String(), "error: ") || !strings.Contains(flat(problems.String()), flat(tt.want)) || jargon.MatchString(problems.String()) {
				t.Errorf("exit code %d: %q\nwant %q", code, problems.String(), tt.want)
			}
		})
	}
}
