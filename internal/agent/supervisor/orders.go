package supervisor

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"

	"github.com/assay-bench/assay/internal/agent/toolwire"
)

// errOrder is an order at the wrong time.
var errOrder = errors.New("wrong order")

// handler finds the method for each order.
func (s *Supervisor) handler() http.Handler {
	mux := http.NewServeMux()
	raw := func(pattern string, do func(http.ResponseWriter, *http.Request) error) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := do(w, r); err != nil {
				refuse(w, err)
			}
		})
	}
	add := func(method, path string, do func(*http.Request) (document any, err error)) {
		raw(method+" "+path, func(w http.ResponseWriter, r *http.Request) error {
			document, err := do(r)
			if err != nil {
				return err
			}
			return json.NewEncoder(w).Encode(document)
		})
	}
	of := func(path string) string { return fmt.Sprintf(path, "{name}") }
	add("PUT", toolwire.PathHello, s.hello)
	add("GET", toolwire.PathUsage, s.usage)
	add("GET", toolwire.PathWindow, s.window)
	add("POST", toolwire.PathSpeed, s.speed)
	add("PUT", toolwire.PathRelay, s.openRelay)
	add("GET", toolwire.PathOpenFiles, s.openFiles)
	add("PUT", toolwire.PathOpenFiles, s.allowFiles)
	add("PUT", of(toolwire.PathCommand), s.prepare)
	add("POST", of(toolwire.PathStart), s.start)
	add("GET", of(toolwire.PathEnd), s.end)
	add("POST", of(toolwire.PathStop), s.stop)
	raw("POST "+of(toolwire.PathDialogue), s.dialogue)
	raw("GET "+of(toolwire.PathFile)+"{file...}", s.file)
	return mux
}

// read the order.
func read[T any](r *http.Request) (order T, err error) {
	err = toolwire.Decode(r.Body, toolwire.MaxOrder, &order)
	return order, err
}

func refuse(w http.ResponseWriter, err error) {
	status := http.StatusUnprocessableEntity
	switch {
	case errors.Is(err, exec.ErrNotFound):
		status = http.StatusNotFound
	case errors.Is(err, errOrder):
		status = http.StatusConflict
	}
	w.WriteHeader(status)
	// The agent sees the status where the connection does not take the rest.
	_ = json.NewEncoder(w).Encode(toolwire.Refusal{Message: err.Error()})
}
