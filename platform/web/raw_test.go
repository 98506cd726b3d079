package web_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/overload"
)

var errForged = errs.New(errs.Unauthenticated, "posts.forged", "This is forged.")

// mailbox takes requests as they come, and says of each how it went.
type mailbox struct {
	enter chan struct{}
	leave chan struct{}
	taken atomic.Int64
	left  atomic.Int64
}

type mailIn struct{ web.Raw }

type mailOut struct{ Body []byte }

// letter is one request. It is a web.Admitted.
type letter struct{ *mailbox }

// Patience implements web.Admitted.
func (letter) Patience() (time.Duration, config.Size) { return time.Minute, 1 }

// Grow implements web.Admitted.
func (p letter) Grow(_ context.Context, n int64) error {
	p.taken.Add(n)

	return nil
}

// Verify implements web.Admitted.
func (letter) Verify(_ context.Context, r *web.Raw) error {
	if strings.HasPrefix(string(r.RawBody), "forged") {
		return errForged
	}

	return nil
}

// Leave implements web.Admitted.
func (p letter) Leave() { p.left.Add(1) }

func serveMail(t *testing.T, options ...func(*web.Settings)) (*service, *mailbox) {
	t.Helper()
	p := &mailbox{enter: make(chan struct{}, 100), leave: make(chan struct{})}

	return serveFlows(t, func(r *web.Router) {
		web.Register(r, web.Operation{
			Method: http.MethodPost, Path: "/posts", ID: "post", Summary: "Post", Access: web.Public, MaxBody: config.MiB,
			Errors: []*errs.Error{errForged}, Consumes: []string{"text/plain"}, Produces: []string{"text/plain"}, Status: http.StatusOK,
			Admit: func(ctx context.Context, _ web.Head) (context.Context, web.Admitted, error) {
				return ctx, letter{p}, nil
			},
		}, func(_ context.Context, in *mailIn) (*mailOut, error) {
			p.enter <- struct{}{}
			<-p.leave

			return &mailOut{Body: in.RawBody}, nil
		})
	}, options...), p
}

func (s *service) mail(t *testing.T, body string) reply {
	t.Helper()

	return s.call(t, http.MethodPost, "/flows/api/v1/posts", body, "Content-Type: text/plain")
}

func TestRaw_WaitsForAPlaceInABurst(t *testing.T) {
	t.Parallel()
	s, p := serveMail(t, func(s *web.Settings) {
		s.Overload = overload.Settings{MaxInFlight: 4, MaxWait: time.Millisecond, CompanyPercent: 75}
	})
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() { s.mail(t, "genuine").ok(t) })
	}
	for range 3 {
		<-p.enter
	}
	require.Equal(t, "posts.forged", s.mail(t, "forged").refused(t, http.StatusUnauthorized).Code, "who is not verified takes no place")
	close(p.leave)
	all.Wait()
	require.Eventually(t, func() bool { return p.left.Load() == 7 }, time.Minute, time.Millisecond)
}

func TestRaw_TakesMemoryForWhatArrived(t *testing.T) {
	t.Parallel()
	s, p := serveMail(t)
	close(p.leave)
	require.Equal(t, "genuine", s.mail(t, "genuine").ok(t).body)
	require.Equal(t, int64(len("genuine")+1), p.taken.Swap(0))
	large := strings.Repeat("x", 1<<20)
	require.Equal(t, large, s.mail(t, large).ok(t).body)
	require.InDelta(t, len(large), p.taken.Load(), 1)
	s.mail(t, large+"x").refused(t, http.StatusRequestEntityTooLarge)
	s.mail(t, "").refused(t, http.StatusBadRequest)
}
