package carriers_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/moduletest"
)

const (
	browser   = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	formMedia = "application/x-www-form-urlencoded"
)

// sentOn is where a browser is sent after a form.
type sentOn struct {
	Status int
	Header http.Header
}

// post sends a form of a page as a browser does, and does not go on to the next page.
func post(t *testing.T, a *moduletest.App, address string, form url.Values) sentOn {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+a.API.Address()+address, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	request.Header.Set("Content-Type", formMedia)
	request.Header.Set("Accept", browser)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())

	return sentOn{response.StatusCode, response.Header}
}

// packetOf sends a carrier a packet by hand, and returns it with the address of its page.
func packetOf(t *testing.T, a *moduletest.App, carrier string, body object) (id, link string) {
	t.Helper()
	sent := a.Call(t, a.Owner.Token, http.MethodPost, carriersPath+"/"+carrier+"/packet", body).OK(t)

	return sent.Get("uuid").String(), sent.Get("url").String()
}

func TestIdentityCode_ConfirmsWhoeverAnswersTheRecordsPhone(t *testing.T) {
	t.Parallel()
	eachDesk(t, noon, func(t *testing.T, call func(string, string, any) moduletest.Response, a *moduletest.App) {
		t.Helper()
		made := call(http.MethodPost, carriersPath, sample("9900001")).OK(t)
		id := made.Get("uuid").String()
		at := carriersPath + "/" + id + "/identity_code"
		// The record's e-mail is dispatch@carrier001.example; the packet goes to a look-alike.
		packetOf(t, a, id, object{"to": "dispatch@carrierr001.example", "channel": "link", "documents": []string{}})
		judged := call(http.MethodPut, carriersPath+"/validate", object{"carrier_uuid": id}).OK(t)
		require.Contains(t, codesIn(judged, "warnings"), "identity_unverified")
		require.Equal(t, "dispatch@carrierr001.example", judged.Get(`blockers.#(code=="lookalike_domain").evidence.value`).String(), judged.Get("blockers").Raw)

		call(http.MethodPut, at, object{"code": "123456"}).Refused(t, http.StatusConflict, "onetimecode.none")
		call(http.MethodPost, at, object{"channel": "sms"}).Refused(t, http.StatusConflict, "notify.no_channel")
		sent := call(http.MethodPost, at, object{"channel": "call"}).OK(t)
		require.Equal(t, "+12015550100", sent.Get("to").String())
		code := sent.Get("code").String()
		wrong := "0" + code[1:]
		if code[0] == '0' {
			wrong = "1" + code[1:]
		}
		refused := call(http.MethodPut, at, object{"code": wrong}).Refused(t, http.StatusUnprocessableEntity, "onetimecode.wrong")
		require.Equal(t, int64(4), refused.Get("details.tries_left").Int())
		right := call(http.MethodPut, at, object{"code": code[:3] + " " + code[3:]}).OK(t)
		require.Equal(t, "+12015550100", right.Get("identity_confirmations.0.channel").String())
		call(http.MethodPut, at, object{"code": code}).Refused(t, http.StatusConflict, "onetimecode.none")
		require.NotContains(t, codesIn(call(http.MethodPut, carriersPath+"/validate", object{"carrier_uuid": id}).OK(t), "warnings"), "identity_unverified")

		trail := strings.Join(a.Audited(t, a.Owner), " ")
		require.Contains(t, trail, "carriers.carrier.identity_confirmed")
		stranger := a.NewCompany(t)
		a.Call(t, stranger.Token, http.MethodPost, at, object{"channel": "call"}).Refused(t, http.StatusNotFound, "carriers.carrier_not_found")
		a.Call(t, stranger.Token, http.MethodPut, at, object{"code": code}).Refused(t, http.StatusNotFound, "carriers.carrier_not_found")
	})
}

