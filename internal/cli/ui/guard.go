package ui

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"strings"
	"sync"
)

// guard lets in who has the secret.
type guard struct {
	next http.Handler
	// port of the server, and the name of the cookie, which has the port: cookies of a host are sent to all of its ports.
	port, cookie string
	// lasting is the secret of the address that is printed, session that of the cookie.
	lasting, session string

	mu sync.Mutex
	// visits are secrets that are good for one visit each.
	visits map[string]bool
}

// newGuard of a server at an address.
func newGuard(address string, next http.Handler) *guard {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		port = "0" // no Host header has it: nobody gets in
	}
	return &guard{next: next, port: port, cookie: "assay-" + port, lasting: rand.Text(), session: rand.Text(), visits: map[string]bool{}}
}

// address of the pages with a secret.
func (g *guard) address(secret string) string {
	return "http://127.0.0.1:" + g.port + "/?token=" + secret
}

// once is a new secret for one visit.
func (g *guard) once() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	secret := rand.Text()
	g.visits[secret] = true
	return secret
}

// policy of all pages: the style and the script of this server, pictures that stand in the page, and forms that ask it.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// ServeHTTP answers who may ask.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	switch {
	case r.Context().Value(peerKey{}) != nil:
		http.Error(w, fmt.Sprintf("This server answers to its own user only: %v.", r.Context().Value(peerKey{})), http.StatusForbidden)
	case r.Host != "127.0.0.1:"+g.port && r.Host != "localhost:"+g.port:
		http.Error(w, "This server answers to 127.0.0.1 and localhost only.", http.StatusMisdirectedRequest)
	case r.Method != http.MethodGet:
		h.Set("Allow", http.MethodGet)
		http.Error(w, "These pages are for reading: GET only.", http.StatusMethodNotAllowed)
	case r.URL.Path == "/" && r.URL.Query().Has("token"):
		g.enter(w, r)
	case !g.known(r) || foreign(r):
		http.Error(w, "Open the address that kubectl assay ui has printed: it has the secret.", http.StatusForbidden)
	default:
		g.next.ServeHTTP(w, r)
	}
}

// enter with a secret. The browser goes on by itself: a redirect of a link on another site would not carry the cookie.
func (g *guard) enter(w http.ResponseWriter, r *http.Request) {
	if !g.right(r.URL.Query().Get("token")) {
		http.Error(w, "This address is not valid, or not any more: open the one that kubectl assay ui has printed.", http.StatusForbidden)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: g.session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = entered.Execute(w, nil) // a browser that is gone needs no page
}

var entered = template.Must(template.New("entered").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=/"><title>Assay</title></head><body><a href="/">To the runs</a></body></html>
`))

// right says whether a secret is one of ours. One for one visit is none afterwards.
func (g *guard) right(secret string) bool {
	if same(secret, g.lasting) {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for visit := range g.visits {
		if same(secret, visit) {
			delete(g.visits, visit)
			return true
		}
	}
	return false
}

// known says whether a request has the cookie.
func (g *guard) known(r *http.Request) bool {
	for _, c := range r.CookiesNamed(g.cookie) {
		if same(c.Value, g.session) {
			return true
		}
	}
	return false
}

// foreign says whether another site asks, or what does not tell: another port of this machine is another site, too. Browsers tell
// since 2023, also over HTTP to loopback addresses.
func foreign(r *http.Request) bool {
	site := strings.ToLower(r.Header.Get("Sec-Fetch-Site"))
	return site != "same-origin" && site != "none"
}

// peerKey of the context of a connection, for why it is that of another user.
type peerKey struct{}

// withPeer is the context of a connection.
func withPeer(ctx context.Context, c net.Conn) context.Context {
	if err := anothers(c); err != nil {
		return context.WithValue(ctx, peerKey{}, err)
	}
	return ctx
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
