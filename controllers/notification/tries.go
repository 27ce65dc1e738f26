package notification

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/show/notify"
)

// backoff between the attempts of an event: seconds at first, ten minutes in the end.
func backoff() wait.Backoff {
	return wait.Backoff{Duration: time.Second, Factor: 2, Jitter: 0.2, Steps: 20, Cap: 10 * time.Minute}
}

// tries of one run in this process. A manager that starts has none.
type tries struct {
	run    types.UID
	byType map[v1alpha1.NotificationType]*try
}

// try is what is known of an event that was attempted.
type try struct {
	backoff wait.Backoff
	// next attempt, not earlier.
	next time.Time
	// reason of the last failure.
	reason string
	// ended has an outcome when no attempt follows: it has to be recorded.
	ended v1alpha1.NotificationStatus
}

// step is what to do about an event now.
type step string

const (
	// stepSend attempts it.
	stepSend step = "send"
	// stepWait leaves it alone until the next attempt.
	stepWait step = "wait"
	// stepGiveUp ends it: it is too old.
	stepGiveUp step = "give up"
	// stepRecord has an end that the status lacks.
	stepRecord step = "record"
	// stepIgnore is for what was too old when this process met it.
	stepIgnore step = "ignore"
)

// decide about an event. A nil try is one that was not attempted.
func decide(e notify.Event, t *try, now time.Time, giveUpAfter time.Duration) step {
	tooOld := now.Sub(e.Time) >= giveUpAfter
	switch {
	case t == nil && tooOld:
		return stepIgnore
	case t == nil:
		return stepSend
	case t.ended.Outcome != "":
		return stepRecord
	case tooOld:
		return stepGiveUp
	case now.Before(t.next):
		return stepWait
	}
	return stepSend
}

// failed plans the next attempt. The last one is when the event becomes too old.
func (t *try) failed(out notify.Outcome, now, end time.Time) {
	t.reason = out.Reason
	t.next = now.Add(max(t.backoff.Step(), out.RetryAfter))
	if t.next.After(end) {
		t.next = end
	}
}

// end the event with an outcome.
func (t *try) end(receiver string, kind v1alpha1.NotificationType, outcome v1alpha1.NotificationOutcome, now time.Time) {
	t.ended = v1alpha1.NotificationStatus{Receiver: receiver, Type: kind, Outcome: outcome, Time: metav1.NewTime(now)}
}
