package exchange

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/collection"
	"github.com/dispatchd/dispatchd/platform/database"
	"github.com/dispatchd/dispatchd/platform/list"
)

// repository reads and writes imports and their files.
type repository struct {
	db *database.DB
	// area is that whose imports there are, "" for all.
	area string
}

func (r *repository) insert(ctx context.Context, row *importRow) error {
	return database.Translate(r.db.Conn(ctx).Create(row).Error)
}

// find returns a whole import, or ErrImportNotFound.
func (r *repository) find(ctx context.Context, id uuid.UUID) (importRow, error) {
	var row importRow
	err := r.byID(ctx, id).Take(&row).Error

	return row, importNotFound(err)
}

// findForUpdate is find, and keeps others from the import until the transaction ends.
func (r *repository) findForUpdate(ctx context.Context, id uuid.UUID) (importRow, error) {
	var row importRow
	err := r.byID(ctx, id).Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).Take(&row).Error

	return row, importNotFound(err)
}

func (r *repository) byID(ctx context.Context, id uuid.UUID) *gorm.DB {
	tx := r.db.Conn(ctx).Where("id = ? AND whole", id)
	if r.area != "" {
		tx = tx.Where("area = ?", r.area)
	}

	return tx
}

func importNotFound(err error) error {
	if err = database.Translate(err); errors.Is(err, database.ErrNotFound) {
		return ErrImportNotFound
	}

	return err
}

// save stores an import that is held.
func (r *repository) save(ctx context.Context, row *importRow) error {
	return r.store(ctx, row, append(progressing,
		"whole", "file_name", "header", "mapping", "rules", "seen", "samples", "mode", "match_by", "keep_empty", "bytes", "rows", "chunks", "actor"))
}

// saveProgress stores how far an import that is held is.
func (r *repository) saveProgress(ctx context.Context, row *importRow) error {
	return r.store(ctx, row, progressing)
}

func (r *repository) store(ctx context.Context, row *importRow, columns []string) error {
	return database.Translate(r.db.Conn(ctx).Model(&importRow{}).Where("id = ?", row.ID).Select(columns).Updates(row).Error)
}

// progressing are the columns that change while an import is worked on.
var progressing = []string{
	"state", "next", "undo_next", "tally", "trial", "trial_next", "problem", "runner", "claims", "beat", "version", "updated_at",
}

// count returns how many imports the company has.
func (r *repository) count(ctx context.Context) (n int64, err error) {
	err = r.db.Conn(ctx).Model(&importRow{}).Count(&n).Error

	return n, database.Translate(err)
}

// dropChunks removes some of the file of an import, and returns how much.
func (r *repository) dropChunks(ctx context.Context, id uuid.UUID, most int) (int, error) {
	var some []int
	err := r.db.Conn(ctx).Model(&chunkRow{}).Where("import_id = ?", id).Limit(most).Pluck("seq", &some).Error
	if err == nil && len(some) > 0 {
		err = r.db.Conn(ctx).Where("import_id = ? AND seq IN ?", id, some).Delete(&chunkRow{}).Error
	}

	return len(some), database.Translate(err)
}

// deleteImport removes an import that has no file any more.
func (r *repository) deleteImport(ctx context.Context, id uuid.UUID) error {
	if err := r.forgetKeys(ctx, id); err != nil {
		return err
	}

	return database.Translate(r.db.Conn(ctx).Where("id = ?", id).Delete(&importRow{}).Error)
}

// forgetKeys removes what a dry run has seen.
func (r *repository) forgetKeys(ctx context.Context, id uuid.UUID) error {
	return database.Translate(r.db.Conn(ctx).Where("import_id = ?", id).Delete(&keyRow{}).Error)
}

// seenBefore keeps the keys of rows, and returns for those that an earlier row has which that was.
func (r *repository) seenBefore(ctx context.Context, id uuid.UUID, keys []keyRow) (map[string]int64, error) {
	seen := map[string]int64{}
	for some := range slices.Chunk(keys, keyBatch) {
		if err := r.db.Conn(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&some).Error; err != nil {
			return nil, database.Translate(err)
		}
		hashes := make([]string, len(some))
		for i, k := range some {
			hashes[i] = k.Hash
		}
		var there []keyRow
		if err := r.db.Dynamic(ctx).Where("import_id = ? AND hash IN ?", id, hashes).Find(&there).Error; err != nil {
			return nil, database.Translate(err)
		}
		for _, k := range there {
			seen[k.Hash] = k.FirstRow
		}
	}

	return seen, nil
}

// keyBatch is how many keys a statement has.
const keyBatch = 500

func (r *repository) insertChunk(ctx context.Context, chunk *chunkRow) error {
	return database.Translate(r.db.Conn(ctx).Create(chunk).Error)
}

func (r *repository) chunk(ctx context.Context, id uuid.UUID, seq int) (chunkRow, error) {
	var chunk chunkRow
	err := r.db.Conn(ctx).Where("import_id = ? AND seq = ?", id, seq).Take(&chunk).Error

	return chunk, database.Translate(err)
}

// saveOutcomes stores what became of the rows of a chunk.
func (r *repository) saveOutcomes(ctx context.Context, chunk *chunkRow) error {
	return database.Translate(r.db.Conn(ctx).Model(&chunkRow{}).Where("import_id = ? AND seq = ?", chunk.ImportID, chunk.Seq).
		Select("outcomes", "trials", "failed", "trial_failed", "kept", "noted").Updates(chunk).Error)
}

// reported returns some chunks of an import with rows that a report has, from one on. The column is one of
// chunkRow's counts.
func (r *repository) reported(ctx context.Context, id uuid.UUID, of report, from int) ([]chunkRow, error) {
	var chunks []chunkRow
	err := r.db.Conn(ctx).Where("import_id = ? AND seq >= ?", id, from).Where(of.column() + " > 0").
		Order("seq").Limit(reportBatch).Find(&chunks).Error

	return chunks, database.Translate(err)
}

// imports returns a page of the imports into a collection.
func (r *repository) imports(ctx context.Context, into collection.Name, q list.Query) (list.Page[importRow], error) {
	page, err := list.Find(r.db.Dynamic(ctx).Where("collection = ? AND whole", into), q, importRow.sortKey)

	return page, database.Translate(err)
}

func (row importRow) sortKey(string) any { return row.ID }

// importKey names an import of any company.
type importKey struct{ CompanyID, ID uuid.UUID }

// stalled returns imports of all companies that are at work and did not come on since a time.
func (r *repository) stalled(ctx context.Context, since time.Time, most int) ([]importKey, error) {
	var keys []importKey
	err := r.db.Conn(database.AcrossCompanies(ctx, "imports of all companies are taken on")).Model(&importRow{}).
		Where("state IN ? AND beat < ?", []Status{checking, running, undoing}, since).Order("beat").Limit(most).Find(&keys).Error

	return keys, database.Translate(err)
}

// staleImports returns imports of all companies that last changed before a time and are not at work, and files that
// never arrived to their end.
func (r *repository) staleImports(ctx context.Context, before, unfinished time.Time, most int) ([]importKey, error) {
	var keys []importKey
	err := r.db.Conn(database.AcrossCompanies(ctx, "imports of all companies are removed")).Model(&importRow{}).
		Where("updated_at < ? AND (updated_at < ? OR NOT whole) AND state NOT IN ?", unfinished, before,
			[]Status{checking, running, undoing}).Limit(most).Find(&keys).Error

	return keys, database.Translate(err)
}
