package verdict

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"
	"github.com/cockroachdb/apd/v3"

	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/formula"
	"github.com/dispatchd/dispatchd/platform/money"
)

// threshold is the name by which a condition reads the threshold of its level.
const threshold = "threshold"

// value is what is known of a fact: text, *apd.Decimal, bool or a time at midnight UTC, nil for nothing.
type value struct {
	of     any
	known  bool
	source string
}

// fact is a name that conditions read.
type fact struct {
	name  string
	kind  formula.Kind
	about string
	read  func(s *Subject) value
}

// facts are all that conditions may read, and what evidence is made of.
var facts = []fact{
	{"saved", formula.Boolean, "Whether the company has the carrier.", own(func(o Own) any { return o.Saved })},
	{"do_not_use", formula.Boolean, "Whether the status of the carrier is do_not_use.", own(func(o Own) any { return o.DoNotUse })},
	{"inactive", formula.Boolean, "Whether the status of the carrier is inactive.", own(func(o Own) any { return o.Inactive })},
	{"has_number", formula.Boolean, "Whether the carrier has a USDOT number or a docket.", own(func(o Own) any { return o.Numbered })},
	{"registered", formula.Boolean, "Whether the regulator has the carrier's number; unknown if the census has not been read.", func(s *Subject) value {
		return from(s.Facts.Identity.Source, s.Facts.Identity.Source.Outcome == regulatorapi.Rows)
	}},
	{"legal_name", formula.Text, "Name of the carrier.", own(func(o Own) any { return first(o.Names) })},
	{"record_name", formula.Text, "Legal name on the regulator's record.", identity(func(i regulatorapi.Identity) any { return text(i.LegalName) })},
	{"name_on_record", formula.Boolean, "Whether a name of the carrier is that of the regulator's record, apart from case, punctuation and forms such as LLC.", nameOnRecord},
	{"prospect", formula.Boolean, "Whether the carrier is a prospect, whose identity nobody has confirmed yet.", own(func(o Own) any { return o.Prospect })},
	{"agreement_signed", formula.Boolean, "Whether the agreement is signed.", own(func(o Own) any { return o.Signed })},
	{"agreement_expires", formula.Date, "Last day of the agreement.", own(func(o Own) any { return day(string(o.Agreement)) })},
	{"days_to_agreement_end", formula.Number, "Days until the agreement ends.", func(s *Subject) value {
		return mine(s.until(string(s.Own.Agreement)))
	}},
	{"w9", formula.Boolean, "Whether there is a W-9.", own(func(o Own) any { return o.W9 })},
	{"cargo_cover", formula.Number, "Cargo insurance per occurrence, from a verified certificate.", func(s *Subject) value {
		return value{amount(s.Own.Cargo.Cover), s.Own.Saved, s.Own.Cargo.Source}
	}},
	{"cargo_expires", formula.Date, "Last day of the certificate of cargo insurance.", func(s *Subject) value {
		return value{day(string(s.Own.Cargo.Expires)), s.Own.Saved, s.Own.Cargo.Source}
	}},
	{"days_to_cargo_end", formula.Number, "Days from the delivery, or from today, until the cargo insurance ends.", func(s *Subject) value {
		return value{s.until(string(s.Own.Cargo.Expires)), s.Own.Saved, s.Own.Cargo.Source}
	}},
	{"declared_value", formula.Number, "Sum of the declared values of the load.", func(s *Subject) value {
		if s.Load == nil {
			return value{known: true, source: "load"}
		}

		return value{amount(s.Load.Declared), true, "load"}
	}},
	{"remit_to_changed", formula.Date, "When the remit-to changed.", own(func(o Own) any { return day(string(o.RemitToChanged)) })},
	{"remit_to_days", formula.Number, "Days since remit_to_changed.", func(s *Subject) value { return mine(s.since(string(s.Own.RemitToChanged))) }},
	{"remit_to_pending", formula.Boolean, "Whether a change of the remit-to is pending.", own(func(o Own) any { return o.RemitToPending })},
	{"rating", formula.Number, "The company's own rating, 1 to 5.", own(func(o Own) any { return count(o.Rating) })},
	{"open_incidents", formula.Number, "Open incidents of the last 365 days.", own(func(o Own) any { return number(o.OpenIncidents) })},
	{"confirmed_incidents", formula.Number, "Confirmed incidents of the last 365 days.", own(func(o Own) any { return number(o.ConfirmedIncidents) })},
	{"bounces", formula.Number, "Bounces and no-shows of the last 365 days.", own(func(o Own) any { return number(o.Bounces) })},
	{"contact_email", formula.Text, "E-mail address of the carrier.", own(func(o Own) any { return first(o.Emails) })},
	{"contact_phone", formula.Text, "Phone number of the carrier.", own(func(o Own) any { return first(o.Phones) })},
	{"identity_verified", formula.Boolean, "Whether the carrier was reached at the phone number or e-mail address on the regulator's record.", func(s *Subject) value {
		record := s.Facts.Identity

		return value{slices.Contains(s.Own.Verified, record.Phone) && record.Phone != "" ||
			slices.ContainsFunc(s.Own.Verified, func(v string) bool { return strings.EqualFold(v, record.Email) && v != "" }), s.Own.Saved, "own"}
	}},
	{"email_on_record", formula.Boolean, "Whether an e-mail of the carrier has the domain of the regulator's record.", emailOnRecord},
	{"phone_on_record", formula.Boolean, "Whether a phone of the carrier is on the regulator's record.", phoneOnRecord},
	{"lookalike_email", formula.Text, "E-mail whose domain resembles that of the regulator's record.", lookalikeEmail},
	{"record_email", formula.Text, "E-mail of the regulator's record.", identity(func(i regulatorapi.Identity) any { return text(i.Email) })},
	{"record_phone", formula.Text, "Phone of the regulator's record.", identity(func(i regulatorapi.Identity) any { return text(i.Phone) })},
	{"car_hauler", formula.Boolean, "Whether the census has the cargo motor vehicles or drive-away.", identity(func(i regulatorapi.Identity) any { return i.CarHauler() })},
	{"mcs150_date", formula.Date, "Last filing of the MCS-150.", identity(func(i regulatorapi.Identity) any { return day(string(i.MCS150)) })},
	{"mcs150_days", formula.Number, "Days since mcs150_date.", func(s *Subject) value {
		return from(s.Facts.Identity.Source, s.since(string(s.Facts.Identity.MCS150)))
	}},
	{"power_units", formula.Number, "Trucks and tractors.", identity(func(i regulatorapi.Identity) any { return count(i.PowerUnits) })},
	{"allowed_to_operate", formula.Boolean, "Whether the regulator's live answer allows it to operate.", operation(func(o regulatorapi.Operation) any { return boolean(o.Allowed) })},
	{"usdot_status", formula.Text, "active or inactive.", func(s *Subject) value {
		status := s.Facts.Operation.Status

		return value{text(string(status)), status != "" && status != regulatorapi.StatusUnknown, s.Facts.Operation.Source.Name}
	}},
	{"out_of_service", formula.Date, "Since when it is out of service.", operation(func(o regulatorapi.Operation) any { return day(string(o.OutOfServiceDate)) })},
	{"interstate", formula.Boolean, "Whether it operates between states.", operation(func(o regulatorapi.Operation) any { return boolean(o.Interstate) })},
	{"for_hire", formula.Boolean, "Whether it carries for hire.", operation(func(o regulatorapi.Operation) any { return boolean(o.ForHire) })},
	{"property_authority", formula.Boolean, "Whether an authority to carry property is active.", tristate(func(a regulatorapi.Authority) *bool { return a.Property })},
	{"broker_authority", formula.Boolean, "Whether a broker authority is active.", tristate(func(a regulatorapi.Authority) *bool { return a.Broker })},
	{"authority_granted", formula.Date, "First grant of an authority to carry property.", func(s *Subject) value {
		a := s.Facts.Authority

		return value{day(string(a.EarliestGrant)), a.EarliestGrant != "", a.GrantSource}
	}},
	{"authority_days", formula.Number, "Days since the first grant.", func(s *Subject) value {
		a := s.Facts.Authority

		return value{s.since(string(a.EarliestGrant)), a.EarliestGrant != "", a.GrantSource}
	}},
	{"reinstated_days", formula.Number, "Days since an authority was reinstated.", authority(func(s *Subject, a regulatorapi.Authority) any { return s.since(string(a.Reinstated)) })},
	{"slept_days", formula.Number, "Days without authority before it was reinstated.", authority(func(_ *Subject, a regulatorapi.Authority) any {
		return apd.New(int64(a.SleptDays), 0)
	})},
	{"suspension_effective", formula.Date, "When a suspension or revocation takes effect.", authority(func(_ *Subject, a regulatorapi.Authority) any {
		if a.PendingSuspension == nil {
			return nil
		}

		return day(string(a.PendingSuspension.Effective))
	})},
	{"days_to_suspension", formula.Number, "Days until suspension_effective; negative if it has taken effect.", authority(func(s *Subject, a regulatorapi.Authority) any {
		if a.PendingSuspension == nil {
			return nil
		}

		return s.until(string(a.PendingSuspension.Effective))
	})},
	{"liability_on_file", formula.Number, "Liability insurance on file.", func(s *Subject) value {
		l := s.Facts.Insurance.Liability
		if l.Outcome == regulatorapi.None {
			return value{apd.New(0, 0), true, l.Source}
		}

		return value{dollars(l.Amount), l.Outcome == regulatorapi.Rows && l.Amount != nil, l.Source}
	}},
	{"liability_required", formula.Number, "Liability insurance that the regulator requires.", func(s *Subject) value {
		l := s.Facts.Insurance.Liability

		return value{dollars(l.Required), l.Required != nil, l.Source}
	}},
	{"liability_cancels", formula.Date, "When the liability insurance ends without a replacement.", liability(func(_ *Subject, l regulatorapi.OnFile) any { return day(string(l.Cancels)) })},
	{"days_to_liability_end", formula.Number, "Days until liability_cancels.", liability(func(s *Subject, l regulatorapi.OnFile) any { return s.until(string(l.Cancels)) })},
	{"safety_rating", formula.Text, "satisfactory, conditional, unsatisfactory or none.", func(s *Subject) value {
		return from(s.Facts.Safety.Source, cmp.Or(s.Facts.Safety.Rating, "none"))
	}},
	{"inspections", formula.Number, "Inspections of vehicles in two years.", oos(func(i regulatorapi.OOSRate) any { return count(i.Inspections) })},
	{"vehicle_oos_percent", formula.Number, "Share of the inspections that put the vehicle out of service, in percent.", oos(func(i regulatorapi.OOSRate) any { return float(i.Percent) })},
	{"vehicle_oos_national", formula.Number, "National average of vehicle_oos_percent.", oos(func(i regulatorapi.OOSRate) any { return float(i.National) })},
	{"shared_by", formula.Number, "Number of registrations, including this one, that share a phone number, an e-mail address or a postal address.", func(s *Subject) value {
		of := s.Facts.Sharing

		return from(of.Source, apd.New(int64(max(of.Phone, of.Email, of.Address)), 0))
	}},
}

