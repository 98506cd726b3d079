package registry

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/dispatchd/dispatchd/modules/regulator/internal/feed"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
)

// gathered is all that was found of a number.
type gathered struct {
	usdot   int64
	carrier *feed.Carrier
	// rows are those of the other sets, by set.
	rows   map[string][]feed.Filing
	states map[string]feed.State
	// live is the last answer of the live source; nil if there is none. LiveSource says how it was had.
	live       *liveAnswer
	liveSource regulatorapi.Source
	// adapter is the live source that is asked, "" for none.
	adapter                           string
	samePhone, sameEmail, sameAddress int
}

// liveAnswer is what a live source says.
type liveAnswer struct {
	Allowed            *bool                 `json:"allowed,omitempty"`
	Status             string                `json:"status,omitempty"`
	OutOfService       regulatorapi.Date     `json:"out_of_service,omitempty"`
	OutOfServiceReason string                `json:"out_of_service_reason,omitempty"`
	Operation          string                `json:"operation,omitempty"`
	Common             string                `json:"common,omitempty"`
	Contract           string                `json:"contract,omitempty"`
	Broker             string                `json:"broker,omitempty"`
	LegalName          string                `json:"legal_name,omitempty"`
	DBA                string                `json:"dba,omitempty"`
	Phone              string                `json:"phone,omitempty"`
	Physical           regulatorapi.Address  `json:"physical"`
	Dockets            []string              `json:"dockets,omitempty"`
	BIPD               *regulatorapi.Dollars `json:"bipd,omitempty"`
	BIPDRequired       *regulatorapi.Dollars `json:"bipd_required,omitempty"`
	Cargo              *regulatorapi.Dollars `json:"cargo,omitempty"`
	Bond               *regulatorapi.Dollars `json:"bond,omitempty"`
	Rating             string                `json:"rating,omitempty"`
	Rated              regulatorapi.Date     `json:"rated,omitempty"`
	Reviewed           regulatorapi.Date     `json:"reviewed,omitempty"`
	Vehicle            regulatorapi.OOSRate  `json:"vehicle"`
	Driver             regulatorapi.OOSRate  `json:"driver"`
	Crashes            *int64                `json:"crashes,omitempty"`
	PowerUnits         *int64                `json:"power_units,omitempty"`
	Drivers            *int64                `json:"drivers,omitempty"`
}

// sourceName is the name of a set as a source.
func sourceName(set string) string {
	if set == feed.SetCensus || feed.Frozen(set) {
		return set
	}

	return "motus." + set
}

// source says how a set was read for the number.
func (g gathered) source(set string) regulatorapi.Source {
	s, state := regulatorapi.Source{Name: sourceName(set), Outcome: regulatorapi.Unavailable}, g.states[set]
	if !state.Read() {
		s.Why = "the set has not been imported"

		return s
	}
	s.AsOf, s.Outcome = state.AsOf, regulatorapi.None
	if len(g.rows[set]) > 0 || set == feed.SetCensus && g.carrier != nil {
		s.Outcome = regulatorapi.Rows
	}

	return s
}

