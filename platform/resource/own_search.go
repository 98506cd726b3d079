package resource

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/platform/principal"
	"github.com/dispatchd/dispatchd/platform/resource/columns"
	"github.com/dispatchd/dispatchd/platform/search"
)

// searches reports whether q= finds rows by anything: by the struct, or by fields that the company has added, nil for none.
func (r *table) searches(own Own) bool {
	return r.plan.Searched != nil || own != nil && own.Searched()
}

// firstOwnLine is the number of the line of an entry at which those of own fields begin: the first line is the title, be
// there one or not.
func (r *table) firstOwnLine() int { return max(1, len(r.plan.Searched)) }

// entryWith is the entry of a row with what it is found by in fields that the company has added.
func (r *table) entryWith(company uuid.UUID, row any, own []search.Line) search.Entry {
	made := r.entry(company, row)
	if own == nil {
		return made
	}
	made.Lines = append(made.Lines, make([]search.Line, r.firstOwnLine()-len(made.Lines))...)
	for _, line := range own {
		if spoken := columns.NationalFormat(line.Text); spoken != "" {
			line.More += " " + spoken
		}
		made.Lines = append(made.Lines, line)
	}

	return made
}

// linesOf are what a row that is being written is found by in fields that the company has added: before, or when it is
// stored.
func linesOf(own Own, m *columns.Row, after bool) []search.Line {
	switch {
	case own == nil || columns.WriteOf(m) == nil:
		return nil
	case after:
		return own.Lines(columns.WriteOf(m).After)
	default:
		return own.Lines(columns.WriteOf(m).Before)
	}
}

// entries are the entries of rows of any company.
func (r *table) entries(ctx context.Context, rows []any) ([]search.Entry, error) {
	made, byCompany := make([]search.Entry, len(rows)), map[uuid.UUID][]int{}
	for i, row := range rows {
		company := columns.MetaOf(row).CompanyID
		byCompany[company] = append(byCompany[company], i)
	}
	for company, places := range byCompany {
		ctx := principal.AsCompany(ctx, company)
		own, err := r.ownFields(ctx)
		if err != nil {
			return nil, err
		}
		ids, documents := make([]uuid.UUID, len(places)), map[uuid.UUID][]byte{}
		for n, i := range places {
			ids[n] = columns.MetaOf(rows[i]).ID
		}
		if own != nil && own.Searched() {
			if documents, err = own.Documents(ctx, ids); err != nil {
				return nil, err
			}
		}
		for _, i := range places {
			var lines []search.Line
			if document := documents[columns.MetaOf(rows[i]).ID]; document != nil {
				lines = own.Lines(document)
			}
			made[i] = r.entryWith(company, rows[i], lines)
		}
	}

	return made, nil
}

// foundAlike reports whether two versions of a row, of which the second is being written, have the same entry.
func (r *table) foundAlike(own Own, before, after any) bool {
	a, b, m := columns.ValueOf(before), columns.ValueOf(after), columns.MetaOf(after)

	return r.partOf(before) == r.partOf(after) && (columns.MetaOf(before).DeletedAt == nil) == (m.DeletedAt == nil) &&
		!slices.ContainsFunc(r.plan.Searched, func(f *columns.Field) bool { return f != nil && !f.Same(a, b) }) &&
		slices.Equal(linesOf(own, m, false), linesOf(own, m, true))
}

// lineKey is the key of the field in which a search over everything has found a row, false for one that is gone.
func lineKey(ctx context.Context, r finding, line int) (string, bool, error) {
	keys := r.lines()
	if line < len(keys) {
		return keys[line], true, nil
	}
	own, err := r.ownFields(ctx)
	if own == nil || err != nil {
		return "", false, err
	}
	key := own.LineKey(line - r.firstOwnLine())

	return ownPrefix + key, key != "", nil
}
