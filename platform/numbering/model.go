package numbering

import (
	"time"

	"github.com/dispatchd/dispatchd/platform/database"
)

// seriesRow is a row of numbering_series: a series with its present counter.
type seriesRow struct {
	database.Tenant

	Series    string `gorm:"primaryKey"`
	Template  string
	Prefix    string
	Suffix    string
	Last      int64
	Width     int
	UpdatedAt time.Time `gorm:"autoUpdateTime:false"`
}

// TableName implements gorm's Tabler.
func (seriesRow) TableName() string { return "numbering_series" }

func (r seriesRow) counter() counter {
	return counter{shape: shape{Prefix: r.Prefix, Suffix: r.Suffix}, Last: r.Last, Width: r.Width}
}

// counterRow is a row of numbering_counters: a counter that rests.
type counterRow struct {
	database.Tenant

	Series string `gorm:"primaryKey"`
	Prefix string `gorm:"primaryKey"`
	Suffix string `gorm:"primaryKey"`
	Last   int64
	Width  int
}

// TableName implements gorm's Tabler.
func (counterRow) TableName() string { return "numbering_counters" }

func (r counterRow) counter() counter {
	return counter{shape: shape{Prefix: r.Prefix, Suffix: r.Suffix}, Last: r.Last, Width: r.Width}
}
