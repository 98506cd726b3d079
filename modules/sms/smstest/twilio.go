package smstest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/outbound/vendortest"
)

// Twilio is Twilio's API of 2010-04-01, under /2010-04-01, and that of messaging services, under /v1. It is an
// http.Handler.
type Twilio struct {
	faults

	SID, Token string
	state      sync.Mutex
	messages   []TwilioMessage
	numbers    []TwilioNumber
	refusals   map[string]int
	service    TwilioService
	verified   map[string]string
	// PageLimit is the most numbers of a page, 0 for all.
	PageLimit int
	apiKeys   map[string]string
	made      int
	prefix    uint32
}

// TwilioMessage is a message that was taken.
type TwilioMessage struct {
	SID, Status string
	Form        url.Values
	At          time.Time
	// Inbound is one from outside, with files as Media.
	Inbound bool
	Media   []TwilioFile
}

// TwilioFile is a file of a message from outside.
type TwilioFile struct {
	SID, MediaType string
	Content        []byte
}

// TwilioService is a messaging service.
type TwilioService struct {
	SID string
	// Campaign is the status of its campaign, "" if it has none; Numbers are those that are in it.
	Campaign string
	Numbers  []string
}

// TwilioNumber is a number of the account.
type TwilioNumber struct {
	SID, Number, SmsURL, FallbackURL string
}

// NewTwilio returns an account without messages and numbers; n tells it from others.
func NewTwilio(n int) *Twilio {
	return &Twilio{
		SID: fmt.Sprintf("AC%032x", n), Token: fmt.Sprintf("%032x", n+0xabc), prefix: uint32(n), refusals: map[string]int{}, verified: map[string]string{}, //nolint:gosec // a few
	}
}

// TwilioHub is Twilio with several accounts, which it tells apart by who calls.
type TwilioHub struct{ accounts sync.Map }

// Add opens an account.
func (h *TwilioHub) Add(t *Twilio) { h.accounts.Store(t.SID, t) }

// ServeHTTP implements http.Handler.
func (h *TwilioHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if sid, ok := strings.CutPrefix(r.URL.Path, "/media/"); ok {
		h.serveFile(w, r, sid)

		return
	}
	user, _, _ := r.BasicAuth()
	if found, ok := h.accounts.Load(user); ok {
		found.(*Twilio).ServeHTTP(w, r)

		return
	}
	out := twilioError(http.StatusUnauthorized, 20003, "Authenticate")
	w.WriteHeader(out.Status)
	_, _ = w.Write(out.Body) //nolint:errcheck // who has gone does not want it
}

// serveFile is the store of files, which refuses who shows it the credentials of an account.
func (h *TwilioHub) serveFile(w http.ResponseWriter, r *http.Request, sid string) {
	status := http.StatusNotFound
	h.accounts.Range(func(_, of any) bool {
		file, ok := of.(*Twilio).fileByID(sid)
		if _, _, shown := r.BasicAuth(); ok && !shown {
			status = http.StatusOK
			w.Header().Set("Content-Type", file.MediaType)
			_, _ = w.Write(file.Content) //nolint:errcheck // who has gone does not want it
		}

		return !ok
	})
	if status != http.StatusOK {
		w.WriteHeader(status)
	}
}

// Credentials are what an account of ours is made with.
func (t *Twilio) Credentials() map[string]string {
	return map[string]string{"account_sid": t.SID, "auth_token": t.Token}
}

// Revoke has every credential refused from now on, but for a new one.
func (t *Twilio) Revoke(token string) {
	t.state.Lock()
	defer t.state.Unlock()
	t.Token = token
}

// RefuseMessagesTo has messages to a number refused with a code of Twilio's.
func (t *Twilio) RefuseMessagesTo(to string, code int) {
	t.state.Lock()
	defer t.state.Unlock()
	t.refusals[to] = code
}