func own(read func(Own) any) func(*Subject) value {
	return func(s *Subject) value { return mine(read(s.Own)) }
}

// mine is a value of the company's own, which is always known.
func mine(of any) value { return value{of, true, "own"} }

// from is a value of a group of facts, which is known if its source was read.
func from(source regulatorapi.Source, of any) value { return value{of, source.Known(), source.Name} }

func identity(read func(regulatorapi.Identity) any) func(*Subject) value {
	return func(s *Subject) value { return from(s.Facts.Identity.Source, read(s.Facts.Identity)) }
}

func operation(read func(regulatorapi.Operation) any) func(*Subject) value {
	return func(s *Subject) value { return from(s.Facts.Operation.Source, read(s.Facts.Operation)) }
}

func authority(read func(*Subject, regulatorapi.Authority) any) func(*Subject) value {
	return func(s *Subject) value { return from(s.Facts.Authority.Source, read(s, s.Facts.Authority)) }
}

func tristate(read func(regulatorapi.Authority) *bool) func(*Subject) value {
	return func(s *Subject) value {
		is := read(s.Facts.Authority)

		return value{boolean(is), is != nil, s.Facts.Authority.Source.Name}
	}
}

func liability(read func(*Subject, regulatorapi.OnFile) any) func(*Subject) value {
	return func(s *Subject) value {
		l := s.Facts.Insurance.Liability

		return value{read(s, l), l.Outcome != regulatorapi.Unavailable && l.Outcome != "", l.Source}
	}
}

