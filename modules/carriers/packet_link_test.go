package carriers_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/onboarding"
	"github.com/dispatchd/dispatchd/modules/esign/esignapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/events"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/module"
	"github.com/dispatchd/dispatchd/platform/moduletest"
	"github.com/dispatchd/dispatchd/platform/notify"
	"github.com/dispatchd/dispatchd/platform/web"
)

// mailbox is the channel email of the tests. It also moves the clock.
type mailbox struct {
	db    *database.DB
	queue *jobs.Queue
	clock clock.Clock

	mu   sync.Mutex
	sent map[string]string
}

func (m *mailbox) send(_ context.Context, message notify.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent[message.To] = message.Text.Reveal()

	return nil
}

type lastOutput struct {
	Body struct {
		Text string `json:"text"`
	}
}

func (m *mailbox) last(_ context.Context, in *struct {
	To string `query:"to"`
},
) (*lastOutput, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := &lastOutput{}
	out.Body.Text = m.sent[in.To]

	return out, nil
}

// later moves the clock, and ends the packets whose links have expired.
func (m *mailbox) later(ctx context.Context, in *struct {
	Days int `path:"days"`
},
) (*struct{}, error) {
	m.clock.(*clock.Fake).Advance(time.Duration(in.Days) * 24 * time.Hour)

	return nil, m.db.InTx(ctx, func(ctx context.Context) error { return m.queue.Enqueue(ctx, onboarding.Expire{}) })
}

func mailing() module.Module {
	return module.New("mail", "Sends e-mails",
		fx.Provide(func(db *database.DB, q *jobs.Queue, c clock.Clock) *mailbox {
			return &mailbox{db: db, queue: q, clock: c, sent: map[string]string{}}
		}, fx.Private),
		notify.Channel(notify.Email, (*mailbox).send),
		web.Routes(func(r *web.Router, m *mailbox) {
			failures := []*errs.Error{errs.New(errs.NotFound, "mail.none", "There is none.")}
			web.Register(r, web.Operation{Method: http.MethodGet, Path: "/last", ID: "last", Access: web.Read, Summary: "Read the last e-mail", Errors: failures}, m.last)
			web.Register(r, web.Operation{Method: http.MethodPost, Path: "/later/{days}", ID: "later", Access: web.Write, Summary: "Move the clock", Errors: failures}, m.later)
		}),
	)
}

// eachMail runs a test on each database with the sandbox and the channel email, at noon.
func eachMail(t *testing.T, test func(t *testing.T, call func(method, path string, body any) moduletest.Response, a *moduletest.App)) {
	t.Helper()
	at := func(clock.Clock) clock.Clock { return clock.NewFake(noon) }
	moduletest.BootEach(t, append(modules(), mailing()), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		test(t, func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}, a)
	}, moduletest.Set(sandbox, "web.base_url=https://dispatch.example"), moduletest.With(fx.Decorate(at)))
}

// mailed is the last e-mail to an address.
func mailed(t *testing.T, a *moduletest.App, to string) string {
	t.Helper()

	return a.Call(t, a.Owner.Token, http.MethodGet, "/mail/api/v1/last?to="+url.QueryEscape(to), nil).OK(t).Get("text").String()
}

// later moves the clock by some days.
func later(t *testing.T, a *moduletest.App, days string) {
	t.Helper()
	a.Call(t, a.Owner.Token, http.MethodPost, "/mail/api/v1/later/"+days, nil).OK(t)
}

// pathIn is the path of the address in a message.
func pathIn(t *testing.T, text string) string {
	t.Helper()
	_, address, found := strings.Cut(text, "https://dispatch.example")
	require.True(t, found, text)

	return address
}

