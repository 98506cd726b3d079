package registry

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dispatchd/dispatchd/modules/regulator/internal/feed"
	"github.com/dispatchd/dispatchd/modules/regulator/regulatorapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/fmcsa"
)

// Registry answers what is known of carriers. It never waits for a vendor. It may be used from several goroutines.
type Registry struct {
	settings   Settings
	repository *repository
	sets       *feed.Repository
	clock      clock.Clock
	refreshes  *Refreshes
	sandbox    *sandbox
}

// New returns the registry of a database; it does no I/O.
func New(s Settings, db *database.DB, clk clock.Clock, refreshes *Refreshes) *Registry {
	r := &Registry{settings: s, repository: newRepository(db), sets: feed.NewRepository(db), clock: clk, refreshes: refreshes}
	if s.Adapter == AdapterSandbox {
		r.sandbox = newSandbox()
	}

	return r
}

// Find returns all that is known of a USDOT number, and has it refreshed in the background if it is old. ErrNotInRegistry is only for a number
// that was not given out; where that cannot be said, the facts are unavailable.
func (r *Registry) Find(ctx context.Context, usdot int64) (regulatorapi.Facts, error) {
	return r.find(ctx, usdot, true)
}

// Peek is Find that has nothing refreshed: strangers do not make the service ask a vendor.
func (r *Registry) Peek(ctx context.Context, usdot int64) (regulatorapi.Facts, error) {
	return r.find(ctx, usdot, false)
}

func (r *Registry) find(ctx context.Context, usdot int64, refresh bool) (regulatorapi.Facts, error) {
	g, err := r.gather(ctx, usdot, refresh)
	if err != nil {
		return regulatorapi.Facts{}, err
	}
	f := assemble(g, today(r.clock.Now()))
	if !g.exists() && f.Identity.Source.Outcome == regulatorapi.None {
		return regulatorapi.Facts{}, regulatorapi.ErrNotInRegistry
	}

	return f, nil
}

// FindDocket is Find for the carrier that has a docket, such as MC-123456. Facts of the USDOT number 0 say that the sets that have dockets
// were not imported.
func (r *Registry) FindDocket(ctx context.Context, docket string) (regulatorapi.Facts, error) {
	if r.sandbox != nil {
		usdot, ok := r.sandbox.usdotOf(docket)
		if !ok {
			return regulatorapi.Facts{}, regulatorapi.ErrNotInRegistry
		}

		return r.Find(ctx, usdot)
	}
	usdot, err := r.repository.usdotOf(ctx, docket, strings.ToLower(docket))
	if err != nil {
		return regulatorapi.Facts{}, err
	}
	if usdot > 0 {
		return r.Find(ctx, usdot)
	}
	states, err := r.states(ctx)
	if err != nil {
		return regulatorapi.Facts{}, err
	}
	if census, authority := states[feed.SetCensus], states[feed.SetAuthority]; census.Read() && authority.Read() {
		return regulatorapi.Facts{}, regulatorapi.ErrNotInRegistry
	}

	return assemble(gathered{states: map[string]feed.State{}}, today(r.clock.Now())), nil
}

// Sandbox reports whether the carriers are invented.
func (r *Registry) Sandbox() bool { return r.sandbox != nil }

// exists reports whether any source has the number.
func (g gathered) exists() bool { return g.carrier != nil || g.live != nil || len(g.rows) > 0 }

func (r *Registry) states(ctx context.Context) (map[string]feed.State, error) {
	rows, err := r.sets.States(ctx)
	if err != nil {
		return nil, err
	}
	states := make(map[string]feed.State, len(rows))
	for _, s := range rows {
		states[s.SetName] = s
	}

	return states, nil
}

// gather reads all that there is of a number, in six statements at most.
func (r *Registry) gather(ctx context.Context, usdot int64, refresh bool) (gathered, error) {
	if r.sandbox != nil {
		return r.sandbox.gather(usdot, r.clock.Now()), nil
	}
	g := gathered{usdot: usdot, rows: map[string][]feed.Filing{}, adapter: r.settings.live()}
	var err error
	if g.states, err = r.states(ctx); err != nil {
		return g, err
	}
	carriers, err := r.sets.Carriers(ctx, []int64{usdot})
	if err != nil {
		return g, err
	}
	rows, err := r.repository.rowsOf(ctx, usdot)
	if err != nil {
		return g, err
	}
	for _, row := range rows {
		g.rows[row.SetName] = append(g.rows[row.SetName], row)
	}
	if len(carriers) > 0 {
		g.carrier = &carriers[0]
		if err := r.count(ctx, &g); err != nil {
			return g, err
		}
	}

	return g, r.addLive(ctx, &g, refresh)
}

// count adds how many carriers share contacts.
func (r *Registry) count(ctx context.Context, g *gathered) error {
	contacts := g.carrier.Contacts()
	counts, err := r.repository.shared(ctx, contacts.Phone, contacts.Email, contacts.Address)
	of := func(contact int64) int {
		switch {
		case contact == 0:
			return 0
		case counts[contact] == 0:
			return 1
		}

		return counts[contact]
	}
	g.samePhone, g.sameEmail, g.sameAddress = of(contacts.Phone), of(contacts.Email), of(contacts.Address)

	return err
}

const (
	// leastTyped is how many characters of a name there must be: fewer are found too often.
	leastTyped = 2
	mostFound  = 50
	// perMatch is how many entries are read for a match: a carrier may be found by several of its names.
	perMatch = 3
)

