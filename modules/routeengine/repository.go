package routeengine

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm/clause"

	"github.com/dispatchd/dispatchd/platform/clock"
	"github.com/dispatchd/dispatchd/platform/database"
)

// repository stores the answers of providers.
type repository struct {
	db       *database.DB
	settings settings
	clock    clock.Clock
}

func newRepository(db *database.DB, s settings, clk clock.Clock) *repository {
	return &repository{db: db, settings: s, clock: clk}
}

// due reports whether a vendor is to be asked again.
func (r *repository) due(a asked) bool { return a.due(r.clock.Now(), r.settings) }

// ended returns what a row keeps of a request that has just ended.
func (r *repository) ended(a asked, failure error) asked { return a.ended(r.clock.Now(), failure) }

// measured returns the stored measurements of lanes, by lane.
func (r *repository) measured(ctx context.Context, profile string, lanes []string) (map[string]measuredRow, error) {
	rows, err := database.All[measuredRow](r.db.Conn(ctx).Where("source = ? AND profile = ? AND lane IN ?", r.settings.source(), profile, lanes))
	if err != nil {
		return nil, err
	}
	byLane := make(map[string]measuredRow, len(rows))
	for _, row := range rows {
		byLane[row.Lane] = row
	}

	return byLane, nil
}

func (r *repository) putMeasured(ctx context.Context, row measuredRow) error {
	return r.put(ctx, &row, row.TableName(), "source", "profile", "lane")
}

// address returns the stored answer for an address, nil if there is none.
func (r *repository) address(ctx context.Context, query string) (*addressRow, error) {
	return database.IfAny[addressRow](r.db.Conn(ctx), "geocoder = ? AND query = ?", string(r.settings.Geocoder), query)
}

// addresses returns the stored answers for several addresses, by query.
func (r *repository) addresses(ctx context.Context, queries []string) (map[string]addressRow, error) {
	rows, err := database.All[addressRow](r.db.Conn(ctx).Where("geocoder = ? AND query IN ?", string(r.settings.Geocoder), queries))
	if err != nil {
		return nil, err
	}
	byQuery := make(map[string]addressRow, len(rows))
	for _, row := range rows {
		byQuery[row.Query] = row
	}

	return byQuery, nil
}

func (r *repository) putAddress(ctx context.Context, row addressRow) error {
	return r.put(ctx, &row, row.TableName(), "geocoder", "query")
}

// put stores a row, replacing the one with the same key.
func (r *repository) put(ctx context.Context, row any, table string, keys ...string) error {
	target := []clause.Column{{Name: "company_id"}}
	for _, k := range keys {
		target = append(target, clause.Column{Name: k})
	}

	return r.db.InTx(ctx, func(ctx context.Context) error {
		return database.Translate(r.db.Conn(ctx).Clauses(clause.OnConflict{
			Columns: target, UpdateAll: true, Where: database.SameCompany(table),
		}).Create(row).Error)
	})
}

// purgeEvery is how often old answers are removed.
const purgeEvery = 24 * time.Hour

// purgeArgs are the arguments of the job that removes old answers.
type purgeArgs struct{}

// Kind implements jobs.Args.
func (purgeArgs) Kind() string { return "route_engine.purge" }

// purge is that job. Answers that were requested again in the meantime stay.
func (r *repository) purge(ctx context.Context, _ purgeArgs) error {
	ctx = database.AcrossCompanies(ctx, "old answers of providers are removed for all companies")

	return r.db.InTx(ctx, func(ctx context.Context) error {
		before := r.clock.Now().Add(-r.settings.CacheFor)
		if err := r.db.Conn(ctx).Where("asked_at < ?", before).Delete(&measuredRow{}).Error; err != nil {
			return database.Translate(err)
		}

		return database.Translate(r.db.Conn(ctx).Where("asked_at < ?", before).Delete(&addressRow{}).Error)
	})
}

// errNoFormula says that a company has published no formula.
var errNoFormula = errors.New("no formula is published")

// publishedFormula returns the formula that counts. Error: errNoFormula.
func (r *repository) publishedFormula(ctx context.Context) (priceFormula, error) {
	return database.One[priceFormula](r.db.Conn(ctx), errNoFormula, "state = ? AND deleted_at IS NULL", formulaPublished)
}

// lastRevision returns the highest revision of a company's formulas, 0 if it has none.
func (r *repository) lastRevision(ctx context.Context) (int64, error) {
	row, err := database.One[priceFormula](r.db.Conn(ctx).Order("revision DESC").Limit(1), errNoFormula, "revision > 0")
	if errors.Is(err, errNoFormula) {
		return 0, nil
	}

	return row.Revision, err
}
