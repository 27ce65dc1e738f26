package accept

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/trial/validity"
	"github.com/assay-bench/assay/runners/runner"
	"github.com/assay-bench/assay/runners/ycsb"
)

// A password goes only to a server that is verified, unless the spec says aloud that it may go
// to another one.
func TestExternalServersAreVerified(t *testing.T) {
	login := []string{"username", "password"}
	withCA := []string{"username", "password", "ca.crt"}
	all := []string{"username", "password", "ca.crt", "tls.crt", "tls.key"}
	verifies := func(tool *runner.Runner) {
		tool.Connection.SkipsVerification, tool.Connection.NeedsCertificate = false, false
	}
	sysbench := func(*runner.Runner) {}
	const insecure = true
	tests := map[string]struct {
		tool     func(*runner.Runner)
		tls      v1alpha1.TLSMode
		insecure bool
		keys     []string
		want     string
	}{
		"the default, with a CA":                   {verifies, "", !insecure, withCA, "done"},
		"the default, without a CA":                {verifies, "", !insecure, login, `fail SecretIncomplete: spec.targets[0].external.credentials: Secret "login" lacks the key "ca.crt"`},
		"Required, without a CA":                   {verifies, v1alpha1.TLSRequired, !insecure, login, "fail SecretIncomplete"},
		"Required, without a CA, aloud":            {verifies, v1alpha1.TLSRequired, insecure, login, "done"},
		"Disabled, aloud":                          {verifies, v1alpha1.TLSDisabled, insecure, login, "done"},
		"a tool that verifies nothing":             {sysbench, v1alpha1.TLSRequired, !insecure, all, "fail InvalidSpec: spec.targets[0].external.insecureSkipVerify: sysbench logs in to servers that it did not verify"},
		"a tool that verifies nothing, aloud":      {sysbench, v1alpha1.TLSRequired, insecure, all, "done"},
		"a tool that wants a certificate, and one": {sysbench, v1alpha1.TLSRequired, insecure, withCA, `fail SecretIncomplete: spec.targets[0].external.credentials: Secret "login" lacks the key "tls.crt"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			secret := &corev1.Secret{Data: map[string][]byte{}}
			for _, key := range tt.keys {
				secret.Data[key] = []byte("x")
			}
			w := newWorld(spec(func(s *v1alpha1.BenchmarkRunSpec) {
				s.Targets[0] = v1alpha1.Target{Name: "db", External: &v1alpha1.ExternalTarget{
					Host: "h", Port: 1, TLS: tt.tls, InsecureSkipVerify: tt.insecure, Credentials: corev1.LocalObjectReference{Name: "login"},
				}}
			}))
			w.objects[decision.Named[*corev1.Secret]("login")] = secret
			find := w.in.Catalogue.Tool
			w.in.Catalogue.Tool = func(name string) (runner.Runner, bool) {
				tool, ok := find(name)
				tt.tool(&tool)
				return tool, ok
			}
			got := w.decide(t)
			if state := words(got.State); !strings.HasPrefix(state, tt.want) {
				t.Errorf("%s, want %s", state, tt.want)
			}
			said := len(got.Findings) > 0 && got.Findings[0].Check == "server-unverified" && got.Findings[0].Target == "db" &&
				got.Findings[0].Severity == string(validity.Warning)
			if tt.want == "done" && said != tt.insecure {
				t.Errorf("findings %+v", got.Findings)
			}
		})
	}
}

// Data that exists is told, and that what is written stays.
func TestDataThatExistsIsTold(t *testing.T) {
	for allowed, want := range map[bool]string{false: "the workload only reads", true: "what the workload writes stays in it"} {
		w := newWorld(spec(func(s *v1alpha1.BenchmarkRunSpec) {
			s.Targets[0] = v1alpha1.Target{Name: "db", External: &v1alpha1.ExternalTarget{
				Host: "h", Port: 1, Database: "shop", TLS: v1alpha1.TLSDisabled, InsecureSkipVerify: true, Credentials: corev1.LocalObjectReference{Name: "login"},
				Data: v1alpha1.DataExisting, AllowWrites: allowed,
			}}
		}))
		w.objects[decision.Named[*corev1.Secret]("login")] = &corev1.Secret{Data: map[string][]byte{"username": []byte("x"), "password": []byte("x")}}
		got := w.decide(t)
		at := slices.IndexFunc(got.Findings, func(f v1alpha1.Finding) bool { return f.Check == "data-existing" })
		if at < 0 || got.Findings[at].Severity != string(validity.Note) || !strings.Contains(got.Findings[at].Message, "in schema shop") || !strings.Contains(got.Findings[at].Message, want) {
			t.Errorf("%s: %+v", words(got.State), got.Findings)
		}
	}
}

// Behind JDBC the URL decides, and Assay asks for nothing.
func TestJDBCDecidesByItself(t *testing.T) {
	e := &v1alpha1.ExternalTarget{JDBC: &v1alpha1.JDBCEndpoint{URL: "jdbc:x:y", Driver: "a.B"}}
	if got := neededKeys(experiment.Work{Tool: ycsb.Runner()}, e); len(got) != 2 {
		t.Errorf("needs the keys %v", got)
	}
	if got := e.Encryption(); got != v1alpha1.TLSDisabled {
		t.Errorf("tls %s", got)
	}
}
