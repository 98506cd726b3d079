package routeengine

import (
	"context"
	"fmt"
	"math"

	"github.com/dispatchd/dispatchd/modules/routeengine/internal/distance"
	"github.com/dispatchd/dispatchd/modules/routeengine/internal/places"
	"github.com/dispatchd/dispatchd/modules/routeengine/routeengineapi"
	"github.com/dispatchd/dispatchd/platform/errs"
	"github.com/dispatchd/dispatchd/platform/resource"
)

// correction is a row of route_engine_corrections: known miles that replace the estimate.
type correction struct {
	resource.Row

	FromZIP  string `json:"from_zip" gorm:"column:from_zip" field:"required,fixed,max=10,sort,search" doc:"ZIP code of one end." example:"75201"`
	ToZIP    string `json:"to_zip" gorm:"column:to_zip" field:"required,fixed,max=10,sort,search" doc:"ZIP code of the other end. The other direction has the same miles." example:"33101"`
	Miles    int64  `json:"miles" field:"required,min=1,max=9999,sort" doc:"Real miles by road." example:"1312"`
	Note     string `json:"note" field:"max=500,search" doc:"Where the miles are from." example:"Odometer of load L-1042"`
	Lane     string `json:"lane" field:"readonly,title,sort" doc:"Both ZIP codes, the smaller one first."`
	Estimate int64  `json:"estimated_miles" gorm:"column:estimated_miles" field:"readonly" doc:"The estimate without corrections."`
	FromZone string `json:"-" field:"hidden"`
	ToZone   string `json:"-" field:"hidden"`
}

// TableName implements GORM's naming.
func (correction) TableName() string { return "route_engine_corrections" }

var errCorrection = errs.New(errs.Invalid, "route_engine.invalid_correction", "The given data was invalid.")

func correctionRules() resource.Rules[correction] {
	return resource.Rules[correction]{
		Item: routeengineapi.Correction, Sort: []string{"lane"}, Title: "Corrected miles", Check: checkCorrection,
		Failures: resource.Failures{Invalid: errCorrection},
		About: "Real miles between two ZIP codes, for both directions; the newest of a lane count. Routes between them use these miles, and estimates of routes " +
			"nearby are corrected by a part of the difference.",
	}
}

// Limits of real miles as factors of the straight line: less is impossible, and more is a typing error. Ends are the centers of ZIP codes.
const (
	endsApart   = 20
	mostWinding = 3
)

// checkCorrection normalizes ZIP codes, and refuses impossible miles.
func checkCorrection(_ context.Context, c *correction) error {
	wrong := errCorrection
	from, problem := findZIP(c.FromZIP)
	if problem != "" {
		wrong = wrong.WithField("from_zip", "The from zip "+problem)
	}
	to, problem := findZIP(c.ToZIP)
	if problem != "" {
		wrong = wrong.WithField("to_zip", "The to zip "+problem)
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}
	c.FromZIP, c.ToZIP = from.ZIP, to.ZIP
	c.FromZone, c.ToZone = from.ZIP[:zoneDigits], to.ZIP[:zoneDigits]
	c.Lane = min(from.ZIP, to.ZIP) + "-" + max(from.ZIP, to.ZIP)
	if from.ZIP == to.ZIP {
		return wrong.WithField("to_zip", "The to zip must be another one than the from zip.")
	}
	if !places.Between(from, to).Connected {
		return wrong.WithField("to_zip", "The to zip must be one that a road connects with the from zip.")
	}
	straight := distance.GreatCircle(pointOf(from), pointOf(to))
	if least := straight - endsApart; float64(c.Miles) < least {
		return wrong.WithField("miles", fmt.Sprintf("The miles must be at least %.0f: the straight line has %.0f.", math.Ceil(least), straight))
	}
	if most := straight*mostWinding + endsApart; float64(c.Miles) > most {
		return wrong.WithField("miles", fmt.Sprintf("The miles must be at most %.0f: the straight line has %.0f.", most, straight))
	}
	c.Estimate = int64(math.Round(distance.Road(pointOf(from), pointOf(to))))

	return nil
}

// zoneDigits is the number of digits of a zone.
const zoneDigits = 3

// findZIP returns the place of a ZIP code that has a position, or the end of a sentence that describes the problem.
func findZIP(text string) (places.Place, string) {
	zip, err := places.ParseZIP(text)
	if err != nil {
		return places.Place{}, err.Error()
	}
	p, ok := places.Find(zip)
	switch {
	case !ok:
		return places.Place{}, "must be a ZIP code that is in use: " + zip.String() + " is not known."
	case p.Kind == places.Military:
		return places.Place{}, "must not be that of a military post office: " + zip.String() + " has no place on the map."
	}

	return p, ""
}

func pointOf(p places.Place) distance.Point { return distance.Point{Lat: p.Lat, Lng: p.Lng} }
