package feed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/config"
	"github.com/dispatchd/dispatchd/platform/outbound"
)

// OpenDataURL is the address of the regulator's sets.
const OpenDataURL = "https://data.transportation.gov/resource"

const (
	// fetchPage is how many rows are asked for at once: without a limit, the open data leave out the rest without a word.
	fetchPage = 1000
	// mostFetched is how many rows a daily difference may have: an answer that never ends is none.
	mostFetched  = 1_000_000
	fetchTimeout = 30 * time.Second
	maxPage      = 8 << 20
	// fetchEvery is how old a difference may be until it is fetched again. The regulator publishes one each day.
	fetchEvery = 20 * time.Hour
)

// differences are the ids of the daily differences at the open data, by the names of the sets.
var differences = map[string]string{
	SetAuthority: "nakq-58th", SetAuthorityLog: "dm5j-zc6c", SetInsurance: "x96h-evps", SetInsuranceEnds: "xe5s-wca7", SetRevocations: "e67p-xyd5",
}

// FetchSettings say whether and where the daily differences are fetched.
type FetchSettings struct {
	On bool
	// URL is the address of the sets, "" for that of the regulator.
	URL string
	// Token is an application token, "" for none.
	Token config.Secret
	// RetryAfter is how long a set that could not be fetched is left alone.
	RetryAfter time.Duration
}

// Fetcher fetches the daily differences of the sets that were imported.
type Fetcher struct {
	settings   FetchSettings
	repository *Repository
	importer   *Importer
	clock      clock.Clock
	api        *outbound.API
}

// NewFetcher returns a fetcher; it does no I/O.
func NewFetcher(s FetchSettings, repository *Repository, importer *Importer, clk clock.Clock, network *outbound.Network) (*Fetcher, error) {
	client, err := network.Client(outbound.Spec{Name: "carriers.regulator_fetch", Timeout: fetchTimeout, MaxAnswer: maxPage})
	if err != nil {
		return nil, err
	}
	address := OpenDataURL
	if s.URL != "" {
		address = s.URL
	}
	api, err := client.API(address)

	return &Fetcher{settings: s, repository: repository, importer: importer, clock: clk, api: api}, err
}

// FetchArgs are the job that fetches the daily differences.
type FetchArgs struct{}

// Kind implements jobs.Args.
func (FetchArgs) Kind() string { return "carriers.regulator_fetch" }

// Fetched is what came of fetching a difference.
type Fetched struct {
	Set    string
	Report Report
	// Err is why it failed; what the set had before stays.
	Err error
}

// Run is that job. It fetches what is due.
func (f *Fetcher) Run(ctx context.Context, _ FetchArgs) error {
	if !f.settings.On {
		return nil
	}
	_, err := f.fetch(ctx, f.due)

	return err
}

// All fetches the differences of all sets that were imported.
func (f *Fetcher) All(ctx context.Context) ([]Fetched, error) {
	return f.fetch(ctx, func(State) bool { return true })
}

func (f *Fetcher) due(s State) bool {
	now := f.clock.Now()
	if s.FailedAt != nil {
		return now.Sub(*s.FailedAt) >= f.settings.RetryAfter
	}

	return s.ImportedAt == nil || now.Sub(*s.ImportedAt) >= fetchEvery
}

// fetch fetches the differences that are wanted, of sets that were imported: of others, a difference says too little. The failure of one
// does not keep the others from being fetched.
func (f *Fetcher) fetch(ctx context.Context, wanted func(State) bool) ([]Fetched, error) {
	var all []Fetched
	for _, kept := range slices.Sorted(maps.Keys(differences)) {
		whole, err := f.repository.state(ctx, kept)
		if err != nil {
			return all, err
		}
		s, err := f.repository.state(ctx, kept+differenceSuffix)
		if err != nil {
			return all, err
		}
		if !whole.Read() || !wanted(s) {
			continue
		}
		report, failure := f.one(ctx, s, differences[kept])
		if ctx.Err() != nil {
			return all, ctx.Err()
		}
		all = append(all, Fetched{s.SetName, report, failure})
		if failure != nil {
			if err := f.fail(ctx, s.SetName, failure); err != nil {
				return all, err
			}
		}
	}

	return all, nil
}

