package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// managerConfig has images for the runs, and limits that a machine on which all
// have to share two cores cannot reach: they are not what is measured.
const managerConfig = `agent: {image: "registry.example/agent:1"}
runners: {sysbench: {image: "registry.example/sysbench:1"}}
engines: {MariaDB: {"10.11": {image: "registry.example/mariadb:10.11"}}}
timeouts: {podCreation: 30m, scheduling: 30m, imagePull: 30m, podStart: 1h, targetReady: 1h}
results: {budget: {namespace: 1000Gi, cluster: 1000Gi}}
`

// managerQPS lifts the client's own limit out of the way: with the default of 200
// the wall time of 1,000 runs would be that of the limit.
const managerQPS = 5000

// manager is the real one, in its own process.
type manager struct {
	cmd              *exec.Cmd
	ended            chan error
	metrics, profile string
}

func startManager(ctx context.Context, o options, s *server) (*manager, error) {
	if err := os.WriteFile(s.file("config.yaml"), []byte(managerConfig), 0o600); err != nil {
		return nil, err
	}
	if err := writeKubeconfig(s, s.file("kubeconfig")); err != nil {
		return nil, err
	}
	metrics, err := freeAddress()
	if err != nil {
		return nil, err
	}
	profile, err := freeAddress()
	if err != nil {
		return nil, err
	}
	log, err := os.Create(s.file("manager.log"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	m := &manager{ended: make(chan error, 1), metrics: "http://" + metrics + "/metrics", profile: "http://" + profile + "/debug/pprof/"}
	m.cmd = exec.Command(o.manager, "--config="+s.file("config.yaml"), "--metrics-bind-address="+metrics, "--metrics-secure=false",
		"--health-probe-bind-address=0", fmt.Sprintf("--kube-api-qps=%d", managerQPS))
	m.cmd.Env = append(os.Environ(), "KUBECONFIG="+s.file("kubeconfig"), "SCALE_PPROF="+profile)
	m.cmd.Stdout, m.cmd.Stderr = log, log
	if err := m.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the manager: %w", err)
	}
	go func() { m.ended <- m.cmd.Wait() }()
	for ctx.Err() == nil {
		if _, err := scrape(ctx, m.metrics); err == nil {
			return m, nil
		}
		select {
		case err := <-m.ended:
			text, _ := os.ReadFile(s.file("manager.log"))
			return nil, fmt.Errorf("the manager ended: %w\n%s", err, text)
		case <-time.After(100 * time.Millisecond):
		}
	}
	m.stop()
	return nil, ctx.Err()
}

func (m *manager) stop() {
	_ = m.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-m.ended: //nolint:errcheck // it was told to end
	case <-time.After(10 * time.Second):
		_ = m.cmd.Process.Kill()
	}
}

// alive is an error when the process has ended.
func (m *manager) alive() error {
	select {
	case err := <-m.ended:
		m.ended <- err
		return fmt.Errorf("the manager ended: %w", errors.Join(err, errors.New("see its log with -v")))
	default:
		return nil
	}
}

// process is what the kernel says of a process.
type process struct {
	// cpu used so far, user and system, to 10 ms.
	cpu time.Duration
	// peak of the resident memory, in bytes.
	peak int64
}

func (m *manager) process() (process, error) {
	stat, err1 := os.ReadFile(fmt.Sprintf("/proc/%d/stat", m.cmd.Process.Pid))
	status, err2 := os.ReadFile(fmt.Sprintf("/proc/%d/status", m.cmd.Process.Pid))
	if err := errors.Join(err1, err2); err != nil {
		return process{}, fmt.Errorf("looking at the manager: %w", err)
	}
	return parseProcess(string(stat), string(status))
}

// parseProcess reads /proc/PID/stat and /proc/PID/status (proc(5)).
func parseProcess(stat, status string) (process, error) {
	var p process
	// The name of the command may hold anything, brackets included.
	_, rest, _ := strings.Cut(stat[strings.LastIndexByte(stat, ')')+1:], " ")
	fields := strings.Fields(rest)
	const utime, stime = 11, 12 // counted from the state
	if len(fields) <= stime {
		return p, fmt.Errorf("/proc/PID/stat has only %d fields after the name", len(fields))
	}
	for _, f := range fields[utime : stime+1] {
		ticks, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return p, fmt.Errorf("/proc/PID/stat: %w", err)
		}
		p.cpu += time.Duration(ticks) * (time.Second / 100) // USER_HZ is 100 on every platform of Linux
	}
	for line := range strings.Lines(status) {
		if text, is := strings.CutPrefix(line, "VmHWM:"); is {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "kB")), 10, 64)
			if err != nil {
				return p, fmt.Errorf("/proc/PID/status: %w", err)
			}
			p.peak = kib << 10
		}
	}
	if p.peak == 0 {
		return p, errors.New("/proc/PID/status has no VmHWM")
	}
	return p, nil
}

// startProfile records a CPU profile and at its end the heap, if a folder is given.
func (m *manager) startProfile(folder string, s size) (stop func()) {
	if folder == "" {
		return func() {}
	}
	name := strings.ReplaceAll(s.String(), "/", "on")
	ended := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer close(ended)
		for i := 0; ctx.Err() == nil; i++ {
			m.save(ctx, "profile?seconds=30", filepath.Join(folder, fmt.Sprintf("cpu-%s-%02d", name, i)))
			m.save(ctx, "heap", filepath.Join(folder, fmt.Sprintf("heap-%s-%02d", name, i)))
		}
	}()
	return func() { cancel(); <-ended }
}

func (m *manager) save(ctx context.Context, what, path string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, m.profile+what, nil)
	if err != nil {
		return
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode == http.StatusOK {
		_ = os.WriteFile(path, data, 0o600)
	}
}

func writeKubeconfig(s *server, path string) error {
	c := s.config
	return clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"c": {Server: c.Host, CertificateAuthorityData: c.CAData}},
		AuthInfos:      map[string]*clientcmdapi.AuthInfo{"u": {ClientCertificateData: c.CertData, ClientKeyData: c.KeyData}},
		Contexts:       map[string]*clientcmdapi.Context{"x": {Cluster: "c", AuthInfo: "u"}},
		CurrentContext: "x",
	}, path)
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("looking for a free port: %w", err)
	}
	return l.Addr().String(), l.Close()
}