func TestPacket_IsFilledInByFormsAndAppliedWhenItIsApproved(t *testing.T) {
	t.Parallel()
	eachDesk(t, noon, func(t *testing.T, call func(string, string, any) moduletest.Response, a *moduletest.App) {
		t.Helper()
		call(http.MethodPut, area+"/packet_settings", object{"documents": []string{"remit_to", "agreement"}, "agreement": "Deliver <on> time.", "link_days": 14}).OK(t)
		carrier := call(http.MethodPost, carriersPath, object{"legal_name": "Old Name", "usdot": "9900001"}).OK(t).Get("uuid").String()
		id, link := packetOf(t, a, carrier, object{"channel": "link"})
		state := func() string { return call(http.MethodGet, area+"/packets/"+id, nil).OK(t).Get("state").String() }

		shown := a.Call(t, "", http.MethodGet, link, nil, "Accept", browser).OK(t)
		text := string(shown.Body)
		require.Contains(t, text, `value="Sample Auto Lines 001 LLC"`, "it is filled in with the regulator's record")
		require.NotContains(t, text, "<script")
		require.NotContains(t, text, "http", "it needs nothing from elsewhere")
		require.NotContains(t, shown.Header.Get("Content-Security-Policy"), "unsafe")
		require.Equal(t, "sent", state(), "looking changes nothing, as mail scanners look")

		saved := post(t, a, link+"/profile", url.Values{
			"legal_name": {`"><script>alert(1)</script>`}, "phone": {"(214) 555-0143"}, "email": {"nonsense"}, "dispatch_name": {"Ann"}, "dispatch_phone": {"214-555-0144"},
		})
		require.Equal(t, http.StatusSeeOther, saved.Status)
		require.True(t, strings.HasSuffix(saved.Header.Get("Location"), "?step=profile"), saved.Header.Get("Location"))
		require.Equal(t, "started", state())
		text = string(a.Call(t, "", http.MethodGet, link+"?step=profile", nil, "Accept", browser).OK(t).Body)
		require.Contains(t, text, `id="f-email-problem">Enter an e-mail address`)
		require.Contains(t, text, `aria-describedby="f-email-problem f-email-was" aria-invalid="true"`)
		require.Contains(t, text, "In the regulator&#39;s record: dispatch@carrier001.example")
		require.NotContains(t, text, "<script")

		stale := post(t, a, link+"/profile", url.Values{"legal_name": {"Other"}, "revision": {"0"}})
		require.Contains(t, stale.Header.Get("Location"), "problem=carriers.packet_changed", "two people fill in the same step")
		next := post(t, a, link+"/profile", url.Values{
			"legal_name": {"New Name LLC"}, "phone": {"(214) 555-0143"}, "dispatch_name": {"Ann"}, "dispatch_phone": {"214-555-0144"}, "revision": {"1"},
		})
		require.True(t, strings.HasSuffix(next.Header.Get("Location"), "?step=equipment"))
		post(t, a, link+"/equipment", url.Values{"unit0_kind": {"wedge"}, "unit0_slots": {"3"}, "lane0_from": {"tx, 75"}, "lane0_to": {"FL"}})
		incomplete := a.Call(t, "", http.MethodPost, link+"/submit", object{}).Refused(t, http.StatusUnprocessableEntity, "carriers.packet_incomplete")
		require.Contains(t, incomplete.Get("errors.remit_to.0").String(), "Complete the step")

		post(t, a, link+"/remit_to", url.Values{
			"kind": {"carrier"}, "payee": {"New Name LLC"}, "method": {"ach"}, "routing_number": {"021000021"}, "account_number": {"000123456789"},
		})
		look := a.Call(t, "", http.MethodGet, link, nil).OK(t)
		require.Equal(t, "6789", look.Get("remit_to.account_last4").String())
		require.NotContains(t, string(look.Body), "000123456789")
		accept := object{"name": "Ann Lee", "title": "Owner", "accepted": true, "version": look.Get("agreement.version").String()}
		a.Call(t, "", http.MethodPost, link+"/agreement", object{"name": "Ann", "accepted": true, "version": "other"}).Refused(t, http.StatusConflict, "carriers.packet_changed")
		a.Call(t, "", http.MethodPost, link+"/agreement", accept).OK(t)

		var all sync.WaitGroup
		for range 3 {
			all.Go(func() { a.Call(t, "", http.MethodPost, link+"/submit", object{}) })
		}
		all.Wait()
		require.Equal(t, "submitted", state())
		a.Call(t, "", http.MethodPost, link+"/profile", object{"legal_name": "Late"}).Refused(t, http.StatusConflict, "carriers.packet_closed")
		require.Contains(t, string(a.Call(t, "", http.MethodGet, link, nil, "Accept", browser).OK(t).Body), "Your packet was submitted")

		read := call(http.MethodGet, area+"/packets/"+id, nil).OK(t)
		require.Equal(t, "Old Name", read.Get(`changes.#(field=="legal_name").from`).String())
		require.True(t, read.Get(`changes.#(field=="legal_name").differs_from_regulator`).Bool())
		require.Equal(t, "Ann Lee", read.Get("proposal.agreement.name").String())
		require.NotContains(t, string(read.Body), "000123456789")
		require.Equal(t, "021000021", read.Get(`changes.#(field=="remit_to").to.routing_number`).String())
		masked := a.Call(t, a.Token(t, a.Owner, "carriers:read"), http.MethodGet, area+"/packets/"+id, nil).OK(t)
		require.Equal(t, "New Name LLC", masked.Get(`changes.#(field=="remit_to").to.payee`).String())
		for _, secret := range []string{"021000021", "6789"} {
			require.NotContains(t, masked.Get("changes").Raw+masked.Get("proposal.remit_to").Raw, secret, "bank details are for those with carriers:remit")
		}
		require.Equal(t, "Old Name", call(http.MethodGet, carriersPath+"/"+carrier, nil).OK(t).Get("legal_name").String(), "it is a proposal")

		decides(t, call, a, carrier, id, link)
	})
}

