package sandbox

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/dispatchd/dispatchd/modules/esign/internal/provider"
)

// expiredReason is what the vendor gives as the reason of an envelope that nobody voided.
const expiredReason = "Envelope has expired."

// object is an object of JSON in the vendor's form, in which numbers and booleans are texts.
type object map[string]any

// message is a notification in the form of DocuSign's Connect, without its retryCount.
func message(e *envelope, event, recipient string, at time.Time) object {
	data := object{"accountId": e.AccountID.String(), "userId": "sandbox", "envelopeId": e.ID.String(), "envelopeSummary": summary(e)}
	if recipient != "" {
		data["recipientId"] = recipient
	}

	return object{
		"event": event, "apiVersion": "v2.1", "uri": "/restapi/v2.1/accounts/" + e.AccountID.String() + "/envelopes/" + e.ID.String(),
		"configurationId": 1, "generatedDateTime": formatTime(at), "data": data,
	}
}

// formatTime is a time as the vendor writes it.
func formatTime(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.0000000Z") }

// summary is the envelope as the vendor's API and its notifications show it.
func summary(e *envelope) object {
	o := object{
		"envelopeId": e.ID.String(), "status": e.Status, "emailSubject": e.Subject, "emailBlurb": e.Message, "transactionId": e.Reference,
		"createdDateTime": formatTime(e.CreatedAt), "statusChangedDateTime": formatTime(e.statusTime()), "lastModifiedDateTime": formatTime(e.ChangedAt),
		"customFields": customFields(e.Fields), "recipients": recipients(e), "expireEnabled": strconv.FormatBool(e.ExpiresAt != nil),
		"sender": object{"userName": "Sandbox", "userId": "sandbox", "accountId": e.AccountID.String(), "email": "sender@sandbox.test"},
	}
	dates(o, map[string]*time.Time{
		"initialSentDateTime": e.SentAt, "sentDateTime": e.SentAt, "deliveredDateTime": e.DeliveredAt, "completedDateTime": e.CompletedAt,
		"declinedDateTime": e.DeclinedAt, "voidedDateTime": e.VoidedAt, "expireDateTime": e.ExpiresAt,
	})
	if e.ExpireAfter > 0 {
		o["expireAfter"] = strconv.FormatInt(e.ExpireAfter, 10)
	}
	if e.Status == voided {
		o["voidedReason"] = e.Reason
	}

	return o
}

func dates(o object, all map[string]*time.Time) {
	for name, at := range all {
		if at != nil {
			o[name] = formatTime(*at)
		}
	}
}

func customFields(fields map[string]string) object {
	texts := []object{}
	for i, name := range slices.Sorted(maps.Keys(fields)) {
		texts = append(texts, object{"fieldId": strconv.Itoa(i + 1), "name": name, "value": fields[name], "show": "false", "required": "false"})
	}

	return object{"textCustomFields": texts, "listCustomFields": []object{}}
}

func recipients(e *envelope) object {
	o := object{"recipientCount": strconv.Itoa(len(e.Recipients))}
	for _, name := range []string{"signers", "agents", "editors", "intermediaries", "carbonCopies", "certifiedDeliveries", "inPersonSigners"} {
		o[name] = []object{}
	}
	current := 0
	for i := range e.Recipients {
		r := &e.Recipients[i]
		name := kindName(r.Kind)
		o[name] = append(o[name].([]object), person(r)) //nolint:forcetypeassert // it was made above
		if r.Status != created && r.RoutingOrder > current {
			current = r.RoutingOrder
		}
	}
	o["currentRoutingOrder"] = strconv.Itoa(current)

	return o
}

func kindName(kind provider.RecipientKind) string {
	switch kind {
	case provider.CarbonCopy:
		return "carbonCopies"
	case provider.CertifiedDelivery:
		return "certifiedDeliveries"
	case provider.InPersonSigner:
		return "inPersonSigners"
	default:
		return "signers"
	}
}

func person(r *recipient) object {
	o := object{
		"recipientId": r.ID, "name": r.Name, "email": r.Email, "roleName": r.Role, "routingOrder": strconv.Itoa(r.RoutingOrder),
		"status": r.Status, "creationReason": "sender", "deliveryMethod": "email", "requireUploadSignature": "false",
	}
	if r.Kind == provider.InPersonSigner {
		o["signerName"], o["signerEmail"] = r.Name, r.Email
	}
	if r.ClientID != "" {
		o["clientUserId"] = r.ClientID
	}
	switch r.Status {
	case declined:
		o["declinedReason"] = r.Reason
	case bounced:
		o["autoRespondedReason"] = r.Reason
	}
	dates(o, map[string]*time.Time{
		"sentDateTime": r.SentAt, "deliveredDateTime": r.DeliveredAt, "signedDateTime": r.SignedAt, "declinedDateTime": r.DeclinedAt,
	})

	return o
}