func TestPacket_SendsTheIdentityCodeToTheRegulatorsRecordAlone(t *testing.T) {
	t.Parallel()
	eachMail(t, func(t *testing.T, call func(string, string, any) moduletest.Response, a *moduletest.App) {
		t.Helper()
		carrier := call(http.MethodPost, carriersPath, object{"legal_name": "Sample", "usdot": "9900001"}).OK(t).Get("uuid").String()
		sent := call(http.MethodPost, carriersPath+"/"+carrier+"/packet",
			object{"channel": "email", "to": "thief@carrierr001.example", "documents": []string{"identity"}}).OK(t)
		require.Empty(t, sent.Get("link").String()+sent.Get("url").String(), "only the message has the link")
		link := pathIn(t, mailed(t, a, "thief@carrierr001.example"))

		shown := a.Call(t, "", http.MethodGet, link, nil).OK(t)
		require.JSONEq(t, `[{"channel": "email", "to": "d***@carrier001.example"}]`, shown.Get("identity.channels").Raw)
		a.Call(t, "", http.MethodPost, link+"/code", object{"code": "123456"}).Refused(t, http.StatusConflict, "onetimecode.none")
		a.Call(t, "", http.MethodPost, link+"/identity", object{"channel": "email", "to": "thief@carrierr001.example"}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")
		answer := a.Call(t, "", http.MethodPost, link+"/identity", object{"channel": "email"}).OK(t)
		code := regexp.MustCompile(`[0-9]{6}`).FindString(mailed(t, a, "dispatch@carrier001.example"))
		require.NotEmpty(t, code)
		require.NotContains(t, string(answer.Body), code)
		require.NotContains(t, mailed(t, a, "thief@carrierr001.example"), code)
		require.Contains(t, string(a.Call(t, "", http.MethodGet, link+"?step=identity", nil, "Accept", browser).OK(t).Body), "d***@carrier001.example")

		wrong := "000000"
		if code == wrong {
			wrong = "000001"
		}
		back := post(t, a, link+"/code", url.Values{"code": {wrong}}).Header.Get("Location")
		require.Contains(t, back, "step=identity")
		require.Contains(t, back, "problem=onetimecode.wrong")
		require.True(t, strings.HasSuffix(post(t, a, link+"/code", url.Values{"code": {code}}).Header.Get("Location"), "?step=review"))
		require.NotEmpty(t, a.Call(t, "", http.MethodGet, link, nil).OK(t).Get("identity.verified_at").String())
		confirmed := call(http.MethodGet, carriersPath+"/"+carrier, nil).OK(t).Get("identity_confirmations.0")
		require.Equal(t, "dispatch@carrier001.example", confirmed.Get("channel").String())
		require.Equal(t, "null", confirmed.Get("by_uuid").Raw, "nobody of the company confirmed it")
	})
}

func TestPacket_CountsTriesOfACodeWhateverTheIdempotencyKey(t *testing.T) {
	t.Parallel()
	eachMail(t, func(t *testing.T, call func(string, string, any) moduletest.Response, a *moduletest.App) {
		t.Helper()
		carrier := call(http.MethodPost, carriersPath, object{"legal_name": "Sample", "usdot": "9900001"}).OK(t).Get("uuid").String()
		_, link := packetOf(t, a, carrier, object{"channel": "link", "documents": []string{"identity"}})
		link = pathIn(t, link)
		a.Call(t, "", http.MethodPost, link+"/identity", object{"channel": "email"}).OK(t)
		code := regexp.MustCompile(`[0-9]{6}`).FindString(mailed(t, a, "dispatch@carrier001.example"))
		wrong := "000000"
		if code == wrong {
			wrong = "000001"
		}
		for range 5 {
			a.Call(t, "", http.MethodPost, link+"/code", object{"code": wrong}, "Idempotency-Key", "the-same").Refused(t, http.StatusUnprocessableEntity, "onetimecode.wrong")
		}
		a.Call(t, "", http.MethodPost, link+"/code", object{"code": code}).Refused(t, http.StatusConflict, "onetimecode.none")
	})
}

func TestPacket_WritesToFewAgents(t *testing.T) {
	t.Parallel()
	eachMail(t, func(t *testing.T, call func(string, string, any) moduletest.Response, a *moduletest.App) {
		t.Helper()
		carrier := call(http.MethodPost, carriersPath, object{"legal_name": "Sample", "usdot": "9900001"}).OK(t).Get("uuid").String()
		_, link := packetOf(t, a, carrier, object{"channel": "link", "documents": []string{"insurance"}})
		link = pathIn(t, link)
		ask := func(n int) moduletest.Response {
			return a.Call(t, "", http.MethodPost, link+"/agent", object{"channel": "email", "to": "agent" + strconv.Itoa(n) + "@insurer.example"})
		}
		for n := range 3 {
			ask(n).OK(t)
		}
		refused := ask(3).Refused(t, http.StatusTooManyRequests, "share.too_many")
		require.Equal(t, "Too many messages were sent by this link. Try again in 60 minutes.", refused.Get("message").String())
		require.Equal(t, "3600", refused.Header.Get("Retry-After"))
		require.Equal(t, "link.too_often", savedTooOften(t, a, link), "nor is it saved again and again")
	})
}

// savedTooOften saves a step of a packet until that is refused, and returns the code.
func savedTooOften(t *testing.T, a *moduletest.App, link string) string {
	t.Helper()
	for range 250 {
		r := a.Call(t, "", http.MethodPost, link+"/profile", object{"legal_name": "Sample", "phone": "2145550143"})
		if r.Status == http.StatusTooManyRequests {
			return r.Get("code").String()
		}
		require.NotEqual(t, http.StatusInternalServerError, r.Status)
	}

	return ""
}

func TestPacket_TakesTheCertificateFromTheInsuranceAgent(t *testing.T) {
	t.Parallel()
	eachMail(t, func(t *testing.T, call func(string, string, any) moduletest.Response, a *moduletest.App) {
		t.Helper()
		carrier := call(http.MethodPost, carriersPath, object{"legal_name": "Sample", "usdot": "9900001"}).OK(t).Get("uuid").String()
		id, link := packetOf(t, a, carrier, object{"channel": "link", "documents": []string{"insurance"}})
		link = pathIn(t, link)
		policy := object{"insurer": "Sample Insurance", "policy": "C-1", "each_occurrence": "250000", "expires": "2027-06-01"}
		a.Call(t, "", http.MethodPost, link+"/profile", object{"legal_name": "Sample", "phone": "2145550143"}).OK(t)
		a.Call(t, "", http.MethodPost, link+"/insurance", object{"cargo": policy, "auto_liability": policy}).OK(t)
		a.Call(t, "", http.MethodPost, link+"/submit", object{}).Refused(t, http.StatusUnprocessableEntity, "carriers.packet_incomplete")
		a.Call(t, "", http.MethodPost, link+"/agent", object{"channel": "email", "to": "nonsense"}).Refused(t, http.StatusUnprocessableEntity, "carriers.invalid_packet")
		a.Call(t, "", http.MethodPost, link+"/agent", object{"channel": "sms", "to": "+12145550143"}).Refused(t, http.StatusConflict, "notify.no_channel")
		require.True(t, strings.HasSuffix(post(t, a, link+"/agent", url.Values{"channel": {"email"}, "to": {"agent@insurer.example"}}).Header.Get("Location"), "?step=insurance"))

		page := pathIn(t, mailed(t, a, "agent@insurer.example"))
		require.NotContains(t, string(a.Call(t, "", http.MethodGet, link, nil).OK(t).Body), page, "the carrier cannot use the agent's link")
		require.Contains(t, string(a.Call(t, "", http.MethodGet, page, nil, "Accept", browser).OK(t).Body), "Please send the certificate of insurance of Sample")
		body := "--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"acord.pdf\"\r\n\r\n%PDF-1.7\n\r\n--X--\r\n"
		a.Call(t, "", http.MethodPost, page, body, "Content-Type", "multipart/form-data; boundary=X").OK(t)
		require.Equal(t, "agent_certificate", a.Call(t, "", http.MethodGet, link, nil).OK(t).Get("files.0.document").String())
		a.Call(t, "", http.MethodPost, link+"/submit", object{}).OK(t)
		certificate := call(http.MethodGet, area+"/packets/"+id, nil).OK(t).Get("files.0.attachment_uuid").String()
		approved(t, a, id).OK(t)
		require.Equal(t, certificate, call(http.MethodGet, carriersPath+"/"+carrier, nil).OK(t).Get("insurance.0.attachment_uuid").String())
		require.Equal(t, http.StatusNotFound, a.Call(t, "", http.MethodGet, page, nil).Status, "the agent's link ends with the packet")
	})
}

func TestPacket_ExpiresUnopenedAndCanBeSentAgain(t *testing.T) {
	t.Parallel()
	eachMail(t, func(t *testing.T, call func(string, string, any) moduletest.Response, a *moduletest.App) {
		t.Helper()
		made := call(http.MethodPost, carriersPath, object{"legal_name": "Sample", "usdot": "9900001"}).OK(t)
		carrier := made.Get("uuid").String()
		listed := func(state string) string {
			return call(http.MethodGet, carriersPath+"?filter[packet_state]="+state, nil).OK(t).Get("data.0.uuid").String()
		}
		require.Equal(t, "none", made.Get("packet_state").String())
		require.Equal(t, carrier, listed("none"))
		id, link := packetOf(t, a, carrier, object{"channel": "link", "documents": []string{}})
		other, begun := packetOf(t, a, call(http.MethodPost, carriersPath, object{"legal_name": "Other"}).OK(t).Get("uuid").String(), object{"channel": "link", "documents": []string{}})
		a.Call(t, "", http.MethodPost, pathIn(t, begun)+"/profile", object{"legal_name": "Other"}).OK(t)
		require.Equal(t, carrier, listed("sent"))

		later(t, a, "15")
		state := func(id string) string {
			return call(http.MethodGet, area+"/packets/"+id, nil).OK(t).Get("state").String()
		}
		a.Eventually(t, func() bool { return state(id) == "expired" }, "the link has expired")
		require.Equal(t, "started", state(other), "only packets that nobody opened expire")
		require.Equal(t, carrier, listed("expired"))
		page := a.Call(t, "", http.MethodGet, pathIn(t, link), nil, "Accept", browser)
		require.Contains(t, []int{http.StatusNotFound, http.StatusGone}, page.Status)
		require.Contains(t, string(page.Body), "This link is no longer valid")
		approved(t, a, id).Refused(t, http.StatusConflict, "state.not_allowed")

		again := call(http.MethodPost, area+"/packets/"+id+"/resend", nil).OK(t)
		require.Equal(t, "sent", again.Get("state").String())
		require.Equal(t, "sent", a.Call(t, "", http.MethodGet, pathIn(t, again.Get("url").String()), nil).OK(t).Get("state").String())
		require.Equal(t, carrier, listed("sent"))
		call(http.MethodPost, area+"/packets/"+id+"/revoke", nil).OK(t)
		require.Equal(t, carrier, listed("revoked"))
		newer, _ := packetOf(t, a, carrier, object{"channel": "link", "documents": []string{}})
		require.Equal(t, carrier, listed("sent"), "the newest packet counts")
		require.NotEqual(t, id, newer)
	})
}

func TestPacket_IsDueForReviewNinetyDaysAfterItsApproval(t *testing.T) {
	t.Parallel()
	eachMail(t, func(t *testing.T, call func(string, string, any) moduletest.Response, a *moduletest.App) {
		t.Helper()
		carrier := call(http.MethodPost, carriersPath, object{"legal_name": "Sample", "usdot": "9900001"}).OK(t).Get("uuid").String()
		id, link := packetOf(t, a, carrier, object{"channel": "link", "documents": []string{}})
		a.Call(t, "", http.MethodPost, pathIn(t, link)+"/profile", object{"legal_name": "Sample", "phone": "2145550143"}).OK(t)
		a.Call(t, "", http.MethodPost, pathIn(t, link)+"/submit", object{}).OK(t)
		approved(t, a, id).OK(t)
		due := func() (days []string) {
			require.NoError(t, a.Resources.RaiseExpiries(t.Context()))
			for _, e := range a.Events(t, a.Owner) {
				if e.Name == "carriers.carrier.packet_review_due" {
					require.Equal(t, carrier, e.Get("carrier_uuid").String())
					days = append(days, e.Get("days").String())
				}
			}

			return days
		}
		require.Empty(t, due())
		later(t, a, "60")
		require.Equal(t, []string{"30"}, due())
		later(t, a, "30")
		require.Equal(t, []string{"30", "0"}, due())
		require.Equal(t, []string{"30", "0"}, due(), "each once")
	})
}

// The thief's domain ends in q where the record's ends in g.
func TestIdentity_IsUnverifiedForALookAlikeDomainUntilTheRecordAnswers(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, append(modules(), mailing()), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}
		imported(t, a, "census", censusHead+"77001,Acme Trucking LLC,,A,1 Main St,Dallas,TX,75201,2145550100,dispatch@acme-trucking.com,MC,770010,X,A\n")
		carrier := call(http.MethodPost, carriersPath, object{"legal_name": "Acme Trucking LLC", "usdot": "77001"}).OK(t).Get("uuid").String()
		packetOf(t, a, carrier, object{"to": "dispatch@acme-truckinq.com", "channel": "link", "documents": []string{"identity"}})
		judged := call(http.MethodPut, carriersPath+"/validate", object{"carrier_uuid": carrier}).OK(t)
		require.Contains(t, codesIn(judged, "warnings"), "identity_unverified")
		require.Equal(t, "dispatch@acme-truckinq.com", judged.Get(`blockers.#(code=="lookalike_domain").evidence.value`).String(), string(judged.Body))

		at := carriersPath + "/" + carrier + "/identity_code"
		sent := call(http.MethodPost, at, object{"channel": "call"}).OK(t)
		require.Equal(t, "+12145550100", sent.Get("to").String(), "the record's phone, not the packet's")
		call(http.MethodPut, at, object{"code": sent.Get("code").String()}).OK(t)
		judged = call(http.MethodPut, carriersPath+"/validate", object{"carrier_uuid": carrier}).OK(t)
		require.NotContains(t, codesIn(judged, "warnings"), "identity_unverified")
		require.Contains(t, codesIn(judged, "blockers"), "lookalike_domain", "the address stays wrong, whoever answers the phone")
	})
}

