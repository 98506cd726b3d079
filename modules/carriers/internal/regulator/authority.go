package regulator

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/carriers/internal/regulator/feed"
)

// typeOf reads the type of an authority as any of the sets writes it.
func typeOf(text string) AuthorityType {
	text = strings.ToUpper(text)
	goods := strings.Contains(text, "HOUSEHOLD") && !strings.Contains(text, "EXCEPT")
	switch {
	case strings.Contains(text, "BROKER") && goods:
		return HouseholdBroker
	case strings.Contains(text, "BROKER"):
		return Broker
	case strings.Contains(text, "FORWARDER"):
		return Forwarder
	case strings.Contains(text, "PASSENGER"):
		return PassengerCarrier
	case strings.Contains(text, "ENTERPRISE"):
		return Enterprise
	case goods:
		return HouseholdCarrier
	case strings.Contains(text, "PROPERTY"), strings.Contains(text, "COMMON"), strings.Contains(text, "CONTRACT"):
		return PropertyCarrier
	}

	return OtherAuthority
}

// statusOf reads the status of an authority.
func statusOf(text string) Status {
	switch strings.ToUpper(strings.TrimSpace(text)) {
	case "ACTIVE", "A", "AUTHORIZED":
		return StatusActive
	case "INACTIVE", "I", "N", "NONE":
		return StatusInactive
	case "PENDING", "P":
		return StatusPending
	case "WITHDRAWN":
		return StatusWithdrawn
	case "REVOKED":
		return StatusRevoked
	case "SUSPENDED":
		return StatusSuspended
	}

	return StatusUnknown
}

// change is a step in the life of an authority.
type change struct {
	kind   AuthorityType
	docket string
	on     Date
	// first says that the authority was granted, begins that it came into force, ends that it went out of force. None of
	// them is a correction of records.
	first, begins, ends bool
	source              string
}

// changesOf reads the steps that a row of a history has.
func changesOf(f feed.Filing, v feed.Row) []change {
	c := change{docket: f.Docket, source: sourceName(f.SetName)}
	if f.SetName == feed.SetAuthorityLog {
		reason := strings.ToUpper(v["reason"])
		c.kind, c.on = typeOf(v["op_auth_type"]), day(v["status_change_date"])
		c.first = strings.HasPrefix(reason, "GRANT")
		c.begins = c.first || strings.HasPrefix(reason, "REINSTAT")
		status := statusOf(v["op_auth_status"])
		c.ends = !c.begins && (status == StatusInactive || status == StatusRevoked || status == StatusSuspended || status == StatusWithdrawn) &&
			!strings.Contains(reason, "CORRECTION")

		return []change{c}
	}
	c.kind = typeOf(v["mod_col_1"])
	began := c
	action := strings.ToUpper(v["original_action_desc"])
	began.on, began.first = day(v["orig_served_date"]), strings.HasPrefix(action, "GRANT")
	began.begins = began.first || strings.HasPrefix(action, "REINSTAT")
	ended := c
	ended.on = cmp.Or(day(v["disp_decided_date"]), day(v["disp_served_date"]))
	disposition := strings.ToUpper(v["disp_action_desc"])
	ended.ends = strings.Contains(disposition, "REVO") && !strings.Contains(disposition, "DISCONTINUED") || strings.Contains(disposition, "SUSPEN")
	ended.begins = strings.HasPrefix(disposition, "REINSTAT")

	return []change{began, ended}
}

// authorityOf says what a carrier may do, of all that is known. The dockets are those of the census, whose status is not kept.
func authorityOf(g gathered, today Date) Authority {
	a := Authority{Source: g.source(feed.SetAuthority), Grants: []Grant{}, Dockets: []DocketStatus{}}
	a.Others = []Source{g.source(feed.SetAuthorityLog), g.source(feed.SetLegacyLog), g.source(feed.SetRevocations)}
	changes := g.changes()
	for _, r := range g.rows[feed.SetAuthority] {
		v := r.Values()
		grant := Grant{
			Type: typeOf(v["op_auth_type"]), Text: v["op_auth_type"], Docket: r.Docket, Status: statusOf(v["op_auth_status"]), Source: sourceName(r.SetName),
		}
		grant.Granted = firstGrant(changes, func(c change) bool { return c.kind == grant.Type && (c.docket == grant.Docket || c.docket == "") }).on
		a.Grants = append(a.Grants, grant)
	}
	a.decide(g)
	first := firstGrant(changes, func(c change) bool { return c.kind == PropertyCarrier || c.kind == HouseholdCarrier })
	a.EarliestGrant, a.GrantSource = first.on, first.source
	a.Reinstated, a.SleptDays = reinstated(changes)
	a.PendingSuspension = pendingOf(g.rows[feed.SetRevocations], changes, a.Grants, today)
	a.listDockets(g, changes)

	return a
}

