package smstest

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Telnyx is Telnyx's API v2, under /v2. It is an http.Handler.
type Telnyx struct {
	faults

	Key string
	// Private signs webhooks.
	Private ed25519.PrivateKey

	state    sync.Mutex
	messages []TelnyxMessage
	numbers  []string
	refusals map[string]string
	profile  TelnyxProfile
	// PageLimit is the most numbers of a page, 0 for all.
	PageLimit int
}

// TelnyxProfile is a messaging profile.
type TelnyxProfile struct {
	ID, Webhook string
	// Numbers are the ids of those that are in it.
	Numbers []string
}

// TelnyxMessage is a message that was taken.
type TelnyxMessage struct {
	ID, From, To, Text, Webhook string
	// Inbound is one from outside, with links to its files.
	Inbound bool
	At      time.Time
	Media   []string
}

// NewTelnyx returns an account without messages and numbers. The seed has 32 bytes.
func NewTelnyx(seed []byte) *Telnyx {
	return &Telnyx{Key: "KEY0123456789", Private: ed25519.NewKeyFromSeed(seed), refusals: map[string]string{}}
}

// Credentials are what an account of ours is made with.
func (t *Telnyx) Credentials() map[string]string {
	public, _ := t.Private.Public().(ed25519.PublicKey)

	return map[string]string{"api_key": t.Key, "public_key": base64.StdEncoding.EncodeToString(public)}
}

// Revoke has every key refused from now on, but for a new one.
func (t *Telnyx) Revoke(key string) {
	t.state.Lock()
	defer t.state.Unlock()
	t.Key = key
}

// RefuseMessagesTo has messages to a number refused with a code of Telnyx's.
func (t *Telnyx) RefuseMessagesTo(to, code string) {
	t.state.Lock()
	defer t.state.Unlock()
	t.refusals[to] = code
}

// Serve gives the account a messaging profile, in the place of the one that it had.
func (t *Telnyx) Serve(id string) {
	t.state.Lock()
	defer t.state.Unlock()
	t.profile = TelnyxProfile{ID: id}
}

// Profile is the messaging profile as it is now.
func (t *Telnyx) Profile() TelnyxProfile {
	t.state.Lock()
	defer t.state.Unlock()

	return t.profile
}

// Messages are those that were taken.
func (t *Telnyx) Messages() []TelnyxMessage {
	t.state.Lock()
	defer t.state.Unlock()

	return slices.DeleteFunc(slices.Clone(t.messages), func(m TelnyxMessage) bool { return m.Inbound })
}

// Receive has a message come from outside at a time, of which nobody is notified, and returns its id.
func (t *Telnyx) Receive(from, to, text string, at time.Time, media ...string) string {
	t.state.Lock()
	defer t.state.Unlock()
	m := TelnyxMessage{ID: fmt.Sprintf("40317a-%d", len(t.messages)), From: from, To: to, Text: text, At: at, Inbound: true, Media: media}
	t.messages = append(t.messages, m)

	return m.ID
}

// records are the detail records of messages from outside.
func (t *Telnyx) records(r *http.Request) reply {
	list := []any{}
	since, err := time.Parse(time.RFC3339, r.FormValue("filter[created_at][gte]"))
	if err != nil || r.FormValue("filter[record_type]") != "messaging" || r.FormValue("filter[direction]") != "inbound" {
		return telnyxError(http.StatusBadRequest, "10015", "Bad request")
	}
	for _, m := range t.messages {
		if m.Inbound && m.To == r.FormValue("filter[cld]") && !m.At.Before(since) {
			list = append(list, map[string]any{"uuid": m.ID, "cld": m.To, "cli": m.From, "direction": "inbound", "created_at": m.At.UTC().Format(time.RFC3339)})
		}
	}

	return answered(http.StatusOK, map[string]any{"data": list, "meta": map[string]any{"total_pages": 1}})
}

// ServeHTTP implements http.Handler.
func (t *Telnyx) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	t.Answer(w, r, func() reply {
		t.state.Lock()
		defer t.state.Unlock()
		if r.Header.Get("Authorization") != "Bearer "+t.Key {
			return telnyxError(http.StatusUnauthorized, "10009", "Authentication failed")
		}
		path := strings.TrimPrefix(r.URL.Path, "/v2/")
		switch {
		case path == "messages" && r.Method == http.MethodPost:
			return t.send(r)
		case strings.HasPrefix(path, "messages/"):
			return t.read(strings.TrimPrefix(path, "messages/"))
		case path == "detail_records":
			return t.records(r)
		case path == "available_phone_numbers":
			return t.available(r)
		case path == "number_orders" && r.Method == http.MethodPost:
			return t.order(r)
		case t.profile.ID != "" && path == "messaging_profiles/"+t.profile.ID:
			return t.profiled(r)
		case strings.HasSuffix(path, "/messaging") && r.Method == http.MethodPatch:
			return t.enroll(r, strings.TrimSuffix(strings.TrimPrefix(path, "phone_numbers/"), "/messaging"))
		case strings.HasPrefix(path, "phone_numbers"):
			return t.owned(r, strings.TrimPrefix(strings.TrimPrefix(path, "phone_numbers"), "/"))
		default:
			return telnyxNotFound()
		}
	})
}

