package verify_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dispatchd/dispatchd/platform/inbound/verify"
)

// FuzzSchemes throws headers and bodies at every scheme that reads them: nobody without the key gets in.
func FuzzSchemes(f *testing.F) {
	f.Add("t=1,v1=00", "1", "application/x-www-form-urlencoded", "bodySHA256=1&a=%", []byte("a=1&b=%zz;"))
	f.Add("v1,AAAA v1a,AAAA", "1700000000", "text/plain; a=b; a=c", "", []byte("{}"))
	f.Add("Basic dTpw", "99999999999999999999", ";", "?", []byte{0xff})
	f.Fuzz(func(t *testing.T, signature, timestamp, media, query string, body []byte) {
		h := headers("Content-Type", media)
		for _, name := range []string{
			"X-DocuSign-Signature-1", "X-Twilio-Signature", "Telnyx-Signature-Ed25519", "X-Square-Hmacsha256-Signature", "Stripe-Signature",
			"X-Hub-Signature-256", "Webhook-Signature", "X-Plivo-Signature-V2", "Api-Token", "Authorization",
		} {
			h.Set(name, signature)
		}
		for _, name := range []string{"Telnyx-Timestamp", "Webhook-Timestamp", "Webhook-Id", "X-Plivo-Signature-V2-Nonce"} {
			h.Set(name, timestamp)
		}
		r := verify.Request{URLs: []string{"https://a.test/x?" + query}, Header: h, Body: body, Now: time.Unix(1700000000, 0)}
		k := key("k", "a secret that nobody guesses")
		for name, scheme := range map[string]verify.Scheme{
			"docusign": verify.DocuSign(k), "twilio": verify.Twilio(k), "telnyx": verify.Telnyx(0, public("k")), "square": verify.Square(k),
			"stripe": verify.Stripe(0, k), "meta": verify.Meta(k), "standard": verify.StandardWebhooks(0, k),
			"asymmetric": verify.StandardWebhooksAsymmetric(0, public("k")), "plivo": verify.PlivoV2(k),
			"token": verify.Token(verify.CentralDispatch, k), "bearer": verify.Bearer(k), "hashed": verify.BearerSHA256(k), "basic": verify.Basic(k),
		} {
			_, err := scheme(t.Context(), r)
			require.Error(t, err, name)
		}
	})
}

// FuzzTwilio proves that what is signed is accepted, whatever the form is.
func FuzzTwilio(f *testing.F) {
	f.Add([]byte("Body=STOP&From=%2B1&NumMedia=0"))
	f.Fuzz(func(t *testing.T, body []byte) {
		form, readable := parseForm(body)
		if !readable || len(body) == 0 {
			return
		}
		_, err := verify.Twilio(key("k", "s"))(t.Context(), verify.Request{
			URLs: []string{"https://a.test/x"}, Body: body,
			Header: headers("Content-Type", "application/x-www-form-urlencoded", "X-Twilio-Signature", verify.SignTwilio([]byte("s"), "https://a.test/x", form)),
		})
		require.NoError(t, err)
	})
}