func oos(read func(regulatorapi.OOSRate) any) func(*Subject) value {
	return func(s *Subject) value {
		of := read(s.Facts.Inspections.Vehicle)

		return value{of, of != nil, s.Facts.Inspections.Source.Name}
	}
}

// by is the day that papers must be good until: that of the delivery, and today where it is not planned.
func (s *Subject) by() time.Time {
	if s.Load != nil && s.Load.Delivery > s.Day {
		return midnight(string(s.Load.Delivery))
	}

	return midnight(string(s.Day))
}

// until returns the days from the day of the delivery, or from today, to a day.
func (s *Subject) until(to string) any {
	if to == "" {
		return nil
	}

	return apd.New(int64(midnight(to).Sub(s.by())/(24*time.Hour)), 0)
}

// since returns the days from a day to today.
func (s *Subject) since(day string) any {
	if day == "" {
		return nil
	}

	return apd.New(int64(midnight(string(s.Day)).Sub(midnight(day))/(24*time.Hour)), 0)
}

func midnight(day string) time.Time {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return time.Time{}
	}

	return t
}

func day(of string) any {
	if t, err := time.Parse(time.DateOnly, of); err == nil {
		return t
	}

	return nil
}

func text(of string) any {
	if of == "" {
		return nil
	}

	return of
}

