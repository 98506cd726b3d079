package sms_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/sms/smstest"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/identity"
	"github.com/dispatchd/dispatchd/platform/inbound"
	"github.com/dispatchd/dispatchd/platform/inbound/verify"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/principal"
)

const (
	// hooks is the address that vendors know us by.
	hooks     = "https://hooks.example.test"
	formMedia = "application/x-www-form-urlencoded"
	driver    = "+12025550130"
	ours      = "+12025550160"
)

// line is a company with an account at a vendor that speaks as Twilio does, and a number.
type line struct {
	desk

	url    string // of the vendor
	hub    *smstest.TwilioHub
	vendor *smstest.Twilio
	// addresses of the account's notifications, without hooks
	status, message string
	heard           int
}

// eachTwilio runs a test on both databases, each with an account of its own at the vendor.
func eachTwilio(t *testing.T, test func(t *testing.T, l *line), options ...moduletest.Option) {
	t.Helper()
	hub, made := &smstest.TwilioHub{}, atomic.Int64{}
	server := httptest.NewServer(hub)
	t.Cleanup(server.Close)
	moduletest.BootEach(t, modules(), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		l := &line{desk: desk{App: a}, url: server.URL, hub: hub, vendor: smstest.NewTwilio(int(made.Add(1)))}
		hub.Add(l.vendor)
		l.account = l.post(t, "/accounts", map[string]any{"name": "Twilio", "provider": "twilio", "credentials": l.vendor.Credentials()}).OK(t).Get("uuid").String()
		l.number = l.buy(t, ours)
		l.read(t)
		test(t, l)
	}, append([]moduletest.Option{moduletest.Set(
		"modules.sms.twilio.base_url="+server.URL+"/2010-04-01", "modules.sms.twilio.messaging_url="+server.URL+"/v1",
		"outbound.allow_http=true", "outbound.allow_networks=127.0.0.0/8", "outbound.breaker_failures=0", "web.services_url="+hooks,
		"modules.sms.status_wait=0s",
	)}, options...)...)
}

// read reads where the account's notifications arrive.
func (l *line) read(t *testing.T) {
	t.Helper()
	callbacks := l.get(t, "/accounts/"+l.account).OK(t).Get("callbacks")
	require.Zero(t, callbacks.Get("missing.#").Int())
	path := func(name string) string {
		_, path, _ := strings.Cut(callbacks.Get(name).String(), base)

		return base + path
	}
	l.status, l.message = path("status_url"), path("message_url")
	require.True(t, strings.HasPrefix(l.status, base), l.status)
}

// send sends a message and waits until the vendor has taken it.
func (l *line) send(t *testing.T, body map[string]any) (id string, taken smstest.TwilioMessage) {
	t.Helper()
	before := len(l.vendor.Messages())
	body["from_uuid"] = l.number
	id = l.post(t, "/messages", body).OK(t).Get("uuid").String()
	l.Eventually(t, func() bool { return len(l.vendor.Messages()) > before }, "the vendor has the message")

	return id, l.vendor.Messages()[before]
}

func (l *line) notify(t *testing.T, token, target string, form url.Values, headers ...string) moduletest.Response {
	t.Helper()
	signature := verify.SignTwilio([]byte(token), hooks+target, form)

	return l.Notify(t, target, []byte(form.Encode()), append([]string{"Content-Type", formMedia, "X-Twilio-Signature", signature}, headers...)...)
}

// handled waits for one more notification that is handled, and returns it.
func (l *line) handled(t *testing.T) inbound.Recorded {
	t.Helper()
	l.heard++

	return l.WaitHandled(t, l.Owner, l.heard)[l.heard-1]
}

func (l *line) about(sid, status string, more ...string) url.Values {
	form := url.Values{"MessageSid": {sid}, "MessageStatus": {status}, "AccountSid": {l.vendor.SID}, "To": {driver}, "From": {ours}, "Unheard": {"of"}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}

	return form
}

