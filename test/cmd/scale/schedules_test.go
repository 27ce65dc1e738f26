package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// A manager that never comes to rest, as without its API server, ends the play at the limit, and the error says what is left.
func TestAManagerThatNeverRests(t *testing.T) {
	t.Parallel()
	sum := 0.0
	for name, tt := range map[string]struct {
		look func() (float64, string, error)
		want string
	}{
		"something is left":    {func() (float64, string, error) { return 7, "3 children of runs are left", nil }, "3 children of runs are left"},
		"it tries without end": {func() (float64, string, error) { sum++; return sum, "", nil }, "it makes passes"},
		"it cannot be asked":   {func() (float64, string, error) { return 0, "", errors.New("refused") }, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond) // timing: it has to run out: nothing comes to rest
			defer cancel()
			if err := untilQuiet(ctx, tt.look); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	if err := untilQuiet(t.Context(), func() (float64, string, error) { return 7, "", nil }); err != nil {
		t.Errorf("one that rests: %v", err)
	}
}

// An API server that is lost is named.
func TestAnAPIServerThatIsLost(t *testing.T) {
	t.Parallel()
	s := &server{config: &rest.Config{Host: "http://127.0.0.1:1"}}
	if err := s.answers(); err == nil || !strings.Contains(err.Error(), "the API server is lost") {
		t.Errorf("got %v", err)
	}
}