// Serve gives the account a messaging service, in the place of the one that it had.
func (t *Twilio) Serve(s TwilioService) {
	t.state.Lock()
	defer t.state.Unlock()
	t.service = s
}

// AddKey gives the account an API key.
func (t *Twilio) AddKey(sid, secret string) {
	t.state.Lock()
	defer t.state.Unlock()
	t.apiKeys = map[string]string{sid: secret}
}

// signedIn reports whether a request has the credentials of the account, or those of its API key.
func (t *Twilio) signedIn(r *http.Request) bool {
	user, password, _ := r.BasicAuth()
	if secret, ok := t.apiKeys[user]; ok {
		return password == secret
	}

	return user == t.SID && password == t.Token
}

// Verify has the verification of a toll-free number come to a status.
func (t *Twilio) Verify(number, status string) {
	t.state.Lock()
	defer t.state.Unlock()
	t.verified[number] = status
}

// AddNumber gives the account a number.
func (t *Twilio) AddNumber(number string) {
	t.state.Lock()
	defer t.state.Unlock()
	t.numbers = append(t.numbers, TwilioNumber{SID: t.id("PN"), Number: number})
}

// Messages are those that were taken.
func (t *Twilio) Messages() []TwilioMessage {
	t.state.Lock()
	defer t.state.Unlock()

	return slices.DeleteFunc(slices.Clone(t.messages), func(m TwilioMessage) bool { return m.Inbound })
}

// Receive has a message come from outside at a time, of which nobody is notified. It returns its id, and the links of its files.
func (t *Twilio) Receive(from, to, body string, at time.Time, files ...TwilioFile) (sid string, links []string) {
	t.state.Lock()
	defer t.state.Unlock()
	m := TwilioMessage{
		SID: t.id("SM"), Status: "received", Form: url.Values{"From": {from}, "To": {to}, "Body": {body}}, At: at, Inbound: true,
	}
	for _, file := range files {
		file.SID = t.id("ME")
		m.Media = append(m.Media, file)
		links = append(links, "/2010-04-01/Accounts/"+t.SID+"/Messages/"+m.SID+"/Media/"+file.SID)
	}
	t.messages = append(t.messages, m)

	return m.SID, links
}

// Numbers are those of the account.
func (t *Twilio) Numbers() []TwilioNumber {
	t.state.Lock()
	defer t.state.Unlock()

	return slices.Clone(t.numbers)
}

func (t *Twilio) id(kind string) string {
	t.made++

	return fmt.Sprintf("%s%08x%024x", kind, t.prefix, t.made)
}

// ServeHTTP implements http.Handler.
func (t *Twilio) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	t.Answer(w, r, func() reply {
		t.state.Lock()
		defer t.state.Unlock()
		if !t.signedIn(r) {
			return twilioError(http.StatusUnauthorized, 20003, "Authenticate")
		}
		if err := r.ParseForm(); err != nil {
			return twilioError(http.StatusBadRequest, 20001, "unreadable")
		}
		if path, ok := strings.CutPrefix(r.URL.Path, "/v1/"); ok {
			return t.messaging(path)
		}
		path, ok := strings.CutPrefix(r.URL.Path, "/2010-04-01/Accounts/"+t.SID+"/")
		if !ok {
			return twilioNotFound()
		}

		return t.route(r, path)
	})
}

