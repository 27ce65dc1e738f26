package benchmarkrun

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

var errDead = errors.New("the manager is dead")

// mortal is a client whose manager dies at one of its writes: with lose at 0,
// after the first write that changed anything (only its answer is lost), or else
// at the write of that number, which never reaches the API server. Every later
// write fails.
func mortal(c client.Client, lose int32, dead chan struct{}) client.Client {
	die := sync.OnceFunc(func() { close(dead) })
	var gone atomic.Bool
	var writes atomic.Int32
	write := func(do func() error) error {
		if gone.Load() {
			return errDead
		}
		if n := writes.Add(1); n == lose {
			gone.Store(true)
			die()
			return errDead
		}
		if err := do(); err != nil || lose > 0 {
			return err
		}
		gone.Store(true)
		die()
		return errDead
	}
	return interceptor.NewClient(noWatch{c}, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return write(func() error { return c.Create(ctx, o, opts...) })
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			return write(func() error { return c.Update(ctx, o, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			return write(func() error { return c.Patch(ctx, o, p, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return write(func() error { return c.Delete(ctx, o, opts...) })
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, o client.Object, opts ...client.SubResourceUpdateOption) error {
			return write(func() error { return c.SubResource(sub).Update(ctx, o, opts...) })
		},
	})
}

// noWatch lets a client that cannot watch be intercepted.
type noWatch struct{ client.Client }

func (noWatch) Watch(context.Context, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
	return nil, errors.New("this client cannot watch")
}
