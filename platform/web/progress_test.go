package web_test

import (
	"context"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/web"
	"github.com/dispatchd/dispatchd/platform/web/sse"
)

// work is over at its second mark; each second look has seen it come on.
type work struct {
	kind  sse.Kind[counted]
	looks atomic.Int64
}

func (w *work) mount(r *web.Router) {
	w.kind = sse.NewKind[counted]("counted", "It came on.")
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/events", ID: "follow", Summary: "Follow", Access: web.Read, Callers: web.OfBoth,
		Errors: []*errs.Error{errNoThing}, Events: []sse.Doc{w.kind},
	}, func(ctx context.Context, in *listenInput) (*sse.Events, error) {
		return sse.FollowProgress(ctx, w.kind, in.After(), func(context.Context) (sse.Progress[counted], error) {
			seen := min(int(w.looks.Add(1)+1)/2, 2)

			return sse.Progress[counted]{Mark: strconv.Itoa(seen), Body: counted{seen}, Over: seen == 2}, nil
		})
	})
}

func TestFollowProgress_TellsOnlyWhatIsNewAndEndsWithTheWork(t *testing.T) {
	t.Parallel()
	l := serveFlows(t, (&work{}).mount).listen(t, "")

	require.Equal(t, 1, l.next(t).number(t))
	require.Equal(t, 2, l.next(t).number(t))
	require.JSONEq(t, `{"reason":"done"}`, l.next(t).data)
}

func TestFollowProgress_GoesOnAfterTheMarkOfTheClient(t *testing.T) {
	t.Parallel()
	l := serveFlows(t, (&work{}).mount).listen(t, "", "Last-Event-ID: 1")

	require.Equal(t, 2, l.next(t).number(t))
}

func TestFollowProgress_AnswersAClientThatHasSeenTheEndBy204(t *testing.T) {
	t.Parallel()
	s := serveFlows(t, (&work{}).mount)
	first := s.listen(t, "")
	first.next(t)
	end := first.next(t).id
	require.JSONEq(t, `{"reason":"done"}`, first.next(t).data)

	for range 2 {
		r := s.call(t, http.MethodGet, flowsPath+"events", "", "Last-Event-ID: "+end)
		require.Equal(t, http.StatusNoContent, r.StatusCode)
		require.Empty(t, r.body)
	}
	again := s.listen(t, "", "Last-Event-ID: 1")
	require.Equal(t, 2, again.next(t).number(t), "what it has not seen")
}
