package tracking

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/billsoflading/billsofladingapi"
	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/modules/tracking/trackingapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/settings"
	"github.com/dispatchd/dispatchd/platform/web"
)

const (
	micro     = 1_000_000
	mostAhead = 10 * time.Minute
	mostShown = 500
	thinEvery = 24 * time.Hour
)

// deployment is the configuration of the area.
type deployment struct {
	KeepAll time.Duration `config:"keep_all_positions" doc:"How long to keep all positions of a load. After it, one an hour is left."`
}

// Validate reports a setting that cannot work.
func (d deployment) Validate() error {
	if d.KeepAll <= 0 {
		return errors.New("keep_all_positions: want more than 0s")
	}

	return nil
}

// tracker keeps where trucks were.
type tracker struct {
	rows       *repository
	standings  loadsapi.Standings
	views      loadsapi.Views
	places     routeengineapi.Places
	deployment deployment
	settings   *settings.Settings[preferences]
	db         *database.DB
	clock      clock.Clock
}

func newTracker(rows *repository, s loadsapi.Standings, v loadsapi.Views, p routeengineapi.Places, d deployment, kept *settings.Store, db *database.DB, clk clock.Clock) *tracker {
	return &tracker{rows, s, v, p, d, settings.Of(kept, trackingapi.Area, defaults), db, clk}
}

// preferences are how a company lets loads be followed.
type preferences struct {
	Delay     int64  `json:"delay_minutes" minimum:"0" maximum:"1440" doc:"How old positions are that customers see, unless the code says otherwise."`
	Precision string `json:"precision" enum:"exact,city" doc:"Whether customers see where the truck is, or the ZIP code that it is in."`
	Sandbox   bool   `json:"sandbox" doc:"Whether the trucks of loads whose positions nobody reports move straight to their destinations, at 500 miles a day."`
	Version   int64  `json:"version" readOnly:"true" doc:"0 for the settings of a company that has changed none."`
}

// SchemaName is the name of the body in the OpenAPI document.
func (preferences) SchemaName() string { return "TrackingSettings" }

// WithVersion implements settings.Document.
func (p preferences) WithVersion(n int64) preferences {
	p.Version = n

	return p
}

const (
	exact = "exact"
	city  = "city"
)

func defaults() preferences {
	return preferences{Delay: 15, Precision: city} //nolint:mnd // a quarter of an hour
}

var errPosition = errs.New(errs.Invalid, "tracking.invalid_position", "The given data was invalid.")

func settingsRoutes(r *web.Router, t *tracker) {
	settings.Routes(r, t.settings, settings.Operations[preferences]{About: "how customers follow loads"})
}

func positionRoutes(r *web.Router, t *tracker) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/positions", ID: "record_positions", Access: web.Write, Summary: "Record where the truck of a load was",
		Description: "Such as from an electronic logging device; in any order. Of one time, the first position counts. Positions of more than ten minutes ahead are skipped, and those older than keep_all_positions.",
		Errors:      []*errs.Error{errPosition, loadsapi.ErrNotFound},
	}, t.record)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/loads/{uuid}/positions", ID: "list_positions", Access: web.Read, Summary: "List where the truck of a load was",
		Description: "The latest first, 500 at a time; before= has those before a time.", Errors: []*errs.Error{loadsapi.ErrNotFound},
	}, t.list)
}

