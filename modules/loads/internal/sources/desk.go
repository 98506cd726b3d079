package sources

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/loads/loadsapi"
	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/field"
	"github.com/dispatchd/dispatchd/platform/intake"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/resource"
	"github.com/dispatchd/dispatchd/platform/share"
)

// Loads are what the intake needs of loads.
type Loads interface {
	// Make makes a load of a request, within the transaction of ctx: a lead if all is there that a lead needs, and else a draft.
	Make(ctx context.Context, r Request) (Made, error)
	// Find returns a load. Error: loadsapi.ErrNotFound.
	Find(ctx context.Context, id uuid.UUID) (Made, error)
	// ByNumber returns the load with a number, false if there is none.
	ByNumber(ctx context.Context, number string) (Made, bool, error)
	// Reply sends the link to a load's page for a source, within the transaction of ctx; whom no channel of the company reaches gets none. Errors:
	// share.OutsiderErrors.
	Reply(ctx context.Context, source, id uuid.UUID, to share.Recipient) error
	// Allow counts a request that a source sends by a key, within the transaction of ctx. Error: link.ErrTooOften.
	Allow(ctx context.Context, source uuid.UUID) error
	// Says returns what a load says, by the fields of requests.
	Says(ctx context.Context, id uuid.UUID) (map[intake.Field]string, error)
}

// Made is a load.
type Made struct {
	ID     uuid.UUID
	Number string
	State  loadsapi.State
	// Problem says what of a request could not be stored, "" for nothing.
	Problem string
}

// Problem is what a refusal says to people.
func Problem(refusal error) string {
	e, ok := errors.AsType[*errs.Error](refusal)
	if !ok {
		return ""
	}
	var texts []string
	for _, at := range slices.Sorted(maps.Keys(e.Fields)) {
		texts = append(texts, e.Fields[at]...)
	}
	const most = 500

	return Cut(cmp.Or(strings.Join(texts, " "), e.Message), most)
}

// Request is what was understood of a request. What is not sure enough is left out.
type Request struct {
	Source     uuid.UUID
	SourceKind string
	At         time.Time
	Assigned   *uuid.UUID
	Name       string
	Email      string
	Phone      string
	From, To   *intake.Place
	Vehicles   []intake.Car
	Transport  string
	Day        field.Date
	// Notes are for people, Original is what a draft has beside.
	Notes, Original string
	// Broken says that the request breaks off, so that people are to look at what was read of it.
	Broken bool
	// Least is how sure a vehicle must be, from 0 to 1.
	Least float64
}

// Names reports whether a refusal names a field that begins so.
func Names(refusal error, begin string) bool {
	e, ok := errors.AsType[*errs.Error](refusal)

	return ok && slices.ContainsFunc(slices.Collect(maps.Keys(e.Fields)), func(at string) bool { return strings.HasPrefix(at, begin) })
}

// Desk makes loads of requests that come from outside. What cannot be understood is a draft, which somebody reviews: nothing is lost.
type Desk struct {
	loads   Loads
	sources *resource.Resource[Source]
	rows    repository
	queue   *jobs.Queue
	db      *database.DB
	clock   clock.Clock
}

// NewDesk returns a Desk.
func NewDesk(loads Loads, sources *resource.Resource[Source], q *jobs.Queue, db *database.DB, c clock.Clock) *Desk {
	return &Desk{loads, sources, repository{db}, q, db, c}
}

const (
	// mostKept is how much of the original is kept, in characters: all that operations take. mostShown is how much of it lists have, and is kept
	// with each further row of a table.
	mostKept, mostShown = 1 << 20, 16 << 10
	// mostName is how long a name is, in characters.
	mostName = 200
)

var errInactive = errs.New(errs.Conflict, "loads.source_inactive", "The source is not active. Activate it first.")

// taken is what became of a request.
type taken struct {
	Made

	Repeat bool
}

// take makes loads of what a source has sent, in one transaction. What was sent before is its load.
func (s *Desk) take(ctx context.Context, from uuid.UUID, format intake.Format, text string) ([]taken, error) {
	var all []taken
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		all = nil
		if err := s.sources.Hold(ctx, from); err != nil { // of two requests at a time, one is known again
			return err
		}
		of, err := s.sources.Find(ctx, from)
		if err != nil {
			return err
		}
		if !of.Active {
			return errInactive
		}
		inquiries, letter, unreadable := intake.Read(format, text, of.own())
		if len(inquiries) == 0 {
			inquiries = []intake.Inquiry{intake.From(nil, nil)}
		}
		for i, q := range inquiries {
			kept := mostKept
			if i > 0 { // the first one has all of it, and what is attached
				kept, letter.Attached = mostShown, nil
			}
			r := received{ID: database.NewID(), SourceID: from, Format: format, Original: Cut(text, kept), At: s.clock.Now(), MessageID: letter.ID}
			r.Found.V, r.Letter.V = q, letter
			if unreadable != nil {
				r.Problem = unreadable.Error()
			}
			one, err := s.one(ctx, of, r, intake.KeyOf(letter, q, text, i))
			if err != nil {
				return err
			}
			all = append(all, one)
		}

		return nil
	})

	return all, err
}