// Lookup returns up to limit carriers, and 50, whose name has a word from which on it begins with q, or whose USDOT number or docket
// begins with it; of one state, if that is not "". The order is that of the names.
func (r *Registry) Lookup(ctx context.Context, q, state string, limit int) ([]Match, error) {
	limit, state = min(max(limit, 1), mostFound), strings.ToUpper(strings.TrimSpace(state))
	if r.sandbox != nil {
		return r.sandbox.lookup(q, state, limit), nil
	}
	var rows []feed.CarrierRow
	var err error
	number, err := fmcsa.ParseNumber(q)
	switch {
	case err == nil && number.Kind == fmcsa.KindDocket:
		rows, err = r.repository.lookup(ctx, strings.ToLower(number.String()), state, limit*perMatch)
	case err == nil:
		rows, err = r.lookupUSDOT(ctx, number.USDOT.Number, state, limit)
	case errors.Is(err, fmcsa.ErrAmbiguous):
		rows, err = r.lookupDigits(ctx, q, state, limit)
	default:
		begin := feed.Typed(feed.Folded(feed.Decoded(q)))
		if len([]rune(begin)) < leastTyped {
			return []Match{}, nil
		}
		rows, err = r.repository.lookup(ctx, begin, state, limit*perMatch)
	}
	if err != nil {
		return nil, err
	}

	return matchesOf(rows, limit)
}

// lookupDigits finds USDOT numbers first, then dockets of the prefix MC, then names that begin with digits.
func (r *Registry) lookupDigits(ctx context.Context, q, state string, limit int) ([]feed.CarrierRow, error) {
	usdot, err := fmcsa.ParseUSDOT(q)
	if err != nil {
		return nil, err
	}
	rows, err := r.lookupUSDOT(ctx, usdot.Number, state, limit)
	for _, begin := range []string{"mc-" + usdot.String(), usdot.String()} {
		if err != nil || len(rows) >= limit || len(begin) < leastTyped {
			break
		}
		var more []feed.CarrierRow
		more, err = r.repository.lookup(ctx, begin, state, limit*perMatch)
		rows = append(rows, more...)
	}

	return rows, err
}

// lookupUSDOT finds a number, and those that begin with it: a range for each number of digits.
func (r *Registry) lookupUSDOT(ctx context.Context, number int64, state string, limit int) ([]feed.CarrierRow, error) {
	from, to := rangesOf(number)

	return r.repository.lookupNumbers(ctx, from, to, state, limit)
}

// mostUSDOT is the greatest number there can be.
const mostUSDOT = 99_999_999

// rangesOf returns the ranges of the numbers that begin with one: 12, 120 to 129, 1200 to 1299 …
func rangesOf(number int64) (from, to []int64) {
	for scale := int64(1); number*scale <= mostUSDOT; scale *= 10 {
		from, to = append(from, number*scale), append(to, min(number*scale+scale-1, math.MaxInt64))
	}

	return from, to
}

// matchesOf returns each carrier once, in the order in which it was found.
func matchesOf(rows []feed.CarrierRow, limit int) ([]Match, error) {
	matches := make([]Match, 0, limit)
	for _, row := range rows {
		if len(matches) == limit {
			break
		}
		if slices.ContainsFunc(matches, func(m Match) bool { return m.USDOT == row.USDOT }) {
			continue
		}
		c, err := row.Carrier()
		if err != nil {
			return nil, err
		}
		matches = append(matches, matchOf(c))
	}

	return matches, nil
}

func matchOf(c feed.Carrier) Match {
	cargo := strings.Fields(c.Cargo)

	return Match{
		USDOT: c.USDOT, LegalName: c.LegalName, DBA: c.DBA, City: c.PhysicalCity, State: c.PhysicalState, Dockets: dockets(c.Dockets),
		Active: statusOf(c.Status) == regulatorapi.StatusActive, CarHauler: slices.Contains(cargo, "motoveh") || slices.Contains(cargo, "drivetow"),
	}
}

func dockets(text string) []string { return append([]string{}, strings.Fields(text)...) }

// Status returns how well the data are.
func (r *Registry) Status(ctx context.Context) (regulatorapi.Health, error) {
	h := regulatorapi.Health{Adapter: string(r.settings.Adapter), OK: true, Sets: []regulatorapi.SetState{}}
	if r.sandbox != nil {
		now := r.clock.Now().UTC()
		h.Rows, h.AsOf = sandboxCarriers, &now

		return h, nil
	}
	states, err := r.sets.States(ctx)
	if err != nil {
		return h, err
	}
	for _, s := range states {
		h.Sets = append(h.Sets, regulatorapi.SetState{Set: s.SetName, State: s.State, Rows: s.RowCount, AsOf: s.AsOf, Imported: s.ImportedAt, Offset: s.ReadOffset, Broken: s.Broken, Failed: s.FailedAt, Why: s.Why})
		if s.FailedAt != nil {
			h.OK, h.Why = false, s.SetName+" was not fetched: "+s.Why
		}
		if s.SetName == feed.SetCensus {
			h.Rows, h.AsOf = s.RowCount, s.AsOf
		}
	}
	if h.AsOf == nil && r.settings.live() == "" {
		h.OK, h.Why = false, "The census has not been imported: run dispatchd carriers regulator import --set=census FILE."
	}
	if live := r.settings.live(); live != "" {
		var why string
		if h.LastAnswer, h.LastFailure, why, err = r.repository.lastAnswers(ctx, live); err != nil {
			return h, err
		}
		if h.LastFailure != nil && (h.LastAnswer == nil || h.LastFailure.After(*h.LastAnswer)) {
			h.OK, h.Why = false, why
		}
	}

	return h, nil
}

// text writes a USDOT number.
func text(usdot int64) string { return strconv.FormatInt(usdot, 10) }
