package connect

import (
	"regexp"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
)

// The custom fields by which an envelope is ours, or belongs to an item.
const (
	FieldReference = "service_envelope_uuid"
	FieldItemType  = "service_item_type"
	FieldItemUUID  = "service_item_uuid"
	FieldSource    = "service_source"
)

// expiredRule is the reason that the vendor gives where nobody has voided an envelope.
var expiredRule = regexp.MustCompile(`(?i)^\s*((the|this)\s+)?envelope\s+(has\s+)?expired\b`)

// envelopeOf reads an envelope, or the summary of one; raw is what it was read from.
func envelopeOf(o object, raw gjson.Result) provider.Update {
	if o == nil {
		return provider.Update{}
	}
	u := provider.Update{
		ID: EnvelopeID(o.text("envelopeId")), Status: strings.ToLower(strings.TrimSpace(o.text("status"))),
		Subject: o.text("emailSubject"), Message: o.text("emailBlurb"), Fields: fields(o.object("customFields")),
		CreatedAt: o.time("createdDateTime"), SentAt: firstTime(o, "initialSentDateTime", "sentDateTime"),
		DeliveredAt: o.time("deliveredDateTime"), CompletedAt: o.time("completedDateTime"),
		ExpiresAt: expiryOf(o), Recipients: recipients(o.object("recipients")), Whole: compactEnvelope(raw),
	}
	u.Reference = u.Fields[FieldReference]
	u.At = o.time("statusChangedDateTime")
	switch u.Status {
	case "created":
		u.At = earlierKnown(u.At, u.CreatedAt)
	case "sent":
		u.At = earlierKnown(u.At, firstTime(o, "sentDateTime", "initialSentDateTime"))
	case "delivered":
		u.At = earlierKnown(u.At, u.DeliveredAt)
	case "completed":
		u.At = earlierKnown(u.At, u.CompletedAt)
	case "deleted":
		u.At = earlierKnown(u.At, o.time("deletedDateTime"))
	case "declined":
		u.At = earlierKnown(u.At, o.time("declinedDateTime"))
		u.Reason = declineReason(u.Recipients)
	case "voided":
		voided := o.time("voidedDateTime")
		u.At, u.Reason = earlierKnown(u.At, voided), o.text("voidedReason")
		at := earlierKnown(voided, u.At)
		u.Expired = expiredRule.MatchString(u.Reason) || !u.ExpiresAt.IsZero() && !at.IsZero() && !at.Before(u.ExpiresAt)
	}

	return u
}

// declineReason is why a recipient declined.
func declineReason(all []provider.RecipientUpdate) string {
	for _, r := range all {
		if r.Status == "declined" && r.Reason != "" {
			return r.Reason
		}
	}

	return ""
}

func earlierKnown(a, b time.Time) time.Time {
	if a.IsZero() {
		return b
	}

	return a
}

// firstTime is the first time that is said.
func firstTime(o object, keys ...string) time.Time {
	for _, key := range keys {
		if at := o.time(key); !at.IsZero() {
			return at
		}
	}

	return time.Time{}
}

// expiryOf is when an envelope expires: as it is said, or as many days after it was sent as is said.
func expiryOf(o object) time.Time {
	if at := o.time("expireDateTime"); !at.IsZero() {
		return at
	}
	for _, said := range []object{o, o.object("notification").object("expirations")} {
		days, sent := said.number("expireAfter"), firstTime(o, "initialSentDateTime", "sentDateTime")
		if said.flag("expireEnabled") && days > 0 && !sent.IsZero() {
			return sent.AddDate(0, 0, days)
		}
	}

	return time.Time{}
}

// fields are the custom fields by name. An entry without a value is there, and empty.
func fields(o object) map[string]string {
	const most = 1000
	all := map[string]string{}
	for _, kind := range []string{"textCustomFields", "listCustomFields"} {
		for _, f := range o.list(kind) {
			if name := f.text("name"); name != "" && len(all) < most {
				all[name] = f.text("value")
			}
		}
	}
	if len(all) == 0 {
		return nil
	}

	return all
}