// takeLimited is take for a source that sends by itself, as often as it may. Errors: those of take, link.ErrTooOften.
func (s *Desk) takeLimited(ctx context.Context, from uuid.UUID, format intake.Format, text string) (all []taken, err error) {
	err = s.db.InTx(ctx, func(ctx context.Context) error {
		if err := s.loads.Allow(ctx, from); err != nil {
			return err
		}
		all, err = s.take(ctx, from, format, text)

		return err
	})

	return all, err
}

// one makes a load of one request, or finds the one that it is about.
func (s *Desk) one(ctx context.Context, of Source, r received, key intake.Key) (taken, error) {
	r.Key = key.Text
	known, err := s.rows.receivedBefore(ctx, of.ID, key.Text, r.At.Add(-key.Window))
	if err == nil {
		made, err := s.loads.Find(ctx, known.LoadID)
		if err == nil || !errors.Is(err, loadsapi.ErrNotFound) {
			return taken{made, true}, err
		}
	} else if !errors.Is(err, errNeverReceived) {
		return taken{}, err
	}
	made, found, err := s.answered(ctx, r.Letter.V)
	if err == nil && !found {
		if made, err = s.loads.Make(ctx, r.request(of)); err == nil {
			err = s.reply(ctx, of, r, made)
		}
	}
	if err != nil {
		return taken{}, err
	}
	r.LoadID, r.Problem = made.ID, strings.TrimSpace(r.Problem+" "+made.Problem)
	made.Problem = r.Problem
	if err := s.rows.receive(ctx, r); err != nil || len(r.Letter.V.Attached) == 0 {
		return taken{Made: made}, err
	}

	return taken{Made: made}, s.queue.Enqueue(ctx, KeepFiles{r.ID})
}

// reply sends the page of a new lead to who asked, if its source says so. What a program has sent is not answered: two would go on for ever.
func (s *Desk) reply(ctx context.Context, of Source, r received, made Made) error {
	if !of.Reply || made.State != loadsapi.Lead || r.Letter.V.Bulk {
		return nil
	}
	to := share.Recipient{Channel: "email", Address: r.Found.V.Value(intake.Email)}
	if to.Address == "" {
		to = share.Recipient{Channel: "sms", Address: r.Found.V.Value(intake.Phone)}
	}
	err := s.db.Savepoint(ctx, func(ctx context.Context) error { return s.loads.Reply(ctx, of.ID, made.ID, to) })
	if errs.IsRefusal(err) {
		return nil // it is no address, or too many were answered: people see what was sent
	}

	return err
}

// answered is the load that a mail is about: one whose number is in its subject, or that came with a mail that it answers.
func (s *Desk) answered(ctx context.Context, l intake.Letter) (Made, bool, error) {
	if number := l.Reference(); number != "" {
		if made, found, err := s.loads.ByNumber(ctx, number); err != nil || found {
			return made, found, err
		}
	}
	id, err := s.rows.loadOfMessages(ctx, l.Answers)
	if errors.Is(err, errNeverReceived) {
		return Made{}, false, nil
	}
	if err != nil {
		return Made{}, false, err
	}
	made, err := s.loads.Find(ctx, id)
	if errors.Is(err, loadsapi.ErrNotFound) {
		return made, false, nil
	}

	return made, err == nil, err
}

// request is what was understood of a request, as surely as its source asks for.
func (r received) request(of Source) Request {
	q := r.Found.V
	const percent = 100
	least := float64(of.Threshold) / percent
	made := Request{
		Source: of.ID, SourceKind: of.Kind, At: r.At, Assigned: of.Assigned, Vehicles: q.Cars, Least: least, Broken: r.Problem != "",
		Transport: cmp.Or(q.TransportType(), of.Transport, "open"), Day: q.AvailableFrom(), Notes: strings.TrimSpace(q.Value(intake.Notes) + "\n" + strings.Join(q.Unparsed, "\n")), Original: r.Original,
	}
	if who, sure := q.Who(); sure >= least {
		made.Name = Cut(who, mostName)
	}
	if q.Fields[intake.Email].Confidence >= least {
		made.Email = q.Value(intake.Email)
	}
	if q.Fields[intake.Phone].Confidence >= least {
		made.Phone = q.Value(intake.Phone)
	}
	if at, sure := q.From(); sure >= least {
		made.From = &at
	}
	if at, sure := q.To(); sure >= least {
		made.To = &at
	}

	return made
}

// Cut is the beginning of a text, at most so many characters.
func Cut(text string, most int) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}

	return text
}
