package verify_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/inbound/verify"
)

const (
	twilioURL  = "https://mycompany.com/myapp.php?foo=1&bar=2"
	twilioForm = "CallSid=CA1234567890ABCDE&Caller=%2B12349013030&Digits=1234&From=%2B12349013030&To=%2B18005551212"
	stripeSum  = "c89214b5b5da833daed6f0b8c5bb6bd58cea9022bd80ccc78230f3942d632925"
	docuSignA  = "MAqP/hTRUXTG3nbc+TtacF7mxUwjuw3X0ENh2tpqa4A="
	docuSignB  = "xXCqMIYOE9KZQD0jbd5XJdD28G6bLckE6K92TD/+Ch8="
)

func key(id, secret string) verify.Key { return verify.Key{ID: id, Secret: []byte(secret)} }

func at(seconds int64) time.Time { return time.Unix(seconds, 0) }

// headers are pairs of name and value.
func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i+1 < len(pairs); i += 2 {
		h.Add(pairs[i], pairs[i+1])
	}

	return h
}

// private is a key pair for tests.
func private() ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed([]byte("a seed of exactly thirty-two b!!"))
}

func public(id string) verify.Key {
	pub, _ := private().Public().(ed25519.PublicKey)

	return verify.Key{ID: id, Secret: pub}
}

// example is a request that a scheme finds right, by the key "right".
type example struct {
	scheme  func(keys ...verify.Key) verify.Scheme
	key     verify.Key
	request verify.Request
	// unsigned says that the body is not covered.
	unsigned bool
}

