package permissions

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-bench/assay/test/helpers/program"
)

// The manager serves its metrics over HTTPS, to those whom the API server knows and allows,
// with the rights that the chart gives to both.
func TestMetricsAreForThoseWhoMayReadThem(t *testing.T) {
	system, others := server.Namespace(t), server.Namespace(t)
	address := freeAddress(t)
	log := start(t, program.Manager(t), install(t, "assay-metrics", system, nil), address)
	stranger, reader := token(t, others, "stranger"), token(t, others, "reader")
	mustCreate(t, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "reads-" + others},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "assay-metrics-metrics-reader"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: others, Name: "reader"}},
	})
	ask := func(scheme, token string) (status int, body string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, scheme+"://"+address+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		// The manager signed its certificate itself.
		client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
		resp, err := client.Do(r)
		if err != nil {
			return 0, err.Error()
		}
		defer func() { _ = resp.Body.Close() }()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			return resp.StatusCode, err.Error()
		}
		return resp.StatusCode, string(text)
	}
	if !eventually(t.Context(), outcome{"", func(context.Context) bool { status, _ := ask("https", ""); return status != 0 }}) {
		t.Fatalf("no metrics within 30 s; the manager says:\n%s", log)
	}
	for what, tc := range map[string]struct {
		token string
		want  int
	}{
		"without a token":                  {"", http.StatusUnauthorized},
		"with a token of nobody":           {stranger + "x", http.StatusUnauthorized},
		"with a token that has no right":   {stranger, http.StatusForbidden},
		"with a token that has the right":  {reader, http.StatusOK},
		"the same again, out of the cache": {reader, http.StatusOK},
	} {
		status, body := ask("https", tc.token)
		if status != tc.want || strings.Contains(body, "go_goroutines") != (tc.want == http.StatusOK) {
			t.Errorf("%s: %d %.200q, want %d; the manager says:\n%s", what, status, body, tc.want, log)
		}
	}
	if status, body := ask("http", reader); status == http.StatusOK || strings.Contains(body, "go_goroutines") {
		t.Errorf("without encryption: %d %.200q", status, body)
	}
}

// token of a new ServiceAccount.
func token(t *testing.T, namespace, name string) string {
	t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	mustCreate(t, account)
	request := &authenticationv1.TokenRequest{}
	if err := server.API.SubResource("token").Create(t.Context(), account, request); err != nil {
		t.Fatal(err)
	}
	return request.Status.Token
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}
