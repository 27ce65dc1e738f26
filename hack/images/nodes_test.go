package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	control = node{"cp", "control-plane"}
	first   = node{"w1", "worker"}
	second  = node{"w2", "worker"}
)

func TestLacking(t *testing.T) {
	images := []image{{Name: "manager", Tag: "assay-manager:1"}, {Name: "agent", Tag: "assay-agent:1"}, {Name: "mysql", Tag: "assay-mysql:9.7-1"}}
	three := []node{control, first, second}
	tests := map[string]struct {
		node  node
		nodes []node
		there []string
		want  []string
	}{
		"a worker gets all":                        {first, three, nil, []string{"assay-manager:1", "assay-agent:1", "assay-mysql:9.7-1"}},
		"the control plane gets the manager":       {control, three, nil, []string{"assay-manager:1"}},
		"the only node gets all":                   {control, []node{control}, nil, []string{"assay-manager:1", "assay-agent:1", "assay-mysql:9.7-1"}},
		"what is there is not loaded":              {first, three, []string{"docker.io/library/assay-agent:1", "docker.io/library/assay-manager:0"}, []string{"assay-manager:1", "assay-mysql:9.7-1"}},
		"a tag of another registry is another one": {control, three, []string{"example.com/assay-manager:1"}, []string{"assay-manager:1"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, lacking(images, tt.node, tt.nodes, tt.there)); diff != "" {
				t.Errorf("lacking (-want +got):\n%s", diff)
			}
		})
	}
}

// Only what is ours and gone from the engine leaves a node.
func TestPruned(t *testing.T) {
	images := []image{{Name: "agent"}, {Name: "mysql"}}
	there := []string{
		"docker.io/library/assay-agent:1", "docker.io/library/assay-agent:2", "docker.io/library/assay-mysql:9.7-1",
		"docker.io/library/assay-debian:built", "registry.k8s.io/pause:3.10", "example.com/assay-agent:1",
	}
	got := pruned(images, there, []string{"assay-agent:2"})
	if diff := cmp.Diff([]string{"docker.io/library/assay-agent:1", "docker.io/library/assay-mysql:9.7-1"}, got); diff != "" {
		t.Errorf("pruned (-want +got):\n%s", diff)
	}
}

func TestInAll(t *testing.T) {
	got := inAll([][]string{
		{"docker.io/library/a:1", "docker.io/library/b:1", "example.com/c:1"},
		{"docker.io/library/b:1", "example.com/c:1"},
	})
	if diff := cmp.Diff([]string{"b:1"}, got); diff != "" {
		t.Errorf("in all (-want +got):\n%s", diff)
	}
}

// The object store of the stories runs where nothing is measured.
func TestTheControlPlaneHasWhatIsNotMeasured(t *testing.T) {
	control, other := node{name: "c", role: "control-plane"}, node{name: "w", role: worker}
	images := []image{{Name: "manager", Tag: "assay-manager:1"}, {Name: "tool-versitygw", Tag: "assay-tool-versitygw:1"}, {Name: "tool-mysqlslap", Tag: "assay-tool-mysqlslap:1"}}
	want := []string{"assay-manager:1", "assay-tool-versitygw:1"}
	if diff := cmp.Diff(want, lacking(images, control, []node{control, other}, nil)); diff != "" {
		t.Errorf("the control plane gets (-want +got):\n%s", diff)
	}
}