// messaging is the API of messaging services.
func (t *Twilio) messaging(path string) reply {
	service := "Services/" + t.service.SID
	list := []map[string]any{}
	switch {
	case path == "Tollfree/Verifications":
		for _, n := range t.numbers {
			if status, ok := t.verified[n.Number]; ok {
				list = append(list, map[string]any{"tollfree_phone_number_sid": n.SID, "status": status})
			}
		}

		return answered(http.StatusOK, map[string]any{"verifications": list, "meta": map[string]any{"next_page_url": nil}})
	case t.service.SID == "":
		return twilioNotFound()
	case path == service:
		return answered(http.StatusOK, map[string]any{"sid": t.service.SID})
	case path == service+"/PhoneNumbers":
		for _, n := range t.numbers {
			if slices.Contains(t.service.Numbers, n.Number) {
				list = append(list, map[string]any{"sid": n.SID, "phone_number": n.Number})
			}
		}

		return answered(http.StatusOK, map[string]any{"phone_numbers": list, "meta": map[string]any{"next_page_url": nil}})
	case path == service+"/Compliance/Usa2p":
		if t.service.Campaign != "" {
			list = append(list, map[string]any{"campaign_status": t.service.Campaign})
		}

		return answered(http.StatusOK, map[string]any{"compliance": list, "meta": map[string]any{"next_page_url": nil}})
	default:
		return twilioNotFound()
	}
}

func (t *Twilio) route(r *http.Request, path string) reply {
	folder, rest, _ := strings.Cut(strings.TrimSuffix(path, ".json"), "/")
	switch {
	case folder == "Messages" && r.Method == http.MethodPost && rest == "":
		return t.send(r.PostForm)
	case folder == "Messages" && r.Method == http.MethodGet:
		return t.listMessages(rest, r.Form)
	case folder == "AvailablePhoneNumbers":
		return t.available(rest, r.Form)
	case folder == "IncomingPhoneNumbers":
		return t.owned(r, rest)
	default:
		return twilioNotFound()
	}
}

func (t *Twilio) send(form url.Values) reply {
	if code := t.refusals[form.Get("To")]; code != 0 {
		return twilioError(http.StatusBadRequest, code, "refused")
	}
	m := TwilioMessage{SID: t.id("SM"), Status: "queued", Form: form, At: clock.System{}.Now()}
	t.messages = append(t.messages, m)

	return answered(http.StatusCreated, m.resource())
}

func (m TwilioMessage) resource() map[string]any {
	direction := "outbound-api"
	if m.Inbound {
		direction = "inbound"
	}

	return map[string]any{
		"sid": m.SID, "status": m.Status, "body": m.Form.Get("Body"), "to": m.Form.Get("To"), "from": m.Form.Get("From"),
		"num_segments": "1", "price": nil, "price_unit": "USD", "error_code": nil, "direction": direction, "num_media": strconv.Itoa(len(m.Media)),
		"date_created": m.At.UTC().Format(time.RFC1123Z), "more_than_documented": true,
	}
}

func (t *Twilio) listMessages(sid string, query url.Values) reply {
	if id, rest, deeper := strings.Cut(sid, "/Media"); deeper {
		return t.media(id, strings.TrimPrefix(rest, "/"))
	}
	list := []map[string]any{}
	for _, m := range slices.Backward(t.messages) {
		switch {
		case sid == m.SID:
			return answered(http.StatusOK, m.resource())
		case sid != "" || m.Form.Get("To") != query.Get("To") || m.At.UTC().Format(time.DateOnly) < query.Get("DateSent>"):
		case query.Get("From") == "" || m.Form.Get("From") == query.Get("From"):
			list = append(list, m.resource())
		}
	}
	if sid != "" {
		return twilioNotFound()
	}

	return answered(http.StatusOK, map[string]any{"messages": list, "next_page_uri": nil})
}

// media lists the files of a message, or sends one to where they are kept, which knows no credentials.
func (t *Twilio) media(message, sid string) reply {
	for _, m := range t.messages {
		if m.SID != message {
			continue
		}
		list := []map[string]any{}
		for _, file := range m.Media {
			if file.SID == sid {
				return reply{Status: http.StatusTemporaryRedirect, Header: map[string]string{"Location": "/media/" + sid}}
			}
			list = append(list, map[string]any{"sid": file.SID, "parent_sid": m.SID, "content_type": file.MediaType})
		}
		if sid == "" {
			return answered(http.StatusOK, map[string]any{"media_list": list})
		}
	}

	return twilioNotFound()
}