// positionEntry is where a truck was.
type positionEntry struct {
	At       time.Time      `json:"at"`
	Position field.GeoPoint `json:"position"`
	Accuracy int64          `json:"accuracy_m,omitempty" minimum:"0" maximum:"1000000" doc:"In meters; 0 if it is not known."`
	Speed    int64          `json:"speed_mph,omitempty" minimum:"0" maximum:"200"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (positionEntry) SchemaName() string { return "TrackingPosition" }

type recordInput struct {
	Body struct {
		Load      uuid.UUID       `json:"load_uuid"`
		Source    string          `json:"source,omitempty" maxLength:"40" doc:"Where they come from." example:"eld"`
		Positions []positionEntry `json:"positions" minItems:"1" maxItems:"500" nullable:"false"`
	}
}

type recordOutput struct {
	Body struct {
		Stored  int64 `json:"stored"`
		Known   int64 `json:"known" doc:"There was a position of that time."`
		Skipped int64 `json:"skipped" doc:"They are of the future, or too old."`
	}
}

func (t *tracker) record(ctx context.Context, in *recordInput) (*recordOutput, error) {
	if _, err := t.standings.Standing(ctx, in.Body.Load.String()); err != nil {
		return nil, err
	}
	out := &recordOutput{}
	var rows []position
	for i, p := range in.Body.Positions {
		if p.Position == (field.GeoPoint{}) {
			return nil, errPosition.WithField("positions."+strconv.Itoa(i)+".position", "The position is required.")
		}
		if !t.believes(p.At) {
			out.Body.Skipped++

			continue
		}
		lat, lng := p.Position.Millionths()
		rows = append(rows, position{Load: in.Body.Load, At: p.At, Lat: lat, Lng: lng, Accuracy: p.Accuracy, Speed: p.Speed, Source: in.Body.Source})
	}
	stored, err := t.store(ctx, rows)
	out.Body.Stored, out.Body.Known = stored, int64(len(rows))-stored

	return out, err
}

// believes reports whether a truck may have been somewhere at a time: not in the future, and not before all positions are kept.
func (t *tracker) believes(at time.Time) bool {
	now := t.clock.Now()

	return !at.After(now.Add(mostAhead)) && !at.Before(now.Add(-t.deployment.KeepAll))
}

// store stores positions, and returns how many are new.
func (t *tracker) store(ctx context.Context, rows []position) (int64, error) {
	slices.SortStableFunc(rows, func(a, b position) int { return a.At.Compare(b.At) }) // so that nobody waits for each other
	for i := range rows {
		rows[i].At = rows[i].At.UTC().Truncate(time.Second)
		rows[i].Hour = rows[i].At.Truncate(time.Hour)
	}
	rows = slices.CompactFunc(rows, func(a, b position) bool { return a.At.Equal(b.At) })
	var stored int64
	err := t.db.InTx(ctx, func(ctx context.Context) (err error) {
		stored, err = t.rows.store(ctx, rows)

		return err
	})

	return stored, err
}

// pointOf is a point of millionths of degrees.
func pointOf(lat, lng int64) field.GeoPoint {
	text := func(n int64) json.Number { return json.Number(strconv.FormatFloat(float64(n)/micro, 'f', -1, 64)) }

	return field.GeoPoint{Lat: text(lat), Lng: text(lng)}
}

type listInput struct {
	UUID   uuid.UUID `path:"uuid" format:"uuid"`
	Before time.Time `query:"before" doc:"Only those before this time."`
}

type listOutput struct {
	Body struct {
		Data []positionShown `json:"data" nullable:"false"`
	}
}

// positionShown is where a truck was.
type positionShown struct {
	At       time.Time      `json:"at"`
	Position field.GeoPoint `json:"position"`
	Accuracy int64          `json:"accuracy_m"`
	Speed    int64          `json:"speed_mph"`
	Source   string         `json:"source"`
}

// SchemaName is the name of the body in the OpenAPI document.
func (positionShown) SchemaName() string { return "TrackedPosition" }

func (t *tracker) list(ctx context.Context, in *listInput) (*listOutput, error) {
	if _, err := t.standings.Standing(ctx, in.UUID.String()); err != nil {
		return nil, err
	}
	before := in.Before
	if before.IsZero() {
		before = t.clock.Now().Add(mostAhead + time.Minute)
	}
	rows, err := t.rows.before(ctx, in.UUID, before.UTC(), mostShown)
	if err == nil && len(rows) == 0 {
		rows, err = t.madeUp(ctx, in.UUID, before.UTC(), mostShown)
	}
	out := &listOutput{}
	out.Body.Data = make([]positionShown, len(rows))
	for i, p := range rows {
		out.Body.Data[i] = positionShown{p.At.UTC(), pointOf(p.Lat, p.Lng), p.Accuracy, p.Speed, p.Source}
	}

	return out, err
}

// onLocated keeps where the phones of drivers were.
func (t *tracker) onLocated(ctx context.Context, e billsofladingapi.Located) error {
	var rows []position
	for _, p := range e.Positions {
		at, err := time.Parse(time.RFC3339, p.At)
		if err != nil || !t.believes(at) {
			continue
		}
		rows = append(rows, position{Load: item.ID(e.Load), At: at, Lat: p.Lat, Lng: p.Lng, Accuracy: p.Accuracy, Source: "driver"})
	}
	_, err := t.store(ctx, rows)

	return err
}

// thinArgs are the arguments of the job that thins out old positions.
type thinArgs struct{}

// Kind implements jobs.Args.
func (thinArgs) Kind() string { return "tracking.thin" }

// thin leaves one position an hour of the old ones.
func (t *tracker) thin(ctx context.Context, _ thinArgs) error {
	return t.rows.thin(database.AcrossCompanies(ctx, "old positions are thinned out in all companies"), t.clock.Now().Add(-t.deployment.KeepAll).UTC())
}