func first(of []string) any {
	if len(of) == 0 {
		return nil
	}

	return of[0]
}

func boolean(of *bool) any {
	if of == nil {
		return nil
	}

	return *of
}

func count(of *int64) any {
	if of == nil {
		return nil
	}

	return apd.New(*of, 0)
}

func number(of int) any { return apd.New(int64(of), 0) }

func dollars(of *regulatorapi.Dollars) any {
	if of == nil {
		return nil
	}

	return apd.New(int64(*of), 0)
}

func float(of *float64) any {
	if of == nil {
		return nil
	}
	number, _, err := apd.NewFromString(strconv.FormatFloat(*of, 'f', -1, 64))
	if err != nil {
		return nil
	}

	return number
}

func amount(of money.Amount) any {
	number, _, err := apd.NewFromString(string(of))
	if err != nil {
		return nil
	}

	return number
}

// freeMail are providers whose addresses anybody gets: that a carrier has one says nothing, and neither does its domain.
var freeMail = []string{
	"gmail.com", "yahoo.com", "outlook.com", "hotmail.com", "aol.com", "icloud.com", "live.com", "msn.com", "comcast.net", "att.net", "protonmail.com",
	"proton.me", "ymail.com", "verizon.net", "sbcglobal.net", "bellsouth.net", "gmx.com", "mail.com", "zoho.com",
}

// emailOnRecord compares domains, and whole addresses where the record's is one of free mail.
func emailOnRecord(s *Subject) value {
	record := strings.ToLower(s.Facts.Identity.Email)
	if record == "" || len(s.Own.Emails) == 0 {
		return value{source: s.Facts.Identity.Source.Name}
	}
	on := slices.ContainsFunc(s.Own.Emails, func(email string) bool {
		email = strings.ToLower(email)

		return email == record || !slices.Contains(freeMail, domain(record)) && domain(email) == domain(record)
	})

	return value{on, true, s.Facts.Identity.Source.Name}
}

func phoneOnRecord(s *Subject) value {
	record := s.Facts.Identity
	if record.Phone == "" && record.CellPhone == "" || len(s.Own.Phones) == 0 {
		return value{source: record.Source.Name}
	}

	return value{slices.ContainsFunc(s.Own.Phones, func(phone string) bool {
		return phone == record.Phone || phone == record.CellPhone
	}), true, record.Source.Name}
}

// mostEdits is how many letters a look-alike differs in.
const mostEdits = 2

// lookalikeEmail finds an e-mail whose domain is not the record's, and reads like it: by a letter or two, by letters that look
// alike, or by the name of another top level.
func lookalikeEmail(s *Subject) value {
	record := domain(strings.ToLower(s.Facts.Identity.Email))
	if record == "" || slices.Contains(freeMail, record) {
		return value{source: s.Facts.Identity.Source.Name}
	}
	for _, email := range s.Own.Emails {
		of := domain(strings.ToLower(email))
		if of == "" || of == record || slices.Contains(freeMail, of) {
			continue
		}
		name, want := skeleton(stem(of)), skeleton(stem(record))
		if name == want || len(want) > 2*mostEdits && levenshtein.ComputeDistance(name, want) <= mostEdits ||
			len(want) > 2*mostEdits && (strings.Contains(name, want) || strings.Contains(want, name) && len(name) > 2*mostEdits) {
			return value{email, true, s.Facts.Identity.Source.Name}
		}
	}

	return value{nil, s.Facts.Identity.Source.Known(), s.Facts.Identity.Source.Name}
}

func domain(email string) string {
	_, of, _ := strings.Cut(email, "@")

	return of
}

// stem returns a domain without its last label.
func stem(domain string) string {
	if at := strings.LastIndexByte(domain, '.'); at > 0 {
		return domain[:at]
	}

	return domain
}

// alike has letters that are taken for each other, each with the one to write for it, and what parts words.
var alike = []string{"rn", "m", "vv", "w", "0", "o", "1", "l", "i", "l", "5", "s", "-", "", "_", "", ".", ""}

// skeleton returns how a name looks at a glance.
func skeleton(name string) string { return strings.NewReplacer(alike...).Replace(name) }