// examples are the vectors of vendors' pages, one for each scheme.
func examples(t *testing.T) map[string]example {
	t.Helper()
	standard, err := verify.StandardKey("right", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	require.NoError(t, err)
	asymmetric := `{"test": 2432232314}`
	token := sha256.Sum256([]byte("tok"))
	json := `{"MessageSid":"SM1"}`
	sum := sha256.Sum256([]byte(json))
	jsonURL := "https://example.test/sms?bodySHA256=" + hex.EncodeToString(sum[:])
	withTime := func(newScheme func(time.Duration, ...verify.Key) verify.Scheme) func(...verify.Key) verify.Scheme {
		return func(keys ...verify.Key) verify.Scheme { return newScheme(0, keys...) }
	}

	return map[string]example{
		"DocuSign": {scheme: verify.DocuSign, key: key("right", "connect-key-A"), request: verify.Request{
			Header: headers("X-DocuSign-Signature-1", docuSignB, "X-DocuSign-Signature-2", docuSignA),
			Body:   []byte(`{"event":"recipient-sent","retryCount":0}`),
		}},
		"Twilio": {scheme: verify.Twilio, key: key("right", "12345"), request: verify.Request{
			URLs:   []string{"https://elsewhere.test/myapp.php?foo=1&bar=2", twilioURL},
			Header: headers("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8", "X-Twilio-Signature", "0/KCTR6DLpKmkAf8muzZqo1nDgQ="),
			Body:   []byte(twilioForm),
		}},
		"Twilio, JSON": {scheme: verify.Twilio, key: key("right", "12345"), request: verify.Request{
			URLs: []string{jsonURL}, Body: []byte(json),
			Header: headers("Content-Type", "application/json", "X-Twilio-Signature", verify.SignTwilio([]byte("12345"), jsonURL, nil)),
		}},
		"Telnyx": {scheme: withTime(verify.Telnyx), key: public("right"), request: verify.Request{
			Header: headers("Telnyx-Timestamp", "1700000000", "Telnyx-Signature-Ed25519", verify.SignTelnyx(private(), "1700000000", []byte("{}"))),
			Body:   []byte("{}"), Now: at(1700000000),
		}},
		"Square": {scheme: verify.Square, key: key("right", "sq-key"), request: verify.Request{
			URLs:   []string{"https://example.test/square"},
			Header: headers("x-square-hmacsha256-signature", "t9VFaJL/vssAjdaB0Jh9B4mr/XUISK+j8YZw5wjBl/8="),
			Body:   []byte(`{"type":"payment.updated"}`),
		}},
		"Stripe": {scheme: withTime(verify.Stripe), key: key("right", "whsec_test"), request: verify.Request{
			Header: headers("Stripe-Signature", "t=1700000000,v1=00,v1="+stripeSum+",v0=6ffbb59b"),
			Body:   []byte(`{"id":"evt_1"}`), Now: at(1700000200),
		}},
		"Meta": {scheme: verify.Meta, key: key("right", "app-secret"), request: verify.Request{
			Header: headers("X-Hub-Signature-256", "sha256=ae958d6f00b134dd32b95a9a76bedaaeb068c0949769358355023f7d1a0c580b"),
			Body:   []byte(`{"object":"page"}`),
		}},
		"Standard Webhooks": {scheme: withTime(verify.StandardWebhooks), key: standard, request: verify.Request{
			Header: headers("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp", "1614265330",
				"webhook-signature", "v1a,AAAA v2,AAAA v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
			Body: []byte(asymmetric), Now: at(1614265330),
		}},
		"Standard Webhooks, asymmetric": {scheme: withTime(verify.StandardWebhooksAsymmetric), key: public("right"), request: verify.Request{
			Header: headers("webhook-id", "msg_1", "webhook-timestamp", "1614265330",
				"webhook-signature", verify.SignStandardAsymmetric(private(), "msg_1", "1614265330", []byte(asymmetric))),
			Body: []byte(asymmetric), Now: at(1614265330),
		}},
		"Plivo V2": {scheme: verify.PlivoV2, key: key("right", "tok"), unsigned: true, request: verify.Request{
			URLs:   []string{"https://example.test/p?x=1"},
			Header: headers("X-Plivo-Signature-V2", "+iBULEOJMk9FSodM5otxvV+C2LXHTchFhOyqifqypHU=", "X-Plivo-Signature-V2-Nonce", "12345"),
			Body:   []byte("{}"),
		}},
		"Central Dispatch": {
			scheme: func(keys ...verify.Key) verify.Scheme { return verify.Token(verify.CentralDispatch, keys...) },
			key:    key("right", "tok"), unsigned: true, request: verify.Request{Header: headers("Api-Token", "tok"), Body: []byte("{}")},
		},
		"Super Dispatch": {
			scheme: func(keys ...verify.Key) verify.Scheme { return verify.Token(verify.SuperDispatch, keys...) },
			key:    key("right", "tok"), unsigned: true,
			request: verify.Request{Header: headers("X-Super-Dispatch-Verification-Token", "tok"), Body: []byte("{}")},
		},
		"bearer": {scheme: verify.Bearer, key: key("right", "tok"), unsigned: true, request: verify.Request{
			Header: headers("Authorization", "bearer tok"), Body: []byte("{}"),
		}},
		"bearer, hashed": {scheme: verify.BearerSHA256, key: verify.Key{ID: "right", Secret: token[:]}, unsigned: true, request: verify.Request{
			Header: headers("Authorization", "Bearer tok"), Body: []byte("{}"),
		}},
		"basic": {scheme: verify.Basic, key: key("right", "user:password"), unsigned: true, request: verify.Request{
			Header: headers("Authorization", "Basic dXNlcjpwYXNzd29yZA=="), Body: []byte("{}"),
		}},
	}
}

func TestSchemes_AcceptTheirVectorsAndSayWhichKeyMatched(t *testing.T) {
	t.Parallel()
	for name, e := range examples(t) {
		other := e.key
		other.ID, other.Secret = "other", append([]byte("x"), e.key.Secret[1:]...)
		matched, err := e.scheme(other, e.key, verify.Key{ID: "none"})(t.Context(), e.request)
		require.NoError(t, err, name)
		require.Equal(t, "right", matched, name)
	}
}

func TestSchemes_FailClosed(t *testing.T) {
	t.Parallel()
	for name, e := range examples(t) {
		other := verify.Key{ID: "other", Secret: append([]byte("x"), e.key.Secret[1:]...)}
		_, err := e.scheme(other)(t.Context(), e.request)
		require.ErrorIs(t, err, verify.ErrMismatch, name)
		for _, none := range [][]verify.Key{nil, {{ID: "empty"}}} {
			_, err = e.scheme(none...)(t.Context(), e.request)
			require.ErrorIs(t, err, verify.ErrNoKey, name)
		}
		bare := e.request
		bare.Header = headers("Content-Type", "application/json")
		_, err = e.scheme(e.key)(t.Context(), bare)
		require.Error(t, err, name)
		require.NotErrorIs(t, err, verify.ErrMismatch, name)
		if !e.unsigned {
			tampered := e.request
			tampered.Body = append([]byte(" "), e.request.Body...)
			_, err = e.scheme(e.key)(t.Context(), tampered)
			require.ErrorIs(t, err, verify.ErrMismatch, name)
		}
		if e.request.URLs != nil {
			placeless := e.request
			placeless.URLs = nil
			_, err = e.scheme(e.key)(t.Context(), placeless)
			require.ErrorIs(t, err, verify.ErrNoURL, name)
			placeless.URLs = []string{"https://evil.test/p"}
			_, err = e.scheme(e.key)(t.Context(), placeless)
			require.Error(t, err, name)
		}
	}
}

func TestSchemes_RefuseASignedTimeThatIsTooFar(t *testing.T) {
	t.Parallel()
	for name, e := range examples(t) {
		if e.request.Now.IsZero() {
			continue
		}
		for _, by := range []time.Duration{6 * time.Minute, -11 * time.Minute} {
			late := e.request
			late.Now = late.Now.Add(by)
			_, err := e.scheme(e.key)(t.Context(), late)
			require.ErrorIs(t, err, verify.ErrStale, name)
		}
	}
}

func TestTwilio_TakesOurAddressWithAndWithoutItsPort(t *testing.T) {
	t.Parallel()
	form := url.Values{"B": {"2", "1", "2"}, "A": {""}}
	for _, test := range []struct {
		ours, signed string
		fine         bool
	}{
		{"https://a.test/x?y=1", "https://a.test/x?y=1", true},
		{"https://a.test/x?y=1", "https://a.test:443/x?y=1", true},
		{"https://a.test:443/x", "https://a.test/x", true},
		{"https://a.test:8443/x", "https://a.test:8443/x", true},
		{"https://a.test:8443/x", "https://a.test/x", true},
		{"https://a.test:8443/x", "https://a.test:443/x", false},
		{"https://a.test/x", "https://a.test:80/x", false},
		{"https://a.test/x", "https://a.test:8443/x", false},
		{"http://a.test/x", "http://a.test:80/x", true},
		{"http://a.test/x", "http://a.test:443/x", false},
		{"https://[::1]/x", "https://[::1]:443/x", true},
		{"https://[::1]:8443/x", "https://[::1]/x", true},
		{"https://a.test:8443/x", "https://b.test/x", false},
	} {
		_, err := verify.Twilio(key("k", "s"))(t.Context(), verify.Request{
			URLs: []string{test.ours}, Body: []byte("B=2&A=&B=1&B=2"),
			Header: headers("Content-Type", "application/x-www-form-urlencoded", "X-Twilio-Signature", verify.SignTwilio([]byte("s"), test.signed, form)),
		})
		require.Equal(t, test.fine, err == nil, "%+v", test)
	}
}

func TestStandardWebhooks_RefusesAnIDThatMayBeATime(t *testing.T) {
	t.Parallel()
	_, err := verify.StandardWebhooks(0, key("k", "s"))(t.Context(), verify.Request{
		Header: headers("webhook-id", "a.1", "webhook-timestamp", "1", "webhook-signature", verify.SignStandard([]byte("s"), "a.1", "1", nil)),
		Now:    at(1),
	})
	require.ErrorIs(t, err, verify.ErrUnsigned)
	for _, wrong := range []string{"", "whsec_", "whsec_*", "whpk_AAAA", "MfKQ"} {
		_, err := verify.StandardKey("k", wrong)
		require.Error(t, err, wrong)
	}
}

func TestCombinations_WantAllOrAny(t *testing.T) {
	t.Parallel()
	request := verify.Request{Header: headers("Authorization", "Bearer tok"), Body: []byte("{}")}
	good, bad, none := verify.Bearer(key("token", "tok")), verify.Bearer(key("other", "kot")), verify.DocuSign()
	unsigned := verify.DocuSign(key("k", "s"))
	tests := map[string]struct {
		scheme verify.Scheme
		key    string
		err    error
	}{
		"all":                     {scheme: verify.All(good, good), key: "token+token"},
		"all but one":             {scheme: verify.All(good, bad), err: verify.ErrMismatch},
		"all, one has no key":     {scheme: verify.All(good, none), err: verify.ErrNoKey},
		"all of nothing":          {scheme: verify.All(), err: verify.ErrNoKey},
		"any":                     {scheme: verify.Any(none, bad, good), key: "token"},
		"any, none right":         {scheme: verify.Any(none, unsigned, bad), err: verify.ErrUnsigned},
		"any, none has a key":     {scheme: verify.Any(none, nil), err: verify.ErrNoKey},
		"any of nothing":          {scheme: verify.Any(), err: verify.ErrNoKey},
		"a scheme that is not":    {err: verify.ErrNoKey},
		"all with one that isn't": {scheme: verify.All(nil), err: verify.ErrNoKey},
	}
	for name, test := range tests {
		matched, err := test.scheme.Verify(t.Context(), request)
		require.ErrorIs(t, err, test.err, name)
		require.Equal(t, test.key, matched, name)
	}
}

func parseForm(body []byte) (url.Values, bool) {
	form, err := url.ParseQuery(string(body))

	return form, err == nil
}
