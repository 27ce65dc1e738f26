// Command agent is process 1 of the containers of database pods and of client pods. It has no
// libc, so that it runs in any image.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
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
	"github.com/assay-bench/assay/internal/agent/install"
	"github.com/assay-bench/assay/internal/agent/kube"
	"github.com/assay-bench/assay/internal/agent/live"
	"github.com/assay-bench/assay/internal/agent/supervisor"
	"github.com/assay-bench/assay/internal/agent/target"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners"
	"github.com/assay-bench/assay/runners/runner"
)

const usage = `usage: agent <command>
  target          provide a database server (process 1 of a database pod)
  client [flags]  run one phase of a benchmark (process 1 of the agent's container in a client pod); -h explains the flags
  tool            run the tool for a client (process 1 of the tool's container in a client pod); --standing for a client of many trials
  wait            do nothing (process 1 of a pod that keeps the place of another one)
  install <dir>   copy this program to <dir>/assay-agent
  version         print the version
`

func main() {
	// A second signal changes nothing: the agent is already stopping, with a deadline.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// errUsage says that the arguments are wrong.
var errUsage = errors.New("wrong arguments")

// run returns the exit code: 0 for success, 1 for a failure, 2 for wrong arguments. The agent's own
// log goes to stderr; stdout is the server's.
func run(ctx context.Context, args []string) int {
	commands := map[string]func(context.Context, *slog.Logger, []string) error{
		"target": runTarget, "client": runClient, "tool": runTool, "wait": runWait, "install": runInstall, "version": runVersion,
	}
	log, err := slog.New(slog.NewJSONHandler(os.Stderr, nil)), errUsage
	if len(args) > 0 && commands[args[0]] != nil {
		err = commands[args[0]](ctx, log, args[1:])
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUsage):
		fmt.Fprintf(os.Stderr, "%v\n%s", err, usage)
		return 2
	}
	log.Error("the agent ends", "error", err)
	return 1
}

func runTarget(ctx context.Context, log *slog.Logger, args []string) error {
	if len(args) > 0 {
		return errUsage
	}
	o := target.Defaults()
	o.Out, o.Log, o.Engine = os.Stdout, log, engines.Find
	return target.Run(ctx, o)
}

func runClient(ctx context.Context, log *slog.Logger, args []string) error {
	o := client.Defaults()
	o.Node, o.Pod = os.Getenv("NODE_NAME"), os.Getenv("POD_NAME")
	flags := flag.NewFlagSet("client", flag.ContinueOnError)
	namespace := flags.String("namespace", "", "`namespace` of the two ConfigMaps")
	flags.StringVar(&o.Trial, "trial", "", "`name` of the trial's ConfigMap")
	flags.StringVar(&o.Result, "result", "", "`name` of the result's ConfigMap, which exists and is empty")
	flags.StringVar(&o.Standing, "standing", "", "`name` of the ConfigMap that says which trial comes next, in place of trial and result")
	flags.IntVar(&o.Index, "client-index", 0, "index of this client, from 0")
	address := flags.String("live", "", "`address` of the live figures of the tool; empty for none")
	if flags.Parse(args) != nil || flags.NArg() > 0 || *namespace == "" || (o.Standing == "") == (o.Trial == "" && o.Result == "") || (o.Trial == "") != (o.Result == "") {
		return fmt.Errorf("%w: the flags namespace, and either standing or trial and result, are needed", errUsage)
	}
	api, err := kube.InCluster(*namespace)
	if err != nil {
		return err
	}
	a := &client.Agent{Options: o, Timeouts: client.DefaultTimeouts(), API: api, Runner: runners.Find, Connect: connect, Log: log}
	if *address != "" {
		a.Figures = &live.Figures{}
		if _, err := a.Figures.Serve(ctx, *address); err != nil {
			log.Error("the trial goes on without live figures", "error", err)
			a.Figures = nil
		}
	}
	if o.Standing != "" {
		return client.Stand(ctx, a)
	}
	return a.Run(ctx)
}

func connect(e contract.Endpoint, c runner.Credentials) (client.Server, error) {
	return database.Open(e, c)
}

func runTool(ctx context.Context, log *slog.Logger, args []string) error {
	o, run := supervisor.Defaults(), supervisor.Run
	o.Log = log
	if len(args) == 1 && args[0] == "--standing" {
		args, run = nil, supervisor.Stand
	}
	if len(args) > 0 {
		return errUsage
	}
	err := run(ctx, o)
	if errors.Is(err, supervisor.ErrNoAgent) {
		log.Info("no tool was wanted", "reason", err)
		return nil // the agent says how the trial ended
	}
	return err
}

func runWait(ctx context.Context, _ *slog.Logger, args []string) error {
	if len(args) > 0 {
		return errUsage
	}
	<-ctx.Done()
	return nil
}

func runInstall(_ context.Context, _ *slog.Logger, args []string) error {
	if len(args) != 1 {
		return errUsage
	}
	return install.Run(args[0])
}

func runVersion(context.Context, *slog.Logger, []string) error {
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
	}
	fmt.Println(version)
	return nil
}
