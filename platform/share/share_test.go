package share_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
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

func TestAllowOutsider_BoundsToWhomAndHowOftenSomebodyWithALinkSends(t *testing.T) {
	t.Parallel()
	moduletest.Each(t, []module.Module{area(&outbox{})}, func(t *testing.T, boot func(...moduletest.Option) *moduletest.App) {
		t.Helper()
		var given *share.Service
		a := boot(moduletest.With(fx.Populate(&given)))
		ctx := principal.AsCompany(t.Context(), a.Owner.ID)
		sms := func(number string) []share.Recipient {
			return []share.Recipient{{Channel: notify.SMS, Address: number}}
		}
		iridium, nigeria := "+881612345678", "+2348031234567"
		for _, number := range []string{iridium, nigeria, "+37121234567", "+18765550143", "+19005550143"} {
			require.ErrorIs(t, given.AllowOutsider(ctx, share.Outsider{Thing: "a"}, sms(number)), share.ErrRecipient, number)
		}
		require.NoError(t, given.AllowOutsider(ctx, share.Outsider{Thing: "b", Known: []string{nigeria}}, sms(nigeria)), "a contact of the stop")
		require.NoError(t, given.AllowOutsider(ctx, share.Outsider{Thing: "b", Countries: []string{"MX"}}, sms("+525512345678")))
		for n := range 5 {
			require.NoError(t, given.AllowOutsider(ctx, share.Outsider{Thing: "c"}, sms("+1214555014"+strconv.Itoa(n))))
		}
		err := given.AllowOutsider(ctx, share.Outsider{Thing: "c"}, sms("+12145550149"))
		require.ErrorIs(t, err, share.ErrTooMany)
		refusal, _ := errors.AsType[*errs.Error](err)
		require.Positive(t, refusal.RetryAfter)
		require.NoError(t, given.AllowOutsider(ctx, share.Outsider{Thing: "d"}, sms("+12145550148")), "another thing is counted apart")
		for n := range 5 {
			require.NoError(t, given.AllowOutsider(ctx, share.Outsider{Thing: "e" + strconv.Itoa(n)}, sms("+12145550147")))
		}
		require.ErrorIs(t, given.AllowOutsider(ctx, share.Outsider{Thing: "f"}, sms("+12145550147")), share.ErrTooMany, "nobody gets many by many things")
	})
}