// signing stands for the area of electronic signatures.
type signing struct {
	bus *events.Bus
	db  *database.DB
}

func (*signing) describe(_ context.Context, ids []uuid.UUID) (map[uuid.UUID]item.Description, error) {
	all := map[uuid.UUID]item.Description{}
	for _, id := range ids {
		all[id] = item.Description{Title: "Agreement"}
	}

	return all, nil
}

func (s *signing) complete(ctx context.Context, in *struct {
	UUID     uuid.UUID `path:"uuid"`
	Document string    `query:"document"`
},
) (*struct{}, error) {
	about := esignapi.About{Envelope: in.UUID.String()}

	return nil, s.db.InTx(ctx, func(ctx context.Context) error {
		return s.bus.Publish(ctx, esignapi.EnvelopeCompleted{About: about},
			esignapi.DocumentsStored{About: about, Attachments: map[string]string{"combined": in.Document}, Tabs: []esignapi.SignedTab{}})
	})
}

func signer() module.Module {
	return module.New(esignapi.Area, "Signs", fx.Provide(func(bus *events.Bus, db *database.DB) *signing { return &signing{bus, db} }, fx.Private),
		item.Type(esignapi.Item, "Envelope", (*signing).describe, nil, nil),
		events.Publishes(esignapi.EnvelopeCompleted{}), events.Publishes(esignapi.DocumentsStored{}),
		web.Routes(func(r *web.Router, s *signing) {
			web.Register(r, web.Operation{
				Method: http.MethodPost, Path: "/complete/{uuid}", ID: "complete", Access: web.Write, Summary: "Complete",
				Errors: []*errs.Error{errs.New(errs.NotFound, "esign.none", "There is none.")},
			}, s.complete)
		}))
}

