package resource

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/jobs"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
)

const (
	// indexBlock is how many rows are put into the index in one transaction.
	indexBlock = 200
	whyIndex   = "the rows of all companies are put into the index together; each entry has its company"
	// indexForm changes with what an entry says of the same fields.
	indexForm = "1"
)

// searchState is by which fields the rows of a resource are found, and how far a change of that has come.
type searchState struct {
	database.Global

	ItemType string `gorm:"primaryKey"`
	Fields   string
	// AfterCompany and AfterID are of the row that was put into the index last.
	AfterCompany, AfterID uuid.UUID
	Complete              bool
}

// TableName is the table of the states.
func (searchState) TableName() string { return "resource_search_states" }

// indexArgs are the arguments of the job that puts the rows of a resource into the index again.
type indexArgs struct {
	Item string `json:"item"`
}

// Kind implements jobs.Args.
func (indexArgs) Kind() string { return "resource.index" }

// scheduleIndexing has the queue follow changes of searched fields.
func (e *Engine) scheduleIndexing(q *jobs.Queue) error {
	e.queue = q

	return jobs.Add(q, "resource", func(ctx context.Context, args indexArgs) error { return e.Reindex(ctx, args.Item) })
}

// fieldsOf says by which fields rows are found, "" for none.
func fieldsOf(r finding) string {
	keys := r.lines()
	if keys == nil {
		return ""
	}

	return indexForm + ":" + strings.Join(keys, ",")
}

// followFields has the index follow changes of the fields by which rows are found.
func (e *Engine) followFields(ctx context.Context) error {
	states, err := database.All[searchState](e.db.Conn(ctx))
	if err != nil {
		return fmt.Errorf("states of the index: %w", err)
	}
	known := make(map[string]searchState, len(states))
	for _, s := range states {
		known[s.ItemType] = s
	}
	var behind []string
	for _, name := range slices.Sorted(maps.Keys(e.resources)) {
		if was, fields := known[name], fieldsOf(e.resources[name]); was.Fields != fields || (fields != "" && !was.Complete) {
			behind = append(behind, name)
		}
	}
	if behind == nil {
		return nil
	}

	return e.db.InTx(ctx, func(ctx context.Context) error {
		for _, name := range behind {
			if err := e.followFieldsOf(ctx, name, known[name].Fields); err != nil {
				return fmt.Errorf("index of %s: %w", name, err)
			}
		}

		return nil
	})
}

// followFieldsOf has the rows of a resource put into the index, from the first on if its fields were others. Without rows,
// the index is complete.
func (e *Engine) followFieldsOf(ctx context.Context, name, were string) error {
	if fields := fieldsOf(e.resources[name]); fields != were {
		rows, err := e.resources[name].reindex(ctx, database.Place{}, 1)
		if err != nil {
			return err
		}
		err = e.db.Raw(ctx, whyIndex).Exec(`INSERT INTO resource_search_states (item_type, fields, after_company, after_id, complete)
			VALUES (?, ?, ?, ?, ?) ON CONFLICT (item_type) DO UPDATE SET fields = excluded.fields, after_company = excluded.after_company,
			after_id = excluded.after_id, complete = excluded.complete`, name, fields, uuid.Nil, uuid.Nil, len(rows) == 0).Error
		if err != nil || len(rows) == 0 {
			return database.Translate(err)
		}
	}

	return e.queue.Enqueue(ctx, indexArgs{Item: name})
}

// Reindex puts the rows of a resource whose searched fields have changed into the index, a block in each transaction, and goes
// on where it was stopped.
func (e *Engine) Reindex(ctx context.Context, name string) error {
	r, known := e.resources[name]
	if !known {
		return nil // the area is off
	}
	for done := false; !done; {
		err := e.db.InTx(ctx, func(ctx context.Context) error {
			state, err := database.One[searchState](database.ForUpdate(e.db.Conn(ctx)), database.ErrNotFound, "item_type = ?", name)
			if errors.Is(err, database.ErrNotFound) || (err == nil && (state.Complete || state.Fields != fieldsOf(r))) {
				done = true // another one has done it, or a release with other fields will

				return nil
			}
			if err != nil {
				return err
			}
			last := database.Place{CompanyID: state.AfterCompany, ID: state.AfterID}
			rows, err := r.reindex(ctx, last, indexBlock)
			if err != nil {
				return err
			}
			if done = len(rows) < indexBlock; len(rows) > 0 {
				last = rows[len(rows)-1]
			}

			return database.Translate(e.db.Raw(ctx, whyIndex).
				Exec("UPDATE resource_search_states SET after_company = ?, after_id = ?, complete = ? WHERE item_type = ?",
					last.CompanyID, last.ID, done, name).Error)
		})
		if err != nil {
			return fmt.Errorf("index of %s: %w", name, err)
		}
	}

	return nil
}

// reindex puts rows behind a place into the index, and returns their places. It holds them: what is written at the same time
// comes before or after.
func (r *table) reindex(ctx context.Context, after database.Place, most int) ([]database.Place, error) {
	across := database.AcrossCompanies(ctx, whyIndex)
	rows, err := r.all(database.AfterPlace(database.ForUpdate(r.engine.db.Conn(across)), after, most))
	if err != nil {
		return nil, err
	}
	places := make([]database.Place, len(rows))
	for i, row := range rows {
		places[i] = database.Place{CompanyID: columns.MetaOf(row).CompanyID, ID: columns.MetaOf(row).ID}
	}
	if r.plan.Searched == nil {
		return places, nil
	}
	entries, err := r.entries(ctx, rows)
	if err != nil {
		return nil, err
	}

	return places, r.engine.index.Put(ctx, entries...)
}
