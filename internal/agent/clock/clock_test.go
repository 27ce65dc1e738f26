package clock

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"
)

const ms = time.Millisecond

// exchange of a clock that is ahead, over ways of some lengths.
func exchange(ahead, there, work, back time.Duration) Exchange {
	sent := time.Now()
	return Exchange{
		Sent: sent, Received: sent.Add(there + ahead).Round(0), Answered: sent.Add(there + work + ahead).Round(0),
		Returned: sent.Add(there + work + back),
	}
}

func TestExchange(t *testing.T) {
	tests := map[string]struct {
		x             Exchange
		offset, delay time.Duration
		possible      bool
	}{
		"one clock":                              {exchange(0, ms, 0, ms), 0, 2 * ms, true},
		"a clock that is ahead":                  {exchange(250*ms, ms, 0, ms), 250 * ms, 2 * ms, true},
		"a clock that is behind":                 {exchange(-250*ms, ms, 0, ms), -250 * ms, 2 * ms, true},
		"work at the other side is no delay":     {exchange(250*ms, ms, 40*ms, ms), 250 * ms, 2 * ms, true},
		"a way there that is longer":             {exchange(0, 5*ms, 0, ms), 2 * ms, 6 * ms, true},
		"a way back that is longer":              {exchange(0, ms, 0, 5*ms), -2 * ms, 6 * ms, true},
		"a clock that was set back between both": {exchange(0, ms, -5*ms, ms), 0, 2 * ms, false},
		"a clock that was set on between both": {
			Exchange{Sent: noon, Received: noon, Answered: noon.Add(time.Hour), Returned: noon.Add(ms)}, (time.Hour - ms) / 2, ms - time.Hour, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tc.x.Offset(); got != tc.offset {
				t.Errorf("offset %s, want %s", got, tc.offset)
			}
			if got := tc.x.Delay(); got != tc.delay {
				t.Errorf("delay %s, want %s", got, tc.delay)
			}
			if got := tc.x.possible(); got != tc.possible {
				t.Errorf("possible: %v, want %v", got, tc.possible)
			}
		})
	}
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// The true offset is never further away than half of the round trip, whatever the ways
// took, and the best of eight exchanges is near it.
func TestBestIsWithinItsUncertainty(t *testing.T) {
	const ahead = 250 * ms
	r := rand.New(rand.NewPCG(9, 11))
	jitter := func() time.Duration { return 100*time.Microsecond + time.Duration(r.ExpFloat64()*float64(2*ms)) }
	for range 1000 {
		var all []Exchange
		for range 8 {
			all = append(all, exchange(ahead, jitter(), jitter(), jitter()))
		}
		best, err := Best(all)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range all {
			if x.Delay() < best.Delay() {
				t.Fatalf("delay %s, but there was one of %s", best.Delay(), x.Delay())
			}
		}
		if wrong := (best.Offset() - ahead).Abs(); wrong > best.Delay()/2 {
			t.Fatalf("%s beside the truth, with an uncertainty of %s", wrong, best.Delay()/2)
		}
	}
	if _, err := Best([]Exchange{exchange(0, ms, -5*ms, ms)}); !errors.Is(err, ErrNone) {
		t.Errorf("got %v, want %v", err, ErrNone)
	}
}

func TestCollect(t *testing.T) {
	broken := errors.New("broken")
	tests := map[string]struct {
		fails int // from which exchange on
		want  int
		err   error
	}{
		"all":               {99, 8, nil},
		"those before that": {3, 3, nil},
		"none":              {0, 0, broken},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			n := 0
			got, err := Collect(t.Context(), 8, func(context.Context) (Exchange, error) {
				if n++; n > tc.fails {
					return Exchange{}, broken
				}
				return Exchange{}, nil
			})
			if len(got) != tc.want || !errors.Is(err, tc.err) {
				t.Errorf("got %d exchanges and %v, want %d and %v", len(got), err, tc.want, tc.err)
			}
		})
	}
}