// one fetches a difference, unless it is the one that was imported last.
func (f *Fetcher) one(ctx context.Context, s State, id string) (Report, error) {
	kept := s.SetName[:len(s.SetName)-len(differenceSuffix)]
	p := &pages{api: f.api, id: id, set: sets[kept], token: f.settings.Token, modified: f.clock.Now().UTC().Truncate(24 * time.Hour)} //nolint:mnd // a day
	if err := p.load(ctx); err != nil {
		return Report{}, err
	}
	if s.State == StateComplete && s.AsOf != nil && s.AsOf.Equal(p.modified) {
		return Report{}, f.unchanged(ctx, s)
	}
	if s.State == StateImporting && s.NextAsOf != nil && s.NextAsOf.Equal(p.modified) && s.ReadOffset > int64(len(p.rows)) {
		p.rows, p.at = nil, s.ReadOffset
	}
	r, err := f.importer.newRun(Import{Set: s.SetName, AsOf: p.modified})
	if err != nil {
		return Report{}, err
	}

	return r.run(ctx, p)
}

// unchanged notes that a difference is still the one that was imported last.
func (f *Fetcher) unchanged(ctx context.Context, s State) error {
	now, before := f.clock.Now().UTC(), s
	s.ImportedAt, s.FailedAt, s.Why = &now, nil, ""

	return f.repository.inTx(ctx, func(ctx context.Context) error { return f.repository.putState(ctx, s, before) })
}

// fail notes why a difference could not be fetched. What was imported before stays.
func (f *Fetcher) fail(ctx context.Context, name string, failure error) error {
	s, err := f.repository.state(ctx, name)
	if err != nil {
		return err
	}
	now, before := f.clock.Now().UTC(), s
	s.FailedAt, s.Why = &now, failure.Error()

	return f.repository.inTx(ctx, func(ctx context.Context) error { return f.repository.putState(ctx, s, before) })
}

// pages are the rows of a set at the open data, page by page. They are the source of an import; a place is the number of a row.
type pages struct {
	api   *outbound.API
	id    string
	set   set
	token config.Secret
	// modified is when the set was last changed, as the first page says.
	modified time.Time
	loaded   bool
	rows     []Object
	at       int64
}

// Why a set could not be fetched, beside the errors of outbound.
var (
	ErrTooMany = errors.New("too many requests: it asks to wait")
	ErrBadKey  = errors.New("the key is refused")
	ErrNotJSON = errors.New("the answer is not JSON")

	errChanged  = errors.New("the set changed while it was fetched")
	errEndless  = errors.New("the set does not end")
	errOtherSet = errors.New("the rows are those of another set")
)

// columns implements source.
func (p *pages) columns() []string { return p.set.head() }

// place implements source.
func (p *pages) place() int64 { return p.at }

// next implements source.
func (p *pages) next(ctx context.Context) ([]string, error) {
	if len(p.rows) == 0 {
		if err := p.load(ctx); err != nil {
			return nil, err
		}
		if len(p.rows) == 0 {
			return nil, io.EOF
		}
	}
	o := p.rows[0]
	p.rows, p.at = p.rows[1:], p.at+1

	return p.set.cells(o), nil
}

// load reads the page at the current place. The end is an empty page: one with fewer rows than were asked for may have been cut.
func (p *pages) load(ctx context.Context) error {
	if p.at >= mostFetched {
		return errEndless
	}
	header := http.Header{}
	if p.token != "" {
		header.Set("X-App-Token", p.token.Reveal())
	}
	var rows []Object
	answer, err := p.api.Call(ctx, outbound.Request{
		Method: http.MethodGet, Path: p.id + ".json", Header: header, Repeat: outbound.RepeatIdempotent(),
		Query: url.Values{"$limit": {strconv.Itoa(fetchPage)}, "$offset": {strconv.FormatInt(p.at, 10)}, "$order": {":id"}},
	}, &rows)
	if err != nil {
		return ReasonOf(err)
	}
	if i := slices.IndexFunc(rows, func(o Object) bool { return !p.set.knows(o) }); i >= 0 {
		return fmt.Errorf("row %d: %w", p.at+int64(i), errOtherSet)
	}
	if modified, err := http.ParseTime(answer.Header.Get("Last-Modified")); err == nil { // not every answer has one
		if p.loaded && !modified.Equal(p.modified) {
			return errChanged
		}
		p.modified = modified.UTC()
	}
	p.rows, p.loaded = rows, true

	return nil
}

// ReasonOf returns what may be shown of a failed call to the regulator.
func ReasonOf(err error) error {
	failure, ok := errors.AsType[*outbound.Error](err)
	switch {
	case !ok:
		return errors.New("it could not be asked")
	case failure.Status == http.StatusTooManyRequests:
		return ErrTooMany
	case failure.Status == http.StatusUnauthorized, failure.Status == http.StatusForbidden:
		return ErrBadKey
	case failure.Reason == outbound.NotJSON:
		return ErrNotJSON
	}

	return failure
}
