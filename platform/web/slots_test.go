package web_test

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/overload"
)

// crowd serves an operation that waits, and one that does not, with few slots.
type crowd struct {
	*service

	enter, leave chan struct{}
}

func startCrowd(t *testing.T, limits overload.Settings) *crowd {
	t.Helper()
	settings := web.Defaults()
	settings.Address, settings.Overload = "127.0.0.1:0", limits
	require.NoError(t, settings.Validate())
	c := &crowd{service: &service{log: &log{}}, enter: make(chan struct{}, 64), leave: make(chan struct{})}
	c.API = web.New(settings, companies{}, web.About{}, slog.New(slog.DiscardHandler))
	op := func(id string) web.Operation {
		return web.Operation{
			Method: http.MethodGet, Path: "/" + id, ID: id, Summary: "Wait", Access: web.Read, Callers: web.OfBoth,
			Errors: []*errs.Error{errNoThing},
		}
	}
	require.NoError(t, c.Mount("crowd", func(r *web.Router) {
		web.Register(r, op("wait"), func(context.Context, *struct{}) (*struct{ Body string }, error) {
			c.enter <- struct{}{}
			<-c.leave

			return &struct{ Body string }{Body: "waited"}, nil
		})
		web.Register(r, op("quick"), func(context.Context, *struct{}) (*struct{ Body string }, error) {
			return &struct{ Body string }{Body: "quick"}, nil
		})
	}))
	require.NoError(t, c.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, c.Stop(context.WithoutCancel(t.Context()))) })

	return c
}

// wait sends n requests of a company that wait, and returns when they have slots. What it returns
// waits for their answers.
func (c *crowd) wait(t *testing.T, n int) (answered func()) {
	t.Helper()
	var all sync.WaitGroup
	for range n {
		all.Go(func() { c.as(t, "one", "wait").ok(t) })
	}
	for range n {
		<-c.enter
	}

	return all.Wait
}

func (c *crowd) as(t *testing.T, token, id string) reply {
	t.Helper()

	return c.call(t, http.MethodGet, "/crowd/api/v1/"+id, "", "Authorization: Bearer "+token)
}

func TestOverload_RefusesOneMoreThanThereAreSlots(t *testing.T) {
	t.Parallel()
	c := startCrowd(t, overload.Settings{MaxInFlight: 2, MaxWait: time.Millisecond, CompanyPercent: 100})
	answered := c.wait(t, 2)

	over := c.as(t, "two", "quick")
	require.Equal(t, "web.overloaded", over.refused(t, 503).Code)
	require.Equal(t, "1", over.Header.Get("Retry-After"))
	c.call(t, http.MethodGet, "/healthz", "").ok(t)
	c.call(t, http.MethodGet, "/readyz", "").ok(t)
	close(c.leave)
	answered()
	c.as(t, "two", "quick").ok(t)
}

func TestOverload_LetsARequestWaitForItsTurn(t *testing.T) {
	t.Parallel()
	c := startCrowd(t, overload.Settings{MaxInFlight: 1, MaxWait: time.Minute, CompanyPercent: 100})
	first := c.wait(t, 1)
	var second sync.WaitGroup
	second.Go(func() { c.as(t, "two", "quick").ok(t) })

	close(c.leave)
	first()
	second.Wait()
}

func TestOverload_LeavesSlotsToOtherCompanies(t *testing.T) {
	t.Parallel()
	c := startCrowd(t, overload.Settings{MaxInFlight: 4, MaxWait: time.Millisecond, CompanyPercent: 75})
	answered := c.wait(t, 3)

	require.Equal(t, "web.overloaded", c.as(t, "one", "quick").refused(t, 503).Code)
	c.as(t, "two", "quick").ok(t)
	c.as(t, "operator", "quick").ok(t)
	close(c.leave)
	answered()
	c.as(t, "one", "quick").ok(t)
}

func TestOverload_CanBeOff(t *testing.T) {
	t.Parallel()
	c := startCrowd(t, overload.Settings{CompanyPercent: 75})
	answered := c.wait(t, 40)

	c.as(t, "one", "quick").ok(t)
	close(c.leave)
	answered()
}

// Far more clients than slots: some are served, everybody else hears so at once, and another company gets
// through, on both databases.
func TestOverload_UnderAFloodKeepsServing(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		s, n := serveNotes(t, databasetest.Open(t, url), func(s *web.Settings) {
			s.Overload = overload.Settings{MaxInFlight: 4, MaxWait: 5 * time.Millisecond, CompanyPercent: 50}
		})
		var mu sync.Mutex
		statuses := map[int]int{}
		var all sync.WaitGroup
		for range 64 {
			all.Go(func() {
				for range 10 {
					r := s.call(t, http.MethodPost, notesPath, oneNote, "Authorization: Bearer flood")
					mu.Lock()
					statuses[r.StatusCode]++
					mu.Unlock()
				}
			})
		}
		served := 0
		for tries := 0; served < 10 && tries < 1000; tries++ { // it may meet the flood at the door, but not for long
			if s.call(t, http.MethodPost, notesPath, oneNote, "Authorization: Bearer quiet").StatusCode == http.StatusOK {
				served++
			}
		}
		require.Equal(t, 10, served)
		all.Wait()

		require.Equal(t, 640, statuses[200]+statuses[503], statuses)
		require.NotZero(t, statuses[200])
		require.NotZero(t, statuses[503])
		require.Equal(t, statuses[200]+10, n.count(t), "who is refused has written nothing")
	})
}