// approved approves a packet as it is now.
func approved(t *testing.T, a *moduletest.App, id string) moduletest.Response {
	t.Helper()
	at := area + "/packets/" + id

	return a.Call(t, a.Owner.Token, http.MethodPost, at+"/approve", nil, "If-Match", a.Call(t, a.Owner.Token, http.MethodGet, at, nil).OK(t).Header.Get("ETag"))
}

// decides rejects a submitted packet, reopens it, and approves it.
func decides(t *testing.T, call func(string, string, any) moduletest.Response, a *moduletest.App, carrier, id, link string) {
	t.Helper()
	call(http.MethodPost, area+"/packets/"+id+"/reject", object{"reason": "Wrong <bank>"}).OK(t)
	require.Contains(t, string(a.Call(t, "", http.MethodGet, link, nil, "Accept", browser).OK(t).Body), "Wrong &lt;bank&gt;")
	read := call(http.MethodGet, area+"/packets/"+id, nil).OK(t).Header.Get("ETag")
	call(http.MethodPost, area+"/packets/"+id+"/reopen", nil).OK(t)
	a.Call(t, "", http.MethodPost, link+"/submit", object{}).OK(t)
	unread := call(http.MethodPost, area+"/packets/"+id+"/approve", nil).Refused(t, http.StatusUnprocessableEntity, "carriers.invalid_packet")
	require.NotEmpty(t, unread.Get("errors.If-Match.0").String())
	a.Call(t, a.Owner.Token, http.MethodPost, area+"/packets/"+id+"/approve", nil, "If-Match", read).Refused(t, http.StatusPreconditionFailed, "web.stale")
	approved(t, a, id).OK(t)
	approved(t, a, id).Refused(t, http.StatusConflict, "state.not_allowed")
	now := call(http.MethodGet, carriersPath+"/"+carrier, nil).OK(t)
	require.Equal(t, "New Name LLC", now.Get("legal_name").String())
	require.Equal(t, "+12145550143", now.Get("phone").String())
	require.Equal(t, "Ann", now.Get("people.0.name").String())
	require.Equal(t, "wedge", now.Get("equipment.0.kind").String())
	require.Equal(t, "2026-11-24", now.Get("agreement_signed").String())
	remit := call(http.MethodGet, area+"/remit_to_changes", nil).OK(t)
	require.Equal(t, "packet", remit.Get("data.0.requested_via").String())
	require.Equal(t, "pending", remit.Get("data.0.state").String(), "it is held")
	require.Equal(t, "6789", remit.Get("data.0.account_last4").String())
	require.Equal(t, "2027-02-22", call(http.MethodGet, area+"/packets/"+id, nil).OK(t).Get("review_due").String())
	for _, name := range []string{"carriers.carrier.packet_submitted", "carriers.carrier.packet_approved"} {
		require.Contains(t, a.EventNames(t, a.Owner), name)
	}
	require.Equal(t, http.StatusNotFound, a.Call(t, "", http.MethodGet, link, nil).Status, "its link ends")
}