// fileByID is a file where a redirect leads to; false if this account has none of that id.
func (t *Twilio) fileByID(sid string) (TwilioFile, bool) {
	t.state.Lock()
	defer t.state.Unlock()
	for _, m := range t.messages {
		for _, file := range m.Media {
			if file.SID == sid {
				return file, true
			}
		}
	}

	return TwilioFile{}, false
}

// available has numbers of 555-01, in the area code that is asked for.
func (t *Twilio) available(rest string, query url.Values) reply {
	if rest != "US/Local" && rest != "US/TollFree" {
		return twilioNotFound()
	}
	area := query.Get("AreaCode")
	if area == "" {
		area = "202"
	}
	list := []map[string]any{}
	for n := range min(atoi(query.Get("PageSize")), 20) {
		list = append(list, map[string]any{
			"phone_number": fmt.Sprintf("+1%s55501%02d", area, 60+n), "locality": "Washington", "region": "DC", "iso_country": "US",
			"capabilities": map[string]bool{"voice": true, "SMS": true, "MMS": n%2 == 0},
		})
	}

	return answered(http.StatusOK, map[string]any{"available_phone_numbers": list})
}

func (t *Twilio) owned(r *http.Request, sid string) reply {
	at := slices.IndexFunc(t.numbers, func(n TwilioNumber) bool { return n.SID == sid })
	switch {
	case r.Method == http.MethodGet:
		list := []map[string]any{}
		for _, n := range t.numbers {
			if want := r.Form.Get("PhoneNumber"); want == "" || want == n.Number {
				list = append(list, n.resource())
			}
		}

		page, next := list, any(nil)
		if from := min(atoi(r.Form.Get("Page"))*t.PageLimit, len(list)); t.PageLimit > 0 {
			to := min(from+t.PageLimit, len(list))
			if page = list[from:to]; to < len(list) {
				next = fmt.Sprintf("/2010-04-01/Accounts/%s/IncomingPhoneNumbers.json?PageSize=%d&Page=%d", t.SID, t.PageLimit, atoi(r.Form.Get("Page"))+1)
			}
		}

		return answered(http.StatusOK, map[string]any{"incoming_phone_numbers": page, "next_page_uri": next})
	case r.Method == http.MethodPost && sid == "":
		if strings.HasSuffix(r.PostForm.Get("PhoneNumber"), "99") {
			return twilioError(http.StatusBadRequest, 21422, "PhoneNumber is not available")
		}
		n := TwilioNumber{SID: t.id("PN"), Number: r.PostForm.Get("PhoneNumber"), SmsURL: r.PostForm.Get("SmsUrl"), FallbackURL: r.PostForm.Get("SmsFallbackUrl")}
		t.numbers = append(t.numbers, n)

		return answered(http.StatusCreated, n.resource())
	case at < 0:
		return twilioNotFound()
	case r.Method == http.MethodDelete:
		t.numbers = slices.Delete(t.numbers, at, at+1)

		return reply{Status: http.StatusNoContent}
	default:
		t.numbers[at].SmsURL, t.numbers[at].FallbackURL = r.PostForm.Get("SmsUrl"), r.PostForm.Get("SmsFallbackUrl")

		return answered(http.StatusOK, t.numbers[at].resource())
	}
}

func (n TwilioNumber) resource() map[string]any {
	return map[string]any{
		"sid": n.SID, "phone_number": n.Number, "sms_url": n.SmsURL, "capabilities": map[string]bool{"voice": true, "sms": true, "mms": true},
	}
}

func twilioNotFound() reply {
	return twilioError(http.StatusNotFound, 20404, "The requested resource was not found")
}

func twilioError(status, code int, message string) reply {
	return answered(status, map[string]any{
		"code": code, "message": message, "status": status, "more_info": "https://www.twilio.com/docs/errors/" + strconv.Itoa(code),
	})
}

func answered(status int, body any) reply { return vendortest.JSON(status, body) }

func atoi(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}

	return n
}