func (l *line) from(sid, body string, more ...string) url.Values {
	form := url.Values{"MessageSid": {sid}, "AccountSid": {l.vendor.SID}, "To": {ours}, "From": {driver}, "Body": {body}, "NumMedia": {"0"}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}

	return form
}

func target(m smstest.TwilioMessage) string {
	return strings.TrimPrefix(m.Form.Get("StatusCallback"), hooks)
}

func TestTwilio_SendsAndIsToldWhatBecameOfIt(t *testing.T) {
	t.Parallel()
	eachTwilio(t, func(t *testing.T, l *line) {
		require.Equal(t, hooks+l.message, l.vendor.Numbers()[0].SmsURL, "a number that is bought is pointed at us")
		require.Equal(t, hooks+l.message, l.vendor.Numbers()[0].FallbackURL)
		id, taken := l.send(t, map[string]any{"to": driver, "body": "Near", "media": []string{"https://example.com/a.png"}})
		require.Equal(t, []string{"https://example.com/a.png"}, taken.Form["MediaUrl"])
		l.until(t, "/messages/"+id, "provider_id", taken.SID)
		require.Equal(t, http.StatusNoContent, l.notify(t, l.vendor.Token, target(taken), l.about(taken.SID, "delivered")).Status)
		require.Equal(t, inbound.Processed, l.handled(t).State)
		l.notify(t, l.vendor.Token, target(taken), l.about(taken.SID, "sent")).OK(t)
		l.handled(t)
		l.notify(t, l.vendor.Token, target(taken), l.about(taken.SID, "delivered"), "I-Twilio-Idempotency-Token", "other").OK(t)
		got := l.get(t, "/messages/"+id).OK(t)
		require.Equal(t, "delivered", got.Get("state").String())
		require.Equal(t, "delivered", got.Get("provider_status").String())
		require.Equal(t, []string{"sms.message.queued", "sms.message.delivered"}, l.EventNames(t, l.Owner))
		require.Len(t, l.Received(t, l.Owner), 2, "a repeat is the same notification")

		l.notify(t, l.vendor.Token, target(taken), l.about(taken.SID, "undelivered", "ErrorCode", "30005")).OK(t)
		l.handled(t)
		late := l.get(t, "/messages/"+id).OK(t)
		require.Equal(t, []string{"undelivered", "invalid_recipient"}, []string{late.Get("state").String(), late.Get("reason").String()}, "the carrier took it back")
		require.Contains(t, l.EventNames(t, l.Owner), "sms.message.failed")
	})
}

func TestTwilio_ACallbackSettlesACallWhoseAnswerWasLost(t *testing.T) {
	t.Parallel()
	eachTwilio(t, func(t *testing.T, l *line) {
		l.vendor.Fail(smstest.Fault{Method: http.MethodPost, Takes: true, Drops: true})
		id, taken := l.send(t, map[string]any{"to": driver, "body": "Near"})
		l.until(t, "/messages/"+id, "attempts.0.reason", "provider_down")
		require.Equal(t, "attempting", l.get(t, "/messages/"+id).OK(t).Get("attempts.0.outcome").String())
		l.notify(t, l.vendor.Token, target(taken), l.about(taken.SID, "sent")).OK(t)
		require.Equal(t, inbound.Processed, l.handled(t).State)
		got := l.get(t, "/messages/"+id).OK(t)
		require.Equal(t, "sent", got.Get("state").String())
		require.Equal(t, taken.SID, got.Get("provider_id").String())
		require.Len(t, l.vendor.Messages(), 1)
	})
}

