package connect

import (
	"strings"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
)

// mostRecipients is more than the vendor takes.
const mostRecipients = 2000

// recipientKinds are the lists of recipients, and what those in them are.
var recipientKinds = []struct {
	list string
	kind provider.RecipientKind
}{
	{"signers", provider.Signer},
	{"inPersonSigners", provider.InPersonSigner},
	{"agents", "agent"},
	{"editors", "editor"},
	{"intermediaries", "intermediary"},
	{"carbonCopies", provider.CarbonCopy},
	{"certifiedDeliveries", provider.CertifiedDelivery},
	{"seals", "seal"},
	{"witnesses", "witness"},
	{"notaries", "notary"},
	{"participants", "participant"},
}

// recipients are all that are told of. One that only has a name has no ID: nobody knows who that is.
func recipients(o object) []provider.RecipientUpdate {
	var all []provider.RecipientUpdate
	for _, k := range recipientKinds {
		for _, r := range o.list(k.list) {
			if len(all) == mostRecipients {
				return all
			}
			all = append(all, recipientOf(k.kind, r))
		}
	}

	return all
}

func recipientOf(kind provider.RecipientKind, o object) provider.RecipientUpdate {
	u := provider.RecipientUpdate{
		ID: o.text("recipientId"), Kind: kind, Role: o.text("roleName"), Name: o.text("name"), Email: o.text("email"),
		RoutingOrder: o.number("routingOrder"), Embedded: o.text("clientUserId") != "",
		Status: strings.ToLower(strings.TrimSpace(o.text("status"))),
		SentAt: o.time("sentDateTime"), DeliveredAt: o.time("deliveredDateTime"), SignedAt: o.time("signedDateTime"),
		DeclinedAt: o.time("declinedDateTime"), Reason: o.text("declinedReason"),
	}
	if u.Name == "" {
		u.Name = o.text("signerName") // of one who signs in person
	}
	if u.Email == "" {
		u.Email = o.text("signerEmail")
	}
	if u.Status == "autoresponded" && u.Reason == "" {
		u.Reason = o.text("autoRespondedReason")
	}

	return u
}