// changes are the steps in the lives of the authorities, the earliest first.
func (g gathered) changes() []change {
	var all []change
	for _, set := range []string{feed.SetLegacyLog, feed.SetAuthorityLog} {
		for _, r := range g.rows[set] {
			for _, c := range changesOf(r, r.Values()) {
				if c.on != "" {
					all = append(all, c)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Compare(a.on, b.on) })

	return all
}

// assemble makes facts of what was found.
func assemble(g gathered, today regulatorapi.Date) regulatorapi.Facts {
	f := regulatorapi.Facts{
		USDOT: g.usdot, Identity: identityOf(g), Operation: operationOf(g), Authority: authorityOf(g, today),
		Insurance: insuranceOf(g, today), Safety: safetyOf(g), Inspections: inspectionsOf(g),
		Sharing: regulatorapi.Sharing{Source: g.source(feed.SetCensus), Phone: g.samePhone, Email: g.sameEmail, Address: g.sameAddress},
	}
	f.Sources = sourcesOf(f)

	return f
}

func sourcesOf(f regulatorapi.Facts) []regulatorapi.Source {
	all := slices.Concat([]regulatorapi.Source{f.Identity.Source, f.Operation.Source, f.Authority.Source, f.Insurance.Source, f.Safety.Source, f.Inspections.Source},
		f.Authority.Others, f.Insurance.Others)
	slices.SortStableFunc(all, func(a, b regulatorapi.Source) int { return cmp.Compare(a.Name, b.Name) })

	return slices.CompactFunc(all, func(a, b regulatorapi.Source) bool { return a.Name == b.Name })
}

func identityOf(g gathered) regulatorapi.Identity {
	i := regulatorapi.Identity{Source: g.source(feed.SetCensus), Cargo: []string{}, Officers: []string{}}
	c := g.carrier
	if c == nil {
		if l := g.live; l != nil {
			i.Source, i.LegalName, i.DBA, i.Phone, i.Physical, i.PowerUnits, i.Drivers = g.liveSource, l.LegalName, l.DBA, l.Phone, l.Physical, l.PowerUnits, l.Drivers
		}

		return i
	}
	i.LegalName, i.DBA, i.Phone, i.CellPhone, i.Email = c.LegalName, c.DBA, c.Phone, c.CellPhone, c.Email
	i.Physical = regulatorapi.Address{Street: c.PhysicalStreet, City: c.PhysicalCity, State: c.PhysicalState, ZIP: c.PhysicalZIP, Country: c.PhysicalCountry}
	i.Mailing = regulatorapi.Address{Street: c.MailingStreet, City: c.MailingCity, State: c.MailingState, ZIP: c.MailingZIP, Country: c.MailingCountry}
	i.MCS150, i.Added, i.Undelivered = regulatorapi.Date(c.MCS150On), regulatorapi.Date(c.AddedOn), regulatorapi.Date(c.Undeliverable)
	i.PowerUnits, i.Drivers = c.PowerUnits, c.Drivers
	i.Cargo = append(i.Cargo, strings.Fields(c.Cargo)...)
	if c.Officers != "" {
		i.Officers = strings.Split(c.Officers, "\n")
	}
	i.MotorCars, i.DriveAway = slices.Contains(i.Cargo, "motoveh"), slices.Contains(i.Cargo, "drivetow")

	return i
}

func operationOf(g gathered) regulatorapi.Operation {
	o := regulatorapi.Operation{Source: g.source(feed.SetCensus), Status: regulatorapi.StatusUnknown}
	code := ""
	if c := g.carrier; c != nil {
		o.Status, code = statusOf(c.Status), c.Operation
		if c.Classes != "" {
			o.ForHire = new(strings.Contains(strings.ToUpper(c.Classes), "FOR HIRE"))
		}
	}
	if l := g.live; l != nil {
		o.Source, o.Allowed, o.OutOfServiceDate, o.OutOfService = g.liveSource, l.Allowed, l.OutOfService, l.OutOfServiceReason
		if l.Status != "" {
			o.Status = statusOf(l.Status)
		}
		code = cmp.Or(l.Operation, code)
	}
	if code != "" {
		o.Interstate = new(strings.HasPrefix(code, "A"))
	}

	return o
}

func insuranceOf(g gathered, today regulatorapi.Date) regulatorapi.Insurance {
	a := asked{current: g.source(feed.SetInsurance), ends: g.source(feed.SetInsuranceEnds), legacy: g.source(feed.SetLegacyInsurance), live: g.liveSource}
	in := regulatorapi.Insurance{Source: a.current, Others: []regulatorapi.Source{a.ends, a.legacy}, Filings: []regulatorapi.Filing{}}
	amounts := onFile{}
	if l := g.live; l != nil {
		in.Source, in.Others = g.liveSource, []regulatorapi.Source{a.current, a.ends, a.legacy}
		amounts = onFile{regulatorapi.Liability: l.BIPD, regulatorapi.Cargo: l.Cargo, regulatorapi.Bond: l.Bond}
	}
	stand, later := standing(filingsOf(g.rows[feed.SetInsurance]), endingsOf(g.rows[feed.SetInsuranceEnds]), filingsOf(g.rows[feed.SetLegacyInsurance]), amounts, today)
	in.Filings = append(append(in.Filings, stand...), later...)
	in.Liability = sum(stand, later, amounts, a, regulatorapi.Liability)
	in.Cargo = sum(stand, later, amounts, a, regulatorapi.Cargo)
	in.Surety = sum(stand, later, amounts, a, regulatorapi.Bond, regulatorapi.TrustFund)
	in.Liability.Required = requiredOf(g)

	return in
}

// requiredOf returns the liability cover that the regulator asks for, nil if nobody says.
func requiredOf(g gathered) *regulatorapi.Dollars {
	var most *regulatorapi.Dollars
	for _, r := range g.rows[feed.SetAuthority] {
		v := r.Values()
		if d := dollars(v["min_cov_amount"]); d != nil && *d > 0 && (most == nil || *d > *most) && typeOf(v["op_auth_type"]) != regulatorapi.Broker {
			most = d
		}
	}
	if g.live != nil && g.live.BIPDRequired != nil {
		return g.live.BIPDRequired
	}

	return most
}

func filingsOf(rows []feed.Filing) []filing {
	all := make([]filing, 0, len(rows))
	for _, r := range rows {
		if f, ok := filingOf(r, r.Values()); ok {
			all = append(all, f)
		}
	}

	return all
}

func endingsOf(rows []feed.Filing) []ending {
	all := make([]ending, 0, len(rows))
	for _, r := range rows {
		all = append(all, endingOf(r.Values()))
	}

	return all
}

func safetyOf(g gathered) regulatorapi.Safety {
	s := regulatorapi.Safety{Source: g.source(feed.SetCensus)}
	if c := g.carrier; c != nil {
		s.Rating, s.Rated, s.Review = ratingOf(c.SafetyRating), regulatorapi.Date(c.SafetyRatedOn), regulatorapi.Date(c.SafetyReviewedOn)
	}
	if l := g.live; l != nil {
		s.Source, s.Rating, s.Rated, s.Review = g.liveSource, ratingOf(l.Rating), l.Rated, cmp.Or(l.Reviewed, s.Review)
	}

	return s
}

func ratingOf(code string) string {
	switch strings.ToUpper(code) {
	case "S":
		return "satisfactory"
	case "C":
		return "conditional"
	case "U":
		return "unsatisfactory"
	}

	return ""
}

func inspectionsOf(g gathered) regulatorapi.Inspections {
	if g.live == nil {
		s := regulatorapi.Source{Name: "inspections", Outcome: regulatorapi.Unavailable, Why: "inspections are known from a live source alone"}

		return regulatorapi.Inspections{Source: s}
	}

	return regulatorapi.Inspections{Source: g.liveSource, Vehicle: g.live.Vehicle, Driver: g.live.Driver, Crashes: g.live.Crashes}
}

// today is the present day. The regulator's days end where the regulator is.
func today(now time.Time) regulatorapi.Date {
	const washington = -5 * time.Hour // standard time: never ahead of the day there

	return dateOf(now.Add(washington))
}
