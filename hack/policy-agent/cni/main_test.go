package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/containernetworking/cni/pkg/skel"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assay-bench/assay/hack/policy-agent/wire"
)

const (
	names = "K8S_POD_INFRA_CONTAINER_ID=c;K8S_POD_UID=u-1;IgnoreUnknown=1;K8S_POD_NAMESPACE=a;K8S_POD_NAME=db"
	// What ptp and portmap answered, in the version of the local cluster.
	previous = `{"cniVersion": "0.4.0", "interfaces": [{"name": "veth1"}, {"name": "eth0", "sandbox": "/proc/1/ns/net"}],
		"ips": [{"version": "4", "interface": 1, "address": "10.244.2.7/24", "gateway": "10.244.2.1"}], "routes": [{"dst": "0.0.0.0/0"}], "dns": {}}`
	config = `{"cniVersion": "0.4.0", "name": "ptp", "type": "policy-agent", "prevResult": ` + previous + `}`
)

// agent that answers on a socket with a status, and what it was sent.
func agent(t *testing.T, status int) (socket string, sent *[]wire.Pod) {
	t.Helper()
	socket, sent = filepath.Join(t.TempDir(), "s"), &[]wire.Pod{}
	l, err := wire.Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var pod wire.Pod
		if err := json.NewDecoder(r.Body).Decode(&pod); err != nil {
			t.Error(err)
		}
		*sent = append(*sent, pod)
		w.WriteHeader(status)
	})}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return socket, sent
}

func same(t *testing.T, want, got string) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(want), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(got), &b); err != nil {
		t.Fatalf("%v: %q", err, got)
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

func TestAdd(t *testing.T) {
	socket, sent := agent(t, http.StatusNoContent)
	var out bytes.Buffer
	if err := add(&skel.CmdArgs{Args: names, StdinData: []byte(config)}, socket, &out); err != nil {
		t.Fatal(err)
	}
	want := []wire.Pod{{Namespace: "a", Name: "db", UID: "u-1", Address: netip.MustParseAddr("10.244.2.7")}}
	if diff := cmp.Diff(want, *sent, cmpopts.EquateComparable(netip.Addr{})); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	same(t, previous, out.String())
}

func TestAddWhereNoAgentWas(t *testing.T) {
	var out bytes.Buffer
	if err := add(&skel.CmdArgs{Args: names, StdinData: []byte(config)}, filepath.Join(t.TempDir(), "s"), &out); err != nil {
		t.Fatal(err)
	}
	same(t, previous, out.String())
}

func TestAddIsRefused(t *testing.T) {
	tests := map[string]struct {
		status       int
		args, config string
		want         string
	}{
		"by the agent":               {http.StatusServiceUnavailable, names, config, "503"},
		"without a plugin before it": {http.StatusNoContent, names, `{"cniVersion": "0.4.0", "name": "ptp"}`, "no plugin before"},
		"without the names":          {http.StatusNoContent, "IgnoreUnknown=1;K8S_POD_NAME=db", config, "which pod"},
		"without an IPv4 address":    {http.StatusNoContent, names, strings.ReplaceAll(strings.ReplaceAll(config, "10.244.2.7/24", "fd00::7/64"), "10.244.2.1", "fd00::1"), "no IPv4 address"},
		"without a configuration":    {http.StatusNoContent, names, "", "configuration"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			socket, _ := agent(t, tt.status)
			var out bytes.Buffer
			err := add(&skel.CmdArgs{Args: tt.args, StdinData: []byte(tt.config)}, socket, &out)
			if err == nil || !strings.Contains(err.Error(), tt.want) || out.Len() > 0 {
				t.Errorf("%v and %q, want an error with %q and no result", err, &out, tt.want)
			}
		})
	}
}
