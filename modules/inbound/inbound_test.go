package inbound_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	inboundarea "github.com/dispatchd/dispatchd/modules/inbound"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/database/databasetest"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
)

// vendor is an area whose notifications fail until it is mended.
type vendor struct{ mended atomic.Bool }

func (*vendor) find(_ context.Context, id uuid.UUID) (inbound.Endpoint, error) {
	return inbound.Endpoint{Company: id, Scheme: verify.Bearer(verify.Key{ID: "main", Secret: []byte("hush")})}, nil
}

func (v *vendor) process(context.Context, inbound.Delivery) error {
	if v.mended.Load() {
		return nil
	}

	return errors.New("not mended")
}

func (v *vendor) module() module.Module {
	return module.New("vendor", "Vendor", fx.Supply(v, fx.Private), inbound.Receiver(inbound.Kind[*vendor]{
		Name: "note", Path: "/notes/{uuid}", Summary: "Take a note", Find: (*vendor).find, Process: (*vendor).process,
		Consumes: []string{"application/json", "application/octet-stream"}, MaxBody: 3 * config.MiB,
	}))
}

func TestDeliveries_AreShownAndReplayedByTheirCompanyAlone(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, url string) {
		t.Helper()
		v := &vendor{}
		a := moduletest.Boot(t, url, []module.Module{inboundarea.Module, v.module()}, moduletest.Set("inbound.attempts=1", "jobs.poll=10ms"))
		const log = "/inbound/api/v1/deliveries"
		owner, other := a.Owner.Token, a.NewCompany(t)
		send := func(body string, headers ...string) {
			answer := a.Notify(t, "/vendor/api/v1/notes/"+a.Owner.ID.String(), []byte(body), append([]string{"Authorization", "Bearer hush"}, headers...)...)
			require.Equal(t, http.StatusNoContent, answer.Status, string(answer.Body))
			require.Empty(t, answer.Body)
		}
		send(`{"text": "héllo"}`)
		send("\xff\x00", "Content-Type", "application/octet-stream")
		send(strings.Repeat("x", 2<<20))
		all := a.WaitHandled(t, a.Owner, 3)

		page := a.Call(t, owner, http.MethodGet, log+"?filter[state]=failed&filter[kind]=vendor.note&sort=uuid", nil).OK(t)
		require.Equal(t, int64(3), page.Get("data.#").Int())
		require.Equal(t, "not mended", page.Get("data.0.error").String())
		require.Equal(t, "main", page.Get("data.0.key").String())
		require.Zero(t, a.Call(t, other.Token, http.MethodGet, log, nil).OK(t).Get("data.#").Int())

		one := log + "/" + all[0].ID.String()
		read := a.Call(t, owner, http.MethodGet, one, nil).OK(t)
		require.Equal(t, `{"text": "héllo"}`, read.Get("request.body").String())
		require.Equal(t, "[not kept]", read.Get("request.headers.Authorization.0").String())
		require.NotContains(t, string(read.Body), "hush")
		require.Equal(t, "/wA=", a.Call(t, owner, http.MethodGet, log+"/"+all[1].ID.String(), nil).OK(t).Get("request.body_base64").String())
		large := log + "/" + all[2].ID.String()
		require.True(t, a.Call(t, owner, http.MethodGet, large, nil).OK(t).Get("request.body_left_out").Bool())
		whole := a.Call(t, owner, http.MethodGet, large+"/body", nil).OK(t)
		require.Equal(t, strings.Repeat("x", 2<<20), string(whole.Body))
		require.Equal(t, "application/octet-stream", whole.Header.Get("Content-Type"))
		part := a.Call(t, owner, http.MethodGet, large+"/body", nil, "Range", "bytes=0-9")
		require.Equal(t, http.StatusPartialContent, part.Status)
		require.Equal(t, strings.Repeat("x", 10), string(part.Body))
		require.Equal(t, "\xff\x00", string(a.Call(t, owner, http.MethodGet, log+"/"+all[1].ID.String()+"/body", nil).OK(t).Body))
		a.Call(t, other.Token, http.MethodGet, large+"/body", nil).Refused(t, http.StatusNotFound, "inbound.delivery_unknown")
		used := a.Call(t, owner, http.MethodGet, "/inbound/api/v1/usage", nil).OK(t)
		require.JSONEq(t, `{"files": 1, "bytes": 2097152}`, string(used.Body))

		reader := a.Token(t, a.Owner, "inbound:read")
		a.Call(t, reader, http.MethodPost, one+"/replay", nil).Refused(t, http.StatusForbidden, "web.scope_missing")
		a.Call(t, other.Token, http.MethodPost, one+"/replay", nil).Refused(t, http.StatusNotFound, "inbound.delivery_unknown")
		a.Call(t, other.Token, http.MethodGet, one, nil).Refused(t, http.StatusNotFound, "inbound.delivery_unknown")
		v.mended.Store(true)
		require.Equal(t, int64(1), a.Call(t, owner, http.MethodPost, one+"/replay", nil).OK(t).Get("replays").Int())
		require.Zero(t, a.Call(t, other.Token, http.MethodPost, log+"/replay", map[string]any{}).OK(t).Get("replayed").Int())
		require.Equal(t, int64(2), a.Call(t, owner, http.MethodPost, log+"/replay", map[string]any{"kind": "vendor.note"}).OK(t).Get("replayed").Int())
		for _, r := range a.WaitHandled(t, a.Owner, 3) {
			require.Equal(t, inbound.Processed, r.State)
		}
		require.Equal(t, []string{"inbound_replay_delivery", "inbound_replay_deliveries"}, a.Audited(t, a.Owner))

		a.Notify(t, "/vendor/api/v1/notes/"+a.Owner.ID.String(), []byte("{}")).Refused(t, http.StatusUnauthorized, "inbound.not_verified")
		refusals := a.Call(t, owner, http.MethodGet, "/inbound/api/v1/refusals", nil).OK(t)
		require.Equal(t, "unsigned", refusals.Get("data.0.reason").String())
		require.Zero(t, a.Call(t, other.Token, http.MethodGet, "/inbound/api/v1/refusals", nil).OK(t).Get("data.#").Int())
	})
}
