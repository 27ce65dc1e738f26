package scrape

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/cache"
	authenticationclient "k8s.io/client-go/kubernetes/typed/authentication/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
)

// tokens knows the tokens that begin with "known", by their names.
type tokens struct {
	authenticationclient.TokenReviewInterface
	asked *atomic.Int32
	down  bool
}

func (f tokens) Create(_ context.Context, r *authenticationv1.TokenReview, _ metav1.CreateOptions) (*authenticationv1.TokenReview, error) {
	f.asked.Add(1)
	if f.down {
		return nil, errors.New("down")
	}
	r.Status.Authenticated = strings.HasPrefix(r.Spec.Token, "known")
	r.Status.User.Username = r.Spec.Token
	return r, nil
}

// rights has the user known-reader, who may get /metrics.
type rights struct {
	authorizationclient.SubjectAccessReviewInterface
}

func (rights) Create(_ context.Context, r *authorizationv1.SubjectAccessReview, _ metav1.CreateOptions) (*authorizationv1.SubjectAccessReview, error) {
	what := *r.Spec.NonResourceAttributes
	r.Status.Allowed = r.Spec.User == "known-reader" && what == authorizationv1.NonResourceAttributes{Path: "/metrics", Verb: "get"}
	return r, nil
}

func TestWhoMayScrape(t *testing.T) {
	asked := &atomic.Int32{}
	serve := func(down bool) http.Handler {
		g := guard{tokens: tokens{asked: asked, down: down}, rights: rights{}, answers: cache.NewLRUExpireCache(maxAnswers), reviews: make(chan struct{}, maxReviews)}
		h, err := g.filter(logr.Discard(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("numbers")) }))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	up, down := serve(false), serve(true)
	for what, tc := range map[string]struct {
		handler             http.Handler
		method, path, token string
		want                int
		// asks of two equal requests that reach the API server.
		asks int32
	}{
		"no token":                              {up, "GET", "/metrics", "", 401, 0},
		"a password":                            {up, "GET", "/metrics", "Basic YTpi", 401, 0},
		"an empty token":                        {up, "GET", "/metrics", "Bearer ", 401, 0},
		"a token without an end":                {up, "GET", "/metrics", "Bearer " + strings.Repeat("x", maxToken+1), 401, 0},
		"an unknown token":                      {up, "GET", "/metrics", "Bearer x", 401, 1},
		"a user without the right":              {up, "GET", "/metrics", "Bearer known", 403, 1},
		"a user with the right to another path": {up, "GET", "/other", "Bearer known-reader", 403, 1},
		"a user with the right to another verb": {up, "POST", "/metrics", "Bearer known-reader", 403, 1},
		"a user with the right":                 {up, "GET", "/metrics", "Bearer known-reader", 200, 1},
		"an API server that does not answer":    {down, "GET", "/metrics", "Bearer known-reader", 503, 2},
	} {
		asked.Store(0)
		for range 2 {
			r := httptest.NewRequest(tc.method, tc.path, nil)
			if tc.token != "" {
				r.Header.Set("Authorization", tc.token)
			}
			w := httptest.NewRecorder()
			tc.handler.ServeHTTP(w, r)
			if w.Code != tc.want || (w.Body.String() == "numbers") != (tc.want == 200) {
				t.Errorf("%s: %d %q, want %d", what, w.Code, w.Body, tc.want)
			}
		}
		if got := asked.Load(); got != tc.asks {
			t.Errorf("%s: asked %d times, want %d", what, got, tc.asks)
		}
	}
}

// A request that waits for others ends with its own time.
func TestReviewsAreBounded(t *testing.T) {
	g := guard{tokens: tokens{asked: &atomic.Int32{}}, rights: rights{}, answers: cache.NewLRUExpireCache(maxAnswers), reviews: make(chan struct{}, 1)}
	g.reviews <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Header.Set("Authorization", "Bearer known-reader")
	if status, err := g.statusOf(ctx, r); status != http.StatusServiceUnavailable || err == nil {
		t.Errorf("%d %v", status, err)
	}
}