func TestCarrier_HasASignedAgreementWhenItsEnvelopeIsCompleted(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, append(modules(), signer()), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}
		envelope, document := uuid.NewString(), uploaded(t, a, "agreement.pdf")
		signed := call(http.MethodPost, carriersPath, object{"legal_name": "One", "agreement_envelope_uuid": envelope}).OK(t).Header.Get("Location")
		unsigned := call(http.MethodPost, carriersPath, object{"legal_name": "Two", "agreement_envelope_uuid": uuid.NewString()}).OK(t).Header.Get("Location")
		call(http.MethodPost, "/esign/api/v1/complete/"+envelope+"?document="+document, nil).OK(t)
		a.Eventually(t, func() bool {
			now := call(http.MethodGet, signed, nil).OK(t)

			return now.Get("agreement_signed").String() != "" && now.Get("agreement_file_uuid").String() == document
		}, "the agreement is signed")
		require.Empty(t, call(http.MethodGet, unsigned, nil).OK(t).Get("agreement_signed").String())
	})
}

func TestContract_ReachesACarrierWithinTheConsentsOfItsContact(t *testing.T) {
	t.Parallel()
	moduletest.BootEach(t, append(modules(), dispatching()), func(t *testing.T, a *moduletest.App) {
		t.Helper()
		call := func(method, path string, body any) moduletest.Response {
			return a.Call(t, a.Owner.Token, method, path, body)
		}
		contact := call(http.MethodPost, "/contacts/api/v1/contacts", object{
			"kind": "company", "name": "Sample", "emails": []object{{"address": "office@sample.example"}}, "phones": []object{{"number": "(214) 555-0143"}},
		}).OK(t)
		id := call(http.MethodPost, carriersPath, object{"legal_name": "Sample", "phone": "+12145550199", "contact_uuid": contact.Get("uuid").String()}).OK(t).Get("uuid").String()
		reach := func() string { return call(http.MethodPost, "/dispatcher/api/v1/ask/"+id, nil).OK(t).Get("reach").Raw }
		require.JSONEq(t, `{"Name": "", "Email": "office@sample.example", "SMS": "+12145550199", "Call": "+12145550199"}`, reach(), "the contact has what the carrier lacks")
		at := contact.Header.Get("Location")
		call(http.MethodPut, at+"/consents", object{"consents": []object{{"channel": "sms", "purpose": "service", "state": "refused", "source": "Text message"}}}).OK(t)
		require.JSONEq(t, `{"Name": "", "Email": "office@sample.example", "SMS": "", "Call": "+12145550199"}`, reach())
		call(http.MethodPatch, at, object{"status": "do_not_contact"}).OK(t)
		require.JSONEq(t, `{"Name": "", "Email": "", "SMS": "", "Call": ""}`, reach())
	})
}
