package custommodules

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// wordsOf returns the words by which a record is to be found, sorted.
func (d *definition) wordsOf(row verifiableRow) []string {
	if row.DeletedAt != nil || !isObject(row.Data) {
		return nil
	}
	words := strings.Fields(d.words(row.Data))
	slices.Sort(words)

	return words
}

// words compares the words by which a record is found. While an index is being built, words may be missing;
// and words too many are left to the job that takes them out, unless the record was written by the present
// definition, or all is to be mended.
func (e *examination) words(row verifiableRow) {
	have, want := e.parts.words[row.ID], e.definition.wordsOf(row)
	building := slices.ContainsFunc(e.definition.fields, func(f *moduleField) bool { return f.searchable && !f.searchReady })
	if !building && lacks(have, want) {
		e.add(row, wrongWords, "", "The record is not found by all of its words.")
	}
	current := e.repair || row.DeletedAt != nil || row.SchemaRevision >= e.definition.revision
	if current && lacks(want, have) {
		e.add(row, wrongWords, "", "The record is found by words that it does not have.")
	}
}

// lacks reports whether some of the words are not among those which are sorted.
func lacks(sorted, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		_, has := slices.BinarySearch(sorted, word)

		return !has
	})
}

// mendWords writes the words of records that are held, and notes in what was found that it did.
func (v *verification) mendWords(ctx context.Context, module uuid.UUID, rows []verifiableRow, found []finding) error {
	d, _, err := v.definitions.whole(ctx, module)
	if err != nil {
		return err
	}
	for i, f := range found {
		at := slices.IndexFunc(rows, func(row verifiableRow) bool { return row.ID == f.Record })
		if f.Kind != wrongWords || at < 0 {
			continue
		}
		record := recordRow{ID: f.Record, ModuleID: module}
		if err := v.repo.setWords(ctx, record, strings.Join(d.wordsOf(rows[at]), " ")); err != nil {
			return err
		}
		found[i].Mended = true
	}

	return nil
}