func TestTwilio_RefusesWhatIsNotSignedByTheAccount(t *testing.T) {
	t.Parallel()
	eachTwilio(t, func(t *testing.T, l *line) {
		id, taken := l.send(t, map[string]any{"to": driver, "body": "Near"})
		l.until(t, "/messages/"+id, "provider_id", taken.SID)
		form := l.about(taken.SID, "delivered")
		l.notify(t, "forged", target(taken), form).Refused(t, http.StatusUnauthorized, "inbound.not_verified")
		l.Notify(t, target(taken), []byte(form.Encode()), "Content-Type", formMedia).Refused(t, http.StatusUnauthorized, "inbound.not_verified")
		signature := verify.SignTwilio([]byte(l.vendor.Token), hooks+target(taken), form)
		form.Set("MessageStatus", "failed")
		l.Notify(t, target(taken), []byte(form.Encode()), "Content-Type", formMedia, "X-Twilio-Signature", signature).
			Refused(t, http.StatusUnauthorized, "inbound.not_verified")
		l.notify(t, l.vendor.Token, base+"/twilio/"+l.account+"/status", form).Refused(t, http.StatusNotFound, "inbound.endpoint_unknown")
		huge := l.about(taken.SID, "delivered", "Huge", strings.Repeat("x", 70<<10))
		require.Equal(t, http.StatusRequestEntityTooLarge, l.notify(t, l.vendor.Token, target(taken), huge).Status)
		require.Equal(t, "sending", l.get(t, "/messages/"+id).OK(t).Get("state").String())
		require.Empty(t, l.Received(t, l.Owner))
	})
}

func TestTwilio_ACallbackMovesNoMessageOfAnotherAccount(t *testing.T) {
	t.Parallel()
	eachTwilio(t, func(t *testing.T, l *line) {
		id, taken := l.send(t, map[string]any{"to": driver, "body": "Near"})
		l.until(t, "/messages/"+id, "provider_id", taken.SID)
		_, query, _ := strings.Cut(target(taken), "?")

		stranger := &line{desk: desk{App: l.App}, vendor: smstest.NewTwilio(77)}
		second := l.post(t, "/accounts", map[string]any{"name": "Second", "provider": "twilio", "credentials": stranger.vendor.Credentials()}).OK(t)
		address := strings.TrimPrefix(second.Get("callbacks.status_url").String(), hooks)
		l.notify(t, stranger.vendor.Token, address+"?"+query, stranger.about(taken.SID, "failed")).OK(t)
		require.Equal(t, inbound.Skipped, l.handled(t).State)
		l.notify(t, l.vendor.Token, l.status, stranger.about(taken.SID, "failed")).OK(t)
		require.Equal(t, inbound.Skipped, l.handled(t).State)
		l.notify(t, l.vendor.Token, l.status, l.about("SM404", "delivered")).OK(t)
		ignored := l.handled(t)
		require.Equal(t, inbound.Skipped, ignored.State)
		require.Contains(t, ignored.Error, "SM404")
		l.notify(t, l.vendor.Token, l.status, l.about(taken.SID, "teleported")).OK(t)
		require.Equal(t, inbound.Skipped, l.handled(t).State)
		require.Equal(t, "sending", l.get(t, "/messages/"+id).OK(t).Get("state").String())
	})
}

func TestTwilio_AMessageFromOutsideIsOneWithItsMedia(t *testing.T) {
	t.Parallel()
	eachTwilio(t, func(t *testing.T, l *line) {
		form := l.from("MM1", "Look\x00", "NumMedia", "3", "MediaUrl0", "https://127.0.0.1:1/a", "MediaUrl1", "javascript:alert(1)", "MediaUrl2", "https://127.0.0.1:1/c", "FromCity", "X")
		got := l.notify(t, l.vendor.Token, l.message, form)
		require.Equal(t, "<Response/>", string(got.Body))
		require.Equal(t, http.StatusOK, got.Status)
		l.handled(t)
		l.notify(t, l.vendor.Token, l.message, form, "I-Twilio-Idempotency-Token", "again").OK(t)
		all := l.get(t, "/messages?filter[direction]=inbound").OK(t)
		require.Equal(t, int64(1), all.Get("data.#").Int())
		require.Equal(t, "Look", all.Get("data.0.body").String())
		require.Equal(t, []string{"https://127.0.0.1:1/a", "https://127.0.0.1:1/c"}, strs(all, "data.0.media"))
	})
}