// decide says whether authorities are active: the sets and the live source complete each other, since no row is not no authority.
func (a *Authority) decide(g gathered) {
	if len(a.Grants) > 0 {
		a.Property = new(hasActive(a.Grants, PropertyCarrier))
		a.Broker = new(hasActive(a.Grants, Broker))
	}
	l := g.live
	if l == nil {
		return
	}
	if !a.Source.Known() || len(a.Grants) == 0 {
		a.Source = g.liveSource
	}
	a.Others = append(a.Others, g.liveSource)
	if l.Common != "" || l.Contract != "" {
		a.Property = new(l.Common == "A" || l.Contract == "A" || a.Property != nil && *a.Property)
	}
	if l.Broker != "" {
		a.Broker = new(l.Broker == "A" || a.Broker != nil && *a.Broker)
	}
}

func hasActive(grants []Grant, kind AuthorityType) bool {
	return slices.ContainsFunc(grants, func(g Grant) bool { return g.Type == kind && g.Status == StatusActive })
}

// firstGrant returns the earliest grant of those that match; the zero change if there is none.
func firstGrant(changes []change, match func(change) bool) change {
	for _, c := range changes {
		if c.first && match(c) {
			return c
		}
	}

	return change{}
}

// reinstated returns when an authority of property was last in force again, and how long none had been.
func reinstated(changes []change) (on Date, slept int) {
	inForce := map[string]bool{}
	var since Date
	for _, c := range changes {
		if c.kind != PropertyCarrier {
			continue
		}
		was := anyTrue(inForce)
		switch {
		case c.begins:
			if !was && since != "" {
				on, slept = c.on, since.daysTo(c.on)
			}
			inForce[c.docket] = true
		case c.ends:
			delete(inForce, c.docket)
			if was && !anyTrue(inForce) {
				since = c.on
			}
		}
	}

	return on, slept
}

func anyTrue(set map[string]bool) bool { return len(set) > 0 }

// noticeDays is for how long a notice whose day has passed still counts, if the authority is active.
const noticeDays = 365

// pendingOf returns the earliest notice that has not been withdrawn.
func pendingOf(rows []feed.Filing, changes []change, grants []Grant, today Date) *Suspension {
	var first *Suspension
	for _, r := range rows {
		v := r.Values()
		s := Suspension{
			Docket: r.Docket, Type: v.First("reason", "op_auth_type"), Served: day(v["serve_date"]), Effective: day(v["effective_date"]), Source: sourceName(r.SetName),
		}
		if s.Effective == "" || s.Effective < today.before(noticeDays) {
			continue
		}
		withdrawn := slices.ContainsFunc(changes, func(c change) bool {
			return c.begins && c.docket == s.Docket && c.on >= max(s.Served, "0") && c.on <= today && s.Served != ""
		})
		over := s.Effective <= today && !slices.ContainsFunc(grants, func(g Grant) bool { return g.Docket == s.Docket && g.Status == StatusActive })
		if withdrawn || over {
			continue
		}
		if first == nil || s.Effective < first.Effective {
			first = &s
		}
	}

	return first
}

// listDockets lists all dockets, and of each whether an authority under it is active.
func (a *Authority) listDockets(g gathered, changes []change) {
	status := map[string]Status{}
	if g.carrier != nil {
		for d := range strings.FieldsSeq(g.carrier.Dockets) {
			status[d] = StatusUnknown
		}
	}
	if g.live != nil {
		for _, d := range g.live.Dockets {
			status[d] = StatusUnknown
		}
	}
	for _, c := range changes {
		switch {
		case c.docket == "":
		case c.begins:
			status[c.docket] = StatusUnknown // a grant of the past says nothing of today
		case c.ends:
			status[c.docket] = StatusRevoked
		}
	}
	for _, grant := range a.Grants {
		if was, ok := status[grant.Docket]; !ok || was != StatusActive {
			status[grant.Docket] = grant.Status
		}
	}
	for d, s := range status {
		if d != "" {
			a.Dockets = append(a.Dockets, DocketStatus{Number: d, Status: s})
		}
	}
	slices.SortFunc(a.Dockets, func(x, y DocketStatus) int {
		active := func(d DocketStatus) int {
			if d.Status == StatusActive {
				return 0
			}

			return 1
		}

		return cmp.Or(cmp.Compare(active(x), active(y)), cmp.Compare(x.Number, y.Number))
	})
}
