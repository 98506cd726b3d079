package verify

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/dispatchd/dispatchd/modules/custommodules/internal/definition"
	"github.com/dispatchd/dispatchd/modules/custommodules/internal/store"
)

// wordsIn returns the words by which a record is to be found, sorted.
func wordsIn(d *definition.Definition, row store.VerifiableRow) []string {
	if row.DeletedAt != nil || !isObject(row.Data) {
		return nil
	}
	words := strings.Fields(d.Words(row.Data))
	slices.Sort(words)

	return words
}

// words compares the words by which a record is found. While an index is being built, words may be missing;
// and words too many are left to the job that takes them out, unless the record was written by the present
// definition, or all is to be mended.
func (e *examination) words(row store.VerifiableRow) {
	have, want := e.parts.Words[row.ID], wordsIn(e.definition, row)
	building := slices.ContainsFunc(e.definition.Fields, func(f *definition.ModuleField) bool { return f.Searchable && !f.SearchReady })
	if !building && missesAny(have, want) {
		e.add(row, WrongWords, "", "The record is not found by all of its words.")
	}
	current := e.of.repair || row.DeletedAt != nil || row.SchemaRevision >= e.definition.Revision
	if current && missesAny(want, have) {
		e.add(row, WrongWords, "", "The record is found by words that it does not have.")
	}
}

// missesAny reports whether some of the words are not among those which are sorted.
func missesAny(sorted, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		_, has := slices.BinarySearch(sorted, word)

		return !has
	})
}

// repairWords writes the words of records that are held, and notes in what was found that it did.
func (v *verification) repairWords(ctx context.Context, module uuid.UUID, rows []store.VerifiableRow, found []Finding) error {
	d, _, err := v.service.definitions.LoadWithDeleted(ctx, module)
	if err != nil {
		return err
	}
	for i, f := range found {
		at := slices.IndexFunc(rows, func(row store.VerifiableRow) bool { return row.ID == f.Record })
		if f.Kind != WrongWords || at < 0 {
			continue
		}
		record := definition.RecordRow{ID: f.Record, ModuleID: module}
		if err := v.service.repo.SetWords(ctx, record, strings.Join(wordsIn(d, rows[at]), " ")); err != nil {
			return err
		}
		found[i].Mended = true
	}

	return nil
}