func TestTwilio_AnOptOutReachesTheListHoweverItComes(t *testing.T) {
	t.Parallel()
	eachTwilio(t, func(t *testing.T, l *line) {
		l.notify(t, l.vendor.Token, l.message, l.from("SM1", "Halt bitte", "OptOutType", "STOP")).OK(t)
		l.handled(t)
		l.post(t, "/messages", map[string]any{"to": driver, "body": "Still there?", "from_uuid": l.number}).Refused(t, http.StatusConflict, "sms.opted_out")
		require.Empty(t, l.vendor.Messages(), "Twilio answers STOP by itself")

		elsewhere := l.from("SM2", "STOP", "To", "+12025550188", "From", "+12025550131")
		l.notify(t, l.vendor.Token, l.message, elsewhere).OK(t)
		require.Equal(t, inbound.Skipped, l.handled(t).State)
		l.vendor.RefuseMessagesTo("+12025550132", 21610)
		id := l.post(t, "/messages", map[string]any{"to": "+12025550132", "body": "Hi", "from_uuid": l.number}).OK(t).Get("uuid").String()
		l.until(t, "/messages/"+id, "reason", "opted_out")
		require.Contains(t, l.get(t, "/messages/"+id).OK(t).Get("explanation").String(), "STOP")
		require.Equal(t, int64(3), l.get(t, "/opt_outs").OK(t).Get("data.#").Int())
	})
}

func TestTwilio_AnOptOutThatRacesSendsStopsAllThatComeAfter(t *testing.T) {
	t.Parallel()
	eachTwilio(t, func(t *testing.T, l *line) {
		var ids []string
		for n := range 6 {
			if n == 3 {
				l.notify(t, l.vendor.Token, l.message, l.from("SM1", "STOP")).OK(t)
			}
			sent := l.post(t, "/messages", map[string]any{"to": driver, "body": fmt.Sprint("Hi ", n), "from_uuid": l.number})
			if sent.Status == http.StatusConflict {
				continue
			}
			ids = append(ids, sent.OK(t).Get("uuid").String())
		}
		l.handled(t)
		taken := 0
		for _, id := range ids {
			l.Eventually(t, func() bool {
				return l.get(t, "/messages/"+id).OK(t).Get("attempts.0.outcome").String() == "taken" || l.get(t, "/messages/"+id).OK(t).Get("reason").String() == "opted_out"
			}, "it went, or did not")
			if l.get(t, "/messages/"+id).OK(t).Get("reason").String() == "" {
				taken++
			}
		}
		require.Len(t, l.vendor.Messages(), taken)
		l.post(t, "/messages", map[string]any{"to": driver, "body": "After", "from_uuid": l.number}).Refused(t, http.StatusConflict, "sms.opted_out")
	})
}

func TestTwilio_ANumberThatTakesNoMessagesIsRefusedUntilItWrites(t *testing.T) {
	t.Parallel()
	eachTwilio(t, func(t *testing.T, l *line) {
		id, taken := l.send(t, map[string]any{"to": driver, "body": "Near"})
		l.notify(t, l.vendor.Token, target(taken), l.about(taken.SID, "undelivered", "ErrorCode", "30005")).OK(t)
		l.handled(t)
		got := l.get(t, "/messages/"+id).OK(t)
		require.Equal(t, "invalid_recipient", got.Get("reason").String())
		require.Equal(t, "The recipient's number is no longer in service.", got.Get("explanation").String())
		again := map[string]any{"to": driver, "body": "Hello?", "from_uuid": l.number}
		l.post(t, "/messages", again).Refused(t, http.StatusConflict, "sms.bad_number")
		l.send(t, map[string]any{"to": driver, "body": "Hello?", "ignore_bad_number": true})
		l.notify(t, l.vendor.Token, l.message, l.from("SM9", "I am here")).OK(t)
		l.handled(t)
		l.post(t, "/messages", again).OK(t)
	})
}