func (t *Telnyx) send(r *http.Request) reply {
	var body struct {
		From    string `json:"from"`
		To      string `json:"to"`
		Text    string `json:"text"`
		Webhook string `json:"webhook_url"`
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil {
		return telnyxError(http.StatusBadRequest, "10015", "Bad request")
	}
	if code := t.refusals[body.To]; code != "" {
		return telnyxError(http.StatusBadRequest, code, "refused")
	}
	m := TelnyxMessage{
		ID: fmt.Sprintf("40317a-%d", len(t.messages)), From: body.From, To: body.To, Text: body.Text, Webhook: body.Webhook,
	}
	t.messages = append(t.messages, m)

	return answered(http.StatusOK, map[string]any{"data": m.Resource("queued")})
}

// Resource is the message as Telnyx shows it.
func (m TelnyxMessage) Resource(status string) map[string]any {
	direction, media := "outbound", []any{}
	if m.Inbound {
		direction = "inbound"
	}
	for _, link := range m.Media {
		media = append(media, map[string]any{"url": link})
	}

	return map[string]any{
		"id": m.ID, "record_type": "message", "direction": direction, "media": media, "from": map[string]any{"phone_number": m.From},
		"to": []any{map[string]any{"phone_number": m.To, "status": status, "line_type": "Wireless"}}, "text": m.Text, "parts": 1,
		"cost": map[string]any{"amount": "0.0045", "currency": "USD"}, "errors": []any{}, "more_than_documented": true,
	}
}

func (t *Telnyx) read(id string) reply {
	for _, m := range t.messages {
		if m.ID == id {
			return answered(http.StatusOK, map[string]any{"data": m.Resource("sent")})
		}
	}

	return telnyxNotFound()
}

func (*Telnyx) available(r *http.Request) reply {
	list := []any{}
	for n := range min(atoi(r.FormValue("filter[limit]")), 20) {
		list = append(list, map[string]any{
			"phone_number": fmt.Sprintf("+120255501%02d", 60+n), "features": []any{map[string]any{"name": "sms"}, map[string]any{"name": "voice"}},
			"region_information": []any{map[string]any{"region_type": "state", "region_name": "DC"}},
		})
	}

	return answered(http.StatusOK, map[string]any{"data": list})
}

func (t *Telnyx) order(r *http.Request) reply {
	var body struct {
		Numbers []struct {
			Number string `json:"phone_number"`
		} `json:"phone_numbers"`
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil || len(body.Numbers) != 1 {
		return telnyxError(http.StatusBadRequest, "10015", "Bad request")
	}
	if strings.HasSuffix(body.Numbers[0].Number, "99") {
		return answered(http.StatusOK, map[string]any{"data": map[string]any{"id": "order", "status": "failure"}})
	}
	t.numbers = append(t.numbers, body.Numbers[0].Number)

	return answered(http.StatusOK, map[string]any{"data": map[string]any{"id": "order", "status": "pending"}})
}

func (t *Telnyx) owned(r *http.Request, id string) reply {
	if r.Method == http.MethodDelete {
		at := slices.Index(t.numbers, strings.TrimPrefix(id, "n"))
		if at < 0 {
			return telnyxNotFound()
		}
		t.numbers = slices.Delete(t.numbers, at, at+1)

		return answered(http.StatusOK, map[string]any{"data": map[string]any{"id": id}})
	}
	list := []any{}
	for _, n := range t.numbers {
		if want := r.FormValue("filter[phone_number]"); want == "" || want == n {
			list = append(list, map[string]any{"id": "n" + n, "phone_number": n, "status": "active"})
		}
	}

	pages := 1
	if t.PageLimit > 0 {
		pages = (len(list) + t.PageLimit - 1) / t.PageLimit
		from := min(max(atoi(r.FormValue("page[number]"))-1, 0)*t.PageLimit, len(list))
		list = list[from:min(from+t.PageLimit, len(list))]
	}

	return answered(http.StatusOK, map[string]any{"data": list, "meta": map[string]any{"total_pages": pages}})
}

// profiled reads the messaging profile, or sets where its webhooks go.
func (t *Telnyx) profiled(r *http.Request) reply {
	if r.Method == http.MethodPatch {
		var body struct {
			Webhook string `json:"webhook_url"`
			Version string `json:"webhook_api_version"`
		}
		if json.NewDecoder(r.Body).Decode(&body) != nil || body.Version != "2" {
			return telnyxError(http.StatusUnprocessableEntity, "10015", "Bad request")
		}
		t.profile.Webhook = body.Webhook
	}

	return answered(http.StatusOK, map[string]any{"data": map[string]any{"id": t.profile.ID, "webhook_url": t.profile.Webhook}})
}

// enroll puts a number into the messaging profile.
func (t *Telnyx) enroll(r *http.Request, id string) reply {
	var body struct {
		Profile string `json:"messaging_profile_id"`
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil || body.Profile != t.profile.ID || !slices.Contains(t.numbers, strings.TrimPrefix(id, "n")) {
		return telnyxNotFound()
	}
	t.profile.Numbers = append(slices.Clone(t.profile.Numbers), id)

	return answered(http.StatusOK, map[string]any{"data": map[string]any{"id": id}})
}

func telnyxNotFound() reply {
	return telnyxError(http.StatusNotFound, "10005", "Resource not found")
}

func telnyxError(status int, code, title string) reply {
	return answered(status, map[string]any{"errors": []any{map[string]any{"code": code, "title": title, "detail": title}}})
}
