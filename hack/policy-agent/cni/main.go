// Command cni is the last plugin in the chain of the local cluster's network. It tells the agent
// for policies (hack/policy-agent) the address of a new pod, and returns when the rules of the
// pod are in force: before its first container starts. Without it the agent would learn the
// address from the kubelet, about a second later.
//
// In: the result of the plugin before it, and the names that the container runtime gives. Out:
// that result. Refused: a pod whose rules the agent could not load; the kubelet tries it again.
// A pod passes while no agent has been on the node since it started, as when the cluster is made.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"time"

	"github.com/containernetworking/cni/pkg/skel"
	"github.com/containernetworking/cni/pkg/types"
	current "github.com/containernetworking/cni/pkg/types/100"
	"github.com/containernetworking/cni/pkg/version"
	kubernetes "k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/hack/policy-agent/wire"
)

// patience with the agent: it may be starting again.
const patience = 5 * time.Second

// runtimeArgs are what the container runtime says of a pod.
type runtimeArgs struct {
	types.CommonArgs
	K8S_POD_NAMESPACE types.UnmarshallableString //nolint:revive // the key is the name of the field
	K8S_POD_NAME      types.UnmarshallableString //nolint:revive // the same
	K8S_POD_UID       types.UnmarshallableString //nolint:revive // the same
}

func main() {
	skel.PluginMainFuncs(skel.CNIFuncs{
		Add: func(args *skel.CmdArgs) error { return add(args, wire.Socket, os.Stdout) },
		// The agent sees in the API server that a pod ends.
		Del:   func(*skel.CmdArgs) error { return nil },
		Check: func(*skel.CmdArgs) error { return nil },
	}, version.All, "tells the agent for policies the address of a new pod")
}

// add sends the address of a pod to the agent, and prints the result of the plugin before.
func add(args *skel.CmdArgs, socket string, out io.Writer) error {
	var conf types.PluginConf
	if err := json.Unmarshal(args.StdinData, &conf); err != nil {
		return fmt.Errorf("the configuration: %w", err)
	}
	if err := version.ParsePrevResult(&conf); err != nil {
		return err
	}
	if conf.PrevResult == nil {
		return errors.New("there is no plugin before this one in the chain")
	}
	pod, err := podOf(args.Args, conf.PrevResult)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	if err := wire.Send(ctx, socket, pod); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	result, err := conf.PrevResult.GetAsVersion(conf.CNIVersion)
	if err != nil {
		return err
	}
	return result.PrintTo(out)
}

// podOf is the pod with its IPv4 address.
func podOf(args string, previous types.Result) (wire.Pod, error) {
	names := runtimeArgs{CommonArgs: types.CommonArgs{IgnoreUnknown: true}}
	if err := types.LoadArgs(args, &names); err != nil {
		return wire.Pod{}, err
	}
	pod := wire.Pod{Namespace: string(names.K8S_POD_NAMESPACE), Name: string(names.K8S_POD_NAME), UID: kubernetes.UID(names.K8S_POD_UID)}
	if pod.Namespace == "" || pod.Name == "" || pod.UID == "" {
		return pod, fmt.Errorf("the container runtime does not say which pod this is: %q", args)
	}
	result, err := current.NewResultFromResult(previous)
	if err != nil {
		return pod, err
	}
	for _, ip := range result.IPs {
		if address, ok := netip.AddrFromSlice(ip.Address.IP); ok && address.Unmap().Is4() {
			pod.Address = address.Unmap()
			return pod, nil
		}
	}
	return pod, errors.New("the pod has no IPv4 address")
}
