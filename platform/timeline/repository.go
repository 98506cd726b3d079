package timeline

import (
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

// Columns say where a table has what a timeline asks for. They are never made of what a caller sent.
type Columns struct {
	// ID is the entry's id.
	ID string
	// At is the entry's time. Without it the entry has that of its ID, of version 7, to the millisecond: see
	// database.TimeOf.
	At string
	// ItemType and ItemID name the item, whose class has the Part: "" if the table does not keep it.
	ItemType, ItemID, Part string
	// Untyped says that a row may name the item by its id alone, with the type "".
	Untyped bool
	// Kind is the entry's kind, "" if the table has entries of one kind alone.
	Kind string
	// Actor is the user who did it, "" if the table does not keep that; ActorAs is what the column has for the user's id,
	// nil for the id itself.
	Actor   string
	ActorAs func(user string) any
	// Search are the texts that q= looks into.
	Search []string
	// Name begins with the id of the area that the entry is of, and a dot; "" where all are of the source's own.
	Name string
}

// Narrow adds the conditions of the query to a statement on a table, its order, and how much it reads at the most.
func (q Query) Narrow(tx *gorm.DB, c Columns) *gorm.DB {
	tx = q.visible(q.about(tx, c), c)
	if c.Kind != "" {
		tx = tx.Where(c.Kind+" IN ?", q.kinds)
	}
	for _, users := range q.actors {
		if c.Actor == "" {
			tx = tx.Where("1 = 0")

			continue
		}
		tx = tx.Where(c.Actor+" IN ?", c.actors(users))
	}
	tx = q.search(tx, c)
	for _, e := range q.edges() {
		tx = c.bound(tx, e)
	}
	if q.place != nil && q.place.source == q.source {
		tx = c.begin(tx, *q.place, q.ascending)
	}

	return tx.Order(c.order(q.ascending)).Limit(q.most)
}

// about narrows a statement down to an item, or to types of items.
func (q Query) about(tx *gorm.DB, c Columns) *gorm.DB {
	for _, types := range q.types {
		tx = tx.Where(c.ItemType+" IN ?", types)
	}
	if q.Item.Type == "" {
		return tx
	}

	if c.Untyped {
		return tx.Where(c.ItemType+" IN (?, '') AND "+c.ItemID+" = ?", q.Item.Type, q.Item.UUID)
	}

	return tx.Where(c.ItemType+" = ? AND "+c.ItemID+" = ?", q.Item.Type, q.Item.UUID)
}

// visible leaves out what the caller may not know of.
func (q Query) visible(tx *gorm.DB, c Columns) *gorm.DB {
	for _, area := range q.Barred {
		within := escapeLike(area+".") + "%"
		if c.Name != "" {
			tx = tx.Where(c.Name+" NOT LIKE ? ESCAPE '!'", within)
		}
		if q.Item.Type == "" {
			tx = tx.Where(c.ItemType+" NOT LIKE ? ESCAPE '!'", within)
		}
	}
	if c.Part != "" && len(q.Hidden) > 0 {
		tx = tx.Where(c.Part+" NOT IN ?", q.Hidden)
	}

	return tx
}

// search asks for every word in any of the texts. Where there are none, nothing is found.
func (q Query) search(tx *gorm.DB, c Columns) *gorm.DB {
	on := database.SQLite
	if tx.Name() == "postgres" {
		on = database.Postgres
	}
	for _, word := range q.words {
		anywhere := []string{"1 = 0"}
		var like []any
		for _, expr := range c.Search {
			anywhere = append(anywhere, on.FoldedColumn(expr)+" LIKE ? ESCAPE '!'")
			like = append(like, "%"+escapeLike(database.FoldText(word))+"%")
		}
		tx = tx.Where("("+strings.Join(anywhere, " OR ")+")", like...)
	}

	return tx
}

// escapeLike makes the characters that LIKE knows stand for themselves.
func escapeLike(text string) string {
	return strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(text)
}

func (c Columns) actors(users []any) []any {
	if c.ActorAs == nil {
		return users
	}
	all := make([]any, len(users))
	for i, user := range users {
		if text, ok := user.(string); ok {
			all[i] = c.ActorAs(text)
		}
	}

	return all
}

// bound narrows a statement down by the time of the entries.
func (c Columns) bound(tx *gorm.DB, e edge) *gorm.DB {
	if c.At != "" {
		switch e.operator {
		case list.Less:
			return tx.Where(c.At+" < ?", e.at)
		case list.LessOrEqual:
			return tx.Where(c.At+" <= ?", e.at)
		case list.Greater:
			return tx.Where(c.At+" > ?", e.at)
		default:
			return tx.Where(c.At+" >= ?", e.at)
		}
	}
	switch e.operator {
	case list.Less:
		return tx.Where(c.ID+" < ?", firstID(e.at, false))
	case list.LessOrEqual:
		return tx.Where(c.ID+" < ?", firstID(e.at, true))
	case list.Greater:
		return tx.Where(c.ID+" >= ?", firstID(e.at, true))
	default:
		return tx.Where(c.ID+" >= ?", firstID(e.at, false))
	}
}

// firstID returns the least id of the first millisecond that is not before a time, or, later, that is after it.
func firstID(at time.Time, later bool) uuid.UUID {
	whole := at.Truncate(time.Millisecond)
	if later || whole.Before(at) {
		whole = whole.Add(time.Millisecond)
	}
	if whole.Before(time.UnixMilli(0)) {
		return uuid.Nil
	}

	return database.FirstID(whole)
}

// begin narrows a statement down to what comes at a place of this source and after it.
func (c Columns) begin(tx *gorm.DB, p place, ascending bool) *gorm.DB {
	operator := " <= "
	if ascending {
		operator = " >= "
	}
	if c.At == "" {
		return tx.Where(c.ID+operator+"?", p.id)
	}

	return tx.Where("("+c.At+", "+c.ID+")"+operator+"(?, ?)", p.at, p.id)
}

func (c Columns) order(ascending bool) string {
	direction := " DESC"
	if ascending {
		direction = ""
	}
	if c.At == "" {
		return c.ID + direction
	}

	return c.At + direction + ", " + c.ID + direction
}
