package gateway

import (
	"maps"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/cards/cardsapi"
)

// The credentials.
const (
	keySecret      = "secret_key"
	keyPublishable = "publishable_key"
	keyConnected   = "connected_account"
	// SigningSecret verifies events.
	SigningSecret = "signing_secret"
)

// prefixes are how the credentials begin. A secret key in the place of the publishable one would be shown on pages.
var prefixes = map[string][]string{
	keySecret: {"sk_", "rk_"}, keyPublishable: {"pk_"}, SigningSecret: {"whsec_"}, keyConnected: {"acct_"},
}

// checkCredentials reports what is missing or wrong, without repeating any of it.
func checkCredentials(c map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(c)) {
		begins, known := prefixes[name]
		switch {
		case !known:
			return missing("Stripe has no credential " + cardsapi.Printable(name) + "; allowed are " + strings.Join(slices.Sorted(maps.Keys(prefixes)), ", ") + ".")
		case c[name] != "" && !slices.ContainsFunc(begins, func(prefix string) bool { return strings.HasPrefix(c[name], prefix) }):
			return missing("The " + name + " must begin with " + strings.Join(begins, " or ") + ".")
		}
	}
	for _, name := range []string{keySecret, keyPublishable} {
		if c[name] == "" {
			return missing("The " + name + " is required.")
		}
	}
	if isLive(c[keySecret]) != isLive(c[keyPublishable]) {
		return missing("`secret_key` and the `publishable_key` must both be of live mode, or both of test mode.")
	}

	return nil
}

func missing(detail string) error {
	return &cardsapi.VendorError{Reason: cardsapi.Auth, NotDone: true, Detail: detail}
}

// isLive reports whether a key is of live mode, in which money moves.
func isLive(key string) bool {
	_, mode, _ := strings.Cut(key, "_")

	return !strings.HasPrefix(mode, "test_")
}
