// Package smsapi is what other areas may know of the sms area: how to send, whether somebody may be sent to,
// and its events.
package smsapi

import (
	"context"
	"time"
)

// Area is the id of the area.
const Area = "sms"

// Item is the type of messages as items.
const Item = "sms.message"

// Outgoing is a message to send.
type Outgoing struct {
	// To is a phone number, E.164 or as people write it in the company's region.
	To string
	// Body is the text. It is "" with a Template.
	Body string
	// Template is the id of a template, Variables what it is filled with.
	Template  string
	Variables map[string]any
	// From is the id of one of the company's numbers; "" chooses the default.
	From string
	// Media are https links.
	Media []string
	// SendAt is when; the zero time is now.
	SendAt time.Time
	// OwnerType and OwnerUUID name the item that the message is about; both may be "".
	OwnerType, OwnerUUID string
	// IgnoreQuietHours is for what cannot wait.
	IgnoreQuietHours bool
}

// Sender sends messages of the caller's company. All errors are errs of the sms area or of platform/item.
type Sender interface {
	// Send stores a message, which is sent after the caller's transaction, and returns its id.
	Send(ctx context.Context, m Outgoing) (uuid string, err error)
}

// OptOuts tells who has opted out of messages of the caller's company.
type OptOuts interface {
	// OptedOut reports whether a phone number has. Sending looks by itself, so this is for showing it.
	OptedOut(ctx context.Context, number string) (bool, error)
}
