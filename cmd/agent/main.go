// Command agent is process 1 of the containers of database pods and of client pods. It has no
// libc, so that it runs in any image.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	// Not every image has roots, which a public object store needs.
	_ "golang.org/x/crypto/x509roots/fallback"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/agent/client"
	"github.com/assay-bench/assay/internal/agent/database"
	"github.com/assay-bench/assay/internal/agent/dialogue"
	"github.com/assay-bench/assay/internal/agent/install"
	"github.com/assay-bench/assay/internal/agent/kube"
	"github.com/assay-bench/assay/internal/agent/live"
	"github.com/assay-bench/assay/internal/agent/supervisor"
	"github.com/assay-bench/assay/internal/agent/target"
	"github.com/assay-bench/assay/runners"
	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/ground/contract"
)

const usage = `usage: agent <command> [flags]
  target         provide a database server (process 1 of a database pod)
  client         run one phase of a benchmark (process 1 of the agent's container in a client pod)
  tool           run the tool for a client (process 1 of the tool's container in a client pod)
  install <dir>  copy this program to <dir>/assay-agent
  version        print the version
Every command explains its flags with -h.
`

func main() {
	// A second signal changes nothing: the agent is already stopping, with a deadline.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// run returns the exit code: 0 for success, 1 for a failure, 2 for wrong arguments.
func run(ctx context.Context, args []string) int {
	commands := map[string]func(context.Context, []string) int{
		"target": runTarget, "client": runClient, "tool": runTool, "install": runInstall, "version": runVersion,
	}
	if len(args) == 0 || commands[args[0]] == nil {
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
	return commands[args[0]](ctx, args[1:])
}

func runTarget(ctx context.Context, args []string) int {
	o := target.Defaults()
	flags := flag.NewFlagSet("target", flag.ContinueOnError)
	flags.StringVar(&o.TargetFile, "target", o.TargetFile, "`file` with the target as JSON")
	flags.StringVar(&o.KeyFile, "key", o.KeyFile, "`file` with the secret that requests to this agent are signed with")
	flags.StringVar(&o.PasswordFile, "password", o.PasswordFile, "`file` with the password of the benchmark's account")
	flags.StringVar(&o.Data, "data", o.Data, "`directory` of the data volume")
	flags.StringVar(&o.TLS, "tls", o.TLS, "`directory` with ca.crt, tls.crt and tls.key of the server")
	flags.StringVar(&o.Run, "run", o.Run, "`directory` for the socket and the configuration")
	flags.StringVar(&o.Tmp, "tmp", o.Tmp, "`directory` for temporary files")
	flags.StringVar(&o.Listen, "listen", o.Listen, "`address` of /readyz, /livez and /environment")
	flags.StringVar(&o.TerminationLog, "termination-log", o.TerminationLog, "`file` for the termination message")
	flags.DurationVar(&o.Grace, "grace", o.Grace, "time for the server to shut down before it is killed")
	log, ok := parse(flags, args, 0)
	if !ok {
		return 2
	}
	o.Out, o.Log, o.Engine = os.Stdout, log, engines.Find
	return exitCode(log, target.Run(ctx, o))
}

func runClient(ctx context.Context, args []string) int {
	o := client.Defaults()
	o.Node, o.Pod = os.Getenv("NODE_NAME"), os.Getenv("POD_NAME")
	flags := flag.NewFlagSet("client", flag.ContinueOnError)
	namespace := flags.String("namespace", "", "`namespace` of the two ConfigMaps")
	flags.StringVar(&o.Trial, "trial", "", "`name` of the trial's ConfigMap")
	flags.StringVar(&o.Result, "result", "", "`name` of the result's ConfigMap, which exists and is empty")
	flags.IntVar(&o.Index, "client-index", 0, "index of this client, from 0")
	flags.StringVar(&o.Credentials, "credentials", o.Credentials, "`directory` with username, password and perhaps ca.crt, tls.crt, tls.key")
	flags.StringVar(&o.Inputs, "inputs", o.Inputs, "`directory` with the files that the workload names; it may be missing")
	flags.StringVar(&o.Work, "work", o.Work, "`directory` in which the output of the tool is kept")
	flags.StringVar(&o.Socket, "socket", o.Socket, "`path` at which the agent waits for the tool's container")
	flags.StringVar(&o.TerminationLog, "termination-log", o.TerminationLog, "`file` for the termination message")
	address := flags.String("live", "", "`address` of the live figures of the tool; empty for none")
	log, ok := parse(flags, args, 0)
	if !ok {
		return 2
	}
	if *namespace == "" || o.Trial == "" || o.Result == "" {
		log.Error("the flags namespace, trial and result are needed")
		return 2
	}
	api, err := kube.InCluster(*namespace)
	if err != nil {
		return exitCode(log, err)
	}
	a := &client.Agent{
		Options: o, Timeouts: client.DefaultTimeouts(), API: api, Runner: runners.Find, Connect: connect, Bench: bench, Log: log,
	}
	if *address != "" {
		a.Figures = &live.Figures{}
		if _, err := a.Figures.Serve(ctx, *address); err != nil {
			log.Error("the trial goes on without live figures", "error", err)
			a.Figures = nil
		}
	}
	return exitCode(log, a.Run(ctx))
}

func runTool(ctx context.Context, args []string) int {
	o := supervisor.Defaults()
	flags := flag.NewFlagSet("tool", flag.ContinueOnError)
	flags.StringVar(&o.Socket, "socket", o.Socket, "`path` at which the agent waits")
	flags.StringVar(&o.Work, "work", o.Work, "`directory` in which the tool runs")
	log, ok := parse(flags, args, 0)
	if !ok {
		return 2
	}
	o.Log = log
	err := supervisor.Run(ctx, o)
	if errors.Is(err, supervisor.ErrNoAgent) {
		log.Info("no tool was wanted", "reason", err)
		return 0 // the agent says how the trial ended
	}
	return exitCode(log, err)
}

func connect(e contract.Endpoint, c runner.Credentials) (client.Server, error) {
	return database.Open(e, c)
}

func bench(ctx context.Context, e contract.Endpoint, c runner.Credentials) (dialogue.Workbench, error) {
	server, err := database.Open(e, c)
	if err != nil {
		return nil, err
	}
	w, err := server.Workbench(ctx)
	if err != nil {
		return nil, err // not the nil *Workbench that would be no nil interface
	}
	return w, nil
}

func runInstall(_ context.Context, args []string) int {
	flags := flag.NewFlagSet("install", flag.ContinueOnError)
	log, ok := parse(flags, args, 1)
	if !ok {
		return 2
	}
	return exitCode(log, install.Run(flags.Arg(0)))
}

func runVersion(context.Context, []string) int {
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
	}
	fmt.Println(version)
	return 0
}

// parse reads flags and exactly n arguments. The agent's own log goes to stderr;
// stdout is the server's.
func parse(flags *flag.FlagSet, args []string, n int) (*slog.Logger, bool) {
	format := flags.String("log-format", "json", "json or text")
	if err := flags.Parse(args); err != nil {
		return nil, false
	}
	if flags.NArg() != n || (*format != "json" && *format != "text") {
		flags.Usage()
		return nil, false
	}
	return newLogger(*format, os.Stderr), true
}

func newLogger(format string, out io.Writer) *slog.Logger {
	if format == "text" {
		return slog.New(slog.NewTextHandler(out, nil))
	}
	return slog.New(slog.NewJSONHandler(out, nil))
}

func exitCode(log *slog.Logger, err error) int {
	if err != nil {
		log.Error("the agent ends", "error", err)
		return 1
	}
	return 0
}
