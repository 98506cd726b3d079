package registry

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dispatchd/dispatchd/modules/regulator/internal/feed"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
)

// typeOf reads the type of an authority as any of the sets writes it.
func typeOf(text string) regulatorapi.AuthorityType {
	text = strings.ToUpper(text)
	goods := strings.Contains(text, "HOUSEHOLD") && !strings.Contains(text, "EXCEPT")
	switch {
	case strings.Contains(text, "BROKER") && goods:
		return regulatorapi.HouseholdBroker
	case strings.Contains(text, "BROKER"):
		return regulatorapi.Broker
	case strings.Contains(text, "FORWARDER"):
		return regulatorapi.Forwarder
	case strings.Contains(text, "PASSENGER"):
		return regulatorapi.PassengerCarrier
	case strings.Contains(text, "ENTERPRISE"):
		return regulatorapi.Enterprise
	case goods:
		return regulatorapi.HouseholdCarrier
	case strings.Contains(text, "PROPERTY"), strings.Contains(text, "COMMON"), strings.Contains(text, "CONTRACT"):
		return regulatorapi.PropertyCarrier
	}

	return regulatorapi.OtherAuthority
}

// statusOf reads the status of an authority.
func statusOf(text string) regulatorapi.Status {
	switch strings.ToUpper(strings.TrimSpace(text)) {
	case "ACTIVE", "A", "AUTHORIZED":
		return regulatorapi.StatusActive
	case "INACTIVE", "I", "N", "NONE":
		return regulatorapi.StatusInactive
	case "PENDING", "P":
		return regulatorapi.StatusPending
	case "WITHDRAWN":
		return regulatorapi.StatusWithdrawn
	case "REVOKED":
		return regulatorapi.StatusRevoked
	case "SUSPENDED":
		return regulatorapi.StatusSuspended
	}

	return regulatorapi.StatusUnknown
}

// change is a step in the life of an authority.
type change struct {
	kind   regulatorapi.AuthorityType
	docket string
	on     regulatorapi.Date
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
		c.ends = !c.begins && (status == regulatorapi.StatusInactive || status == regulatorapi.StatusRevoked || status == regulatorapi.StatusSuspended || status == regulatorapi.StatusWithdrawn) &&
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
func authorityOf(g gathered, today regulatorapi.Date) regulatorapi.Authority {
	a := regulatorapi.Authority{Source: g.source(feed.SetAuthority), Grants: []regulatorapi.Grant{}, Dockets: []regulatorapi.DocketStatus{}}
	a.Others = []regulatorapi.Source{g.source(feed.SetAuthorityLog), g.source(feed.SetLegacyLog), g.source(feed.SetRevocations)}
	changes := g.changes()
	for _, r := range g.rows[feed.SetAuthority] {
		v := r.Values()
		grant := regulatorapi.Grant{
			Type: typeOf(v["op_auth_type"]), Text: v["op_auth_type"], Docket: r.Docket, Status: statusOf(v["op_auth_status"]), Source: sourceName(r.SetName),
		}
		grant.Granted = firstGrant(changes, func(c change) bool { return c.kind == grant.Type && (c.docket == grant.Docket || c.docket == "") }).on
		a.Grants = append(a.Grants, grant)
	}
	g.decide(&a)
	first := firstGrant(changes, func(c change) bool {
		return c.kind == regulatorapi.PropertyCarrier || c.kind == regulatorapi.HouseholdCarrier
	})
	a.EarliestGrant, a.GrantSource = first.on, first.source
	a.Reinstated, a.SleptDays = reinstated(changes)
	a.PendingSuspension = pendingOf(g.rows[feed.SetRevocations], changes, a.Grants, today)
	g.listDockets(&a, changes)

	return a
}

// decide says whether authorities are active: the sets and the live source complete each other, since no row is not no authority.
func (g gathered) decide(a *regulatorapi.Authority) {
	if len(a.Grants) > 0 {
		a.Property = new(hasActive(a.Grants, regulatorapi.PropertyCarrier))
		a.Broker = new(hasActive(a.Grants, regulatorapi.Broker))
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

func hasActive(grants []regulatorapi.Grant, kind regulatorapi.AuthorityType) bool {
	return slices.ContainsFunc(grants, func(g regulatorapi.Grant) bool { return g.Type == kind && g.Status == regulatorapi.StatusActive })
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
func reinstated(changes []change) (on regulatorapi.Date, slept int) {
	inForce := map[string]bool{}
	var since regulatorapi.Date
	for _, c := range changes {
		if c.kind != regulatorapi.PropertyCarrier {
			continue
		}
		was := anyTrue(inForce)
		switch {
		case c.begins:
			if !was && since != "" {
				on, slept = c.on, daysBetween(since, c.on)
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
func pendingOf(rows []feed.Filing, changes []change, grants []regulatorapi.Grant, today regulatorapi.Date) *regulatorapi.Suspension {
	var first *regulatorapi.Suspension
	for _, r := range rows {
		v := r.Values()
		s := regulatorapi.Suspension{
			Docket: r.Docket, Type: v.First("reason", "op_auth_type"), Served: day(v["serve_date"]), Effective: day(v["effective_date"]), Source: sourceName(r.SetName),
		}
		if s.Effective == "" || s.Effective < before(today, noticeDays) {
			continue
		}
		withdrawn := slices.ContainsFunc(changes, func(c change) bool {
			return c.begins && c.docket == s.Docket && c.on >= max(s.Served, "0") && c.on <= today && s.Served != ""
		})
		over := s.Effective <= today && !slices.ContainsFunc(grants, func(g regulatorapi.Grant) bool { return g.Docket == s.Docket && g.Status == regulatorapi.StatusActive })
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
func (g gathered) listDockets(a *regulatorapi.Authority, changes []change) {
	status := map[string]regulatorapi.Status{}
	if g.carrier != nil {
		for d := range strings.FieldsSeq(g.carrier.Dockets) {
			status[d] = regulatorapi.StatusUnknown
		}
	}
	if g.live != nil {
		for _, d := range g.live.Dockets {
			status[d] = regulatorapi.StatusUnknown
		}
	}
	for _, c := range changes {
		switch {
		case c.docket == "":
		case c.begins:
			status[c.docket] = regulatorapi.StatusUnknown // a grant of the past says nothing of today
		case c.ends:
			status[c.docket] = regulatorapi.StatusRevoked
		}
	}
	for _, grant := range a.Grants {
		if was, ok := status[grant.Docket]; !ok || was != regulatorapi.StatusActive {
			status[grant.Docket] = grant.Status
		}
	}
	for d, s := range status {
		if d != "" {
			a.Dockets = append(a.Dockets, regulatorapi.DocketStatus{Number: d, Status: s})
		}
	}
	slices.SortFunc(a.Dockets, func(x, y regulatorapi.DocketStatus) int {
		active := func(d regulatorapi.DocketStatus) int {
			if d.Status == regulatorapi.StatusActive {
				return 0
			}

			return 1
		}

		return cmp.Or(cmp.Compare(active(x), active(y)), cmp.Compare(x.Number, y.Number))
	})
}
