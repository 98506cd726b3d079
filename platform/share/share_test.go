package share_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/link"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/share"
	"github.com/dispatchd/dispatchd/platform/web"
)

type object = map[string]any

const parcelLink link.Purpose = "parcels.follow"

// outbox keeps what companies have sent.
type outbox struct {
	mu   sync.Mutex
	sent map[uuid.UUID][]notify.Message
}

func (o *outbox) of(company uuid.UUID) []notify.Message {
	o.mu.Lock()
	defer o.mu.Unlock()

	return o.sent[company]
}

// post is an area whose parcels can be followed, and which sends text messages.
type post struct {
	given *share.Service
	box   *outbox
}

func (p post) subject(_ context.Context, id uuid.UUID) (link.Subject, error) {
	return link.Subject{Type: "parcels.parcel", ID: id}, nil
}

func (p post) give(_ context.Context, id uuid.UUID) (share.Given, error) {
	return share.Given{
		Purpose: parcelLink, Subject: link.Subject{Type: "parcels.parcel", ID: id}, Page: "/parcels/api/v1/follow/", Title: "Your parcel", Text: "Follow your parcel.",
	}, nil
}

func (p post) keep(ctx context.Context, m notify.Message) error {
	caller, _ := principal.From(ctx)
	p.box.mu.Lock()
	defer p.box.mu.Unlock()
	if p.box.sent == nil {
		p.box.sent = map[uuid.UUID][]notify.Message{}
	}
	p.box.sent[caller.Company] = append(p.box.sent[caller.Company], m)

	return nil
}

func area(box *outbox) module.Module {
	return module.New("parcels", "Parcels",
		fx.Provide(func(given *share.Service) post { return post{given, box} }, fx.Private),
		link.Declare(parcelLink, link.Rules{Life: 90 * 24 * time.Hour}),
		notify.Channel(notify.SMS, post.keep),
		web.Routes(func(r *web.Router, p post) {
			share.Routes(r, p.given, share.Operations{
				Path: "/parcels/{uuid}/shares", Name: "parcel_share", Summary: "by which a parcel is followed", Purpose: parcelLink, Subject: p.subject, Give: p.give, Errors: []*errs.Error{link.ErrNotFound},
			})
		}),
	)
}

func TestRoutes_MakeLinksAndSendThem(t *testing.T) {
	t.Parallel()
	box := &outbox{}
	moduletest.BootEach(t, []module.Module{area(box)}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		shares := "/parcels/api/v1/parcels/" + uuid.NewString() + "/shares"
		made := a.Call(t, a.Owner.Token, http.MethodPost, shares, object{"to": []object{
			{"channel": "sms", "address": "(214) 555-0143"}, {"channel": "email", "address": "ann@example.com"},
		}}).OK(t)
		url := made.Get("url").String()
		require.Regexp(t, `^https://dispatch\.example\.com/parcels/api/v1/follow/dsl_\w+$`, url)
		require.JSONEq(t, `[
			{"channel": "sms", "address": "+12145550143", "result": "sent"},
			{"channel": "email", "address": "ann@example.com", "result": "skipped", "reason": "The company has no area that sends by this channel."}
		]`, made.Get("deliveries").Raw)
		sent := box.of(a.Owner.ID)
		require.Len(t, sent, 1)
		require.Equal(t, "Follow your parcel. "+url, sent[0].Text.Reveal())
		require.Equal(t, url[len(url)-len(sent[0].Secrets[0].Reveal()):], sent[0].Secrets[0].Reveal(), "the channel does not keep the text of the link")

		refused := a.Call(t, a.Owner.Token, http.MethodPost, shares, object{"to": []object{{"channel": "sms", "address": "\"none\""}, {"channel": "email", "address": "ann"}}}).
			Refused(t, http.StatusUnprocessableEntity, "share.invalid_recipient")
		require.Len(t, refused.Get("errors").Map(), 2)
		require.Len(t, a.Call(t, a.Owner.Token, http.MethodGet, shares, nil).OK(t).Get("data").Array(), 1, "who is refused has made no link")
		require.NotContains(t, string(a.Call(t, a.Owner.Token, http.MethodGet, shares, nil).OK(t).Body), url)
	}, moduletest.Set("web.base_url=https://dispatch.example.com"))
}

func TestRoutes_SendNothingWhoseAddressIsNotKnown(t *testing.T) {
	t.Parallel()
	box := &outbox{}
	moduletest.BootEach(t, []module.Module{area(box)}, func(t *testing.T, a *moduletest.App) {
		t.Helper()
		made := a.Call(t, a.Owner.Token, http.MethodPost, "/parcels/api/v1/parcels/"+uuid.NewString()+"/shares",
			object{"to": []object{{"channel": "sms", "address": "(214) 555-0143"}}}).OK(t)
		require.Equal(t, "skipped", made.Get("deliveries.0.result").String())
		require.Empty(t, box.of(a.Owner.ID))
	})
}