func TestTwilio_ANewAuthTokenLeavesTheOldOneGoodUntilItIsRemoved(t *testing.T) {
	t.Parallel()
	eachTwilio(t, func(t *testing.T, l *line) {
		old := l.vendor.Token
		path := base + "/accounts/" + l.account
		patch := func(credentials map[string]string) {
			l.Call(t, l.Owner.Token, http.MethodPatch, path, map[string]any{"credentials": credentials}).OK(t)
		}
		l.vendor.Revoke("fresh")
		require.False(t, l.get(t, "/accounts/"+l.account+"/health").OK(t).Get("healthy").Bool())
		failing := l.get(t, "/accounts/"+l.account).OK(t)
		require.Equal(t, "failing", failing.Get("health").String())
		require.Equal(t, "auth", failing.Get("problem").String())

		patch(l.vendor.Credentials())
		require.True(t, l.get(t, "/accounts/"+l.account+"/health").OK(t).Get("healthy").Bool())
		for i, token := range []string{old, "fresh"} {
			l.notify(t, token, l.message, l.from(fmt.Sprint("SM", i), "Hi")).OK(t)
			require.Equal(t, []string{"secondary_auth_token", "auth_token"}[i], l.handled(t).Key)
		}
		removed := l.vendor.Credentials()
		removed["secondary_auth_token"] = ""
		patch(removed)
		l.notify(t, old, l.message, l.from("SM7", "Hi")).Refused(t, http.StatusUnauthorized, "inbound.not_verified")

		was := l.message
		l.post(t, "/accounts/"+l.account+"/rotate_callbacks", nil).OK(t)
		l.read(t)
		require.NotEqual(t, was, l.message)
		l.notify(t, "fresh", was, l.from("SM8", "Hi")).Refused(t, http.StatusNotFound, "inbound.endpoint_unknown")
		l.notify(t, "fresh", l.message, l.from("SM8", "Hi")).OK(t)
		l.handled(t)
	})
}

func TestTwilio_AnImportPointsNumbersOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	eachTwilio(t, func(t *testing.T, l *line) {
		l.vendor.AddNumber("+12025550170")
		l.post(t, "/numbers/import", map[string]any{}).OK(t)
		l.Eventually(t, func() bool { return l.get(t, "/numbers").OK(t).Get("data.#").Int() == 2 }, "the number is imported")
		require.Empty(t, l.vendor.Numbers()[1].SmsURL)
		l.Eventually(t, func() bool {
			l.post(t, "/numbers/import", map[string]any{"set_callbacks": true}).OK(t)

			return l.vendor.Numbers()[1].SmsURL == hooks+l.message
		}, "the number is pointed at us")
	})
}

func TestTwilio_AnImportSaysWhichNumbersCarriersLetSend(t *testing.T) {
	t.Parallel()
	eachTwilio(t, func(t *testing.T, l *line) {
		service := smstest.TwilioService{SID: "MG" + strings.Repeat("0", 32), Campaign: "VERIFIED", Numbers: []string{ours}}
		l.vendor.Serve(service)
		l.vendor.Verify("+18005550150", "IN_REVIEW")
		for _, number := range []string{"+12025550161", "+18005550150", "+18005550151"} {
			l.vendor.AddNumber(number)
		}
		credentials := l.vendor.Credentials()
		credentials["messaging_service_sid"] = service.SID
		l.Call(t, l.Owner.Token, http.MethodPatch, base+"/accounts/"+l.account, map[string]any{"credentials": credentials}).OK(t)
		l.post(t, "/numbers/import", map[string]any{"account_uuid": l.account}).OK(t)

		for number, want := range map[string]string{
			ours: "registered", "+12025550161": "unregistered", "+18005550150": "pending", "+18005550151": "unregistered",
		} {
			l.Eventually(t, func() bool {
				found := l.get(t, "/numbers?filter[number]="+url.QueryEscape(number)).OK(t)

				return found.Get("data.0.registration").String() == want
			}, number+" is "+want)
		}
	})
}

