package notes

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/item"
	"github.com/dispatchd/dispatchd/platform/remark"
	"github.com/dispatchd/dispatchd/platform/summary"
	"github.com/dispatchd/dispatchd/platform/timeline"
)

// repository reads notes for the timelines of items.
type repository struct{ db *database.DB }

func newRepository(db *database.DB) *repository { return &repository{db} }

func (r *repository) timeline(ctx context.Context, q timeline.Query) ([]timeline.Entry, error) {
	rows, err := database.All[note](q.Narrow(r.db.Dynamic(ctx).Where("deleted_at IS NULL"), timeline.Columns{
		ID: "id", At: "created_at", ItemType: "item_type", ItemID: "item_id", Part: "item_part", Actor: "created_by", Search: []string{"body"},
	}))
	entries := make([]timeline.Entry, len(rows))
	for i, row := range rows {
		entries[i] = timeline.Entry{
			ID: row.ID, At: row.CreatedAt, Kind: "note", Title: "Note", Text: row.Body, Actor: timeline.ByUser(row.CreatedBy), Item: row.Item.Ref(),
			Thing: item.Ref{Type: "notes.note", UUID: row.ID}, Details: map[string]any{"visibility": row.Visibility, "pinned": row.Pinned}, Checked: true,
		}
	}

	return entries, err
}

// mostRemarks bounds the notes that readers outside are shown.
const mostRemarks = 50

// remarks adds the notes of an item that are meant for readers outside, the oldest first.
func (r *repository) remarks(ctx context.Context, asked *remark.Reading) error {
	rows, err := database.All[note](r.db.Conn(ctx).Where("item_type = ? AND item_id = ? AND visibility = ? AND deleted_at IS NULL", asked.About.Type, asked.About.UUID, asked.For).
		Order("created_at, id").Limit(mostRemarks))
	for _, row := range rows {
		asked.Texts = append(asked.Texts, row.Body)
	}

	return err
}

// itemNotes are the notes of an item that are pinned.
type itemNotes struct {
	Pinned []pinnedNote `json:"pinned"`
}

type pinnedNote struct {
	UUID      uuid.UUID `json:"uuid"`
	Body      string    `json:"body"`
	CreatedAt time.Time `json:"created_at"`
}

func (r *repository) summarize(ctx context.Context, about summary.Subject) (itemNotes, error) {
	rows, err := database.All[note](r.db.Conn(ctx).Where("item_type = ? AND item_id = ? AND pinned AND deleted_at IS NULL", about.Item.Type, about.Item.UUID).
		Order("created_at DESC, id DESC").Limit(mostShown))
	shown := itemNotes{Pinned: make([]pinnedNote, len(rows))}
	for i, row := range rows {
		shown.Pinned[i] = pinnedNote{UUID: row.ID, Body: row.Body, CreatedAt: row.CreatedAt}
	}

	return shown, err
}

// mostShown bounds the pinned notes in a summary.
const mostShown = 10
