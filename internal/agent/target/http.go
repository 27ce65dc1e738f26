package target

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/agent/environment"
)

// handler answers the probes and whoever asks for the environment.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("GET /readyz", s.readyz)
	mux.HandleFunc("GET /environment", s.environment)
	return mux
}

// readyz is 200 only if a login works at this moment.
func (s *server) readyz(w http.ResponseWriter, r *http.Request) {
	if !s.serving.Load() {
		http.Error(w, "the server is starting or stopping", http.StatusServiceUnavailable)
		return
	}
	if err := s.door.check(r.Context(), loginValid); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusOK)
}

func (s *server) environment(w http.ResponseWriter, _ *http.Request) {
	var r environment.Reader
	e := engine.Environment{
		Version: engine.EnvironmentVersion, Flavor: s.in.target.Flavor, ServerVersion: s.door.lastVersion(),
		Kernel: r.Kernel(), CPUModel: r.CPUModel(), Cgroup: r.Cgroup(), Warnings: s.findings(),
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(e); err != nil {
		s.Log.Warn("answering /environment", "error", err)
	}
}

// listen serves HTTP until the context ends. The socket is open when it returns.
func (s *server) listen(ctx context.Context) error {
	socket, err := new(net.ListenConfig).Listen(ctx, "tcp", s.Listen)
	if err != nil {
		return fail(engine.ReasonInitialisationFailed, "opening the agent's own port: %v", err)
	}
	httpServer := &http.Server{Handler: s.handler(), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		_ = httpServer.Close() // nothing is under way that matters
	}()
	go func() {
		if err := httpServer.Serve(socket); !errors.Is(err, http.ErrServerClosed) {
			s.Log.Error("the agent's HTTP server ended", "error", err)
		}
	}()
	return nil
}
