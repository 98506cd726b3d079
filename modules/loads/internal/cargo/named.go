package cargo

import (
	"strings"

	"github.com/dispatchd/dispatchd/modules/vehicles/vehiclesapi"
	"github.com/dispatchd/dispatchd/platform/intake"
)

// Named are the vehicles that a text names, nil if they are more than a load can have.
func Named(listed []vehiclesapi.Listed) (made []Vehicle) {
	for _, one := range listed {
		if one.VIN == "" && (one.Make == "" || one.Model == "") {
			continue
		}
		v := Vehicle{VIN: one.VIN, Make: one.Make, Model: one.Model, Trim: one.Trim, Type: one.Type, Operable: one.Operable}
		if one.Year != nil {
			year := int64(*one.Year)
			v.Year = &year
		}
		for _, c := range one.Conditions {
			switch c {
			case "forklift", "rolls", "steers":
				v.Notes = strings.TrimSpace(v.Notes + " " + c)
			case "lifted", "lowered":
				v.Modified = append(v.Modified, c)
			default:
				v.Conditions = append(v.Conditions, c)
			}
		}
		if max(1, one.Count) > Most-len(made) || intake.Many(one.Rest) {
			return nil
		}
		for range max(1, one.Count) {
			made = append(made, v)
		}
	}

	return made
}
