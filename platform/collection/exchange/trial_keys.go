package exchange

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// compare finds, in a dry run, rows with a unique value that an earlier part of the file has: nothing of
// that was written, so the records do not know. In the run, such a row changes what the earlier one made,
// where an upsert goes by the value, and is refused elsewhere. Rows of one chunk have met already.
func (m *Importer) compare(ctx context.Context, p *plan, chunk chunkRow, made *results) error {
	var keys []keyRow
	byRow := make([]map[int]string, len(chunk.Rows))
	own := map[string]bool{}
	for i, source := range chunk.Rows {
		if made.outcomes[i].Problem != "" || made.joined[i] {
			continue
		}
		byRow[i] = p.keys(source.Cells)
		for _, hash := range byRow[i] {
			if !own[hash] {
				own[hash] = true
				keys = append(keys, keyRow{ImportID: p.importRow.ID, Hash: hash, FirstRow: int64(chunk.number(i))})
			}
		}
	}
	seen, err := m.repo.seenBefore(ctx, p.importRow.ID, keys)
	if err != nil {
		return err
	}
	for i, hashes := range byRow {
		p.correctRepeated(i, hashes, func(hash string) int64 {
			if first := seen[hash]; first < int64(chunk.number(0)) {
				return first
			}

			return 0
		}, made)
	}

	return nil
}

// keys returns the hashes of the unique values of a row, by column.
func (p *plan) keys(cells []string) map[int]string {
	var hashes map[int]string
	cells = p.importRow.padded(cells)
	for i, c := range p.columns {
		if c.to != byUUID && (c.Field == nil || !c.Unique) {
			continue
		}
		text, value := p.importRow.cell(cells[i])
		raw := []byte(p.importRow.word(text))
		var err error
		if value && c.Field != nil {
			if raw, err = p.read(i, text); err == nil {
				raw, err = c.Check(raw)
			}
			if err == nil && !isNull(raw) {
				raw = []byte(c.Same(raw))
			}
		}
		if !value || err != nil || isNull(raw) {
			continue
		}
		if hashes == nil {
			hashes = map[int]string{}
		}
		sum := sha256.Sum256(append([]byte(string(c.to)+" "), raw...))
		hashes[i] = hex.EncodeToString(sum[:16])
	}

	return hashes
}

// correctRepeated corrects what became of a row by the earlier rows that have its values; earlier returns 0 for none.
func (p *plan) correctRepeated(i int, hashes map[int]string, earlier func(hash string) int64, made *results) {
	o := &made.outcomes[i]
	for column, hash := range hashes {
		if p.columns[column].to != p.importRow.MatchBy || earlier(hash) == 0 {
			continue
		}
		if o.Before == 0 { // it is no new record
			o.Before, o.After = 1, 2
			made.tally.Created--
			made.tally.Updated++
		}

		return
	}
	for column, hash := range hashes {
		first := earlier(hash)
		if first == 0 {
			continue
		}
		switch {
		case o.Before == 0:
			made.tally.Created--
		case o.After == 0:
			made.tally.Unchanged--
		default:
			made.tally.Updated--
		}
		text, _ := p.importRow.cell(p.importRow.padded(made.chunk.Rows[i].Cells)[column])
		said := fmt.Sprintf("has already been taken by %s of the file", p.importRow.where(int(first)))
		made.fail(i, &rowProblem{cells: []cellProblem{p.problem(column, text, said)}})

		return
	}
}
