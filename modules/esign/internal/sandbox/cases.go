package sandbox

import (
	"errors"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
)

// magicDomain is that of addresses for which a Case holds.
const magicDomain = "@sandbox.test"

// soonExpired is how soon an envelope expires whose Case says so.
const soonExpired = 2 * time.Second

// Case is what happens to envelopes with a recipient whose address is Name@sandbox.test.
type Case struct {
	Name, About string
	// Refuses is what making such an envelope answers; nil if it is made.
	Refuses func() error
	// Loses is what making it answers although it is made.
	Loses func() error
	// Bounces has the e-mail come back, Expires the envelope expire after two seconds, Silent nothing told,
	// Disordered the last thing told first.
	Bounces, Expires, Silent, Disordered bool
}

// failWith answers with an error that promises that nothing was made.
func failWith(e provider.Error) func() error {
	e.Taken = provider.No

	return func() error { return &e }
}

func failUnknown() error { return errBroken }

var errBroken = errors.New("sandbox: the connection broke before the answer")

// Cases are the magic addresses. All others get the envelope.
var Cases = []Case{
	{Name: "rate_limited", About: "the provider takes no more calls for the moment, each time", Refuses: failWith(provider.Error{
		Reason: provider.RateLimited, Code: "HOURLY_APIINVOCATION_LIMIT_EXCEEDED", Retryable: true, RetryAfter: time.Second,
	})},
	{Name: "down", About: "the provider is down, and has taken nothing, each time", Refuses: failWith(provider.Error{Reason: provider.ProviderDown, Code: "503", Retryable: true})},
	{Name: "revoked", About: "the credentials are refused", Refuses: failWith(provider.Error{Reason: provider.Auth, Code: "USER_AUTHENTICATION_FAILED"})},
	{Name: "consent", About: "the user has not agreed yet", Refuses: failWith(provider.Error{Reason: provider.ConsentRequired, Code: "consent_required"})},
	{Name: "forbidden", About: "the user may not send", Refuses: failWith(provider.Error{Reason: provider.Forbidden, Code: "USER_LACKS_PERMISSIONS"})},
	{Name: "invalid", About: "the provider does not like the address", Refuses: failWith(provider.Error{
		Reason: provider.Invalid, Code: "INVALID_EMAIL_ADDRESS_FOR_RECIPIENT", Detail: "The email address for the recipient is invalid.",
	})},
	{Name: "lost", About: "the connection breaks, and nothing is made: nobody knows", Refuses: failUnknown},
	{Name: "lost_answer", About: "the envelope is made, and the connection breaks before the answer", Loses: failUnknown},
	{Name: "bounces", About: "the e-mail comes back; the link works all the same", Bounces: true},
	{Name: "expires", About: "it expires two seconds after it was sent", Expires: true},
	{Name: "silent", About: "nothing is told: only who asks finds out", Silent: true},
	{Name: "disordered", About: "what happens at a time is told in the wrong order", Disordered: true},
}

// caseOf returns the case of an address, the zero Case for all others.
func caseOf(email string) Case {
	name, magic := strings.CutSuffix(strings.ToLower(email), magicDomain)
	if !magic {
		return Case{}
	}
	for _, c := range Cases {
		if c.Name == name {
			return c
		}
	}

	return Case{}
}
