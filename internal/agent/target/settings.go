package target

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"strconv"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
)

// setTimeout is the timeout to set one variable: a server may shrink its caches before it answers.
const setTimeout = 5 * time.Minute

// readOnlyVariable is the number of the error for a variable that only a start can change.
const readOnlyVariable = 1238

// launchWith starts the server with these settings in place of those of the target. Where it does not start with them, that is
// unsuitable, and it is started without: the data is there for the next trial.
func (a *agent) launchWith(ctx context.Context, varied []contract.Setting) (p running, unsuitable, err error) {
	a.varied = varied
	p, err = a.launch(ctx)
	var f *failure
	if err == nil || len(varied) == 0 || ctx.Err() != nil || !errors.As(err, &f) {
		return p, nil, err
	}
	a.Log.Warn("the server does not start with other settings; it is started without them", "settings", varied, "error", err)
	unsuitable, a.varied = err, nil
	p, err = a.launch(ctx)
	return p, unsuitable, err
}

// set variables of the running server, and put those back that change along with them (changes).
func (a *agent) set(ctx context.Context, op *operation) error {
	if a.setter == nil {
		return fail(contract.ReasonRequestInvalid, "this server was started without an account that may set variables: use an agent and a manager of the same release")
	}
	g, c := globals{a.setter, a.Log.With("id", op.id)}, &a.changed
	if c.before == nil {
		before, err := g.all(ctx)
		if err != nil {
			return err
		}
		c.before = before
	}
	c.want(op.settings)
	err := g.setAll(ctx, op.settings)
	// Also where one was refused: those before it have changed.
	now, unread := g.all(ctx)
	if unread != nil {
		return cmp.Or(err, unread)
	}
	for _, s := range c.note(now) {
		g.log.Info("another variable changed with those that were set", "name", s.Name, "before", s.Value, "value", now[s.Name])
	}
	if err != nil {
		return err
	}
	return g.putBack(ctx, c, now)
}

// setAll variables of a list, one after the other.
func (g globals) setAll(ctx context.Context, list []contract.Setting) error {
	for _, s := range list {
		err := g.set(ctx, s)
		refused, is := refusal(err)
		switch {
		case err == nil:
			g.log.Info("a variable is set", "name", s.Name, "value", s.Value)
		case !is: // the server did not get to it
			return err
		case refused.Number == readOnlyVariable:
			return fail(contract.ReasonServerRefusedSetting, "%v: a running server cannot change it: set apply: Restart for this axis", err)
		default:
			return fail(contract.ReasonServerRefusedSetting, "%v", err)
		}
	}
	return nil
}

var decimal = regexp.MustCompile(`^[+-]?[0-9]+\.[0-9]+$`)

// valueOf a setting as SET takes it, which knows no suffixes of option files: 512M is a number there, and quoted texts are none.
func valueOf(value string) any {
	if n, is := settings.Integer(value); is {
		return n
	}
	if n, err := strconv.ParseUint(value, 10, 64); err == nil {
		return n
	}
	if decimal.MatchString(value) {
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			return n
		}
	}
	return value
}