func TestSuspend_PutsOffWhatTheCompanyHasScheduled(t *testing.T) {
	t.Parallel()
	var services sync.Map
	eachTwilio(t, func(t *testing.T, l *line) {
		found, _ := services.Load(l.DB)
		companies := found.(*identity.Service)
		at := func(d time.Duration) string { return clock.System{}.Now().Add(d).Format(time.RFC3339Nano) }
		other := desk{App: &moduletest.App{}}
		*other.App = *l.App
		other.Owner = l.NewCompany(t)
		other = open(t, other.App)
		l.post(t, "/messages", map[string]any{"to": driver, "body": "Ours", "from_uuid": l.number, "send_at": at(time.Second)}).OK(t)
		require.NoError(t, companies.SuspendCompany(principal.AsCompany(t.Context(), l.Owner.ID), l.Owner.ID))
		later := other.post(t, "/messages", map[string]any{"to": driver, "body": "Theirs", "from_uuid": other.number, "send_at": at(1500 * time.Millisecond)}).OK(t).Get("uuid").String()
		other.until(t, "/messages/"+later, "state", "delivered")
		require.Empty(t, l.vendor.Messages(), "it was due before that one")

		require.NoError(t, companies.ResumeCompany(principal.AsCompany(t.Context(), l.Owner.ID), l.Owner.ID))
		l.Eventually(t, func() bool { return len(l.vendor.Messages()) == 1 }, "it goes once the company is back")
	}, moduletest.Set("jobs.poll=10ms", "features.job_pause=50ms"), moduletest.With(fx.Invoke(func(db *database.DB, s *identity.Service) { services.Store(db, s) })))
}

func TestTwilio_IsVerifiedWithAndWithoutAPort(t *testing.T) {
	t.Parallel()
	eachTwilio(t, func(t *testing.T, l *line) {
		for i, address := range []string{"https://hooks.example.test:8443", "https://hooks.example.test"} {
			form := l.from(fmt.Sprintf("SM%d", i), "Hi")
			signature := verify.SignTwilio([]byte(l.vendor.Token), address+l.message, form)
			l.Notify(t, l.message, []byte(form.Encode()), "Content-Type", formMedia, "X-Twilio-Signature", signature).OK(t)
		}
		form := l.from("SM9", "Hi")
		signature := verify.SignTwilio([]byte(l.vendor.Token), "https://hooks.example.test:9443"+l.message, form)
		l.Notify(t, l.message, []byte(form.Encode()), "Content-Type", formMedia, "X-Twilio-Signature", signature).Refused(t, http.StatusUnauthorized, "inbound.not_verified")
	}, moduletest.Set("web.services_url=https://hooks.example.test:8443"))
}

func TestTwilio_FilesOfMessagesAreKeptAsAttachments(t *testing.T) {
	t.Parallel()
	eachTwilio(t, func(t *testing.T, l *line) {
		picture, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=")
		require.NoError(t, err)
		sid, links := l.vendor.Receive(driver, ours, "The pod", clock.System{}.Now(), smstest.TwilioFile{MediaType: "image/png", Content: picture})
		l.notify(t, l.vendor.Token, l.message, l.from(sid, "The pod", "NumMedia", "1", "MediaUrl0", l.url+links[0])).OK(t)
		l.Eventually(t, func() bool {
			return l.get(t, "/messages").OK(t).Get("data.0.attachments.#").Int() == 1
		}, "the file is kept")
		id := l.get(t, "/messages").OK(t).Get("data.0.attachments.0").String()
		file := l.Call(t, l.Owner.Token, http.MethodGet, "/attachments/api/v1/attachments/"+id, nil).OK(t)
		require.Equal(t, "media-1.png", file.Get("file_name").String())
		require.Equal(t, "image/png", file.Get("media_type").String())
		require.Equal(t, l.get(t, "/messages").OK(t).Get("data.0.uuid").String(), file.Get("owner_uuid").String())
		content := l.Call(t, l.Owner.Token, http.MethodGet, "/attachments/api/v1/attachments/"+id+"/content", nil).OK(t)
		require.Equal(t, picture, content.Body)
	})
}
