package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/assay-bench/assay/internal/cli/kube"
)

const uiHelp = `Show runs, reports, schedules and comparisons in the browser: those of the cluster, or of bundles.

The pages are served by this command, on the loopback address of this machine, and end with it: Ctrl-C. Nothing runs in
the cluster for them, and nothing is written to it. They show what your kubeconfig may read. Where a right is missing,
they say which. Of bundles they show the runs in these files, and no cluster is asked.

The address that the command prints has a secret. Whoever has it sees what you see, as long as the command runs.`

const uiExamples = `  kubectl assay ui
  kubectl assay ui -n benchmarks --port 8080 --no-browser
  kubectl assay ui monday.assay.tar tuesday.assay.tar`

// NewUI is the command `ui`. What reads whole runs is handed over, so that pages say what the other commands say.
func NewUI(config *kube.Config, read Reading) *cobra.Command {
	port, quiet := uint16(0), false
	cmd := &cobra.Command{
		Use: "ui [BUNDLE...]", Short: "Show runs in the browser, read-only", Long: uiHelp, Example: uiExamples,
		RunE: func(cmd *cobra.Command, args []string) error {
			var shown *site
			if len(args) > 0 {
				files, err := openBundles(cmd.Context(), args)
				if err != nil {
					return err
				}
				defer func() { _ = files.Close() }() // they were only read
				shown = newSite(files, "", read)
			} else {
				to, err := config.Cluster()
				if err != nil {
					return err
				}
				shown = newSite(to.API, to.Namespace, read)
			}
			open := openBrowser
			if quiet {
				open = nil
			}
			return serve(cmd.Context(), shown, listening{port: port, out: cmd.OutOrStdout(), notes: cmd.ErrOrStderr(), open: open})
		},
	}
	cmd.Flags().Uint16Var(&port, "port", 0, "the port on 127.0.0.1; 0: any that is free")
	cmd.Flags().BoolVar(&quiet, "no-browser", false, "print the address, and open no browser")
	return cmd
}

// listening is how the pages are served.
type listening struct {
	port       uint16
	out, notes io.Writer
	// open an address in a browser; nil opens none.
	open func(context.Context, string) error
}

// Bounds of the server. An answer may take as long as a page may, and a little to write it.
const (
	maxHeader      = 16 << 10
	headerPatience = 5 * time.Second
	idlePatience   = 2 * time.Minute
	endPatience    = 2 * time.Second
)

// serve the pages until the context ends.
func serve(ctx context.Context, s *site, l listening) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp4", fmt.Sprintf("127.0.0.1:%d", l.port))
	if err != nil {
		return fmt.Errorf("opening the port: %w: --port names another one", err)
	}
	g := newGuard(listener.Addr().String(), s.handler())
	server := &http.Server{
		Handler: g, ReadHeaderTimeout: headerPatience, ReadTimeout: headerPatience, WriteTimeout: pagePatience + 10*time.Second,
		IdleTimeout: idlePatience, MaxHeaderBytes: maxHeader, ConnContext: withPeer,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	if _, err := fmt.Fprintf(l.out, "%s\n", g.address(g.lasting)); err != nil {
		return errors.Join(err, server.Close())
	}
	if _, err := io.WriteString(l.notes, "Ctrl-C ends it. Whoever has the address sees what you see.\n"); err != nil {
		return errors.Join(err, server.Close())
	}
	if l.open != nil {
		// Other users of this machine see the arguments of a program: the secret in them is good for one visit.
		if err := l.open(ctx, g.address(g.once())); err != nil {
			fmt.Fprintf(l.notes, "no browser was opened (%v): open the address yourself\n", err) //nolint:errcheck // there is nobody else to tell
		}
	}
	select {
	case err := <-ended:
		return fmt.Errorf("serving the pages: %w", err)
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), endPatience)
	defer cancel()
	if err := server.Shutdown(end); err != nil {
		return server.Close() // a page that takes longer is not waited for
	}
	return nil
}

// openBrowser of the user with an address.
func openBrowser(ctx context.Context, address string) error {
	words := map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if words == nil {
		words = []string{"xdg-open"}
	}
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], address)...) //nolint:gosec // the address is ours
	cmd.Cancel = func() error { return nil }                                 // the browser outlives the command
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // what the browser returns is not our business
	return nil
}
