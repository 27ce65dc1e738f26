package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReferenceIsCurrent(t *testing.T) {
	got, err := os.ReadFile("../../docs/reference/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(reference(), string(got)); diff != "" {
		t.Errorf("docs/reference/metrics.md is out of date: run make generate (-want +got):\n%s", diff)
	}
}
