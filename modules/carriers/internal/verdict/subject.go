package verdict

import (
	"time"

	"github.com/cockroachdb/apd/v3"

	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/money"
)

// Subject is a carrier and what it is to be judged for.
type Subject struct {
	Facts regulatorapi.Facts
	Own   Own
	// Load is nil if the verdict is for no load in particular.
	Load *Load
	// Day is the day at the company: today, or that of a load's delivery where papers must still be good by then.
	Day field.Date
	// At is the moment of the verdict, by which the age of sources is counted.
	At time.Time
}

// Own is what the company itself knows of a carrier. The zero value is a carrier that it does not have.
type Own struct {
	// Saved says that the company has the carrier; without it, papers are not known.
	Saved    bool
	DoNotUse bool
	// Inactive says that the company no longer works with the carrier.
	Inactive bool
	// Numbered says that the carrier has a USDOT number or a docket.
	Numbered bool
	// Names are its legal name and the name that it does business under.
	Names []string
	// Prospect says that nobody has confirmed who the carrier is.
	Prospect  bool
	Cargo     Certificate
	Agreement field.Date // until when the signed agreement is good; "" for an agreement without end
	Signed    bool
	W9        bool
	// Emails and Phones are those that the carrier is reached by; Verified those that an identity code was sent to.
	Emails   []string
	Phones   []string // E.164
	Verified []string
	// RemitToChanged is the day of the last change of where payments go, "" for none.
	RemitToChanged field.Date
	// RemitToPending says that a change of where payments go is proposed, and not effective yet.
	RemitToPending bool
	// Rating is the company's own, 1 to 5, nil for none.
	Rating *int64
	// OpenIncidents, ConfirmedIncidents and Bounces are of the last 365 days.
	OpenIncidents, ConfirmedIncidents, Bounces int
}

// Certificate is the best verified certificate of cargo insurance.
type Certificate struct {
	Cover   money.Amount // of each occurrence, "" for none
	Expires field.Date
	Source  string // "certificate 2026-03-02"
}

// Better reports whether a certificate has the greater cover, or the same for longer.
func (c Certificate) Better(than Certificate) bool {
	cover, _ := amount(c.Cover).(*apd.Decimal)
	other, _ := amount(than.Cover).(*apd.Decimal)
	if cover == nil || other == nil {
		return cover != nil
	}
	more := cover.Cmp(other)

	return more > 0 || more == 0 && c.Expires > than.Expires
}

// Load is what a carrier is to carry.
type Load struct {
	UUID string
	// Declared is the sum of the declared values of the vehicles, "" if none is declared.
	Declared money.Amount
	// Delivery is the day of the delivery at the company, "" if it is not planned.
	Delivery field.Date
}