func TestPacket_TakesItsCertificateByALinkAndItsAgreementOnlyIfThereIsOne(t *testing.T) {
	t.Parallel()
	eachDesk(t, noon, func(t *testing.T, call func(string, string, any) moduletest.Response, a *moduletest.App) {
		t.Helper()
		carrier := call(http.MethodPost, carriersPath, object{"legal_name": "Sample", "usdot": "9900001"}).OK(t).Get("uuid").String()
		call(http.MethodPost, carriersPath+"/"+carrier+"/packet", object{"channel": "link", "documents": []string{"agreement"}}).
			Refused(t, http.StatusUnprocessableEntity, "carriers.no_agreement")
		id, link := packetOf(t, a, carrier, object{"channel": "link"})
		require.Equal(t, `["insurance","w9"]`, call(http.MethodGet, area+"/packets/"+id, nil).OK(t).Get("documents").Raw)
		policy := object{"insurer": "Sample Insurance", "policy": "C-1", "each_occurrence": "$250,000", "expires": "2027-06-01"}
		a.Call(t, "", http.MethodPost, link+"/profile", object{"legal_name": "Sample", "phone": "2145550143"}).OK(t)
		a.Call(t, "", http.MethodPost, link+"/insurance", object{"cargo": policy, "auto_liability": policy}).OK(t)
		a.Call(t, "", http.MethodPost, link+"/remit_to", object{"kind": "carrier", "payee": "X", "method": "check"}).Refused(t, http.StatusConflict, "carriers.document_not_asked")
		upload := func(document, content string) moduletest.Response {
			to := post(t, a, link+"/uploads", url.Values{"document": {document}}).Header.Get("Location")
			body := "--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n" + content + "\r\n--X--\r\n"

			return a.Call(t, "", http.MethodPost, to, body, "Content-Type", "multipart/form-data; boundary=X")
		}
		upload("certificate", "#!/bin/sh\necho no").Refused(t, http.StatusUnprocessableEntity, "attachments.type_refused")
		require.Contains(t, upload("certificate", "%PDF-1.7\n").OK(t).Get("back").String(), "?step=review")
		upload("w9", "%PDF-1.7\n").OK(t)
		require.True(t, a.Call(t, "", http.MethodGet, link, nil).OK(t).Get("complete").Bool())
		a.Call(t, "", http.MethodPost, link+"/submit", object{}).OK(t)
		approved(t, a, id).OK(t)
		now := call(http.MethodGet, carriersPath+"/"+carrier, nil).OK(t)
		require.Equal(t, "250000.00", now.Get(`insurance.#(kind=="cargo").each_occurrence`).String())
		require.NotEmpty(t, now.Get("insurance.0.attachment_uuid").String())
		require.Empty(t, now.Get("insurance.0.verified").String(), "certificates are unverified until somebody verifies them")
		require.Equal(t, "2026-11-24", now.Get("w9_received").String())
	})
}

func TestPacket_RefusesLinksThatAreNotGood(t *testing.T) {
	t.Parallel()
	eachDesk(t, time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC), func(t *testing.T, call func(string, string, any) moduletest.Response, a *moduletest.App) {
		t.Helper()
		carrier := call(http.MethodPost, carriersPath, object{"legal_name": "Sample"}).OK(t).Get("uuid").String()
		id, link := packetOf(t, a, carrier, object{"channel": "link", "documents": []string{}})
		at := area + "/packet/"
		for _, forged := range []string{"dsl_" + strings.Repeat("A", 43), "x", "%00"} {
			require.Equal(t, http.StatusNotFound, a.Call(t, "", http.MethodGet, at+forged, nil).Status, forged)
			require.Equal(t, http.StatusNotFound, a.Call(t, "", http.MethodPost, at+forged+"/submit", object{}).Status, forged)
		}
		long := a.Call(t, "", http.MethodPost, link+"/profile", object{"legal_name": strings.Repeat("x", 1<<20)})
		require.Contains(t, []int{http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge}, long.Status)
		a.Call(t, "", http.MethodPost, link+"/profile", object{"nonsense": "x"}).Refused(t, http.StatusUnprocessableEntity, "web.invalid")

		again := call(http.MethodPost, area+"/packets/"+id+"/resend", nil).OK(t).Get("url").String()
		require.Equal(t, http.StatusNotFound, a.Call(t, "", http.MethodGet, link, nil).Status, "the new link replaces it")
		stranger := a.NewCompany(t)
		for _, verb := range []string{"resend", "revoke", "approve"} {
			a.Call(t, stranger.Token, http.MethodPost, area+"/packets/"+id+"/"+verb, nil).Refused(t, http.StatusNotFound, "carriers.packet_not_found")
		}
		a.Call(t, stranger.Token, http.MethodGet, area+"/packets/"+id, nil).Refused(t, http.StatusNotFound, "carriers.packet_not_found")
		call(http.MethodPost, area+"/packets/"+id+"/revoke", nil).OK(t)
		page := a.Call(t, "", http.MethodGet, again, nil, "Accept", browser)
		require.Equal(t, http.StatusNotFound, page.Status)
		require.Contains(t, string(page.Body), "This link is not valid")
		call(http.MethodPost, carriersPath+"/"+carrier+"/packet", object{"channel": "email", "to": "a@example.com"}).Refused(t, http.StatusConflict, "carriers.no_public_address")
	})
}
