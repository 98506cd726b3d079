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
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/item"
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

// journal keeps where trucks were.
type journal struct {
	rows       *repository
	deployment deployment
	db         *database.DB
	clock      clock.Clock
}

func newJournal(rows *repository, d deployment, db *database.DB, clk clock.Clock) *journal {
	return &journal{rows, d, db, clk}
}

var errPosition = errs.New(errs.Invalid, "tracking.invalid_position", "The given data was invalid.")

// positions are what is recorded and read of where trucks were.
type positions struct {
	journal  *journal
	journeys *journeys
	trail    *trail
}

func newPositions(j *journal, loads *journeys, t *trail) *positions { return &positions{j, loads, t} }

func positionRoutes(r *web.Router, p *positions) {
	web.Register(r, web.Operation{
		Method: http.MethodPost, Path: "/positions", ID: "record_positions", Access: web.Write, Summary: "Record where the truck of a load was",
		Description: "Such as from an electronic logging device; in any order. Of one time, the first position counts. Positions of more than ten minutes ahead are skipped, and those older than keep_all_positions.",
		Errors:      []*errs.Error{errPosition, loadsapi.ErrNotFound},
	}, p.record)
	web.Register(r, web.Operation{
		Method: http.MethodGet, Path: "/loads/{uuid}/positions", ID: "list_positions", Access: web.Read, Summary: "List where the truck of a load was",
		Description: "The latest first, 500 at a time; before= has those before a time.", Errors: []*errs.Error{loadsapi.ErrNotFound},
	}, p.list)
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

func (s *positions) record(ctx context.Context, in *recordInput) (*recordOutput, error) {
	if _, err := s.journeys.standing(ctx, in.Body.Load); err != nil {
		return nil, err
	}
	out := &recordOutput{}
	var rows []position
	for i, p := range in.Body.Positions {
		if p.Position == (field.GeoPoint{}) {
			return nil, errPosition.WithField("positions."+strconv.Itoa(i)+".position", "The position is required.")
		}
		if !s.journal.believes(p.At) {
			out.Body.Skipped++

			continue
		}
		lat, lng := p.Position.Millionths()
		rows = append(rows, position{Load: in.Body.Load, At: p.At, Lat: lat, Lng: lng, Accuracy: p.Accuracy, Speed: p.Speed, Source: in.Body.Source})
	}
	stored, err := s.journal.store(ctx, rows)
	out.Body.Stored, out.Body.Known = stored, int64(len(rows))-stored

	return out, err
}

// believes reports whether a truck may have been somewhere at a time: not in the future, and not before all positions are kept.
func (j *journal) believes(at time.Time) bool {
	now := j.clock.Now()

	return !at.After(now.Add(mostAhead)) && !at.Before(now.Add(-j.deployment.KeepAll))
}

// store stores positions, and returns how many are new.
func (j *journal) store(ctx context.Context, rows []position) (int64, error) {
	slices.SortStableFunc(rows, func(a, b position) int { return a.At.Compare(b.At) }) // so that nobody waits for each other
	for i := range rows {
		rows[i].At = rows[i].At.UTC().Truncate(time.Second)
		rows[i].Hour = rows[i].At.Truncate(time.Hour)
	}
	rows = slices.CompactFunc(rows, func(a, b position) bool { return a.At.Equal(b.At) })
	var stored int64
	err := j.db.InTx(ctx, func(ctx context.Context) (err error) {
		stored, err = j.rows.store(ctx, rows)

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

func (s *positions) list(ctx context.Context, in *listInput) (*listOutput, error) {
	if _, err := s.journeys.standing(ctx, in.UUID); err != nil {
		return nil, err
	}
	rows, err := s.trail.before(ctx, in.UUID, in.Before)
	out := &listOutput{}
	out.Body.Data = make([]positionShown, len(rows))
	for i, p := range rows {
		out.Body.Data[i] = positionShown{p.At.UTC(), pointOf(p.Lat, p.Lng), p.Accuracy, p.Speed, p.Source}
	}

	return out, err
}

// onLocated keeps where the phones of drivers were.
func (j *journal) onLocated(ctx context.Context, e billsofladingapi.Located) error {
	var rows []position
	for _, p := range e.Positions {
		at, err := time.Parse(time.RFC3339, p.At)
		if err != nil || !j.believes(at) {
			continue
		}
		rows = append(rows, position{Load: item.ID(e.Load), At: at, Lat: p.Lat, Lng: p.Lng, Accuracy: p.Accuracy, Source: "driver"})
	}
	_, err := j.store(ctx, rows)

	return err
}

// thinArgs are the arguments of the job that thins out old positions.
type thinArgs struct{}

// Kind implements jobs.Args.
func (thinArgs) Kind() string { return "tracking.thin" }

// thin leaves one position an hour of the old ones.
func (j *journal) thin(ctx context.Context, _ thinArgs) error {
	return j.rows.thin(database.AcrossCompanies(ctx, "old positions are thinned out in all companies"), j.clock.Now().Add(-j.deployment.KeepAll).UTC())
}
